/* SPDX-License-Identifier: BSD-3-Clause */
/* node-sums.c - add up the tree, once for each metric. */
#include <stdio.h>
#include <stdlib.h>

#include "analyse/base/value.h"
#include "base/err.h"
#include "format/export/node-sums.h"
#include "format/number-text.h"
#include "format/quote.h"

static double *add_up_nodes(const struct run *run, const struct run_metric *m)
{
	double *of = calloc(run->node_count + 1, sizeof(*of));

	for (size_t n = run->node_count; of && n-- > 0;) {
		of[n] += value_node(m, n);
		if (n)
			of[run->nodes[n].parent] += of[n];
	}
	return of;
}

int sums_init(struct node_sums *sums, const struct run *run)
{
	*sums = (struct node_sums){
		.run = run,
		.inclusive =
			calloc(run->metric_count + 1, sizeof(*sums->inclusive)),
	};
	if (!sums->inclusive)
		return no_memory();
	for (size_t m = 0; m < run->metric_count; m++) {
		if (run->metrics[m].merge != MERGE_SUM)
			continue;
		sums->inclusive[m] = add_up_nodes(run, &run->metrics[m]);
		if (!sums->inclusive[m])
			return no_memory();
	}
	return 0;
}

void sums_fini(struct node_sums *sums)
{
	for (size_t m = 0; sums->inclusive && m < sums->run->metric_count; m++)
		free(sums->inclusive[m]);
	free(sums->inclusive);
	*sums = (struct node_sums){ 0 };
}

void sums_write(FILE *to, const struct run_metric *metric, double value)
{
	char text[PLAIN_SIZE];

	number_text_value(text, value_type(metric->unit), value);
	fputs(*text ? text : "0", to);
}

void sums_string(FILE *to, const struct run *run, uint32_t string)
{
	fputc(',', to);
	quote_csv(to, str_at(&run->strings, string));
}
