/* SPDX-License-Identifier: BSD-3-Clause */
/* made-play.c - plays a capture, see made-cuda.h. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture.h"
#include "cuda/cupti.h"
#include "made-cuda.h"
#include "made-inside.h"

enum {
	IDS = 1 << 20,
	ROWS = 4096,
};

struct entry {
	struct capture_entry head;
	const char *data;
	bool played;
};

/* Of each correlation id: where it was called, what, and how much later. */
struct origin {
	unsigned int site;
	const char *function;
	int64_t shift;
};

static struct {
	char *file;
	struct entry *entries;
	size_t count;
	uint64_t sites[MADE_SITES];
	unsigned int site_count;
	struct origin *origins;
	struct {
		uint64_t pointer;
		char *text;
	} texts[ROWS];
	size_t text_count;
	struct row {
		unsigned int site;
		const char *function;
		char name[512];
		uint64_t ns;
	} rows[ROWS];
	size_t row_count;
} play;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static char *read_all(const char *path, size_t *size)
{
	FILE *from = fopen(path, "re");
	char *data;
	long end;

	if (!from)
		return NULL;
	fseek(from, 0, SEEK_END);
	end = ftell(from);
	rewind(from);
	data = malloc((size_t)end + 1);
	*size = data ? fread(data, 1, (size_t)end, from) : 0;
	fclose(from);
	return data;
}

static bool load(const char *path)
{
	size_t size = 0, at = strlen(CAPTURE_MAGIC);

	play.file = read_all(path, &size);
	if (!play.file || size < at ||
	    memcmp(play.file, CAPTURE_MAGIC, at) != 0)
		return false;
	play.entries = calloc(size / sizeof(struct capture_entry) + 1,
			      sizeof(*play.entries));
	play.origins = calloc(IDS, sizeof(*play.origins));
	while (size - at >= sizeof(struct capture_entry)) {
		struct entry *e = &play.entries[play.count];

		memcpy(&e->head, play.file + at, sizeof(e->head));
		at += sizeof(e->head);
		if (e->head.size > size - at)
			break; /* it was cut off */
		e->data = play.file + at;
		at += e->head.size;
		play.count++;
	}
	return play.entries && play.origins;
}

static bool read_call(const struct entry *e, struct capture_call *call)
{
	if (e->head.type != CAPTURE_CALL || e->head.size < sizeof(*call))
		return false;
	memcpy(call, e->data, sizeof(*call));
	return true;
}

static unsigned int site_of(uint64_t pc)
{
	unsigned int i = 0;

	while (i < play.site_count && play.sites[i] != pc)
		i++;
	if (i == play.site_count && i < MADE_SITES - 1)
		play.sites[play.site_count++] = pc;
	return i;
}

static char *name_of(const struct entry *e)
{
	return strndup(e->data + sizeof(struct capture_call),
		       e->head.size - sizeof(struct capture_call));
}

/* One entry or exit of a function; its frame is the one that is given. */
static void tell(struct call *c, const struct capture_call *from)
{
	c->domain = (CUpti_CallbackDomain)from->domain;
	c->id = from->id;
	c->code = from->code;
	c->data.functionReturnValue = &c->code;
	c->data.correlationData = &c->room;
	c->data.correlationId = from->correlation;
	made_tell(c, from->leaves ? CUPTI_API_EXIT : CUPTI_API_ENTER);
}

/* The function that the program calls, from its entry to its return. */
static void go(void *arg)
{
	volatile uint64_t params[4] = { 0 };
	struct entry *first = arg;
	struct capture_call outer, call;
	struct call c = { .data = { .functionParams = (const void *)params } };
	struct call inner = c;
	char *name = name_of(first), *inner_name;

	read_call(first, &outer);
	c.data.functionName = inner.data.functionName = name;
	for (struct entry *e = first; e < play.entries + play.count; e++) {
		if (e->played || !read_call(e, &call) ||
		    call.thread != outer.thread)
			continue;
		e->played = true;
		if (call.site) {
			tell(&c, &call);
		} else {
			inner_name = name_of(e);
			inner.data.functionName = inner_name;
			tell(&inner, &call);
			free(inner_name);
		}
		if (call.leaves && call.correlation == outer.correlation &&
		    call.domain == outer.domain)
			break;
	}
	play.origins[outer.correlation % IDS].function = name;
}

