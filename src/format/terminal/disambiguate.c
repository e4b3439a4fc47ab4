/* SPDX-License-Identifier: BSD-3-Clause */
/* disambiguate.c - find what tells texts apart, and cut around it. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/comparison.h"
#include "base/str.h"
#include "format/terminal/table-layout.h"
#include "format/utf8.h"

#define LEAST_ROOM 12 /* columns for two frames: less says nothing */
#define BEFORE     2  /* columns before a difference, to see where it is */

struct words {
	const char *dots, *arrow;
};

ORDER_BY(by_path_text, struct alike_text,
	 strcmp(*a->cut, *b->cut) ?: strcmp(a->full, b->full) ?: ASC(cut))

/* Bytes that two texts begin with alike, in whole characters. */
static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	while (n && ((unsigned char)a[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* The frame of a path in which byte `at` is, or which begins behind it. */
static const char *frame_at(const char *path, size_t at, const char *arrow)
{
	const char *frame = path, *next;

	while ((next = strstr(frame, arrow)) && next <= path + at)
		frame = next + strlen(arrow);
	return frame;
}

static size_t frame_size(const char *frame, const char *arrow)
{
	const char *end = strstr(frame, arrow);

	return end ? (size_t)(end - frame) : strlen(frame);
}

/* How many columns the first bytes of a text take. */
static size_t columns_of(const char *text, size_t bytes)
{
	size_t all = utf8_width(text);

	return all - utf8_width(text + bytes);
}

/*
 * At most `width` columns of a name: its beginning, and what is around byte
 * `at`.
 */
static char *name_around(const char *name, size_t at, size_t width,
			 const struct words *w)
{
	size_t dots = utf8_width(w->dots), all = utf8_width(name);
	size_t before = columns_of(name, at), head = width / 3, room;
	const char *from;

	if (all <= width)
		return strdup(name);
	if (before + BEFORE + dots < width)
		return str_format("%.*s%s", (int)utf8_head(name, width - dots),
				  name, w->dots);
	room = width - head - dots;
	before -= BEFORE;
	if (all - before <= room)
		return str_format("%.*s%s%s", (int)utf8_head(name, head), name,
				  w->dots, utf8_tail(name, room));
	from = name + utf8_head(name, before);
	return str_format("%.*s%s%.*s%s", (int)utf8_head(name, head), name,
			  w->dots, (int)utf8_head(from, room - dots), from,
			  w->dots);
}

/* A frame of a path, with what stands between it and the ends. */
struct shown_frame {
	const char *frame;
	size_t size, first_size; /* bytes of it, and of the innermost one */
	bool first, gap, more;
	size_t fixed; /* columns of all but the names */
};

static struct shown_frame place_in_path(const char *path, size_t at,
					const struct words *w)
{
	size_t arrow = utf8_width(w->arrow), dots = utf8_width(w->dots);
	struct shown_frame p = { .frame = frame_at(path, at, w->arrow) };

	p.size = frame_size(p.frame, w->arrow);
	p.first_size = frame_size(path, w->arrow);
	p.first = p.frame == path;
	p.gap = !p.first && path + p.first_size + strlen(w->arrow) < p.frame;
	p.more = p.frame[p.size];
	p.fixed = (p.first ? 0 : arrow) + (p.gap ? arrow + dots : 0) +
		  (p.more ? arrow + dots : 0);
	return p;
}

/* "first ← … ← frame ← …"; NULL when out of memory. */
static char *two_frames(const char *path, const struct shown_frame *p,
			size_t at, size_t width, const struct words *w)
{
	char *first = strndup(path, p->first ? 0 : p->first_size);
	char *frame = strndup(p->frame, p->size), *a = NULL, *b = NULL;
	char *text = NULL;
	size_t begin = (size_t)(p->frame - path);
	size_t room = width - p->fixed, own = first ? utf8_width(first) : 0;
	size_t its = own < room / 2 ? room - own : room - room / 2;

	if (first && frame)
		b = name_around(frame, at > begin ? at - begin : 0, its, w);
	if (b)
		a = name_around(first, 0, room - utf8_width(b), w);
	if (a)
		text = str_format(
			"%s%s%s%s%s%s%s", a, p->gap ? w->arrow : "",
			p->gap ? w->dots : "", p->first ? "" : w->arrow, b,
			p->more ? w->arrow : "", p->more ? w->dots : "");
	free(first);
	free(frame);
	free(a);
	free(b);
	return text;
}

static int cut_again(struct alike_text *text, size_t at, size_t width,
		     const struct words *w)
{
	struct shown_frame p = place_in_path(text->full, at, w);
	char *better;

	if (width < p.fixed + LEAST_ROOM)
		return 0;
	better = two_frames(text->full, &p, at, width, w);
	if (!better)
		return no_memory();
	free(*text->cut);
	*text->cut = better;
	return 0;
}

/*
 * Texts that are cut alike, in the order of what they are in full: `known`
 * bytes of that were alike before, and that was no way to tell them apart.
 */
static int tell_group(struct alike_text *texts, size_t count, size_t known,
		      size_t width, const struct words *w)
{
	size_t at = common_prefix(texts[0].full, texts[count - 1].full);
	int err = 0;

	if (count < 2 || at < known ||
	    !strcmp(texts[0].full, texts[count - 1].full))
		return 0;
	for (size_t i = 0; i < count && !err; i++)
		err = cut_again(&texts[i], at, width, w);
	for (size_t i = 0, end; i < count && !err; i = end) {
		for (end = i + 1;
		     end < count && !strcmp(*texts[i].cut, *texts[end].cut);)
			end++;
		err = tell_group(texts + i, end - i, at + 1, width, w);
	}
	return err;
}

int disambiguate_texts(struct alike_text *texts, size_t count, size_t width,
		       bool utf8)
{
	const struct words words = { utf8 ? "…" : "..", utf8 ? " ← " : " <- " };
	int err = 0;

	if (count)
		qsort(texts, count, sizeof(*texts), by_path_text);
	for (size_t i = 0, end; i < count && !err; i = end) {
		for (end = i + 1;
		     end < count && !strcmp(*texts[i].cut, *texts[end].cut);)
			end++;
		err = tell_group(texts + i, end - i, 0, width, &words);
	}
	return err;
}
