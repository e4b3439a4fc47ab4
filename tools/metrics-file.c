/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics-file.c - see metrics-file.h. */
#include "tools/metrics-file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

#include "analyse/base/processes.h"
#include "base/err.h"
#include "base/str.h"

/* The three characters that a label may not have as they are. */
static void put_label(FILE *to, const char *name, const char *value)
{
	fprintf(to, "%s=\"", name);
	for (; *value; value++)
		if (*value == '\n')
			fputs("\\n", to);
		else if (*value == '"' || *value == '\\')
			fprintf(to, "\\%c", *value);
		else
			fputc(*value, to);
	fputc('"', to);
}

/* What identifies the run, once. */
static void put_run_info(FILE *to, const struct run *run, const char *name)
{
	fputs("# HELP copse_run_info What runs.\n"
	      "# TYPE copse_run_info gauge\n"
	      "copse_run_info{",
	      to);
	put_label(to, "run", name);
	fputc(',', to);
	put_label(to, "command", processes_command(run));
	fputc(',', to);
	put_label(to, "job", run->batch.job);
	fputc(',', to);
	put_label(to, "version", PACKAGE_VERSION);
	fputs("} 1\n", to);
}

static void put_job_metric_line(FILE *to, const struct job_metric *m,
				const char *name)
{
	fprintf(to, "# HELP %s %s\n# TYPE %s %s\n%s{", m->name, m->help,
		m->name, m->counter ? "counter" : "gauge", m->name);
	put_label(to, "run", name);
	fprintf(to, "} %.17g\n", m->value);
}

int metrics_file_write(const char *path, const struct run *run,
		       const char *name, const struct job_metric *metrics,
		       size_t count)
{
	char *scratch = str_format("%s.%d", path, (int)getpid());
	FILE *to = scratch ? fopen(scratch, "we") : NULL;
	int err = 0;

	if (!to) {
		err = scratch ? fail(-errno, "cannot write %s: %s", scratch,
				     strerror(errno))
			      : no_memory();
		free(scratch);
		return err;
	}
	put_run_info(to, run, name);
	for (size_t i = 0; i < count; i++)
		put_job_metric_line(to, &metrics[i], name);
	if (ferror(to) | fclose(to) || rename(scratch, path)) {
		err = fail(-EIO, "cannot write %s: %s", path, strerror(errno));
		unlink(scratch);
	}
	free(scratch);
	return err;
}
