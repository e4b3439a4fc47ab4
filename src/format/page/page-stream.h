/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page-stream.h - what a page reads: JSON, and behind it arrays of numbers
 * (doc/page-format.md).
 *
 * Failure   Out of memory is kept; page_stream_end() says so.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/blob.h"
#include "base/str.h"
#include "run/run.h"

enum page_array_type {
	PAGE_U8,
	PAGE_VARINT, /* seven bits a byte */
	PAGE_DELTA   /* zigzag, of the difference to the number before */
};

struct page_stream {
	FILE *json; /* the one object: members, each followed by ",\n" */
	char *text;
	size_t text_size;
	struct strings texts; /* of cells of tables, each once */
	FILE *index;          /* of the arrays */
	char *index_text;
	size_t index_size;
	struct blob bytes;
	enum page_array_type type; /* of the array that is open: */
	size_t begin, count;
	uint64_t last;
};

/* 0, or -ENOMEM with a reason; page_stream_fini() is due in either case. */
int page_stream_init(struct page_stream *s);
void page_stream_fini(struct page_stream *s);

/* A number of a file, which may be none: at least 0, and whole. */
uint64_t page_whole(double number);

/* One array after the other. */
void page_array(struct page_stream *s, const char *name,
		enum page_array_type type);
/* Of a metric: "WHAT.METRICPART". */
void page_array_of(struct page_stream *s, const char *what,
		   const struct run_metric *m, const char *part,
		   enum page_array_type type);
void page_number(struct page_stream *s, uint64_t number);
void page_array_end(struct page_stream *s);

/*
 * The whole, as a block of the page; without an id only what is in one.  0, or
 * -ENOMEM with a reason.
 */
int page_stream_end(struct page_stream *s, FILE *to, const char *id);

/*
 * A block of the page: bytes, packed, as text, which its script finds by that
 * id. 0, or -ENOMEM with a reason.
 */
int page_block(FILE *to, const char *id, const void *bytes, size_t size);

/* A whole array, of numbers that i counts. */
#define PAGE_COLUMN(s, name, type, count, number)                              \
	do {                                                                   \
		page_array(s, name, type);                                     \
		for (size_t i = 0; i < (count); i++)                           \
			page_number(s, (uint64_t)(number));                    \
		page_array_end(s);                                             \
	} while (0)
