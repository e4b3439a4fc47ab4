/* SPDX-License-Identifier: BSD-3-Clause */
/* io-coverage.c - see io-coverage.h. */
#include "analyse/io/io-coverage.h"

#include <stdio.h>
#include <string.h>

#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "analyse/io/io-sites.h"

#define MIB           1048576.0
#define LOADING       (128 * 1024.0) /* a process: by its loader and by us */
#define UNSEEN        0.05           /* of what the kernel counted */
#define PAGE          4096.0
#define READ_AT_LEAST (64 * MIB) /* programs and libraries are read, too */

struct io_ways {
	double kernel; /* by system calls, on anything */
	double stored; /* to or from storage */
	double files;  /* seen */
	double others; /* the same, of what is no file */
	double pages;  /* that the calls may have touched beside their bytes */
};

struct io_coverage {
	struct io_ways read, written;
	double processes;
	bool is_known; /* all of it: measured on all the way */
};

static void add_file_ways(struct io_coverage *c, const struct run_file *f)
{
	c->read.files += (double)f->read_bytes;
	c->written.files += (double)f->written_bytes;
	c->read.pages += 2 * io_file_reads(f) + 32 * (double)f->opens;
	c->written.pages += 2 * io_file_writes(f) + 4 * (double)f->others;
}

static struct io_coverage find_coverage(const struct run *run)
{
	struct io_coverage c = { .is_known = !run->part };

	for (size_t i = 0; i < run->io.file_count; i++)
		add_file_ways(&c, &run->io.files[i]);
	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		c.read.others += (double)r->io_other_read;
		c.written.others += (double)r->io_other_written;
		c.read.kernel += (double)r->family.io_read;
		c.written.kernel += (double)r->family.io_written;
		c.read.stored += (double)r->family.stored_read;
		c.written.stored += (double)r->family.stored_written;
		c.processes += 1 + (double)r->family.unsampled;
		c.is_known &= !r->paused_ns && !r->attached;
	}
	return c;
}

static double unseen_bytes(const struct io_coverage *c, const struct io_ways *w)
{
	double bytes = w->kernel - w->files - w->others;
	double least = MIB + LOADING * c->processes;

	return c->is_known && bytes > least && bytes > UNSEEN * w->kernel
		       ? bytes
		       : 0;
}

static double unseen_stored(const struct io_coverage *c,
			    const struct io_ways *w, double least)
{
	double bytes = w->stored - w->files - PAGE * w->pages;

	/* What system calls moved unseen is said already. */
	bytes -= unseen_bytes(c, w);
	return c->is_known && bytes > least && bytes > UNSEEN * w->stored
		       ? bytes
		       : 0;
}

static double count_of_loss(const struct run *run, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < run->loss_count; i++)
		if (!strcmp(str_at(&run->strings, run->losses[i].name), name))
			sum += (double)run->losses[i].count;
	return sum;
}

static void say_way(struct report *report, double count, const char *way)
{
	char processes[32];

	if (count > 0)
		report_line(report,
			    "• %s used %s: no table here has what is read and "
			    "written by that.",
			    phrase_plural(processes, (size_t)count, "process"),
			    way);
}

static void say_unseen_bytes(struct report *report, const struct io_coverage *c,
			     const struct io_ways *w, const char *did,
			     const char *also)
{
	char bytes[32], all[32];

	if (unseen_bytes(c, w) > 0)
		report_line(report,
			    "• Not seen: %s of %s that the kernel counted as "
			    "%s. That was by single characters%s, syscall(), "
			    "asynchronous calls or static programs.",
			    phrase_bytes(bytes, unseen_bytes(c, w)),
			    phrase_bytes(all, w->kernel), did, also);
}

static void say_stored(struct report *report, double bytes, const char *did,
		       const char *by)
{
	char text[32];

	if (bytes > 0)
		report_line(report,
			    "• Some %s more than by these calls was %s "
			    "storage: by %s, io_uring or libaio.",
			    phrase_bytes(text, bytes), did, by);
}

/* Without --io=on. */
static void say_kernels(struct report *report, const struct io_coverage *c)
{
	char read[32], written[32];

	if (c->read.kernel + c->written.kernel > MIB + LOADING * c->processes)
		report_line(report,
			    "By system calls the kernel counted %s read and %s "
			    "written, pipes and terminals included.",
			    phrase_bytes(read, c->read.kernel),
			    phrase_bytes(written, c->written.kernel));
}

void io_coverage_say(struct report *report, const struct run *run)
{
	struct io_coverage c = find_coverage(run);

	if (!run->io.file_count) {
		say_kernels(report, &c);
		return;
	}
	say_unseen_bytes(report, &c, &c.read, "read",
			 ", what streams read ahead");
	say_unseen_bytes(report, &c, &c.written, "written", "");
	say_stored(report, unseen_stored(&c, &c.read, READ_AT_LEAST),
		   "read from",
		   "mapped files, as programs and libraries are, reading "
		   "ahead");
	say_stored(report, unseen_stored(&c, &c.written, MIB), "written to",
		   "mapped files");
	say_way(report, count_of_loss(run, "io.uring"), "io_uring");
	say_way(report, count_of_loss(run, "io.aio"), "asynchronous calls");
}

static void coverage_row(struct report *report, const char *does,
			 const struct io_ways *w)
{
	report_text(report, does);
	value_count(report, w->files);
	value_count(report, w->others);
	value_count(report, w->kernel);
	value_count(report, w->stored);
}

void io_coverage_put(struct report *report, const struct run *run)
{
	struct io_coverage c = find_coverage(run);

	report_table(report, "coverage", NULL);
	report_column(report, "does", NULL, COLUMN_TEXT);
	report_column(report, "files", NULL, COLUMN_BYTES);
	report_column(report, "others", NULL, COLUMN_BYTES);
	report_column(report, "kernel", NULL, COLUMN_BYTES);
	report_column(report, "storage", NULL, COLUMN_BYTES);
	coverage_row(report, "read", &c.read);
	coverage_row(report, "written", &c.written);
}
