/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * streams.c - interposers of functions for streams of C.  What they read and
 * write is the program's: the C library's own calls for it are not interposed.
 *
 * Not here: functions for single characters, which take less than what
 * measuring them takes, and those that scan (scans.c).
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/file-call.h"

#undef fread_unlocked /* macros of headers */
#undef fwrite_unlocked

size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
char *__fgets_chk(char *, size_t, int, FILE *);
char *__fgets_unlocked_chk(char *, size_t, int, FILE *);
int __fprintf_chk(FILE *, int, const char *, ...);
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __printf_chk(int, const char *, ...);
int __vprintf_chk(int, const char *, va_list);
ssize_t __getdelim(char **, size_t *, int, FILE *);

#define STREAM(type, name, parameters, arguments, kind, stream_, bytes)        \
	CALL_NAME(name, kind);                                                 \
	PUBLIC type name parameters                                            \
	{                                                                      \
		struct io_call call;                                           \
		int fd = fileno_unlocked(stream_);                             \
		bool measured;                                                 \
		type result;                                                   \
                                                                               \
		if (fd < 0)                                                    \
			return NEXT(name) arguments;                           \
		measured = ENTER(&call, fd, name);                             \
		call.stream = true;                                            \
		result = NEXT(name) arguments;                                 \
		if (measured)                                                  \
			copse_io_moved(&call, (int64_t)(bytes), AT_POSITION);  \
		else                                                           \
			copse_io_passed(&name##_name, (int64_t)(bytes));       \
		return result;                                                 \
	}
#define READS(name, parameters, arguments)                                     \
	STREAM(size_t, name, parameters, arguments, READ, f, result *size)
#define LINES(name, parameters, arguments)                                     \
	STREAM(char *, name, parameters, arguments, READ, f,                   \
	       result ? strlen(result) : 0)
#define WRITES(name, parameters, arguments)                                    \
	STREAM(size_t, name, parameters, arguments, WRITE, f, result *size)
#define PUTS(name)                                                             \
	STREAM(int, name, (const char *text, FILE *f), (text, f), WRITE, f,    \
	       result < 0 ? 0 : strlen(text))

READS(fread, (void *to, size_t size, size_t count, FILE *f),
      (to, size, count, f))
READS(fread_unlocked, (void *to, size_t size, size_t count, FILE *f),
      (to, size, count, f))
READS(__fread_chk, (void *to, size_t room, size_t size, size_t count, FILE *f),
      (to, room, size, count, f))
READS(__fread_unlocked_chk,
      (void *to, size_t room, size_t size, size_t count, FILE *f),
      (to, room, size, count, f))
LINES(fgets, (char *to, int size, FILE *f), (to, size, f))
LINES(fgets_unlocked, (char *to, int size, FILE *f), (to, size, f))
LINES(__fgets_chk, (char *to, size_t room, int size, FILE *f),
      (to, room, size, f))
LINES(__fgets_unlocked_chk, (char *to, size_t room, int size, FILE *f),
      (to, room, size, f))
STREAM(ssize_t, getline, (char **to, size_t *room, FILE *f), (to, room, f),
       READ, f, result)
STREAM(ssize_t, getdelim, (char **to, size_t *room, int end, FILE *f),
       (to, room, end, f), READ, f, result)
STREAM(ssize_t, __getdelim, (char **to, size_t *room, int end, FILE *f),
       (to, room, end, f), READ, f, result)
WRITES(fwrite, (const void *from, size_t size, size_t count, FILE *f),
       (from, size, count, f))
WRITES(fwrite_unlocked, (const void *from, size_t size, size_t count, FILE *f),
       (from, size, count, f))
PUTS(fputs)
PUTS(fputs_unlocked)
STREAM(int, puts, (const char *text), (text), WRITE, stdout,
       result < 0 ? 0 : strlen(text) + 1)
STREAM(int, vfprintf, (FILE * f, const char *format, va_list list),
       (f, format, list), WRITE, f, result)
STREAM(int, __vfprintf_chk,
       (FILE * f, int flag, const char *format, va_list list),
       (f, flag, format, list), WRITE, f, result)
STREAM(int, vprintf, (const char *format, va_list list), (format, list), WRITE,
       stdout, result)
STREAM(int, __vprintf_chk, (int flag, const char *format, va_list list),
       (flag, format, list), WRITE, stdout, result)

/* The C library's own does the same. */
#define PRINTF(name, parameters, stream_, next, ...)                           \
	CALL_NAME(name, WRITE);                                                \
	PUBLIC int name parameters                                             \
	{                                                                      \
		struct io_call call;                                           \
		int fd = fileno_unlocked(stream_), result;                     \
		bool measured = fd >= 0 && ENTER(&call, fd, name);             \
		va_list list;                                                  \
                                                                               \
		va_start(list, format);                                        \
		result = NEXT(next)(__VA_ARGS__, list);                        \
		va_end(list);                                                  \
		if (measured) {                                                \
			call.stream = true;                                    \
			copse_io_moved(&call, result, AT_POSITION);            \
		} else if (fd >= 0) {                                          \
			copse_io_passed(&name##_name, result);                 \
		}                                                              \
		return result;                                                 \
	}
PRINTF(fprintf, (FILE * f, const char *format, ...), f, vfprintf, f, format)
PRINTF(__fprintf_chk, (FILE * f, int flag, const char *format, ...), f,
       __vfprintf_chk, f, flag, format)
PRINTF(printf, (const char *format, ...), stdout, vfprintf, stdout, format)
PRINTF(__printf_chk, (int flag, const char *format, ...), stdout,
       __vfprintf_chk, stdout, flag, format)

/*
 * Opening and closing
 */

#define FOPEN(name)                                                            \
	CALL_NAME(name, OPEN);                                                 \
	PUBLIC FILE *name(const char *path, const char *mode)                  \
	{                                                                      \
		struct io_call call;                                           \
		FILE *f;                                                       \
                                                                               \
		if (!ENTER(&call, IO_BY_PATH, name))                           \
			return NEXT(name)(path, mode);                         \
		f = NEXT(name)(path, mode);                                    \
		copse_io_opened(&call, f ? fileno_unlocked(f) : -1,            \
				file_call_name(!f, AT_FDCWD, path));           \
		return f;                                                      \
	}
FOPEN(fopen)
FOPEN(fopen64)

#define FREOPEN(name)                                                          \
	CALL_NAME(name, OPEN);                                                 \
	PUBLIC FILE *name(const char *path, const char *mode, FILE *old)       \
	{                                                                      \
		struct io_call call;                                           \
		int fd = fileno_unlocked(old);                                 \
		bool measured = ENTER(&call, IO_BY_PATH, name);                \
		FILE *f;                                                       \
                                                                               \
		if (fd >= 0)                                                   \
			copse_io_forget((unsigned)fd, (unsigned)fd);           \
		f = NEXT(name)(path, mode, old);                               \
		if (measured)                                                  \
			copse_io_opened(&call, f ? fileno_unlocked(f) : -1,    \
					file_call_name(!f, AT_FDCWD, path));   \
		return f;                                                      \
	}
FREOPEN(freopen)
FREOPEN(freopen64)

CALL_NAME(fclose, CLOSE);
PUBLIC int fclose(FILE *f)
{
	struct io_call call;
	int fd = fileno_unlocked(f), result;
	bool measured = fd >= 0 && ENTER(&call, fd, fclose);

	if (fd >= 0)
		copse_io_forget((unsigned)fd, (unsigned)fd);
	result = NEXT(fclose)(f);
	if (measured)
		copse_io_done(&call, result != 0);
	return result;
}

/* What it had kept is counted already; all streams at once are not timed. */
#define FLUSH(name)                                                            \
	CALL_NAME(name, SYNC);                                                 \
	PUBLIC int name(FILE *f)                                               \
	{                                                                      \
		struct io_call call;                                           \
		int fd = f ? fileno_unlocked(f) : -1, result;                  \
                                                                               \
		if (fd < 0 || !ENTER(&call, fd, name))                         \
			return NEXT(name)(f);                                  \
		result = NEXT(name)(f);                                        \
		copse_io_done(&call, result != 0);                             \
		return result;                                                 \
	}
FLUSH(fflush)
FLUSH(fflush_unlocked)

/* Where it is then would be another call: at the place that it was told. */
#define FSEEK(name, type)                                                      \
	CALL_NAME(name, SEEK);                                                 \
	PUBLIC int name(FILE *f, type by, int from)                            \
	{                                                                      \
		struct io_call call;                                           \
		int fd = fileno_unlocked(f), result;                           \
                                                                               \
		if (fd < 0 || !ENTER(&call, fd, name))                         \
			return NEXT(name)(f, by, from);                        \
		result = NEXT(name)(f, by, from);                              \
		if (!result && from == SEEK_SET)                               \
			copse_io_seek(fd, by);                                 \
		copse_io_done(&call, result != 0);                             \
		return result;                                                 \
	}
FSEEK(fseek, long)
FSEEK(fseeko, off_t)
FSEEK(fseeko64, off_t)

CALL_NAME(rewind, SEEK);
PUBLIC void rewind(FILE *f)
{
	struct io_call call;
	int fd = fileno_unlocked(f);

	if (fd < 0 || !ENTER(&call, fd, rewind)) {
		NEXT(rewind)(f);
		return;
	}
	NEXT(rewind)(f);
	copse_io_seek(fd, 0);
	copse_io_done(&call, false);
}
