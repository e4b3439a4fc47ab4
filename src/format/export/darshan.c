/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * darshan.c - files as darshan-parser prints a log of Darshan: a line for each
 * counter of a file, its columns separated by tabs.  Counters have Darshan's
 * names and meanings (darshan-posix-log-format.h, version 4); those that are
 * not known are left out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "analyse/io/io-sites.h"
#include "base/err.h"
#include "base/file-system.h"
#include "format/export/node-sums.h"
#include "format/format.h"

struct darshan_counter {
	const char *name;
	size_t at; /* of uint64_t in struct run_file, … */
	size_t to; /* … as far as that one: their sum */
};

#define FILE_AT(field) offsetof(struct run_file, field)
#define ONE(name, field)                                                       \
	{                                                                      \
		name, FILE_AT(field), FILE_AT(field)                           \
	}
#define SUM_OF(name, from, to)                                                 \
	{                                                                      \
		name, FILE_AT(from), FILE_AT(to)                               \
	}

static const struct darshan_counter counters[] = {
	ONE("OPENS", opens),
	SUM_OF("READS", reads_100, reads_more),
	SUM_OF("WRITES", writes_100, writes_more),
	ONE("SEEKS", seeks),
	ONE("BYTES_READ", read_bytes),
	ONE("BYTES_WRITTEN", written_bytes),
	ONE("FASTEST_RANK_BYTES", fastest_bytes),
	ONE("SLOWEST_RANK_BYTES", slowest_bytes),
};

/* Streams have none of these. */
static const struct darshan_counter posix_counters[] = {
	ONE("STATS", looks),
	ONE("FSYNCS", syncs),
	ONE("CONSEC_READS", read_next),
	ONE("CONSEC_WRITES", write_next),
	SUM_OF("SEQ_READS", read_next, read_ahead),
	SUM_OF("SEQ_WRITES", write_next, write_ahead),
	ONE("RW_SWITCHES", switches),
	ONE("FILE_NOT_ALIGNED", unaligned),
	ONE("SIZE_READ_0_100", reads_100),
	ONE("SIZE_READ_100_1K", reads_1k),
	ONE("SIZE_READ_1K_10K", reads_10k),
	ONE("SIZE_READ_10K_100K", reads_100k),
	ONE("SIZE_READ_100K_1M", reads_1m),
	ONE("SIZE_READ_1M_4M", reads_4m),
	ONE("SIZE_READ_4M_10M", reads_10m),
	ONE("SIZE_READ_10M_100M", reads_100m),
	ONE("SIZE_READ_100M_1G", reads_1g),
	ONE("SIZE_READ_1G_PLUS", reads_more),
	ONE("SIZE_WRITE_0_100", writes_100),
	ONE("SIZE_WRITE_100_1K", writes_1k),
	ONE("SIZE_WRITE_1K_10K", writes_10k),
	ONE("SIZE_WRITE_10K_100K", writes_100k),
	ONE("SIZE_WRITE_100K_1M", writes_1m),
	ONE("SIZE_WRITE_1M_4M", writes_4m),
	ONE("SIZE_WRITE_4M_10M", writes_10m),
	ONE("SIZE_WRITE_10M_100M", writes_100m),
	ONE("SIZE_WRITE_100M_1G", writes_1g),
	ONE("SIZE_WRITE_1G_PLUS", writes_more),
};

/* In seconds. */
static const struct darshan_counter times[] = {
	ONE("F_READ_TIME", read_ns),
	ONE("F_WRITE_TIME", write_ns),
	ONE("F_META_TIME", other_ns),
	ONE("F_FASTEST_RANK_TIME", fastest_ns),
	ONE("F_SLOWEST_RANK_TIME", slowest_ns),
};

static const struct darshan_counter posix_times[] = {
	ONE("F_MAX_READ_TIME", read_most_ns),
	ONE("F_MAX_WRITE_TIME", write_most_ns),
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct darshan_file { /* a file whose lines are written */
	FILE *to;
	const struct run *run;
	const struct run_file *file;
	const char *module, *path, *system;
	int32_t rank; /* -1: of several processes */
	uint64_t id;
};

/* Columns of a row that follow each other are added up. */
static uint64_t counter_value(const struct run_file *file,
			      const struct darshan_counter *c)
{
	const char *row = (const char *)file;
	uint64_t sum = 0, value;

	for (size_t at = c->at; at <= c->to; at += sizeof(value)) {
		memcpy(&value, row + at, sizeof(value));
		sum += value;
	}
	return sum;
}

static void begin_counter(const struct darshan_file *r, const char *name)
{
	fprintf(r->to, "%s\t%" PRId32 "\t%" PRIu64 "\t%s_%s\t", r->module,
		r->rank, r->id, r->module, name);
}

/* The mount point is not known. */
static void end_counter(const struct darshan_file *r)
{
	fprintf(r->to, "\t%s\tUNKNOWN\t%s\n", r->path, r->system);
}

static void write_counter(const struct darshan_file *r, const char *name,
			  int64_t value)
{
	begin_counter(r, name);
	fprintf(r->to, "%" PRId64, value);
	end_counter(r);
}

static void write_counters(const struct darshan_file *r,
			   const struct darshan_counter *c, size_t count)
{
	for (size_t i = 0; i < count; i++)
		write_counter(r, c[i].name,
			      (int64_t)counter_value(r->file, &c[i]));
}

static void write_times(const struct darshan_file *r,
			const struct darshan_counter *c, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		begin_counter(r, c[i].name);
		fprintf(r->to, "%.6f",
			(double)counter_value(r->file, &c[i]) / 1e9);
		end_counter(r);
	}
}

