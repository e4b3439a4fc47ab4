/* SPDX-License-Identifier: BSD-3-Clause */
/* compress-zlib.c - where libdeflate was not found. */
#include <errno.h>
#include <zlib.h>

#include "profile/store/compress.h"

size_t compress_most(size_t bytes)
{
	return compressBound(bytes);
}

size_t compress_data(void *to, const void *from, size_t bytes, int level)
{
	uLongf size = compressBound(bytes);

	level = level < Z_BEST_COMPRESSION ? level : Z_BEST_COMPRESSION;
	return compress2(to, &size, from, bytes, level) == Z_OK ? size : 0;
}

int compress_undo(void *to, size_t bytes, const void *from, size_t size)
{
	uLongf got = bytes;
	int status = uncompress(to, &got, from, size);

	if (status == Z_MEM_ERROR)
		return -ENOMEM;
	return status == Z_OK && got == bytes ? 0 : -EINVAL;
}
