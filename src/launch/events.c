/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * events.c - events that a run asks for.
 *
 * A name means nothing until the kernel has opened the event: the libraries
 * know the processor's events, but not whether a virtual machine shows them.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/perf-attr.h"
#include "base/err.h"
#include "base/str.h"
#include "launch/events.h"
#include "launch/perf.h"
#include "launch/preload.h"

enum {
	SIMILAR = 3, /* names that are suggested */
};

int events_next(const char **list, struct event_word *word)
{
	size_t length = strcspn(*list, ",");
	size_t name = strcspn(*list, "@,");
	char number[24];
	bool ok = true;

	if (!**list)
		return 0;
	*word = (struct event_word){ .has_number = name < length };
	if (!name || name >= sizeof(word->name))
		return fail(-EINVAL, "'%.*s' is no name of an event",
			    (int)length, *list);
	memcpy(word->name, *list, name);
	if (word->has_number) {
		snprintf(number, sizeof(number), "%.*s",
			 (int)(length - name - 1), *list + name + 1);
		ok = str_to_uint(number, &word->number);
	}
	if (!ok || (word->has_number && !word->number &&
		    strcmp(word->name, "cpu") != 0))
		return fail(-EINVAL, "'%.*s': after @ comes %s", (int)length,
			    *list,
			    events_is_clock(word) ? "a rate in Hz"
						  : "a period in counts");
	*list += length + ((*list)[length] == ',');
	return 1;
}

bool events_is_clock(const struct event_word *word)
{
	return !strcmp(word->name, "cpu") || !strcmp(word->name, "wall");
}

/* NULL with a reason. */
static const struct event_source *find_event_source(void)
{
	/* Mutable: opened once. */
	static const struct event_source *found;
	char path[PATH_MAX];
	void *library;

	if (found)
		return found;
	if (preload_find("libcopse-papi.so", path)) {
		fail(-ENODEV, "this copse was built without PAPI: install "
			      "libpapi-dev and libpfm4-dev and configure it "
			      "again");
		return NULL;
	}
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	found = library ? dlsym(library, "copse_event_source") : NULL;
	if (!found)
		fail(-ENODEV, "%s", dlerror());
	return found;
}

static int try_part(const struct event *event, uint32_t part)
{
	struct perf_attr attr;
	long fd;

	if (event->period && !perf_sigtrap_is_safe())
		return -EINVAL;
	event_attr(&attr, event, &event->parts[part]);
	attr.disabled = 1; /* a tick would be the end of this process */
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
		     PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}

static int try_parts(const struct event *event)
{
	int err = 0;

	for (uint32_t i = 0; i < event->part_count && !err; i++)
		err = try_part(event, i);
	return err;
}

/* They happen in the kernel: a user may open them, and they stay 0. */
static bool is_kernel_only(const struct event *event)
{
	const struct event_part *p = &event->parts[0];

	return p->type == PERF_TYPE_SOFTWARE &&
	       (p->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		p->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		p->config == PERF_CGROUP_SWITCHES);
}

/* As it is, or without the kernel, if this user may do no more. */
static int try_event(struct event *event)
{
	int err = try_parts(event);

	if ((err == -EACCES || err == -EPERM) && !is_kernel_only(event)) {
		event->user_only = true;
		if (!try_parts(event))
			err = 0;
	}
	return err;
}

/* Names that are like a wanted one */

struct candidate {
	char name[EVENT_NAME_SIZE];
	unsigned int distance;
};

struct candidates {
	const char *wanted;
	struct candidate at[SIMILAR + 1]; /* the nearest first */
	size_t count;
};

