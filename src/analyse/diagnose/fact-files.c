/* SPDX-License-Identifier: BSD-3-Clause */
/* fact-files.c - what was done with each file (copse run --io=on). */
#include <stdlib.h>
#include <string.h>

#include "analyse/base/value.h"
#include "analyse/diagnose/facts.h"
#include "analyse/io/io-sites.h"
#include "base/err.h"
#include "base/file-system.h"
#include "base/str.h"
#include "live/layout.h"

#define FRAMES 3

#define FILE_FIELDS(FIELD)                                                     \
	FIELD(DIRECTORY, "directory", COUNT,                                   \
	      "1: what was done by names in a directory; 0: a file")           \
	FIELD(PROCESSES, "processes", COUNT, "that used it")                   \
	FIELD(READERS, "readers", COUNT, "of them, those that read from it")   \
	FIELD(WRITERS, "writers", COUNT, "of them, those that wrote to it")    \
	FIELD(MEMBERS, "members", COUNT, "ranks of the run; 1: it has none")   \
	FIELD(SECONDS, "seconds", SECONDS,                                     \
	      "of all its calls, in all processes")                            \
	FIELD(LONGEST, "longest", SECONDS,                                     \
	      "of the process whose calls took longest, and …")                \
	FIELD(SHARE, "share", SHARE, "… its share of the elapsed time")        \
	FIELD(CALLS, "calls", COUNT, "reads and writes")                       \
	FIELD(BYTES, "bytes", BYTES, "that these moved")                       \
	FIELD(SIZE, "size", BYTES, "the mean of one of them")                  \
	FIELD(SMALL, "small", SHARE, "of them, those of up to 10 KiB")         \
	FIELD(DATA_SHARE, "data_share", SHARE,                                 \
	      "of seconds, in reads and writes")                               \
	FIELD(ORDER, "in_order", SHARE,                                        \
	      "of them, those that began where one before ended, or behind")   \
	FIELD(UNALIGNED, "unaligned", SHARE,                                   \
	      "of them, those that began within a block")                      \
	FIELD(STREAM, "stream", SHARE, "of the bytes, by streams of C")        \
	FIELD(OTHERS, "others", COUNT, "calls that moved no bytes, and …")     \
	FIELD(OTHER_SHARE, "other_share", SHARE, "… their part of seconds")    \
	FIELD(OPENS, "opens", COUNT, "how often it was opened")                \
	FIELD(SYNCS, "syncs", COUNT, "calls of fsync and the like, and …")     \
	FIELD(SYNC_SHARE, "sync_share", SHARE, "… their part of seconds")      \
	FIELD(REREAD, "reread", NUMBER,                                        \
	      "times that each reader read each byte of it")                   \
	FIELD(REWRITTEN, "rewritten", NUMBER,                                  \
	      "times that each writer wrote each byte of it")                  \
	FIELD(READ, "read", BYTES, "bytes read")                               \
	FIELD(WRITTEN, "written", BYTES, "bytes written")                      \
	FIELD(LARGEST, "largest", SHARE,                                       \
	      "of the bytes, by the process that moved most")                  \
	FIELD(SLOWEST, "slowest", NUMBER,                                      \
	      "the longest process's seconds for each of the mean one's")      \
	FIELD(SHARED, "shared", COUNT, "1: on a file system that hosts share") \
	FIELD(NAME, "file", TEXT, "its path, \"/scratch/a.h5 (Lustre)\"")      \
	FIELD(WHO, "who", TEXT, "\"rank 0\": the one that took longest")       \
	FIELD(BEST, "mover", TEXT, "\"rank 0\": the one that moved most")      \
	FIELD(WHERE, "where", TEXT,                                            \
	      "the path of the longest call of the kind that took most")       \
	FIELD(READ_WHERE, "read_where", TEXT, "that of the longest read")      \
	FIELD(WRITE_WHERE, "write_where", TEXT, "that of the longest write")   \
	FIELD(OTHER_WHERE, "other_where", TEXT, "that of the longest other one")

FACT_TABLE(file_fields, FILE_FIELDS)

static double count_small(const struct run_file *f)
{
	return (double)f->reads_100 + (double)f->reads_1k +
	       (double)f->reads_10k + (double)f->writes_100 +
	       (double)f->writes_1k + (double)f->writes_10k;
}

