/* SPDX-License-Identifier: BSD-3-Clause */
/* io-bandwidth.c - see io-bandwidth.h. */
#include "analyse/io/io-bandwidth.h"

#include "analyse/base/value.h"

enum {
	DRAWN = 20 /* columns of a line */
};

#define NS 1e9

/* A host: its rows of run->io.bins. */
struct host_bins {
	const struct run_io_bin *at;
	size_t count;
};

static double seconds_of_run(const struct run *run)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t r = 0; r < run->rank_count; r++) {
		uint64_t start = run->ranks[r].start_real_ns;
		uint64_t end = start + run->ranks[r].elapsed_ns;

		first = start < first ? start : first;
		last = end > last ? end : last;
	}
	return last > first ? (double)(last - first) / NS : 0;
}

static double fastest_rate(const struct host_bins *h)
{
	double most = 0;

	for (size_t i = 0; i < h->count; i++) {
		const struct run_io_bin *b = &h->at[i];
		double rate = ((double)b->read + (double)b->written) /
			      ((double)b->width_ns / NS);

		most = rate > most ? rate : most;
	}
	return most;
}

static double bytes_in_bin(const struct run_io_bin *b, bool written)
{
	return (double)(written ? b->written : b->read);
}

/* Bytes in each of DRAWN equal pieces of the run. */
static void bandwidth_line(struct report *report, const struct host_bins *h,
			   double seconds, bool written)
{
	double line[DRAWN] = { 0 }, piece = seconds / DRAWN;

	for (size_t i = 0; i < h->count && piece > 0; i++) {
		double begin = (double)h->at[i].ns / NS / piece;
		double width = (double)h->at[i].width_ns / NS / piece;

		for (int k = 0; k < DRAWN; k++) {
			double from = begin > k ? begin : k;
			double to = begin + width;

			to = to < k + 1 ? to : k + 1;
			if (to > from)
				line[k] += (to - from) / width *
					   bytes_in_bin(&h->at[i], written);
		}
	}
	report_spark(report, line, DRAWN);
}

static void io_host_row(struct report *report, const struct run *run,
			const struct host_bins *h, double seconds)
{
	double read = 0, written = 0, active = 0;

	for (size_t i = 0; i < h->count; i++) {
		read += (double)h->at[i].read;
		written += (double)h->at[i].written;
		active += (double)h->at[i].width_ns / NS;
	}
	report_text(report, str_at(&run->strings, h->at->host));
	value_count(report, read);
	value_count(report, written);
	report_number(report, active);
	value_count(report, value_ratio(read + written, active));
	value_count(report, fastest_rate(h));
	bandwidth_line(report, h, seconds, false);
	bandwidth_line(report, h, seconds, true);
}

static struct host_bins bins_of_host(const struct run_io *io, size_t from)
{
	struct host_bins h = { .at = &io->bins[from] };

	while (from + h.count < io->bin_count &&
	       h.at[h.count].host == h.at->host)
		h.count++;
	return h;
}

static void hosts_table(struct report *report, const struct run *run,
			size_t limit)
{
	const struct run_io *io = &run->io;
	double seconds = seconds_of_run(run);

	report_table(report, "hosts", io->bin_count ? "by host" : NULL);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_column(report, "read", "read", COLUMN_BYTES);
	report_column(report, "written", "written", COLUMN_BYTES);
	report_column(report, "active_seconds", "during", COLUMN_SECONDS);
	report_column(report, "rate", "per second", COLUMN_BYTES);
	report_column(report, "fastest", "at most", COLUMN_BYTES);
	report_column(report, NULL, "read, over time", COLUMN_SPARK);
	report_column(report, NULL, "written, over time", COLUMN_SPARK);
	for (size_t i = 0, host = 0; i < io->bin_count && host < limit;
	     host++) {
		struct host_bins h = bins_of_host(io, i);

		io_host_row(report, run, &h, seconds);
		i += h.count;
	}
}

static void times_table(struct report *report, const struct run *run,
			size_t limit)
{
	const struct run_io *io = &run->io;

	report_table(report, "time", NULL);
	report_column(report, "host", NULL, COLUMN_TEXT);
	report_column(report, "seconds", NULL, COLUMN_SECONDS);
	report_column(report, "width", NULL, COLUMN_SECONDS);
	report_column(report, "read", NULL, COLUMN_BYTES);
	report_column(report, "written", NULL, COLUMN_BYTES);
	for (size_t i = 0, host = 0; i < io->bin_count && host < limit;
	     host++) {
		struct host_bins h = bins_of_host(io, i);

		for (size_t k = 0; k < h.count; k++, i++) {
			report_text(report, str_at(&run->strings, h.at->host));
			report_number(report, (double)h.at[k].ns / NS);
			report_number(report, (double)h.at[k].width_ns / NS);
			report_count(report, h.at[k].read);
			report_count(report, h.at[k].written);
		}
	}
}

void io_bandwidth_put(struct report *report, const struct run *run,
		      size_t limit)
{
	hosts_table(report, run, limit);
	times_table(report, run, limit);
}