static unsigned int least_distance(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Letters to insert, leave out or change; upper and lower case are one. */
static unsigned int event_distance(const char *a, const char *b)
{
	unsigned int row[EVENT_NAME_SIZE + 1];
	size_t length = strlen(b);

	if (length > EVENT_NAME_SIZE)
		return UINT_MAX;
	for (size_t k = 0; k <= length; k++)
		row[k] = (unsigned int)k;
	for (size_t i = 0; a[i]; i++) {
		unsigned int corner = row[0];

		row[0] = (unsigned int)i + 1;
		for (size_t k = 1; k <= length; k++) {
			bool same = toupper((unsigned char)a[i]) ==
				    toupper((unsigned char)b[k - 1]);
			unsigned int changed = corner + !same;

			corner = row[k];
			row[k] = least_distance(
				changed,
				least_distance(row[k], row[k - 1]) + 1);
		}
	}
	return row[length];
}

/* The name proper: presets say PAPI_, others whose they are. */
static const char *bare_event(const char *name)
{
	const char *colons = strstr(name, "::");

	if (colons)
		return colons + 2;
	return strncmp(name, "PAPI_", 5) ? name : name + 5;
}

static bool event_opens(const char *name)
{
	struct event event;
	char why[128];

	return !find_event_source()->find(&event, name, why, sizeof(why)) &&
	       !try_event(&event);
}

struct event_visit {
	void (*each)(void *to, const char *name, bool counts);
	void *to;
};

static void visit_event(void *to, const char *name)
{
	const struct event_visit *v = to;

	v->each(v->to, name, event_opens(name));
}

int events_each(void (*each)(void *to, const char *name, bool counts), void *to)
{
	const struct event_source *from = find_event_source();
	struct event_visit v = { each, to };

	if (!from)
		return -ENODEV;
	from->list(visit_event, &v);
	return 0;
}

static void consider_spelling(void *to, const char *name)
{
	struct candidates *c = to;
	unsigned int d =
		event_distance(bare_event(c->wanted), bare_event(name));
	size_t i = c->count;

	if ((i == SIMILAR && c->at[i - 1].distance <= d) || !event_opens(name))
		return;
	for (; i && c->at[i - 1].distance > d; i--)
		c->at[i] = c->at[i - 1];
	snprintf(c->at[i].name, sizeof(c->at[i].name), "%s", name);
	c->at[i].distance = d;
	if (c->count < SIMILAR)
		c->count++;
}

/* -ENODEV with a reason. */
static int refuse_event(const char *name, const char *why)
{
	struct candidates c = { .wanted = name };

	find_event_source()->list(consider_spelling, &c);
	if (!c.count)
		return fail(-ENODEV, "no event '%s': %s", name, why);
	return fail(-ENODEV,
		    "no event '%s': %s; the closest that this machine has: "
		    "%s%s%s%s%s",
		    name, why, c.at[0].name, c.count > 1 ? ", " : "",
		    c.count > 1 ? c.at[1].name : "", c.count > 2 ? ", " : "",
		    c.count > 2 ? c.at[2].name : "");
}

static const char *why_event_is_refused(const struct event *event, int err)
{
	if (perf_is_filtered())
		return "perf_event_open is refused, as by a container's "
		       "seccomp profile";
	if (err == -EACCES || err == -EPERM)
		return is_kernel_only(event)
			       ? "it happens in the kernel, which this user "
				 "may not watch (administrator: sysctl "
				 "kernel.perf_event_paranoid=1)"
			       : "the kernel refuses perf_event_open to this "
				 "user (administrator: sysctl "
				 "kernel.perf_event_paranoid=2 or less)";
	return event->parts[0].type == PERF_TYPE_SOFTWARE
		       ? "this kernel does not count it"
		       : "this machine's processor does not count it, or a "
			 "virtual machine hides it";
}

/*
 * The least period that leaves the program time of its own: events that come
 * with time itself would make ticks faster than these are handled.
 */
static uint64_t least_period(const struct event_part *part)
{
	if (part->type != PERF_TYPE_SOFTWARE)
		return 10000;
	return part->config == PERF_COUNT_SW_CPU_CLOCK ||
			       part->config == PERF_COUNT_SW_TASK_CLOCK
		       ? 100000 /* ns */
		       : 1;
}

/* The period is given up where the kernel cannot keep it. */
static int append_event(struct events *to, struct event *event,
			void (*hint)(const char *event, const char *what))
{
	int err;

	if (event->period && event->period < least_period(&event->parts[0])) {
		event->period = least_period(&event->parts[0]);
		hint(event->name, "gets a longer period: so many ticks would "
				  "leave no time to the program");
	}
	if (event->period && event->part_count > 1) {
		event->period = 0;
		hint(event->name,
		     "is made of several events: counted, not sampled");
	}
	err = try_event(event);
	if (err && event->period) {
		event->period = 0;
		err = try_event(event);
		if (!err)
			hint(event->name,
			     "cannot be sampled here: it is counted, and read "
			     "at the clock's samples");
	}
	if (err)
		return refuse_event(event->name,
				    why_event_is_refused(event, err));
	if (event->user_only)
		hint(event->name,
		     "is counted in user mode only: this user may not watch "
		     "the kernel");
	to->at[to->count++] = *event;
	return 0;
}

int events_add(struct events *to, const struct event_word *word,
	       void (*hint)(const char *event, const char *what))
{
	const struct event_source *from = find_event_source();
	struct event event;
	char why[200];

	if (!from) {
		snprintf(why, sizeof(why), "%s", fail_reason());
		return fail(-ENODEV, "no event '%s': %s", word->name, why);
	}
	for (size_t i = 0; i < to->count; i++)
		if (!strcmp(to->at[i].name, word->name))
			return 0;
	if (to->count == EVENT_MOST)
		return fail(-ENODEV, "'%s': not more than %d events in a run",
			    word->name, EVENT_MOST);
	if (from->find(&event, word->name, why, sizeof(why)))
		return refuse_event(word->name, why);
	event.period = word->number;
	return append_event(to, &event, hint);
}

int events_export(const struct events *events)
{
	const size_t size = 256 * EVENT_MOST;
	char *text = events->count ? malloc(size) : NULL;
	int err = 0;

	if (!events->count)
		return unsetenv(EVENT_VARIABLE) ? -errno : 0;
	if (!text || !event_write(text, size, events->at, events->count) ||
	    setenv(EVENT_VARIABLE, text, 1))
		err = fail(-ENOMEM, "the events do not fit into the "
				    "environment");
	free(text);
	return err;
}