static void set_counts(struct fact *to, const struct run_file *f)
{
	double calls = io_file_reads(f) + io_file_writes(f);
	double bytes = (double)f->read_bytes + (double)f->written_bytes;

	to->values[CALLS].number = calls;
	to->values[BYTES].number = bytes;
	to->values[READ].number = (double)f->read_bytes;
	to->values[WRITTEN].number = (double)f->written_bytes;
	to->values[SIZE].number = value_ratio(bytes, calls);
	to->values[SMALL].number = value_ratio(count_small(f), calls);
	to->values[ORDER].number = value_ratio(
		(double)f->read_next + (double)f->read_ahead +
			(double)f->write_next + (double)f->write_ahead,
		calls);
	to->values[UNALIGNED].number = value_ratio((double)f->unaligned, calls);
	to->values[STREAM].number = value_ratio((double)f->stream_bytes, bytes);
	to->values[OTHERS].number = (double)f->others;
	to->values[OPENS].number = (double)f->opens;
	to->values[SYNCS].number = (double)f->syncs;
	to->values[REREAD].number = value_ratio((double)f->read_bytes,
						(double)f->extent * f->readers);
	to->values[REWRITTEN].number = value_ratio(
		(double)f->written_bytes, (double)f->extent * f->writers);
	to->values[LARGEST].number =
		value_ratio((double)f->largest_bytes, bytes);
}

static void set_times(struct fact *to, const struct fact_source *from,
		      const struct run_file *f)
{
	double all = io_file_seconds(f), longest = (double)f->slowest_ns / 1e9;

	to->values[SECONDS].number = all;
	to->values[LONGEST].number = longest;
	to->values[SHARE].number = value_ratio(longest, from->elapsed);
	to->values[DATA_SHARE].number = value_ratio(
		((double)f->read_ns + (double)f->write_ns) / 1e9, all);
	to->values[OTHER_SHARE].number =
		value_ratio((double)f->other_ns / 1e9, all);
	to->values[SYNC_SHARE].number =
		value_ratio((double)f->sync_ns / 1e9, all);
	to->values[SLOWEST].number =
		value_ratio(longest * (double)f->processes, all);
}

static char *process_text(const struct run *run, uint32_t process)
{
	return str_format("%s %llu", processes_noun(run),
			  (unsigned long long)processes_number(run, process));
}

static uint32_t node_of_longest(const struct run_file *f)
{
	if (f->other_ns > f->read_ns && f->other_ns > f->write_ns)
		return f->other_node;
	return f->read_ns > f->write_ns ? f->read_node : f->write_node;
}

static bool set_file_words(struct fact *to, const struct fact_source *from,
			   const struct run_file *f)
{
	const struct run *run = from->run;
	const char *system = file_system_name(f->system);

	to->values[NAME].text = str_format(
		system ? "%s%s (%s)" : "%s%s", str_at(&run->strings, f->path),
		f->kind == LIVE_FILE_DIRECTORY ? "/" : "", system);
	to->values[WHO].text = process_text(run, f->slowest);
	to->values[BEST].text = process_text(run, f->largest);
	return to->values[NAME].text && to->values[WHO].text &&
	       to->values[BEST].text;
}

static bool set_places(struct fact *to, const struct fact_source *from,
		       const struct run_file *f)
{
	const struct {
		int field;
		uint32_t node;
	} places[] = { { WHERE, node_of_longest(f) },
		       { READ_WHERE, f->read_node },
		       { WRITE_WHERE, f->write_node },
		       { OTHER_WHERE, f->other_node } };
	bool good = true;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && good; i++) {
		char *text = paths_short(
			from->paths, from->paths->of[places[i].node], FRAMES);

		to->values[places[i].field].text = text;
		good = text;
	}
	return good;
}

static int add_file_fact(struct facts *to, const struct fact_source *from,
			 const struct run_file *f)
{
	struct fact *fact = facts_add(to, from->paths->of[node_of_longest(f)]);

	if (!fact)
		return no_memory();
	fact->values[DIRECTORY].number = f->kind == LIVE_FILE_DIRECTORY;
	fact->values[PROCESSES].number = f->processes;
	fact->values[READERS].number = f->readers;
	fact->values[WRITERS].number = f->writers;
	fact->values[MEMBERS].number =
		from->run->world ? (double)from->run->member_count : 1;
	fact->values[SHARED].number = file_system_is_shared(f->system);
	set_counts(fact, f);
	set_times(fact, from, f);
	return set_file_words(fact, from, f) && set_places(fact, from, f)
		       ? 0
		       : no_memory();
}

/* Rows are sorted by time: small ones are no finding. */
static int gather_files(struct facts *to, struct fact_source *from)
{
	const struct run_io *io = &from->run->io;
	int err = 0;

	for (size_t i = 0; i < io->file_count && !err; i++)
		if (io->files[i].kind != LIVE_FILE_OTHERS &&
		    (double)io->files[i].slowest_ns / 1e9 >=
			    0.01 * from->elapsed)
			err = add_file_fact(to, from, &io->files[i]);
	return err;
}

const struct fact_set fact_set_files = {
	.name = "files",
	.meaning = "files that took at least 1 % of the elapsed time",
	.fields = file_fields,
	.field_count = FIELDS,
	.gather = gather_files,
};