static void play_call(struct entry *e,
		      void (*site)(unsigned int i, void (*go)(void *),
				   void *arg))
{
	struct capture_call call;
	struct origin *origin;

	if (e->played || !read_call(e, &call) || call.leaves || !call.site)
		return;
	origin = &play.origins[call.correlation % IDS];
	origin->site = site_of(call.site);
	origin->shift = (int64_t)(now() - call.ns);
	site(origin->site, go, e);
}

static void play_text(const struct entry *e)
{
	uint64_t pointer;

	if (play.text_count == ROWS || e->head.size < sizeof(pointer))
		return;
	memcpy(&pointer, e->data, sizeof(pointer));
	play.texts[play.text_count].pointer = pointer;
	play.texts[play.text_count++].text = strndup(
		e->data + sizeof(pointer), e->head.size - sizeof(pointer));
}

/* The last that was told. */
static const char *text_of(const void *pointer)
{
	for (size_t i = play.text_count; i-- > 0;)
		if (play.texts[i].pointer == (uintptr_t)pointer)
			return play.texts[i].text;
	return NULL;
}

static void count(const struct origin *origin, const char *name, uint64_t ns)
{
	struct row *row = play.rows;

	while (row < play.rows + play.row_count &&
	       (row->site != origin->site ||
		strcmp(row->function, origin->function) != 0 ||
		strcmp(row->name, name) != 0))
		row++;
	if (row == play.rows + ROWS)
		return;
	if (row == play.rows + play.row_count) {
		play.row_count++;
		row->site = origin->site;
		row->function = strdup(origin->function);
		snprintf(row->name, sizeof(row->name), "%s", name);
	}
	row->ns += ns;
}

/* Times are put beside those of the calls as they are played. */
static void play_kernel(CUpti_ActivityKernel9 *k)
{
	const struct origin *origin = &play.origins[k->correlationId % IDS];

	k->name = text_of(k->name);
	if (k->end >= k->start && k->start && origin->function && k->name)
		count(origin, k->name, k->end - k->start);
	k->start += (uint64_t)origin->shift;
	k->end += (uint64_t)origin->shift;
	made_put((CUpti_Activity *)k);
}

static void play_record(const struct entry *e)
{
	union {
		CUpti_Activity any;
		CUpti_ActivityKernel9 kernel;
		char room[1024];
	} record = { .room = { 0 } };

	if (e->head.size > sizeof(record))
		return;
	memcpy(&record, e->data, e->head.size);
	if (record.any.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
		play_kernel(&record.kernel);
	else
		made_put(&record.any);
}

static void print(void)
{
	for (size_t i = 0; i < play.row_count; i++) {
		const struct row *row = &play.rows[i];
		size_t length = strcspn(row->function, "_");

		if (row->ns < 500)
			continue;
		printf("site_%u;%.*s;%s %.0f\n", row->site, (int)length,
		       row->function, row->name, (double)row->ns / 1000);
	}
}

__attribute__((visibility("default"))) int
made_play(const char *path,
	  void (*site)(unsigned int i, void (*go)(void *), void *arg))
{
	if (!load(path))
		return 1;
	made_load();
	for (size_t i = 0; i < play.count; i++) {
		struct entry *e = &play.entries[i];

		if (e->head.type == CAPTURE_CALL)
			play_call(e, site);
		else if (e->head.type == CAPTURE_TEXT)
			play_text(e);
		else if (e->head.type == CAPTURE_RECORD)
			play_record(e);
	}
	print();
	return 0;
}
