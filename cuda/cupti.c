/* SPDX-License-Identifier: BSD-3-Clause */
/* cupti.c - finds libcupti, and what of CUDA is loaded. */
#include "cuda/cupti.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/transparency/dlsym.h"

enum {
	VERSION_LEAST = 18 /* CUDA 12.0's; records begin alike since then */
};

/* Found once, for the life of the process. */
struct cupti cupti;
static void *cupti_library;

static const char *const sonames[] = { "libcupti.so.13", "libcupti.so.12",
				       "libcupti.so" };

/* From the folder of libcudart, as it is installed, and as Python's has it. */
static const char *const beside[] = { "", "../extras/CUPTI/lib64/",
				      "../../extras/CUPTI/lib64/",
				      "../../cuda_cupti/lib/" };

/* A file that is loaded, by how its name begins. */
struct loaded {
	const char *begins;
	char path[PATH_MAX]; /* "": none */
	const void *code;
};

static const void *code_of_object(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			return (const void *)(info->dlpi_addr +
					      segment->p_vaddr);
	}
	return NULL;
}

static int match_loaded_object(struct dl_phdr_info *info, size_t size,
			       void *data)
{
	struct loaded *l = data;
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!slash || strncmp(slash + 1, l->begins, strlen(l->begins)) != 0)
		return 0;
	snprintf(l->path, sizeof(l->path), "%s", info->dlpi_name);
	l->code = code_of_object(info);
	return 1;
}

static bool find_loaded(struct loaded *l, const char *begins)
{
	*l = (struct loaded){ .begins = begins };
	return dl_iterate_phdr(match_loaded_object, l);
}

bool cupti_fails_with_graphs(void)
{
	static const char *const libraries[] = { "xla_cuda_plugin",
						 "libtensorflow" };
	struct loaded l;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (find_loaded(&l, libraries[i]))
			return true;
	return false;
}

static void *open_cupti_in(const char *folder, int length)
{
	char path[2 * PATH_MAX];
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(sonames) / sizeof(*sonames);
	     i++) {
		snprintf(path, sizeof(path), "%.*s%s", length, folder,
			 sonames[i]);
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return library;
}

/* That of the CUDA that the program brought along. */
static void *open_beside(const char *library)
{
	char folder[PATH_MAX + 32];
	struct loaded l;
	void *found = NULL;
	char *slash;

	if (!find_loaded(&l, library))
		return NULL;
	slash = strrchr(l.path, '/');
	slash[1] = 0;
	for (size_t i = 0; !found && i < sizeof(beside) / sizeof(*beside);
	     i++) {
		snprintf(folder, sizeof(folder), "%s%s", l.path, beside[i]);
		found = open_cupti_in(folder, (int)strlen(folder));
	}
	return found;
}

static void *open_home(void)
{
	static const char *const homes[] = { "CUDA_HOME", "CUDA_PATH" };
	char folder[PATH_MAX];
	void *found = NULL;

	for (size_t i = 0; !found && i < sizeof(homes) / sizeof(*homes); i++) {
		const char *home = secure_getenv(homes[i]);

		if (!home || !*home)
			continue;
		for (size_t j = 0; !found && j < 2; j++) {
			snprintf(folder, sizeof(folder), "%s/%slib64/", home,
				 j ? "" : "extras/CUPTI/");
			found = open_cupti_in(folder, (int)strlen(folder));
		}
	}
	return found;
}

/*
 * One that is loaded already: two in a process would be in each other's way.
 * Then the one of the program's CUDA; then any.
 */
static void *open_cupti_library(void)
{
	const char *chosen = secure_getenv("COPSE_CUPTI");
	static const char usual[] = "/usr/local/cuda/extras/CUPTI/lib64/",
			  other[] = "/usr/local/cuda/lib64/";
	struct loaded l;
	void *found = NULL;

	if (chosen && *chosen)
		return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
	if (find_loaded(&l, "libcupti.so"))
		found = dlopen(l.path, RTLD_NOW | RTLD_LOCAL);
	if (!found)
		found = open_beside("libcudart.so");
	if (!found)
		found = open_home();
	if (!found)
		found = open_cupti_in("", 0);
	if (!found)
		found = open_cupti_in(usual, sizeof(usual) - 1);
	return found ? found : open_cupti_in(other, sizeof(other) - 1);
}

static bool look_up_cupti(void *library)
{
#define F(name)                                                                \
	cupti.name = (__typeof__(cupti.name))copse_dlsym_find(library,         \
							      "cupti" #name);  \
	if (!cupti.name)                                                       \
		return false;
	CUPTI_FUNCTIONS(F)
#undef F
	return true;
}

static void look_for_sampling(void *library)
{
	bool all = true;

#define F(name)                                                                \
	cupti.name = (__typeof__(cupti.name))copse_dlsym_find(library,         \
							      "cupti" #name);  \
	all = all && cupti.name;
	CUPTI_SAMPLING_FUNCTIONS(F)
#undef F
	if (all)
		return;
#define F(name) cupti.name = NULL;
	CUPTI_SAMPLING_FUNCTIONS(F)
#undef F
}

bool cupti_open(void)
{
	void *library = open_cupti_library();
	uint32_t version = 0;
	bool ok;

	ok = library && look_up_cupti(library) && !cupti.GetVersion(&version) &&
	     version >= VERSION_LEAST;
	if (ok) {
		look_for_sampling(library);
		cupti_library = library;
	}
	dlerror(); /* the program shall not see our failures */
	return ok;
}

void *cupti_function(const char *name)
{
	void *found =
		cupti_library ? copse_dlsym_find(cupti_library, name) : NULL;

	dlerror();
	return found;
}

void cupti_modules(void (*take)(const void *code))
{
	static const char *const names[] = { "libcuda.so", "libcudart.so" };
	struct loaded l;

	take((const void *)cupti.GetVersion);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (find_loaded(&l, names[i]) && l.code)
			take(l.code);
}

/* The runtime may be part of the program: it cannot be asked. */
static const char *runtime_error(int code)
{
	static const struct {
		int code;
		const char *name;
	} errors[] = {
#define ERROR(code, name) { code, #name },
#include "cuda/errors.def"
#undef ERROR
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].code == code)
			return errors[i].name;
	return NULL;
}

void *cupti_driver(const char *name)
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *found = dlsym(driver ? driver : RTLD_DEFAULT, name);

	if (driver)
		dlclose(driver);
	dlerror();
	return found;
}

static const char *driver_error(int code)
{
	int (*get)(int, const char **) =
		(int (*)(int, const char **))cupti_driver("cuGetErrorName");
	const char *name = NULL;

	return get && !get(code, &name) ? name : NULL;
}

const char *cupti_error_name(CUpti_CallbackDomain domain, int code)
{
	return domain == CUPTI_CB_DOMAIN_RUNTIME_API ? runtime_error(code)
						     : driver_error(code);
}
