/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptors.c - interposers of functions for descriptors and for names of
 * files.
 *
 * A descriptor is forgotten before it is closed: another thread may be given
 * its number at once.
 */
#include <stdarg.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/sys.h"
#include "io/file-call.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* The C library has them, and no header of today does. */
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off_t, size_t);
int __fxstat(int, int, struct stat *);
int __fxstat64(int, int, struct stat64 *);
int __xstat(int, const char *, struct stat *);
int __xstat64(int, const char *, struct stat64 *);
int __lxstat(int, const char *, struct stat *);
int __lxstat64(int, const char *, struct stat64 *);
int __fxstatat(int, int, const char *, struct stat *, int);
int __fxstatat64(int, int, const char *, struct stat64 *, int);
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
void closefrom(int);
int close_range(unsigned, unsigned, int);

/*
 * An interposer: `leave` tells what the call did, by its result; `pass` what
 * one did that is not measured.
 */
#define MEASURE(type, name, parameters, arguments, kind, fd, leave, pass)      \
	CALL_NAME(name, kind);                                                 \
	PUBLIC type name parameters                                            \
	{                                                                      \
		struct io_call call;                                           \
		bool measured = ENTER(&call, fd, name);                        \
		type result = NEXT(name) arguments;                            \
                                                                               \
		if (measured)                                                  \
			leave;                                                 \
		else                                                           \
			pass;                                                  \
		return result;                                                 \
	}

