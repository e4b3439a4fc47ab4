/* SPDX-License-Identifier: BSD-3-Clause */
/* gzip.c - zlib, with the head and the checksum of gzip. */
#include <zlib.h>

#include "base/err.h"
#include "format/export/gzip.h"

enum {
	GZIP = 16, /* with gzip's head rather than zlib's */
	MEMORY = 8,
	LEVEL = 3, /* half of level 6's time, 5 % larger */
	AT_ONCE = 1 << 30
};

int gzip_write(FILE *to, const void *bytes, size_t size)
{
	z_stream z = { .next_in = (z_const Bytef *)bytes };
	unsigned char out[1 << 15];
	int state = Z_OK;

	if (deflateInit2(&z, LEVEL, Z_DEFLATED, MAX_WBITS + GZIP, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return no_memory();
	while (state != Z_STREAM_END) {
		if (!z.avail_in && size) {
			z.avail_in = size < AT_ONCE ? (uInt)size : AT_ONCE;
			size -= z.avail_in;
		}
		z.next_out = out;
		z.avail_out = sizeof(out);
		state = deflate(&z, size ? Z_NO_FLUSH : Z_FINISH);
		fwrite(out, 1, sizeof(out) - z.avail_out, to);
	}
	deflateEnd(&z);
	return 0;
}
