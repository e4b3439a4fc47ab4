/* SPDX-License-Identifier: BSD-3-Clause */
/* symbol.c - names of this very program's addresses, and of others'. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/ranges.h"
#include "symbol/symbol-file.h"
#include "symbol/symbol.h"
#include "tests/lib/test.h"

static inline __attribute__((always_inline)) uintptr_t inlined_here(void)
{
	uintptr_t pc;

	__asm__ volatile(
#ifdef __aarch64__
		"adr %0, 0f\n0: nop"
#else
		"lea 0f(%%rip), %0\n0: nop"
#endif
		: "=r"(pc));
	return pc;
}

static __attribute__((noinline)) uintptr_t function_around(void)
{
	return inlined_here(); /* AROUND */
}
enum {
	AROUND = __LINE__ - 3
};

/* The first object is the program itself. */
static int program_base(struct dl_phdr_info *info, size_t size, void *to)
{
	(void)size;
	*(uintptr_t *)to = info->dlpi_addr;
	return 1;
}

static bool ends(const char *text, const char *end)
{
	return strlen(text) >= strlen(end) &&
	       !strcmp(text + strlen(text) - strlen(end), end);
}

TEST(inlined_functions_and_lines)
{
	uintptr_t base;
	uint64_t address = function_around();
	struct symbol_module m = { .path = "/proc/self/exe",
				   .build_id = "",
				   .addresses = &address,
				   .count = 1 };
	const struct symbol_frame *f;

	dl_iterate_phdr(program_base, &base);
	address -= base;
	CHECK(!symbols_find(&m, 1, NULL));
	CHECK(!m.problem);
	f = &m.frames[m.first[1] - 1];
	CHECK(str_at(&m.strings, f->function), ==, "function_around");
	if (!f->line)
		SKIP("built without debug information");
	CHECK(m.first[1], ==, 2);
	CHECK(f->line, ==, AROUND);
	CHECK(!(f->flags & SYMBOL_INLINED));
	CHECK(ends(str_at(&m.strings, f->file), "tests/unit/symbol.c"));
	f = &m.frames[0];
	CHECK(str_at(&m.strings, f->function), ==, "inlined_here");
	CHECK(f->flags & SYMBOL_INLINED);
	CHECK(f->line, >, 0);
	CHECK(f->line, <, AROUND);
	symbol_module_fini(&m);
}

TEST(a_missing_file_gives_offsets_and_a_problem)
{
	const uint64_t addresses[] = { 0x10, 0x1234 };
	struct symbol_module m = { .path = "/no/such/libfoo.so",
				   .build_id = "abcd",
				   .addresses = addresses,
				   .count = 2 };

	CHECK(!symbols_find(&m, 1, NULL));
	CHECK(m.problem && strstr(m.problem, "cannot be opened"));
	CHECK(m.first[2], ==, 2);
	CHECK(str_at(&m.strings, m.frames[1].function), ==, "libfoo.so+0x1234");
	CHECK(m.frames[1].flags, ==, SYMBOL_UNNAMED);
	CHECK(!m.frames[1].line);
	symbol_module_fini(&m);
}

/* Foreign: to open some devices is to start something. */
TEST(what_is_no_file_is_not_opened)
{
	const uint64_t address = 0x10;
	char path[] = "/tmp/copse-unit-XXXXXX", fifo[64], event[4096];
	int events = inotify_init1(IN_NONBLOCK);
	struct symbol_module m = { .path = fifo,
				   .build_id = "abcd",
				   .addresses = &address,
				   .count = 1 };

	CHECK(mkdtemp(path));
	CHECK(events, >=, 0);
	snprintf(fifo, sizeof(fifo), "%s/device", path);
	CHECK(!mkfifo(fifo, 0666));
	CHECK(inotify_add_watch(events, fifo, IN_OPEN), >=, 0);
	CHECK(!symbols_find(&m, 1, NULL));
	CHECK(m.problem && strstr(m.problem, "is no regular file"));
	CHECK(read(events, event, sizeof(event)), <, 0);
	symbol_module_fini(&m);
	CHECK(!unlink(fifo) && !rmdir(path));
}

