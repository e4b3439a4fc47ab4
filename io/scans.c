/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scans.c - interposers of functions that scan streams of C, as scanf() does.
 *
 * Its header gives these functions other names, by the standard of C that is
 * asked for, and all of them are here: so it is not included.
 */
#include <stdarg.h>
#include <stddef.h>

#include <bits/types/FILE.h>
#include <bits/types/struct_FILE.h>

#include "io/file-call.h"

extern FILE *stdin;

struct scan {
	struct io_call call;
	const char *at, *end; /* of what was in the buffer */
	int fd;               /* below 0: none */
	bool measured;
};

static void scan_begin(struct scan *s, FILE *f, struct region_name *name,
		       const uintptr_t *frame)
{
	s->fd = f->_fileno;
	s->measured =
		s->fd >= 0 && copse_io_enter(&s->call, s->fd, name, frame);
	s->at = f->_IO_read_ptr;
	s->end = f->_IO_read_end;
}

/*
 * What was taken out of the buffer, if that was filled once more at most: to
 * ask for the stream's position may be a system call.
 */
static int64_t bytes_scanned(const struct scan *s, const FILE *f)
{
	const char *at = f->_IO_read_ptr;

	if (f->_IO_read_end == s->end && at >= s->at)
		return at - s->at;
	return s->end - s->at + (at - f->_IO_read_base);
}

static void scan_end(struct scan *s, const FILE *f,
		     const struct region_name *name)
{
	int64_t bytes = bytes_scanned(s, f);

	s->call.stream = true;
	if (s->measured)
		copse_io_moved(&s->call, bytes, AT_POSITION);
	else if (s->fd >= 0)
		copse_io_passed(name, bytes);
}

/* By the function `next`, which takes a list; `plain`: as programs call it. */
#define SCAN(name, plain, parameters, f, next, begin, end)                     \
	int name parameters;                                                   \
	static struct region_name name##_name = { .text = #plain,              \
						  .class = LIVE_NAME_IO,       \
						  .detail = LIVE_IO_READ };    \
	PUBLIC int name parameters                                             \
	{                                                                      \
		struct scan scan;                                              \
		int result;                                                    \
                                                                               \
		begin;                                                         \
		scan_begin(&scan, f, &name##_name, CALL_FRAME);                \
		result = NEXT(next)(f, format, list);                          \
		scan_end(&scan, f, &name##_name);                              \
		end;                                                           \
		return result;                                                 \
	}
#define BEGIN                                                                  \
	va_list list;                                                          \
	va_start(list, format)
#define SCANS(a)                                                               \
	SCAN(a##vfscanf, vfscanf,                                              \
	     (FILE * f, const char *format, va_list list), f, a##vfscanf, , )  \
	SCAN(a##vscanf, vscanf, (const char *format, va_list list), stdin,     \
	     a##vfscanf, , )                                                   \
	SCAN(a##fscanf, fscanf, (FILE * f, const char *format, ...), f,        \
	     a##vfscanf, BEGIN, va_end(list))                                  \
	SCAN(a##scanf, scanf, (const char *format, ...), stdin, a##vfscanf,    \
	     BEGIN, va_end(list))
SCANS()
SCANS(__isoc99_)
SCANS(__isoc23_)
