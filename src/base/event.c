/* SPDX-License-Identifier: BSD-3-Clause */
/* event.c - events as perf_event_open() wants them, and as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/perf-attr.h"
#include "base/event.h"

void event_attr(struct perf_attr *attr, const struct event *event,
		const struct event_part *part)
{
	*attr = (struct perf_attr){
		.size = sizeof(*attr),
		.type = part->type,
		.config = part->config,
		.config1 = part->config1,
		.config2 = part->config2,
		.sample_period = event->period,
		.sigtrap = event->period != 0,
		.remove_on_exec = event->period != 0,
		.exclude_user = part->no_user,
		.exclude_kernel = part->no_kernel || event->user_only,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP |
			       PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

bool event_write(char *to, size_t size, const struct event *events,
		 size_t count)
{
	FILE *out = fmemopen(to, size, "w");
	bool ok = out != NULL;

	for (size_t i = 0; ok && i < count; i++) {
		const struct event *e = &events[i];

		fprintf(out, "%s%s %" PRIu64 " %d", i ? ";" : "", e->name,
			e->period, e->user_only);
		for (uint32_t k = 0; k < e->part_count; k++) {
			const struct event_part *p = &e->parts[k];

			fprintf(out,
				" %c %" PRIu32 " %" PRIu64 " %" PRIu64
				" %" PRIu64 " %d %d",
				p->minus ? '-' : '+', p->type, p->config,
				p->config1, p->config2, p->no_user,
				p->no_kernel);
		}
	}
	return out && !fclose(out) && strnlen(to, size) < size - 1;
}

/* How many characters the part took; 0: there is none. */
static int read_event_part(const char *text, struct event_part *p)
{
	int no_user, no_kernel, length = 0;
	char sign;

	if (sscanf(text,
		   " %c %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %d %d%n",
		   &sign, &p->type, &p->config, &p->config1, &p->config2,
		   &no_user, &no_kernel, &length) != 7)
		return 0;
	p->minus = sign == '-';
	p->no_user = no_user;
	p->no_kernel = no_kernel;
	return length;
}

static const char *read_event(const char *text, struct event *e)
{
	int user_only, length = 0;

	*e = (struct event){ 0 };
	if (sscanf(text, "%50s %" SCNu64 " %d%n", e->name, &e->period,
		   &user_only, &length) != 3)
		return NULL;
	e->user_only = user_only;
	while (length && e->part_count < EVENT_PARTS) {
		text += length;
		length = *text == ';' ? 0
				      : read_event_part(
						text, &e->parts[e->part_count]);
		e->part_count += length > 0;
	}
	return e->part_count ? text : NULL;
}

size_t event_read(const char *text, struct event *events, size_t most)
{
	size_t count = 0;

	while (count < most) {
		text = read_event(text, &events[count]);
		if (!text)
			break;
		count++;
		if (*text++ != ';')
			break;
	}
	return count;
}
