/* SPDX-License-Identifier: BSD-3-Clause */
/* library-use.c - functions of libraries, by what they are for. */
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/library-use.h"
#include "analyse/base/python-words.h"
#include "analyse/paths/own-paths.h"

const char *const library_purposes[LIBRARY_PURPOSES] = {
	[LIBRARY_COPIES] = "allocating and copying",
	[LIBRARY_FORMATTING] = "formatting",
	[LIBRARY_LOCKS] = "locks of threads",
	[LIBRARY_FILES] = "reading and writing files",
	[LIBRARY_SLEEPS] = "going to sleep",
	[LIBRARY_STARTING] = "starting threads, processes and libraries",
	[LIBRARY_PATTERNS] = "compiling regular expressions",
	[LIBRARY_PICKLING] = "pickling objects for other processes",
};

/* The same of Python's library, by file. */
static const struct python_purpose {
	enum library_purpose is;
	const char *file;
} python_purposes[] = {
	{ LIBRARY_PATTERNS, "/re/_compiler.py" },
	{ LIBRARY_PATTERNS, "/re/_parser.py" },
	{ LIBRARY_PATTERNS, "/sre_compile.py" },
	{ LIBRARY_PATTERNS, "/sre_parse.py" },
	{ LIBRARY_PICKLING, "/pickle.py" },
	{ LIBRARY_PICKLING, "/multiprocessing/connection.py" },
	{ LIBRARY_PICKLING, "/multiprocessing/queues.py" },
	{ LIBRARY_PICKLING, "/multiprocessing/reduction.py" },
};

/* How functions begin that do such things, by the name as a linker has it. */
static const struct purpose {
	enum library_purpose is;
	const char *begins;
} purposes[] = {
	{ LIBRARY_STARTING, "pthread_create" },
	{ LIBRARY_STARTING, "pthread_join" },
	{ LIBRARY_STARTING, "pthread_clockjoin" },
	{ LIBRARY_STARTING, "nptl_deallocate_stack" },
	{ LIBRARY_STARTING, "thrd_create" },
	{ LIBRARY_STARTING, "dlopen" },
	{ LIBRARY_STARTING, "dlmopen" },
	{ LIBRARY_STARTING, "dl_open" },
	{ LIBRARY_STARTING, "dlclose" },
	{ LIBRARY_STARTING, "dl_close" },
	{ LIBRARY_STARTING, "fork" },
	{ LIBRARY_STARTING, "vfork" },
	{ LIBRARY_STARTING, "clone" },
	{ LIBRARY_STARTING, "posix_spawn" },
	{ LIBRARY_STARTING, "posix_spawnp" },
	{ LIBRARY_STARTING, "spawni" },
	{ LIBRARY_STARTING, "system" },
	{ LIBRARY_STARTING, "popen" },
	{ LIBRARY_COPIES, "malloc" },
	{ LIBRARY_COPIES, "calloc" },
	{ LIBRARY_COPIES, "realloc" },
	{ LIBRARY_COPIES, "free" },
	{ LIBRARY_COPIES, "cfree" },
	{ LIBRARY_COPIES, "posix_memalign" },
	{ LIBRARY_COPIES, "aligned_alloc" },
	{ LIBRARY_COPIES, "memalign" },
	{ LIBRARY_COPIES, "int_malloc" },
	{ LIBRARY_COPIES, "int_free" },
	{ LIBRARY_COPIES, "operator new" },
	{ LIBRARY_COPIES, "operator delete" },
	{ LIBRARY_COPIES, "memcpy" },
	{ LIBRARY_COPIES, "memmove" },
	{ LIBRARY_COPIES, "mmap" },
	{ LIBRARY_COPIES, "munmap" },
	{ LIBRARY_COPIES, "madvise" },
	{ LIBRARY_COPIES, "unlink_chunk" },
	{ LIBRARY_COPIES, "sysmalloc" },
	{ LIBRARY_COPIES, "systrim" },
	{ LIBRARY_COPIES, "strdup" },
	{ LIBRARY_COPIES, "gfortran_internal_" },
	{ LIBRARY_COPIES, "gfortran_cfi_desc" },
	{ LIBRARY_FORMATTING, "printf" },
	{ LIBRARY_FORMATTING, "fprintf" },
	{ LIBRARY_FORMATTING, "sprintf" },
	{ LIBRARY_FORMATTING, "snprintf" },
	{ LIBRARY_FORMATTING, "vfprintf" },
	{ LIBRARY_FORMATTING, "vsnprintf" },
	{ LIBRARY_FORMATTING, "vsprintf" },
	{ LIBRARY_FORMATTING, "sprintf_chk" },
	{ LIBRARY_FORMATTING, "snprintf_chk" },
	{ LIBRARY_FORMATTING, "fprintf_chk" },
	{ LIBRARY_FORMATTING, "gfortran_transfer" },
	{ LIBRARY_FORMATTING, "gfortran_st_write" },
	{ LIBRARY_FORMATTING, "std::ostream" },
	{ LIBRARY_LOCKS, "pthread_mutex" },
	{ LIBRARY_LOCKS, "pthread_cond" },
	{ LIBRARY_LOCKS, "pthread_rwlock" },
	{ LIBRARY_LOCKS, "pthread_spin" },
	{ LIBRARY_LOCKS, "lll_" },
	{ LIBRARY_LOCKS, "futex" },
	{ LIBRARY_LOCKS, "sem_" },
	{ LIBRARY_LOCKS, "std::condition_variable" },
	{ LIBRARY_LOCKS, "std::mutex" },
	{ LIBRARY_LOCKS, "gthread_mutex" },
	{ LIBRARY_FILES, "read" },
	{ LIBRARY_FILES, "write" },
	{ LIBRARY_FILES, "fread" },
	{ LIBRARY_FILES, "fwrite" },
	{ LIBRARY_FILES, "open" },
	{ LIBRARY_FILES, "close" },
	{ LIBRARY_FILES, "fsync" },
	{ LIBRARY_FILES, "fflush" },
	{ LIBRARY_SLEEPS, "nanosleep" },
	{ LIBRARY_SLEEPS, "clock_nanosleep" },
	{ LIBRARY_SLEEPS, "usleep" },
	{ LIBRARY_SLEEPS, "sleep" },
	{ LIBRARY_SLEEPS, "time_sleep" }, /* of Python */
	{ LIBRARY_SLEEPS, "pysleep" },
	{ LIBRARY_SLEEPS, "poll" },
	{ LIBRARY_SLEEPS, "ppoll" },
	{ LIBRARY_SLEEPS, "select" },
	{ LIBRARY_SLEEPS, "pselect" },
	{ LIBRARY_SLEEPS, "epoll_wait" },
};

