/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protobuf.h - fields of messages, as Protocol Buffers encode them
 * (doc/decisions/viewers.md says why without a library).
 *
 * Failure   Out of memory is kept in the blob: blob_error().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/blob.h"

/* A number without a field, as in packed fields. */
void protobuf_number(struct blob *to, uint64_t value);

/* uint64, int64, uint32, bool, enum. */
void protobuf_uint(struct blob *to, unsigned int field, uint64_t value);

void protobuf_fixed(struct blob *to, unsigned int field, uint64_t value);

void protobuf_bytes(struct blob *to, unsigned int field, const void *bytes,
		    size_t size);

/* Valid UTF-8 without control characters, whatever the text is. */
void protobuf_text(struct blob *to, unsigned int field, const char *text);

/* A message, or packed numbers, that stand in another blob, which is cleared.
 */
void protobuf_message(struct blob *to, unsigned int field, struct blob *of);
