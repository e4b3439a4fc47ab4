/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-info.c - copse info: what a rank's profile holds, as it stands there. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/err.h"
#include "base/str.h"
#include "live/layout.h"
#include "merge/inputs.h"
#include "profile/profile.h"
#include "tools/command.h"
#include "tools/pick.h"

/* Mutable: the command's options. */
static bool list_metrics;

static const struct option options[] = {
	{ 0, "metrics", NULL, "list what can be measured", parse_flag,
	  &list_metrics },
	{ 0 },
};

static const char *const unit_words[] = {
	[UNIT_COUNT] = "count",
	[UNIT_NS] = "seconds",
	[UNIT_BYTES] = "bytes",
};

static const char *const clock_words[] = {
	[LIVE_CLOCK_NONE] = "none",
	[LIVE_CLOCK_SIGTRAP] = "sigtrap",
	[LIVE_CLOCK_MIXED] = "mixed",
	[LIVE_CLOCK_TIMER] = "timer",
};

static const char *clock_word(uint32_t clock)
{
	return clock <= LIVE_CLOCK_TIMER ? clock_words[clock] : "unknown";
}

static double seconds_of_ns(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* All of it is foreign. */
static void clean_profile(struct profile *p)
{
	str_one_line(p->id.host);
	str_one_line(p->id.clock_id);
	str_one_line(p->id.exe);
	str_one_line(p->id.command);
	str_one_line(p->id.job);
	str_one_line(p->id.version);
	str_one_line(p->id.events);
	str_one_line(p->id.mpi_library);
	for (size_t i = 0; i < batch_count; i++)
		str_one_line((char *)batch_text(&p->id.batch, &batch_infos[i]));
	for (size_t i = 0; i < p->thread_count; i++)
		str_one_line(p->threads[i].name);
	for (size_t i = 0; i < p->column_count; i++)
		str_one_line(p->columns[i].name);
	for (size_t i = 0; i < p->loss_count; i++)
		str_one_line(p->losses[i].name);
}

/* How far the time of day was set or slewed while the process ran. */
static double clock_drift(const struct profile_identity *id)
{
	int64_t before = (int64_t)(id->start_real_ns - id->start_mono_ns);
	int64_t after = (int64_t)(id->late_real_ns - id->late_mono_ns);

	return (double)(after - before) / 1e9;
}

static void print_times(const struct profile_identity *id)
{
	time_t start = (time_t)(id->start_real_ns / 1000000000);
	struct tm tm;
	char date[32];

	if (gmtime_r(&start, &tm) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm))
		printf("  started        %s UTC\n", date);
	if (id->end_mono_ns > id->start_mono_ns)
		printf("  elapsed        %.3f s\n",
		       seconds_of_ns(id->end_mono_ns - id->start_mono_ns));
	if (id->process_cpu_ns)
		printf("  CPU time       %.3f s\n",
		       seconds_of_ns(id->process_cpu_ns));
	if (id->family.cpu_ns)
		printf("  with all started %.3f s\n",
		       seconds_of_ns(id->family.cpu_ns));
	if (id->family.user_ns)
		printf("  in the kernel  %.3f s, %llu page faults, blocked "
		       "%llu "
		       "times\n",
		       seconds_of_ns(id->family.system_ns),
		       (unsigned long long)id->family.faults,
		       (unsigned long long)id->family.switches);
	if (id->cores.count)
		printf("  cores          %llu, waited for one %.3f s\n",
		       (unsigned long long)id->cores.count,
		       seconds_of_ns(id->cores.waited_ns));
	if (*id->clock_id && id->late_mono_ns)
		printf("  time of day    moved by %+.6f s against clock %s\n",
		       clock_drift(id), id->clock_id);
	if (id->paused_ns)
		printf("  paused         %.3f s\n",
		       seconds_of_ns(id->paused_ns));
}

static void print_end(const struct profile_identity *id)
{
	switch (id->end) {
	case END_EXIT:
		printf("  end            exit status %" PRIu32 "\n",
		       id->end_code);
		break;
	case END_SIGNAL:
		printf("  end            signal %" PRIu32 " (%s)\n",
		       id->end_code, strsignal((int)id->end_code));
		break;
	case END_STUCK:
		printf("  end            signal %" PRIu32
		       " of copse run, since the job hung\n",
		       id->end_code);
		break;
	case END_UNSEEN:
		printf("  end            not seen: the program started it\n");
		break;
	default:
		printf("  end            not known\n");
	}
}

