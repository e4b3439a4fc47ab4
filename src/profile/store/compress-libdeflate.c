/* SPDX-License-Identifier: BSD-3-Clause */
/* compress-libdeflate.c - in place of zlib. */
#include <errno.h>
#include <libdeflate.h>

#include "profile/store/compress.h"

size_t compress_most(size_t bytes)
{
	return libdeflate_zlib_compress_bound(NULL, bytes);
}

size_t compress_data(void *to, const void *from, size_t bytes, int level)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(level);
	size_t size;

	if (!c)
		return 0;
	size = libdeflate_zlib_compress(c, from, bytes, to,
					compress_most(bytes));
	libdeflate_free_compressor(c);
	return size;
}

int compress_undo(void *to, size_t bytes, const void *from, size_t size)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	enum libdeflate_result result;
	size_t used;

	if (!d)
		return -ENOMEM;
	result = libdeflate_zlib_decompress_ex(d, from, size + COMPRESS_BEHIND,
					       to, bytes, &used, NULL);
	libdeflate_free_decompressor(d);
	return result == LIBDEFLATE_SUCCESS && used <= size ? 0 : -EINVAL;
}
