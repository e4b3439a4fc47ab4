/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c - find a program and read from its file how it will be loaded. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "arch/elf-names.h"
#include "base/err.h"
#include "base/preload-compat.h"
#include "base/golang.h"
#include "base/tight-limits.h"
#include "launch/preload.h"
#include "launch/program.h"

/* 0, -EACCES when it is there but cannot be run, -ENOENT. */
static int try_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == EACCES ? -EACCES : -ENOENT;
	if (S_ISREG(st.st_mode) && !access(path, X_OK))
		return 0;
	return -EACCES;
}

static int search_path(struct program *p, const char *name)
{
	const char *at = getenv("PATH");
	int worst = -ENOENT;

	for (at = at ? at : "/bin:/usr/bin"; at; at++) {
		size_t length = strcspn(at, ":");
		int n = snprintf(p->path, sizeof(p->path), "%.*s%s%s",
				 (int)length, at, length ? "/" : "", name);
		int err =
			n < (int)sizeof(p->path) ? try_file(p->path) : -ENOENT;

		if (!err)
			return 0;
		if (err == -EACCES)
			worst = err;
		at += length;
		if (!*at)
			break;
	}
	return worst;
}

static bool is_privileged(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
		return true;
	if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) &&
	    st.st_gid != getgid())
		return true;
	return geteuid() && getxattr(path, "security.capability", NULL, 0) > 0;
}

/*
 * The program's interpreter (its loader).  1 and its path; 0: an ELF file
 * without one; -1: no ELF file of this machine (a script).
 */
static int read_interpreter(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr head;
	int result = -1;

	if (fd < 0)
		return -1;
	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_machine != ELF_MACHINE)
		goto out;
	result = 0;
	for (unsigned int i = 0; i < head.e_phnum && !result; i++) {
		Elf64_Phdr ph;

		if (pread(fd, &ph, sizeof(ph),
			  (off_t)(head.e_phoff + i * sizeof(ph))) != sizeof(ph))
			break;
		if (ph.p_type != PT_INTERP || ph.p_filesz >= size)
			continue;
		memset(to, 0, size);
		result = pread(fd, to, ph.p_filesz, (off_t)ph.p_offset) > 0;
	}
out:
	close(fd);
	return result;
}

/* Why a program cannot have our library, by what its file says. */
static const char *const unfit[] = {
	[COMPAT_STATIC] =
		"is statically linked, so no library can be put into it",
	[COMPAT_MACHINE] =
		"is no program for " ELF_MACHINE_TEXT ", so no library of "
		"ours can be put into it",
	[COMPAT_LIBRARY] = "is linked with another C library than glibc, which "
			   "cannot load our libraries",
	[COMPAT_OLDER] = "is loaded with an older glibc than copse was built "
			 "with, which cannot load our libraries",
};

static const char *why_program_is_incompatible(const char *path)
{
	struct compat_ours ours;
	char core[PATH_MAX];

	if (preload_find("libcopse.so", core))
		return NULL;
	compat_init(&ours, core);
	return unfit[compat_of_file(&ours, AT_FDCWD, path)];
}

/* The file that was meant, which is a directory, or has no right to run. */
static int say_not_executable(const char *path)
{
	size_t length = strlen(path);
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return fail(-EACCES, "'%s' is a directory, and no program",
			    path);
	if (length > 3 && !strcmp(path + length - 3, ".py"))
		return fail(-EACCES,
			    "'%s' is not executable; to measure the script: "
			    "copse run python3 %s",
			    path, path);
	return fail(-EACCES,
		    "'%s' is not executable (if it is a program: chmod +x %s)",
		    path, path);
}