static void print_mpi(const struct profile *p)
{
	const struct profile_identity *id = &p->id;

	if (id->rank < 0) {
		printf("  MPI            none\n");
		return;
	}
	printf("  rank           %" PRId32 " of %" PRId32 "\n", id->rank,
	       id->size);
	printf("  MPI            %s\n", id->mpi_library);
	if (id->mpi_init_ns)
		printf("  MPI_Finalize   %s\n",
		       id->mpi_finalize_ns ? "reached" : "not reached");
	if (id->mpi_error)
		printf("  MPI_Abort      code %" PRId32 "\n",
		       (int32_t)(id->mpi_error - 1));
	printf("  communicators  %zu\n", p->comm_count);
}

/* "Slurm job 12, task 3, step 0": what there is, in the order of the table. */
static void print_batch(const struct batch *b)
{
	if (!*b->manager)
		return;
	printf("  batch          %s", b->manager);
	for (size_t i = 1; i < batch_count; i++) {
		const char *text = batch_text(b, &batch_infos[i]);

		if (*text)
			printf("%s %s %s", i == 1 ? "" : ",",
			       batch_infos[i].name, text);
	}
	putchar('\n');
}

static void print_trace(const struct profile *p)
{
	const struct profile_slice_window *w = p->slice_windows;

	if (!p->slice_window_count)
		return;
	printf("  trace of GPUs  %zu pieces of work, %zu calls, %zu ranges",
	       p->slice_count, p->slice_call_count, p->slice_range_count);
	if (w->lost)
		printf("; %" PRIu64 " before %.6f s had no room", w->lost,
		       w->lost_until > p->id.start_mono_ns
			       ? seconds_of_ns(w->lost_until -
					       p->id.start_mono_ns)
			       : 0.0);
	putchar('\n');
}

static void print_identity(const struct profile *p)
{
	const struct profile_identity *id = &p->id;

	printf("  command        %s\n", id->command);
	printf("  executable     %s\n", id->exe);
	printf("  host, pid      %s, %" PRIu32 "\n", id->host, id->pid);
	if (*id->job)
		printf("  job            %s\n", id->job);
	print_batch(&id->batch);
	print_mpi(p);
	print_times(id);
	print_end(id);
	printf("  events         %s, %" PRIu64
	       " samples per second asked for\n",
	       id->events, id->freq);
	printf("  clock          %s%s\n", clock_word(id->clock),
	       id->wall == LIVE_WALL_SAMPLED ? ", blocked threads too" : "");
	printf("  written by     copse %s\n", id->version);
	printf("  contexts       %zu\n", p->node_count);
	printf("  modules        %zu\n", p->module_count);
	print_trace(p);
}

static void print_threads(const struct profile *p)
{
	printf("\n  %-16s %9s %10s %10s %10s %9s %9s %9s\n", "thread", "tid",
	       "samples", "CPU s", "wall s", "handler s", "wrapper s",
	       "switch s");
	for (size_t i = 0; i < p->thread_count; i++) {
		const struct profile_thread *t = &p->threads[i];

		printf("  %-16s %9" PRIu32 " %10" PRIu64
		       " %10.3f %10.3f %9.4f %9.4f %9.4f",
		       *t->name ? t->name : "-", t->tid, t->samples,
		       seconds_of_ns(t->cpu_ns), seconds_of_ns(t->wall_ns),
		       seconds_of_ns(t->handler_ns),
		       seconds_of_ns(t->wrapper_ns),
		       seconds_of_ns(t->switch_ns));
		if (t->runs > 1)
			printf("  (%" PRIu32 " threads)", t->runs);
		putchar('\n');
	}
}

static void print_columns(const struct profile *p)
{
	printf("\n  %-24s %9s %10s %16s\n", "metric", "unit", "values", "all");
	for (size_t i = 0; i < p->column_count; i++) {
		const struct profile_column *c = &p->columns[i];
		uint64_t all = 0;

		for (size_t j = 0; j < c->count; j++)
			all += c->values[j].value;
		printf("  %-24s %9s %10zu ", c->name, unit_words[c->unit],
		       c->count);
		if (c->merge != MERGE_SUM)
			printf("%16s\n", "-");
		else if (c->unit == UNIT_NS)
			printf("%16.3f\n", seconds_of_ns(all));
		else
			printf("%16" PRIu64 "\n", all);
	}
}

