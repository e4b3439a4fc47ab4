/* SPDX-License-Identifier: BSD-3-Clause */
/* protobuf.c - three of the wire types. */
#include <stdlib.h>
#include <string.h>

#include "format/export/protobuf.h"
#include "format/utf8.h"
#include "run/packed.h"

enum {
	WIRE_NUMBER = 0,
	WIRE_FIXED = 1,
	WIRE_BYTES = 2
};

void protobuf_number(struct blob *to, uint64_t value)
{
	uint8_t *at = blob_reach(to, PACKED_MOST);

	if (at)
		to->size += (size_t)(packed_put(at, value) - at);
}

void protobuf_uint(struct blob *to, unsigned int field, uint64_t value)
{
	protobuf_number(to, (uint64_t)field << 3 | WIRE_NUMBER);
	protobuf_number(to, value);
}

/* The lowest byte first. */
void protobuf_fixed(struct blob *to, unsigned int field, uint64_t value)
{
	uint8_t *at;

	protobuf_number(to, (uint64_t)field << 3 | WIRE_FIXED);
	at = blob_reach(to, sizeof(value));
	for (size_t i = 0; at && i < sizeof(value); i++, to->size++)
		at[i] = (uint8_t)(value >> 8 * i);
}

void protobuf_bytes(struct blob *to, unsigned int field, const void *bytes,
		    size_t size)
{
	uint8_t *at;

	protobuf_number(to, (uint64_t)field << 3 | WIRE_BYTES);
	protobuf_number(to, size);
	at = blob_reach(to, size);
	if (at && size)
		memcpy(at, bytes, size);
	to->size += at ? size : 0;
}

void protobuf_text(struct blob *to, unsigned int field, const char *text)
{
	char *clean = utf8_clean(text, true);

	if (clean)
		protobuf_bytes(to, field, clean, strlen(clean));
	to->exhausted |= !clean;
	free(clean);
}

void protobuf_message(struct blob *to, unsigned int field, struct blob *of)
{
	to->exhausted |= of->exhausted;
	protobuf_bytes(to, field, of->at, of->size);
	blob_clear(of);
}