/* Why it is none, with what was probably meant. */
static int say_no_program(int err, const char *name)
{
	size_t first = strcspn(name, " ");
	const char *sign = strchr(name, '=');

	if (err == -EACCES)
		return say_not_executable(name);
	if (!strchr(name, '/') && !try_file(name))
		return fail(err,
			    "there is no program '%s' in PATH; the one in this "
			    "directory is ./%s",
			    name, name);
	if (!strchr(name, '/') && !access(name, F_OK)) {
		say_not_executable(name);
		return err;
	}
	if (sign && !memchr(name, '/', (size_t)(sign - name)))
		return fail(err,
			    "there is no program '%s'; a variable stands "
			    "before copse run, or behind: copse run env",
			    name);
	if (name[first])
		return fail(err,
			    "there is no program '%s'; without quotes '%.*s' "
			    "is the program, and the rest its arguments",
			    name, (int)first, name);
	return fail(err, "there is no program '%s'", name);
}

int program_find(struct program *p, const char *name)
{
	int err;

	*p = (struct program){ 0 };
	if (strchr(name, '/')) {
		snprintf(p->path, sizeof(p->path), "%s", name);
		err = try_file(name);
	} else {
		err = search_path(p, name);
	}
	if (err)
		return say_no_program(err, name);
	p->refused = why_program_is_incompatible(p->path);
	if (is_privileged(p->path))
		p->refused = "runs with more rights than its caller, so no "
			     "library can be put into it";
	else if (p->refused)
		return 0;
	else if (golang_wrote(p->path))
		p->refused = "is written in Go, whose runtime takes signals "
			     "for its own";
	else
		p->refused = limit_too_tight();
	return 0;
}

#define MPI_STANDARD "libmpi_abi.so" /* MPI 5.0's interface, of any MPI */

/* By the version of libmpi.so, libmpich.so or, on a Cray, libmpi_gnu.so. */
static const struct mpi {
	const char *version, *word;
} mpis[] = {
	{ ".so.40", "openmpi" },
	{ ".so.12", "mpich" },
};

/* The adapter for the library of this line, or NULL. */
static const char *adapter_of_library_line(const char *line)
{
	const char *name = strstr(line, "libmpi");

	if (name && !strncmp(name, MPI_STANDARD, strlen(MPI_STANDARD)))
		return "abi";
	for (size_t i = 0; name && i < sizeof(mpis) / sizeof(mpis[0]); i++)
		if (!strncmp(name + strcspn(name, ". "), mpis[i].version,
			     strlen(mpis[i].version)))
			return mpis[i].word;
	return NULL;
}

/* Allocators that have C++'s operators of their own. */
static const char *allocator_of_library_line(const char *line)
{
	static const char *const names[] = { "libjemalloc", "libtcmalloc",
					     "libmimalloc" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(line, names[i]))
			return names[i];
	return NULL;
}

/* The output of `loader --list path`, one library a line. */
static const char *word_in_list(FILE *list,
				const char *(*word_of_line)(const char *line))
{
	const char *word = NULL;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, list) > 0)
		if (!word)
			word = word_of_line(line);
	free(line);
	return word;
}

/*
 * All signals are blocked in `copse run`; what it starts to ask a question
 * must not keep that, or an interrupt would leave it behind.
 */
static pid_t spawn_quietly(char **argv, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t pid = -1;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (posix_spawn(&pid, argv[0], &actions, &attributes, argv, environ))
		pid = -1;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static const char *word_of_libraries(const struct program *p,
				     const char *(*word_of_line)(const char *))
{
	char loader[PATH_MAX], option[] = "--list", path[PATH_MAX];
	char *argv[] = { loader, option, path, NULL };
	const char *word = NULL;
	FILE *list = NULL;
	int ends[2];
	pid_t pid;

	if (read_interpreter(p->path, loader, sizeof(loader)) != 1 ||
	    pipe2(ends, O_CLOEXEC))
		return NULL;
	snprintf(path, sizeof(path), "%s", p->path);
	pid = spawn_quietly(argv, ends[1]);
	close(ends[1]);
	list = fdopen(ends[0], "r");
	if (list) {
		word = word_in_list(list, word_of_line);
		fclose(list);
	} else {
		close(ends[0]);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return word;
}

const char *program_mpi(const struct program *p)
{
	return word_of_libraries(p, adapter_of_library_line);
}

const char *program_allocator(const struct program *p)
{
	return word_of_libraries(p, allocator_of_library_line);
}