#define DATA(type, name, parameters, arguments, kind, fd, at_)                 \
	MEASURE(type, name, parameters, arguments, kind, fd,                   \
		copse_io_moved(&call, result, at_),                            \
		copse_io_passed(&name##_name, result))
#define OTHER(type, name, parameters, arguments, kind, fd)                     \
	MEASURE(type, name, parameters, arguments, kind, fd,                   \
		copse_io_done(&call, result != 0), (void)0)
#define PATH(type, name, parameters, arguments, kind, folder)                  \
	MEASURE(type, name, parameters, arguments, kind, IO_BY_PATH,           \
		copse_io_by_path(&call,                                        \
				 file_call_name(result < 0, folder, path),     \
				 result < 0),                                  \
		(void)0)
#include "io/calls.def"

/*
 * Opening: the mode is there only where a file may be made.
 */

#define HAS_MODE(flags) ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE)

#define OPEN(name, parameters, arguments, last, folder)                        \
	CALL_NAME(name, OPEN);                                                 \
	PUBLIC int name parameters                                             \
	{                                                                      \
		struct io_call call;                                           \
		mode_t mode = 0;                                               \
		va_list list;                                                  \
		int fd;                                                        \
                                                                               \
		va_start(list, last);                                          \
		if (HAS_MODE(last))                                            \
			mode = va_arg(list, mode_t);                           \
		va_end(list);                                                  \
		if (!ENTER(&call, IO_BY_PATH, name))                           \
			return NEXT(name) arguments;                           \
		fd = NEXT(name) arguments;                                     \
		copse_io_opened(&call, fd,                                     \
				file_call_name(fd < 0, folder, path));         \
		return fd;                                                     \
	}
#define OPEN_FIXED(name, parameters, arguments, folder)                        \
	MEASURE(int, name, parameters, arguments, OPEN, IO_BY_PATH,            \
		copse_io_opened(&call, result,                                 \
				file_call_name(result < 0, folder, path)),     \
		(void)0)

OPEN(open, (const char *path, int flags, ...), (path, flags, mode), flags,
     AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), flags,
     AT_FDCWD)
OPEN(openat, (int folder, const char *path, int flags, ...),
     (folder, path, flags, mode), flags, folder)
OPEN(openat64, (int folder, const char *path, int flags, ...),
     (folder, path, flags, mode), flags, folder)
OPEN_FIXED(creat, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
OPEN_FIXED(creat64, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
OPEN_FIXED(__open_2, (const char *path, int flags), (path, flags), AT_FDCWD)
OPEN_FIXED(__open64_2, (const char *path, int flags), (path, flags), AT_FDCWD)
OPEN_FIXED(__openat_2, (int folder, const char *path, int flags),
	   (folder, path, flags), folder)
OPEN_FIXED(__openat64_2, (int folder, const char *path, int flags),
	   (folder, path, flags), folder)

/*
 * Closing, and other numbers for what is open
 */

CALL_NAME(close, CLOSE);
PUBLIC int close(int fd)
{
	struct io_call call;
	bool measured = ENTER(&call, fd, close);
	int result;

	copse_io_forget((unsigned)fd, (unsigned)fd);
	result = NEXT(close)(fd);
	if (measured)
		copse_io_done(&call, result != 0);
	return result;
}

/* The C library has it since 2.34; a program may ask whether it does. */
PUBLIC int close_range(unsigned first, unsigned last, int flags)
{
	__typeof__(&close_range) next = NEXT(close_range);

	copse_io_forget(first, last);
	return next ? next(first, last, flags)
		    : next_result(sys3(SYS_close_range, first, last, flags));
}

PUBLIC void closefrom(int first)
{
	__typeof__(&closefrom) next = NEXT(closefrom);

	copse_io_forget((unsigned)first, ~0u);
	if (next)
		next(first);
	else
		sys3(SYS_close_range, first, ~0u, 0);
}

PUBLIC int dup2(int fd, int to)
{
	int result = NEXT(dup2)(fd, to);

	if (result >= 0 && fd != to)
		copse_io_forget((unsigned)to, (unsigned)to);
	return result;
}

PUBLIC int dup3(int fd, int to, int flags)
{
	int result = NEXT(dup3)(fd, to, flags);

	if (result >= 0)
		copse_io_forget((unsigned)to, (unsigned)to);
	return result;
}

#define SEEK(name)                                                             \
	MEASURE(off_t, name, (int fd, off_t by, int from), (fd, by, from),     \
		SEEK, fd,                                                      \
		(copse_io_seek(fd, result), copse_io_done(&call, result < 0)), \
		(void)0)
SEEK(lseek)
SEEK(lseek64)

/*
 * From one descriptor to another
 */

#define SENDFILE(name)                                                         \
	MEASURE(ssize_t, name, (int to, int fd, off_t *at, size_t size),       \
		(to, fd, at, size), WRITE, fd,                                 \
		copse_io_copied(&call,                                         \
				result > 0 && at ? *at - result : AT_POSITION, \
				to, AT_POSITION, result),                      \
		copse_io_passed(&name##_name, result))
SENDFILE(sendfile)
SENDFILE(sendfile64)

/* The descriptor that is a file is the call's. */
#define COPY(name)                                                             \
	CALL_NAME(name, WRITE);                                                \
	PUBLIC ssize_t name(int fd, off_t *at, int to, off_t *to_at,           \
			    size_t size, unsigned flags)                       \
	{                                                                      \
		struct io_call call;                                           \
		int64_t from, behind;                                          \
		ssize_t result;                                                \
                                                                               \
		if (!ENTER(&call, fd, name) && !ENTER(&call, to, name))        \
			return NEXT(name)(fd, at, to, to_at, size, flags);     \
		result = NEXT(name)(fd, at, to, to_at, size, flags);           \
		from = result > 0 && at ? *at - result : AT_POSITION;          \
		behind = result > 0 && to_at ? *to_at - result : AT_POSITION;  \
		if (call.fd == fd)                                             \
			copse_io_copied(&call, from, to, behind, result);      \
		else                                                           \
			copse_io_moved(&call, result, behind);                 \
		return result;                                                 \
	}
COPY(copy_file_range)
COPY(splice)

/*
 * Where names begin
 */

PUBLIC int chdir(const char *path)
{
	int result = NEXT(chdir)(path);

	if (!result)
		copse_io_moved_directory();
	return result;
}

PUBLIC int fchdir(int fd)
{
	int result = NEXT(fchdir)(fd);

	if (!result)
		copse_io_moved_directory();
	return result;
}

static __attribute__((constructor)) void io_start(void)
{
	next_init();
}