/* "memcpy_avx_unaligned" of "__GI___memcpy_avx_unaligned" */
static const char *plain_name(const char *name)
{
	if (!strncmp(name, "__GI_", 5))
		name += 5;
	name += strspn(name, "_");
	if (!strncmp(name, "libc_", 5))
		name += 5;
	return name;
}

/* Does it end a word, or go on with one of its own: "read", "read64"? */
static bool ends_at_word(const char *name, const char *begins)
{
	size_t length = strlen(begins);

	return strchr("_ ", begins[length - 1]) ||
	       !(name[length] >= 'a' && name[length] <= 'z');
}

/* "Table::Table(Table const&)", "~Table": of the class's own name. */
static bool is_constructor(const char *name)
{
	char brief[256];
	const char *end = strchr(name, '('), *at, *before;
	size_t length;

	if (!strncmp(name, "(anonymous namespace)::", 23)) {
		name += 23;
		end = strchr(name, '(');
	}
	length = end ? (size_t)(end - name) : strlen(name);
	if (!length || length >= sizeof(brief))
		return false;
	memcpy(brief, name, length);
	brief[length] = 0;
	if (strstr(brief, "::~"))
		return true;
	at = strrchr(brief, ':');
	if (!at || at - 1 <= brief || at[-1] != ':')
		return false;
	length = strlen(at + 1);
	before = at - 1 - length;
	return before >= brief && !strncmp(before, at + 1, length) &&
	       (before == brief || before[-1] == ':');
}

/*
 * Of a function that may be the program's own, "system_kick", the whole name
 * has to be the library's.
 */
static bool is_purpose(const char *name, const char *begins, bool own)
{
	return !strncmp(name, begins, strlen(begins)) &&
	       (own ? !name[strlen(begins)] : ends_at_word(name, begins));
}

static enum library_purpose purpose_of_python(const struct run *run,
					      uint32_t node)
{
	const char *file = str_at(&run->strings, run->nodes[node].module);

	for (size_t i = 0;
	     i < sizeof(python_purposes) / sizeof(*python_purposes); i++)
		if (strstr(file, python_purposes[i].file) &&
		    python_is_library(file))
			return python_purposes[i].is;
	return LIBRARY_NONE;
}

/* What a function of a library, or of C++'s, is for. */
static enum library_purpose purpose_of(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];
	const char *full = str_at(&run->strings, n->function);
	bool own = paths_is_own(run, node);
	bool has_source = *str_at(&run->strings, n->file);

	if (n->kind != RUN_FUNCTION)
		return LIBRARY_NONE;
	if (python_owns(run, node))
		return purpose_of_python(run, node);
	for (size_t i = 0; i < sizeof(purposes) / sizeof(*purposes); i++)
		if (is_purpose(plain_name(full), purposes[i].begins, own) &&
		    !(own && has_source))
			return purposes[i].is;
	return is_constructor(full) ? LIBRARY_COPIES : LIBRARY_NONE;
}

/* What Python's library does for one purpose may wait for another process. */
static bool holds_inner(enum library_purpose outer, enum library_purpose inner)
{
	return outer != LIBRARY_NONE &&
	       (outer < LIBRARY_PATTERNS || inner < LIBRARY_LOCKS ||
		inner > LIBRARY_SLEEPS);
}

struct library_use *library_uses(const struct paths *paths)
{
	const struct run *run = paths->run;
	struct library_use *uses = calloc(paths->count + 1, sizeof(*uses));

	for (uint32_t p = 1; uses && p < paths->count; p++) {
		uint32_t node = paths->at[p].node;
		uint32_t parent = paths->at[p].parent;
		enum library_purpose purpose = purpose_of(run, node);

		uses[p] = (struct library_use){ p, p, LIBRARY_NONE };
		if (!parent || run->nodes[node].kind != RUN_FUNCTION)
			continue;
		if (holds_inner(uses[parent].purpose, purpose))
			uses[p] = uses[parent];
		else if (purpose != LIBRARY_NONE)
			uses[p] = (struct library_use){ uses[parent].owner, p,
							purpose };
		else if (paths_own(paths, p) != p)
			uses[p] = uses[parent];
	}
	return uses;
}
