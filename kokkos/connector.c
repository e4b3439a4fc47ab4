/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * connector.c - a tool of Kokkos (KOKKOS_TOOLS_LIBS): what a program calls its
 * kernels, regions and deep copies are phases.
 * Source: Kokkos, core/src/impl/Kokkos_Profiling_C_Interface.h.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/hidden.h"
#include "collect/regions/phase.h"
#include "copse.h"

enum {
	NAME_MOST = 256
};

struct kokkos_settings { /* Kokkos_Tools_ToolSettings */
	bool fences;
	bool unused[255];
};

struct kokkos_space { /* Kokkos_Profiling_SpaceHandle */
	char name[64];
};

/* Without this each kernel would be waited for before and after it. */
PUBLIC void kokkosp_request_tool_settings(uint32_t count,
					  struct kokkos_settings *settings);
PUBLIC void kokkosp_request_tool_settings(uint32_t count,
					  struct kokkos_settings *settings)
{
	if (count)
		settings->fences = false;
}

/*
 * What the program gave no name has that of a C++ type, as the compiler writes
 * it: its call path says more.
 */
static bool is_label(const char *name)
{
	bool typed = name && (name[0] == 'Z' || name[0] == 'N');

	return name && *name && !(typed && name[1] >= '0' && name[1] <= '9');
}

/* True: what begins has to end. */
static uint64_t begin_kernel(const char *name)
{
	if (!is_label(name))
		return 0;
	copse_phase_begin_kernel(name);
	return 1;
}

static void end_kernel(uint64_t begun)
{
	if (begun)
		copse_end(NULL);
}

/* A kernel of any kind: they nest, so the number may say that it has begun. */
#define KERNELS(kind)                                                          \
	PUBLIC void kokkosp_begin_parallel_##kind(                             \
		const char *name, uint32_t device, uint64_t *number);          \
	PUBLIC void kokkosp_begin_parallel_##kind(                             \
		const char *name, uint32_t device, uint64_t *number)           \
	{                                                                      \
		(void)device;                                                  \
		*number = begin_kernel(name);                                  \
	}                                                                      \
	PUBLIC void kokkosp_end_parallel_##kind(uint64_t number);              \
	PUBLIC void kokkosp_end_parallel_##kind(uint64_t number)               \
	{                                                                      \
		end_kernel(number);                                            \
	}
KERNELS(for)
KERNELS(reduce)
KERNELS(scan)

PUBLIC void kokkosp_push_profile_region(const char *name);
PUBLIC void kokkosp_push_profile_region(const char *name)
{
	copse_begin(name && *name ? name : "[region without a name]");
}

PUBLIC void kokkosp_pop_profile_region(void);
PUBLIC void kokkosp_pop_profile_region(void)
{
	copse_end(NULL);
}

/* "deep_copy of positions to mirror (Cuda to Host)". */
PUBLIC void kokkosp_begin_deep_copy(struct kokkos_space to, const char *to_name,
				    const void *to_data,
				    struct kokkos_space from,
				    const char *from_name,
				    const void *from_data, uint64_t size);
PUBLIC void kokkosp_begin_deep_copy(struct kokkos_space to, const char *to_name,
				    const void *to_data,
				    struct kokkos_space from,
				    const char *from_name,
				    const void *from_data, uint64_t size)
{
	char text[NAME_MOST];

	(void)to_data;
	(void)from_data;
	(void)size;
	snprintf(text, sizeof(text), "deep_copy of %s to %s (%.63s to %.63s)",
		 from_name ? from_name : "?", to_name ? to_name : "?",
		 from.name, to.name);
	copse_begin(text);
}

PUBLIC void kokkosp_end_deep_copy(void);
PUBLIC void kokkosp_end_deep_copy(void)
{
	copse_end(NULL);
}
