/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file-call.h - what interposers of functions for files are made of.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>

#include "arch/frame.h"
#include "base/hidden.h"
#include "collect/io/io-call.h"
#include "collect/transparency/next.h"

#define AT_POSITION (-1)
#define LIST(...)   __VA_ARGS__
#define CALL_FRAME  FRAME_HERE

/*
 * The name of a call, if it can be read and is not below a directory of its
 * own.  Headers say that none is NULL, so the compiler would not look.
 */
static inline const char *file_call_name(bool failed, int folder,
					 const char *path)
{
	const char *volatile given = path;
	const char *name = given;

	if (!name || (failed && errno == EFAULT))
		return NULL;
	return folder == AT_FDCWD || *name == '/' ? name : NULL;
}

#define CALL_NAME(name_, kind_)                                                \
	static struct region_name name_##_name = { .text = #name_,             \
						   .class = LIVE_NAME_IO,      \
						   .detail = LIVE_IO_##kind_ }

#define ENTER(call, fd, name) copse_io_enter(call, fd, &name##_name, CALL_FRAME)