/* Of a file that is read and written, only the further end is known. */
static void write_extent(const struct darshan_file *r)
{
	const struct run_file *f = r->file;
	int64_t last = (int64_t)f->extent - 1;

	if (f->read_bytes && !f->written_bytes)
		write_counter(r, "MAX_BYTE_READ", last);
	if (f->written_bytes && !f->read_bytes)
		write_counter(r, "MAX_BYTE_WRITTEN", last);
}

/* Processes without a rank are numbered as ranks are. */
static int32_t number_of_process(const struct run *run, uint32_t process)
{
	int32_t rank = run->ranks[process].rank;

	return rank >= 0 ? rank : (int32_t)process;
}

static void write_darshan_file(const struct darshan_file *r)
{
	bool posix = !strcmp(r->module, "POSIX");
	const struct run_file *f = r->file;

	write_counters(r, counters, COUNT(counters));
	write_counter(r, "FASTEST_RANK", number_of_process(r->run, f->fastest));
	write_counter(r, "SLOWEST_RANK", number_of_process(r->run, f->slowest));
	write_extent(r);
	if (posix) {
		write_counters(r, posix_counters, COUNT(posix_counters));
		write_counter(r, "FILE_ALIGNMENT",
			      f->block ? (int64_t)f->block : -1);
	}
	write_times(r, times, COUNT(times));
	if (posix)
		write_times(r, posix_times, COUNT(posix_times));
}

/* FNV-1a, 64 bits. */
static uint64_t hash_of_path(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 0x100000001b3u;
	return hash;
}

/* By streams of C alone it is one of STDIO. */
static const char *module_of_file(const struct run_file *f)
{
	uint64_t bytes = f->read_bytes + f->written_bytes;

	return bytes && f->stream_bytes == bytes ? "STDIO" : "POSIX";
}

static void write_file(FILE *to, const struct run *run,
		       const struct run_file *f)
{
	const char *path = str_at(&run->strings, f->path);
	const char *system = file_system_name(f->system);
	struct darshan_file r = {
		.to = to,
		.run = run,
		.file = f,
		.module = module_of_file(f),
		.path = path,
		.system = system ? system : "UNKNOWN",
		.rank = f->processes == 1 ? number_of_process(run, f->slowest)
					  : -1,
		.id = hash_of_path(path),
	};

	if (io_file_is_one(f) && !strpbrk(path, "\t\n"))
		write_darshan_file(&r);
}

static void write_job(FILE *to, const struct run *run)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = 0; i < run->member_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		if (r->start_real_ns < begin)
			begin = r->start_real_ns;
		if (r->start_real_ns + r->elapsed_ns > end)
			end = r->start_real_ns + r->elapsed_ns;
	}
	if (begin > end)
		begin = end;
	fprintf(to,
		"# darshan log version: 3.41\n"
		"# written by copse export darshan, not from a log\n"
		"# exe: %s\n"
		"# start_time: %" PRIu64 "\n"
		"# end_time: %" PRIu64 "\n"
		"# nprocs: %zu\n"
		"# run time: %.4f\n\n",
		str_at(&run->strings, run->command), begin / 1000000000,
		end / 1000000000, run->member_count,
		(double)(end - begin) / 1e9);
}

static int write_darshan(FILE *to, const struct run *run,
			 const struct format_choice *choice)
{
	(void)choice;
	if (!run->io.file_count)
		return fail(-ENODATA, "no files were measured: "
				      "copse run --io=on");
	write_job(to, run);
	fputs("#<module>\t<rank>\t<record id>\t<counter>\t<value>\t"
	      "<file name>\t<mount pt>\t<fs type>\n",
	      to);
	for (size_t i = 0; i < run->io.file_count; i++)
		write_file(to, run, &run->io.files[i]);
	return 0;
}

const struct format format_darshan = {
	.name = "darshan",
	.help = "files, as darshan-parser prints its logs (copse run --io=on)",
	.write_run = write_darshan,
};