static const char *loss_help(const char *name)
{
	for (size_t i = 0; i < LOSS_COUNT; i++)
		if (!strcmp(loss_infos[i].name, name))
			return loss_infos[i].help;
	return !strcmp(name, "damaged")
		       ? "records of the live profile that could not be read"
		       : "";
}

static void print_losses(const struct profile *p)
{
	bool any = false;

	for (size_t i = 0; i < p->loss_count; i++) {
		const struct profile_loss *l = &p->losses[i];

		if (!l->count)
			continue;
		if (!any)
			printf("\n  %-24s %9s\n", "loss", "count");
		any = true;
		printf("  %-24s %9" PRIu64 "  %s\n", l->name, l->count,
		       loss_help(l->name));
	}
	if (!any)
		printf("\n  losses         none\n");
}

static void show_profile(struct profile *p, const char *directory,
			 const char *label, bool *first)
{
	clean_profile(p);
	printf("%s%s%s%s\n", *first ? "" : "\n", directory,
	       *directory ? "/" : "", label);
	*first = false;
	print_identity(p);
	print_threads(p);
	print_columns(p);
	print_losses(p);
}

/* 0, or 1 after a message: the other profiles are still shown. */
static int show_info(const char *directory, const struct input *input,
		     bool *first)
{
	char *path =
		*directory ? input_path(input, directory)
			   : str_format("%.*s", (int)input->file, input->label);
	struct profile *p;
	int err = path ? input_load(input, path, &p) : no_memory();

	free(path);
	if (err < 0) {
		fprintf(stderr, "copse info: %s\n", fail_reason());
		return 1;
	}
	show_profile(p, directory, input->label, first);
	profile_free(p);
	return 0;
}

/* Of a directory, or of a file (directory ""). */
static int show_all(const char *path, const char *directory, bool *first)
{
	struct inputs inputs = { 0 };
	int status = 0, err = *directory ? inputs_list(&inputs, directory)
					 : inputs_of_file(&inputs, path);

	if (!err && !inputs.count)
		err = fail(-ENOENT, "%s: holds no rank-N.h5, node-HOST.h5",
			   path);
	if (err) {
		fprintf(stderr, "copse info: %s\n", fail_reason());
		status = 1;
	}
	for (size_t i = 0; i < inputs.count && !err; i++)
		status |= show_info(directory, &inputs.at[i], first);
	inputs_fini(&inputs);
	return status;
}

static int show_metrics(void)
{
	printf("%-24s %-8s %s\n", "metric", "unit", "what it is");
	for (size_t i = 0; i < METRIC_COUNT; i++)
		printf("%-24s %-8s %s\n", metric_infos[i].name,
		       unit_words[metric_infos[i].unit], metric_infos[i].help);
	return 0;
}

static int info_of_path(const char *path, bool *first)
{
	struct stat st;
	bool folder = !stat(path, &st) && S_ISDIR(st.st_mode);

	return show_all(path, folder ? path : "", first);
}

static int info_of_one(const char *word)
{
	bool first = true;
	char *path = pick_run(word, "info");
	int status = path ? info_of_path(path, &first) : -ENOMEM;

	free(path);
	return status;
}

static int info_of_files(int argc, char **argv)
{
	bool first = true;
	int status = 0;

	if (list_metrics && !argc)
		return show_metrics();
	if (list_metrics || !argc)
		return fail(-EINVAL, argc ? "--metrics takes no file"
					  : "which profile? name a rank-N.h5 "
					    "or a directory of them");
	if (argc == 1)
		return info_of_one(argv[0]);
	for (int i = 0; i < argc; i++)
		status |= info_of_path(argv[i], &first);
	return status;
}

const struct command command_info = {
	.name = "info",
	.synopsis = "[--metrics] [FILE|DIR ...]",
	.help = "show what rank profiles hold, or what can be measured",
	.options = options,
	.run = info_of_files,
};
