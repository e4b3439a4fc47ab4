/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * folded.c - the call tree as folded stacks, "main;solve;work 1200": the
 * input of flame graph tools.  Times are whole microseconds.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/round.h"
#include "format/format.h"
#include "format/utf8.h"

/* Semicolons separate frames, and the last space the value. */
static void write_folded_frame(FILE *to, const char *name)
{
	char *clean = utf8_clean(name, true);

	for (char *p = clean; p && *p; p++)
		fputc(*p == ';' ? ':' : *p, to);
	free(clean);
}

static uint32_t deepest_row(const struct report *report)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < report->tree_count; i++)
		if (report->tree[i].depth > depth)
			depth = report->tree[i].depth;
	return depth;
}

static int write_folded(FILE *to, const struct report *report,
			const struct format_style *style)
{
	double scale = report->metric_type == COLUMN_SECONDS ? 1e6 : 1;
	const char **frames =
		calloc((size_t)deepest_row(report) + 1, sizeof(*frames));

	(void)style;
	if (!frames)
		return no_memory();
	for (size_t i = 0; i < report->tree_count; i++) {
		const struct report_tree_node *n = &report->tree[i];
		double value = n->exclusive * scale;

		frames[n->depth] = n->name;
		if (!round_to_count(value))
			continue;
		for (uint32_t d = 0; d <= n->depth; d++) {
			if (d)
				fputc(';', to);
			write_folded_frame(to, frames[d] ? frames[d] : "");
		}
		fprintf(to, " %" PRIu64 "\n", round_to_count(value));
	}
	free(frames);
	return 0;
}

const struct format format_folded = {
	.name = "folded",
	.help = "the call tree as folded stacks, for flame graphs",
	.tree = true,
	.write_report = write_folded,
};
