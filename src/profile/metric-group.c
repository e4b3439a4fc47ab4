/* SPDX-License-Identifier: BSD-3-Clause */
/* metric-group.c - a metric's name, unit and merge rule as words. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "profile/metric-group.h"

static const char *const units[] = {
	[UNIT_COUNT] = "count",
	[UNIT_NS] = "ns",
	[UNIT_BYTES] = "bytes",
};
static const char *const merges[] = {
	[MERGE_SUM] = "sum",
	[MERGE_MAX] = "max",
	[MERGE_MIN] = "min",
};
enum {
	UNITS = sizeof(units) / sizeof(units[0]),
	MERGES = sizeof(merges) / sizeof(merges[0]),
};

struct metric_words { /* the group's attributes */
	char name[METRIC_NAME_SIZE], unit[16], merge[16];
};
#define WORD(member) STORE_FIELD(struct metric_words, member)
static const struct store_field word_fields[] = {
	WORD(name),
	WORD(unit),
	WORD(merge),
	{ 0 },
};

/* Only events have these attributes. */
#define COUNTING(member) STORE_FIELD(struct counting, member)
static const struct store_field counting_fields[] = {
	COUNTING(period),
	COUNTING(user_only),
	COUNTING(enabled_ns),
	COUNTING(running_ns),
	{ 0 },
};

static bool is_event(const char *name)
{
	return !strncmp(name, METRIC_EVENT, strlen(METRIC_EVENT));
}

const char *metric_path(char to[METRIC_PATH_SIZE], const char *name,
			const char *part)
{
	size_t before = strlen("metrics/");

	snprintf(to, METRIC_PATH_SIZE, "metrics/%s%s%s", name, *part ? "/" : "",
		 part);
	for (size_t i = before; to[i] && i < before + strlen(name); i++)
		if (to[i] == '/')
			to[i] = '|';
	return to;
}

void metric_groups_new(struct store *s)
{
	static const struct store_field nothing[] = { { 0 } };

	store_put_record(s, "metrics", nothing, NULL);
}

void metric_group_put(struct store *s, const struct metric_group *metric)
{
	struct metric_words words;
	char path[METRIC_PATH_SIZE];

	memcpy(words.name, metric->name, sizeof(words.name));
	snprintf(words.unit, sizeof(words.unit), "%s", units[metric->unit]);
	snprintf(words.merge, sizeof(words.merge), "%s", merges[metric->merge]);
	store_put_record(s, metric_path(path, metric->name, ""), word_fields,
			 &words);
	if (is_event(metric->name))
		store_put_record(s, path, counting_fields, &metric->counting);
}

static unsigned int word_index(const char *word, const char *const *words,
			       unsigned int count)
{
	unsigned int i = 0;

	while (i < count && strcmp(words[i], word) != 0)
		i++;
	return i;
}

void metric_group_get(struct store *s, const char *name,
		      struct metric_group *metric)
{
	struct metric_words words = { 0 };
	char path[METRIC_PATH_SIZE];
	unsigned int unit, merge;

	store_get_record(s, metric_path(path, name, ""), word_fields, &words);
	if (is_event(name))
		store_get_record(s, path, counting_fields, &metric->counting);
	unit = word_index(words.unit, units, UNITS);
	merge = word_index(words.merge, merges, MERGES);
	if (unit == UNITS || merge == MERGES || !words.name[0]) {
		store_fail(s, -EINVAL, "damaged: the metric '%s'", name);
		return;
	}
	memcpy(metric->name, words.name, sizeof(metric->name));
	metric->unit = unit;
	metric->merge = merge;
}
