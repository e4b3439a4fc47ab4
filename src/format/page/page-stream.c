/* SPDX-License-Identifier: BSD-3-Clause */
/* page-stream.c - collect the parts, pack them, write them as text. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "format/page/page-stream.h"
#include "format/quote.h"
#include "profile/store/compress.h"
#include "run/packed.h"

enum {
	LEVEL = 10,      /* of a file: 2 to 4 % smaller than 9, in 0.1 s */
	LEVEL_ANSWER = 4 /* of an answer, which somebody waits for */
};

int page_stream_init(struct page_stream *s)
{
	*s = (struct page_stream){ 0 };
	s->json = open_memstream(&s->text, &s->text_size);
	s->index = open_memstream(&s->index_text, &s->index_size);
	if (!s->json || !s->index)
		return no_memory();
	fputs("{\n", s->json);
	return 0;
}

void page_stream_fini(struct page_stream *s)
{
	if (s->json)
		fclose(s->json);
	if (s->index)
		fclose(s->index);
	free(s->text);
	free(s->index_text);
	blob_fini(&s->bytes);
	strings_fini(&s->texts);
	*s = (struct page_stream){ 0 };
}

uint64_t page_whole(double number)
{
	if (!(number > 0))
		return 0;
	return number < 0x1p63 ? (uint64_t)number : (uint64_t)1 << 63;
}

void page_array(struct page_stream *s, const char *name,
		enum page_array_type type)
{
	static const char *const types[] = { "u8", "varint", "delta" };

	fputs(ftell(s->index) > 0 ? ",\n  " : "  ", s->index);
	quote_json(s->index, name);
	fprintf(s->index, ": [\"%s\", ", types[type]);
	s->type = type;
	s->begin = s->bytes.size;
	s->count = 0;
	s->last = 0;
}

void page_array_of(struct page_stream *s, const char *what,
		   const struct run_metric *m, const char *part,
		   enum page_array_type type)
{
	char name[96];

	snprintf(name, sizeof(name), "%s.%s%s", what, m->name, part);
	page_array(s, name, type);
}

void page_number(struct page_stream *s, uint64_t number)
{
	uint8_t *to = blob_reach(&s->bytes, PACKED_MOST), *end = to;
	int64_t step = (int64_t)(number - s->last);

	if (!to)
		return;
	if (s->type == PAGE_U8)
		*end++ = (uint8_t)number;
	else if (s->type == PAGE_VARINT)
		end = packed_put(to, number);
	else
		end = packed_put(to,
				 (uint64_t)step << 1 ^ (uint64_t)(step >> 63));
	s->bytes.size += (size_t)(end - to);
	s->last = number;
	s->count++;
}

void page_array_end(struct page_stream *s)
{
	fprintf(s->index, "%zu, %zu]", s->count, s->bytes.size - s->begin);
}

/* One of 91 characters, none of which begins markup. */
static void put_digit(FILE *to, uint32_t digit)
{
	fputc('#' + digit == '<' ? '!' : (int)('#' + digit), to);
}

/* 13 bits, the lowest first, are two of them; 6 that are left are one. */
static void write_characters(FILE *to, const uint8_t *from, size_t size)
{
	uint32_t bits = 0;
	int have = 0;

	for (size_t i = 0; i < size; i++) {
		bits |= (uint32_t)from[i] << have;
		have += 8;
		if (have < 13)
			continue;
		put_digit(to, (bits & 8191) % 91);
		put_digit(to, (bits & 8191) / 91);
		bits >>= 13;
		have -= 13;
	}
	if (have)
		put_digit(to, bits % 91);
	if (have > 6)
		put_digit(to, bits / 91);
}

/* The length of the JSON, the JSON, the arrays. */
static uint8_t *join_parts(const struct page_stream *s, size_t *size)
{
	uint32_t length = (uint32_t)s->text_size;
	uint8_t *whole;

	*size = sizeof(length) + s->text_size + s->bytes.size;
	whole = malloc(*size);
	if (!whole)
		return NULL;
	for (size_t i = 0; i < sizeof(length); i++)
		whole[i] = (uint8_t)(length >> 8 * i);
	memcpy(whole + sizeof(length), s->text, s->text_size);
	if (s->bytes.size)
		memcpy(whole + sizeof(length) + s->text_size, s->bytes.at,
		       s->bytes.size);
	return whole;
}

static int write_packed(FILE *to, const void *bytes, size_t size, int level)
{
	uint8_t *packed = malloc(compress_most(size));
	size_t packed_size =
		packed ? compress_data(packed, bytes, size, level) : 0;

	write_characters(to, packed, packed_size);
	free(packed);
	return packed_size ? 0 : no_memory();
}

int page_block(FILE *to, const char *id, const void *bytes, size_t size)
{
	int err;

	fprintf(to, "<script type=\"application/octet-stream\" id=\"%s\">", id);
	err = write_packed(to, bytes, size, LEVEL);
	fputs("</script>\n", to);
	return err;
}

int page_stream_end(struct page_stream *s, FILE *to, const char *id)
{
	uint8_t *whole;
	size_t size;
	int err;

	fflush(s->index);
	fputs("\"arrays\": {\n", s->json);
	fwrite(s->index_text, 1, s->index_size, s->json);
	fputs("}\n}\n", s->json);
	err = blob_error(&s->bytes);
	if (fflush(s->json) || ferror(s->json) || ferror(s->index))
		err = no_memory();
	if (err)
		return err;
	whole = join_parts(s, &size);
	if (!whole)
		err = no_memory();
	else
		err = id ? page_block(to, id, whole, size)
			 : write_packed(to, whole, size, LEVEL_ANSWER);
	free(whole);
	return err;
}
