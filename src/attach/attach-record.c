/* SPDX-License-Identifier: BSD-3-Clause */
/* attach-record.c - see attach-record.h. */
#include "attach/attach-record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/foreign.h"
#include "base/err.h"
#include "base/metric.h"
#include "base/proc.h"
#include "base/settings.h"
#include "base/str.h"
#include "base/timebase.h"
#include "collect/registry.h"
#include "launch/job.h"
#include "launch/process.h"

enum {
	COMMAND_MOST = 4096
};

static struct live_header *header_of(const struct attach_record *r)
{
	return (struct live_header *)r->arena.base;
}

static live_ref record_text(struct attach_record *r, const char *text,
			    size_t length)
{
	live_ref ref = arena_small(&r->arena, &r->small,
				   sizeof(struct live_text) + length + 1);
	struct live_text *to;

	if (!ref)
		return 0;
	to = arena_at(&r->arena, ref);
	memcpy(to->text, text, length);
	to->length = (uint32_t)length;
	return ref;
}

/* Behind the last of a list; each record begins with `next`. */
static void append_to_record(struct attach_record *r, live_ref *head,
			     live_ref *last, live_ref ref)
{
	live_ref *link = *last ? arena_at(&r->arena, *last) : head;

	__atomic_store_n(link, ref, __ATOMIC_RELEASE);
	*last = ref;
}

static void record_metrics(struct live_header *h)
{
	for (uint32_t i = 0; i < METRIC_COUNT; i++) {
		struct live_metric *m = &h->metrics[i];

		snprintf(m->name, sizeof(m->name), "%s", metric_infos[i].name);
		m->unit = metric_infos[i].unit;
		m->merge = metric_infos[i].merge;
	}
	h->metric_count = METRIC_COUNT;
}

static void record_program(struct attach_record *r, pid_t pid)
{
	struct live_header *h = header_of(r);
	char text[COMMAND_MOST], path[64];
	size_t size = proc_file(pid, "cmdline", text, sizeof(text));
	ssize_t length;

	h->command = record_text(r, text, size);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	length = readlink(path, text, sizeof(text));
	if (length > 0)
		h->exe = record_text(r, text, (size_t)length);
}

static void record_process(struct attach_record *r, pid_t pid,
			   const struct job *job, bool ranked)
{
	struct live_header *h = header_of(r);
	struct timebase now;

	h->version = LIVE_VERSION;
	h->header_size = sizeof(*h);
	h->capacity = r->arena.capacity;
	h->pid = (uint32_t)pid;
	h->ppid = (uint32_t)proc_parent(pid);
	timebase_now(&now);
	h->start_real_ns = now.real_ns;
	h->start_mono_ns = now.mono_ns;
	h->clock_id = timebase_id();
	h->start_cpu_ns = process_cpu_ns(pid);
	h->rank = ranked ? job->rank : -1;
	h->size = ranked ? job->size : 0;
	h->attached = 1;
	snprintf(h->host, sizeof(h->host), "%s", job->host);
	r->small = (struct arena_small){
		.at = (live_ref)((sizeof(*h) + LIVE_UNIT - 1) / LIVE_UNIT),
		.end = (live_ref)(h->used / LIVE_UNIT),
	};
	record_metrics(h);
	record_program(r, pid);
	__atomic_store_n(&h->magic, LIVE_MAGIC, __ATOMIC_RELEASE);
}

int attach_record_open(struct attach_record *r, const char *folder, pid_t pid,
		       const struct job *job, bool ranked)
{
	char *path = str_format("%s/%d.0.live", folder, (int)pid);
	struct settings settings;
	int err;

	*r = (struct attach_record){ 0 };
	if (!path)
		return no_memory();
	settings_init(&settings);
	err = arena_open(&r->arena, path, settings.memory << 20);
	if (err)
		fail(err, "cannot create %s: %s", path, strerror(-err));
	else
		record_process(r, pid, job, ranked);
	free(path);
	return err;
}

void attach_record_how(struct attach_record *r, const struct attach_how *how)
{
	struct live_header *h = header_of(r);
	const char *events = how->waiting ? "cpu,wall" : "cpu";

	h->freq = how->freq;
	h->clock = how->kernel ? LIVE_CLOCK_SIGTRAP : LIVE_CLOCK_MIXED;
	h->wall = how->waiting ? LIVE_WALL_SAMPLED : LIVE_WALL_NONE;
	h->events = record_text(r, events, strlen(events));
}

void attach_record_python(struct attach_record *r, uint16_t version, bool known)
{
	header_of(r)->python = version;
	header_of(r)->python_known = known;
}

void attach_record_close(struct attach_record *r)
{
	arena_close(&r->arena);
}

void attach_record_module(struct attach_record *r, struct foreign_module *m)
{
	live_ref ref =
		arena_small(&r->arena, &r->small, sizeof(struct live_module));
	struct live_module *to;

	if (!ref)
		return;
	to = arena_at(&r->arena, ref);
	*to = (struct live_module){ .base = m->base,
				    .start = m->start,
				    .end = m->end,
				    .build_id_size = m->build_id_size };
	to->path = record_text(r, m->path, strlen(m->path));
	memcpy(to->build_id, m->build_id, m->build_id_size);
	append_to_record(r, &header_of(r)->modules, &r->last_module, ref);
	m->index = r->module_count++;
}

bool attach_record_function(struct attach_record *r,
			    const struct registry_function *f, uint32_t *index)
{
	live_ref ref =
		arena_small(&r->arena, &r->small, sizeof(struct live_name));
	struct live_name *to;

	if (!ref)
		return false;
	to = arena_at(&r->arena, ref);
	*to = (struct live_name){ .class = LIVE_NAME_PYTHON,
				  .detail = f->first };
	to->text = record_text(r, f->name, f->name_size);
	to->file = record_text(r, f->file, f->file_size);
	to->lines = record_text(r, f->lines, f->lines_size);
	append_to_record(r, &header_of(r)->names, &r->last_name, ref);
	*index = r->name_count++;
	return true;
}

struct live_thread *attach_record_thread(struct attach_record *r, pid_t tid,
					 const char *name, struct tree *tree)
{
	live_ref ref =
		arena_small(&r->arena, &r->small, sizeof(struct live_thread));
	struct live_thread *t;

	if (!ref)
		return NULL;
	t = arena_at(&r->arena, ref);
	t->tid = (uint32_t)tid;
	t->state = LIVE_THREAD_RUNS;
	t->clock = header_of(r)->clock;
	t->runs = 1;
	snprintf(t->name, sizeof(t->name), "%s", name);
	if (tree_init(tree, &r->arena, ref))
		return NULL;
	append_to_record(r, &header_of(r)->threads, &r->last_thread, ref);
	return t;
}