TEST(a_changed_file_is_not_believed)
{
	const uint64_t address = 0x1234;
	struct symbol_module m = { .path = "/proc/self/exe",
				   .build_id = "00112233445566778899",
				   .addresses = &address,
				   .count = 1 };

	CHECK(!symbols_find(&m, 1, NULL));
	CHECK(m.problem && strstr(m.problem, "has changed since the run"));
	CHECK(str_at(&m.strings, m.frames[0].function), ==, "exe+0x1234");
	symbol_module_fini(&m);
}

TEST(the_kernels_own_library)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	uint64_t address = 0;
	struct symbol_module m = { .path = "[vdso]",
				   .build_id = "",
				   .addresses = &address,
				   .count = 1 };

	if (!vdso)
		SKIP("no vdso");
	address = ((const ElfW(Ehdr) *)vdso)->e_entry;
	CHECK(!symbols_find(&m, 1, NULL));
	CHECK(!m.problem);
	CHECK(m.first[1], >=, 1);
	symbol_module_fini(&m);
}

static bool reads(const char *name, const char *as)
{
	char *readable = symbol_readable(name);
	bool same = readable && !strcmp(readable, as);

	free(readable);
	return same;
}

TEST(names_as_people_write_them)
{
	CHECK(reads("main", "main"));
	CHECK(reads("_ZN3sim6SolverC1Ev", "sim::Solver::Solver"));
	CHECK(reads("_ZN3sim3sumIdEET_RKSt6vectorIS1_SaIS1_EE",
		    "sim::sum<double>"));
	CHECK(reads("__mesh_MOD_smooth", "mesh::smooth"));
	CHECK(reads("memcpy@@GLIBC_2.14", "memcpy"));
	CHECK(reads("MPI_Send@plt", "MPI_Send@plt"));
	CHECK(reads("_ZN3sim6SolverC1Ev@plt", "sim::Solver::Solver@plt"));
	CHECK(reads("__MOD_", "__MOD_"));
	CHECK(reads("__mesh_MOD_smooth._omp_fn.0", "mesh::smooth [parallel]"));
	CHECK(reads("main._omp_fn.1", "main [parallel 2]"));
	CHECK(reads("_ZN3sim3sumIdEET_RKSt6vectorIS1_SaIS1_EE._omp_fn.0",
		    "sim::sum<double> [parallel]"));
	CHECK(reads("main.omp_outlined", "main [parallel]"));
	CHECK(reads(".omp_outlined.", ".omp_outlined."));
}

TEST(ranges_find_the_innermost)
{
	struct ranges r = { 0 };

	CHECK(!ranges_find(&r, 5));
	CHECK(!ranges_add(&r, 100, 200, 1));
	CHECK(!ranges_add(&r, 110, 120, 2));
	CHECK(!ranges_add(&r, 112, 114, 3));
	CHECK(!ranges_add(&r, 300, 300, 4));
	CHECK(!ranges_add(&r, 250, 260, 5));
	ranges_sort(&r);
	CHECK(ranges_find(&r, 113)->index, ==, 3);
	CHECK(ranges_find(&r, 119)->index, ==, 2);
	CHECK(ranges_find(&r, 150)->index, ==, 1);
	CHECK(ranges_find(&r, 255)->index, ==, 5);
	CHECK(!ranges_find(&r, 99) && !ranges_find(&r, 200));
	CHECK(!ranges_find(&r, 260) && !ranges_find(&r, 300));
	ranges_fini(&r);
}

/* This process's C library has one memmove, whatever its symbols say. */
TEST(symbol_variant_is_what_this_processor_has)
{
	void *at = dlsym(RTLD_DEFAULT, "memmove");
	uint64_t start;
	Dl_info in;

	CHECK(at && dladdr(at, &in));
	start = (uint64_t)((char *)at - (char *)in.dli_fbase);
	CHECK(symbol_variant(in.dli_fname, start), ==, "memmove");
	CHECK(!symbol_variant("/proc/self/exe", start));
	CHECK(!symbol_variant(in.dli_fname, 0));
	at = dlvsym(RTLD_DEFAULT, "__exp_finite", "GLIBC_2.15");
	if (!at || !dladdr(at, &in))
		SKIP("the C library has no such symbol");
	start = (uint64_t)((char *)at - (char *)in.dli_fbase);
	CHECK(symbol_variant(in.dli_fname, start), ==, "exp");
}
