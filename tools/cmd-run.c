/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-run.c - copse run: measure a program while it runs. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/event-group.h"
#include "base/range-window.h"
#include "base/settings.h"
#include "base/str.h"
#include "launch/events.h"
#include "launch/harvest.h"
#include "launch/job.h"
#include "launch/livedir.h"
#include "launch/power-meter.h"
#include "launch/node-output.h"
#include "launch/output.h"
#include "launch/parent.h"
#include "launch/perf.h"
#include "launch/preload.h"
#include "launch/process.h"
#include "launch/program.h"
#include "tools/run-end.h"
#include "tools/command.h"

enum {
	NOT_EXECUTABLE = 126, /* as shells do */
	NOT_FOUND = 127,
	MOST_HZ = 20000,          /* as of the setting */
	USUAL_INTERVAL = 30,      /* seconds between copies */
	MOST_RANKS_REPORTED = 64, /* more: name the command instead */
	HELPERS_STEPS = 20,
	HELPERS_STEP_NS = 5000000,
};

/*
 * Once mpirun has told its ranks to end, the first parent that does makes it
 * kill the others at once; otherwise they have 0.95 s.  So all wait for the
 * slowest, that long at most.
 */
#define MERCY_NS 800000000ull

#define LONG_END_NS 1000000000u /* worth to be said */

enum {
#define SETTING(name, ...) SETTING_INDEX_##name,
#include "base/settings.def"
	SETTING_INDICES
};

/* Mutable: the command's options, and the settings they make. */
static const char *output = "";
static bool force, quiet, no_report;
static bool page = true;
static unsigned int checkpoint = UINT_MAX; /* usual_interval() */
static const char *if_stuck;
static unsigned int patience = 60; /* seconds */
static enum node_when gather = NODE_MANY;
static char events[1024];
static bool strict;
static const char *set_texts[SETTING_INDICES]; /* NULL: not on this line */

static int set_run_setting(void *to, const char *text)
{
	const struct setting_info *info = to;
	struct settings scratch;

	settings_init(&scratch);
	set_texts[info - setting_infos] = text;
	return settings_set(&scratch, info, text);
}

static int set_gather(void *to, const char *text)
{
	static const char *const words[] = {
		[NODE_NEVER] = "off", [NODE_ALWAYS] = "on", [NODE_MANY] = "auto"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i])) {
			*(enum node_when *)to = (enum node_when)i;
			return 0;
		}
	return fail(-EINVAL, "--gather is on, off or auto, not '%s'", text);
}

static int set_page(void *to, const char *text)
{
	bool off = !strcmp(text, "off");

	if (!off && strcmp(text, "on") != 0)
		return fail(-EINVAL, "--page is on or off, not '%s'", text);
	*(bool *)to = !off;
	return 0;
}

/* -e may be repeated: one list for the setting `events`. */
static int add_event(void *to, const char *text)
{
	size_t length = strlen(events);

	if (length + strlen(text) + 2 > sizeof(events))
		return fail(-EINVAL, "too many events");
	snprintf(events + length, sizeof(events) - length, "%s%s",
		 length ? "," : "", text);
	*(const char **)to = events;
	return 0;
}

static int add_event_group(void *to, const char *name)
{
	struct event_group *group;
	int err = event_group_load(&group, name);

	if (err)
		return -EINVAL;
	for (size_t i = 0; i < group->event_count && !err; i++)
		err = add_event(to, group->events[i].is);
	event_group_free(group);
	return err;
}

static const char *group_word(size_t i, const char **help)
{
	static char **names; /* Mutable: of the folders, listed once. */
	struct event_group *group;

	if (!names)
		names = event_group_names();
	if (!names || !names[i] || event_group_load(&group, names[i]))
		return NULL;
	*help = group->title;
	return names[i];
}

static const struct option options[] = {
	{ 'o', "output", "DIR", "where the profiles go, default PROGRAM.copse",
	  parse_string, &output },
	{ 0, "force", NULL, "replace an older run's profiles in DIR",
	  parse_flag, &force },
	{ 0, "checkpoint", "SECONDS",
	  "between copies to DIR, default 30, more in large jobs", parse_count,
	  &checkpoint },
	{ 0, "gather", "on|off|auto",
	  "one file for the ranks of a host; auto: above 256 ranks", set_gather,
	  &gather },
	{ 0, "if-stuck", "report|end|COMMAND",
	  "when no rank completes a call of MPI any more", parse_string,
	  &if_stuck },
	{ 0, "stuck-after", "SECONDS",
	  "the least time to wait for that, default 60; 0: no alarm",
	  parse_count, &patience },
	{ 0, "", NULL, "what is measured" },
	{ 'e', "event", "EVENT[@N]", "add cpu@HZ, wall@HZ or an EVENT@PERIOD",
	  add_event, &set_texts[SETTING_INDEX_events] },
	{ 'g', "group", "NAME", "add the events of a group", add_event_group,
	  &set_texts[SETTING_INDEX_events], group_word },
	{ 0, "strict", NULL, "without an event that is missing: do not run",
	  parse_flag, &strict },
#define DEFAULT_UINT(def)  ", default " #def
#define DEFAULT_SHARE(def) ", default " #def
#define DEFAULT_BOOL(def)  ", default " #def
#define DEFAULT_STR(def)   "" /* the help says it */
#define DEFAULT_WORD(def)  ", default " def
#define GROUP(title)       { 0, "", NULL, title },
#define SETTING(name, type, def, arg, help)                                    \
	{ 0,                                                                   \
	  #name,                                                               \
	  arg,                                                                 \
	  help DEFAULT_##type(def),                                            \
	  set_run_setting,                                                     \
	  (void *)&setting_infos[SETTING_INDEX_##name] },
#include "base/settings.def"
	{ 0, "", NULL, "what is printed" },
	{ 0, "no-report", NULL, "no findings at the end", parse_flag,
	  &no_report },
	{ 0, "page", "on|off",
	  "write the findings as DIR/report.html, too (on)", set_page, &page },
	{ 'q', "quiet", NULL, "print nothing but failures", parse_flag,
	  &quiet },
	{ 0 },
};

static void warn_user(const char *what)
{
	fprintf(stderr, "copse run: %s\n", what);
}

/* Once for a job. */
static void hint_at_event(const char *event, const char *what)
{
	struct job job;

	job_init(&job);
	if (!quiet && job.rank <= 0)
		fprintf(stderr, "copse run: %s %s\n", event, what);
}

/* What the machine has not is left out, unless that is not wanted. */
static int add_counter(struct events *to, const struct event_word *word)
{
	int err = events_add(to, word, hint_at_event);

	if (err != -ENODEV || strict)
		return err;
	hint_at_event(fail_reason(), "(the run goes on without it)");
	return 0;
}

static int check_rate(const struct event_word *word)
{
	if (word->number <= MOST_HZ)
		return 0;
	return fail(-EINVAL,
		    "'%s@%" PRIu64 "': after @ comes a rate in Hz, 1 to %d",
		    word->name, word->number, MOST_HZ);
}

/* A rate is the run's, as one clock makes all samples: 0, or -EINVAL. */
static int take_rate(struct settings *s, const struct event_word *word,
		     struct event_word *first)
{
	int err = check_rate(word);

	if (err || !word->number)
		return err;
	if (first->number && first->number != word->number)
		return fail(-EINVAL,
			    "'%s@%" PRIu64 "' beside '%s@%" PRIu64
			    "': one clock samples both, at one rate",
			    word->name, word->number, first->name,
			    first->number);
	*first = *word;
	s->freq = word->number;
	return 0;
}

/* Time is sampled as well, unless the list says something else. */
static void add_cpu(struct settings *s)
{
	static char with_cpu[sizeof(events) + 8];

	snprintf(with_cpu, sizeof(with_cpu), "cpu,%s", s->events);
	s->events = with_cpu;
}

/* The events of the list; of a clock its rate. */
static int find_events(struct settings *s, struct events *found)
{
	const char *at = s->events;
	bool clock = false, on = false;
	struct event_word word, rate = { .number = 0 };
	int err;

	if (!*at || strlen(at) >= sizeof(events))
		return fail(-EINVAL, "'%.40s' is not a list of events", at);
	while ((err = events_next(&at, &word)) > 0) {
		if (events_is_clock(&word)) {
			clock = true;
			on |= !word.has_number || word.number;
			err = take_rate(s, &word, &rate);
		} else {
			err = add_counter(found, &word);
		}
		if (err)
			return err;
	}
	if (!err && clock && !on && !found->count)
		err = fail(-EINVAL, "cpu@0 leaves nothing to measure");
	if (!err && !clock)
		add_cpu(s);
	return err;
}

/* A window of a trace: 0, or -EINVAL. */
static int check_trace_range(const struct settings *s)
{
	struct range_window window;

	if (!*s->gpu_trace_range)
		return 0;
	if (!range_window_parse(&window, s->gpu_trace_range))
		return fail(-EINVAL,
			    "--gpu-trace-range wants a range and its times, "
			    "such as 'step:10-12', not '%s'",
			    s->gpu_trace_range);
	return s->gpu_trace ? 0
			    : fail(-EINVAL, "--gpu-trace-range wants "
					    "--gpu-trace MIB as well");
}

/* 0, or -EINVAL. */
static int check_iterations_window(const struct settings *s)
{
	struct range_window window;

	if (!*s->iterations || range_window_parse(&window, s->iterations))
		return 0;
	return fail(-EINVAL,
		    "--iterations wants what marks them and which, such as "
		    "'step:400-420' of a phase or a range of NVTX, or "
		    "'MPI_COMM_WORLD:400-420' of collective calls, not '%s'",
		    s->iterations);
}

/* The command line beats the environment, which beats the defaults. */
static int make_settings(struct settings *s, struct events *found)
{
	int err = settings_from_environment(s);

	for (size_t i = 0; !err && i < setting_count; i++)
		if (set_texts[i])
			err = settings_set(s, &setting_infos[i], set_texts[i]);
	if (!err)
		err = check_trace_range(s);
	if (!err)
		err = check_iterations_window(s);
	return err ? err : find_events(s, found);
}

/* For recover: what ran here, as far as it fits. */
static void join_command(char **argv, char *to, size_t size)
{
	size_t at = 0;

	*to = 0;
	for (; *argv && at < size - 1; argv++)
		at += (size_t)snprintf(to + at, size - at, "%s%s",
				       at ? " " : "", *argv);
}

static int run_plain(char **argv)
{
	execvp(argv[0], argv);
	fprintf(stderr, "copse run: cannot execute '%s': %s\n", argv[0],
		strerror(errno));
	return errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

/* Something of ours does not work: the program must not suffer. */
static int run_unmeasured(char **argv)
{
	fprintf(stderr, "copse run: %s runs unmeasured: %s\n", argv[0],
		fail_reason());
	return run_plain(argv);
}

/* Once for a job: -e wall is a wish that not every machine grants. */
static void say_if_no_wall(const struct settings *s, const struct job *job)
{
	if (job->rank <= 0 && strstr(s->events, "wall") && perf_try(true))
		warn_user("wall: this kernel does not allow waiting to be "
			  "sampled; it is added to the next sample (see: copse "
			  "check)");
}

/* The wrong way round: what goes on elsewhere is not seen from here. */
static void hint_at_launcher(const char *program)
{
	static const char *const launchers[] = { "mpirun", "mpiexec", "orterun",
						 "mpiexec.hydra", "srun" };
	const char *name = str_base(program);

	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
		if (!strcmp(name, launchers[i]))
			fprintf(stderr,
				"copse run: before %s it measures only the "
				"ranks on this host; for those of all hosts: "
				"%s ... copse run PROGRAM\n",
				name, name);
}

static int open_output(struct output *o, const struct job *job,
		       const char *wanted, bool replace)
{
	bool by_host = node_output_wanted(gather, job->size);

	return (by_host ? output_open_by_host : output_open)(o, wanted, job,
							     replace);
}

/*
 * Where the output cannot be, its name in one of these: the program runs in any
 * case.  Said once for each directory, as not all hosts may see the same.
 */
static int open_elsewhere(struct output *o, const struct job *job,
			  const char *wanted)
{
	const char *scratch = getenv("TMPDIR");
	const char *places[] = { ".", getenv("HOME"),
				 scratch && *scratch ? scratch : "/tmp" };
	char why[512];
	int err = -ENOENT;

	snprintf(why, sizeof(why), "%s", fail_reason());
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && err; i++) {
		char *name = places[i] && *places[i]
				     ? str_format("%s/%s", places[i],
						  str_base(wanted))
				     : NULL;

		if (name)
			err = open_output(o, job, name, false);
		free(name);
	}
	if (err)
		return fail(err, "%s", why);
	if (o->first)
		fprintf(stderr,
			"copse run: %s; the profiles go to %s instead\n", why,
			o->path);
	return 0;
}

/* -EINVAL: that is no name for it; else where it can be. */
static int find_run_output(struct output *o, const struct job *job,
			   const char *program)
{
	char *wanted = NULL;
	int err = output_name(&wanted, output, program, job);

	if (err)
		return err;
	err = open_output(o, job, wanted, force);
	if (err)
		err = open_elsewhere(o, job, wanted);
	free(wanted);
	return err ? -EIO : 0;
}

static int open_live(char live[PATH_MAX], const struct output *o,
		     const struct job *job, char **argv)
{
	struct live_note note = { .rank = job->rank,
				  .size = job->size,
				  .batch = job->batch };

	if (!realpath(o->path, note.output))
		return fail(-errno, "%s: %s", o->path, strerror(errno));
	snprintf(note.key, sizeof(note.key), "%s", job->key);
	join_command(argv, note.command, sizeof(note.command));
	return livedir_new(live, &note);
}

/* Before version 6, whose programs may have the standard interface instead. */
static bool is_started_by_openmpi(void)
{
	const char *version = getenv("OMPI_VERSION"); /* since 5 */

	return getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_RANK") &&
	       (!version || atoi(version) < 6);
}

/*
 * Which MPI's adapter: Open MPI's launcher says it quicker than the program's
 * loader.  What links no MPI (a script, an interpreter) may open or start any.
 */
static const char *find_mpi_adapter(const struct program *program)
{
	const char *mpi;

	if (is_started_by_openmpi())
		return "openmpi";
	mpi = program_mpi(program);
	return mpi ? mpi : PRELOAD_ANY;
}

static void say_where_profiles_are(const struct output *o)
{
	fprintf(stderr,
		"copse run: the profiles are in %s; to see them: "
		"copse report ",
		o->path);
	str_quote(stderr, o->path);
	fputc('\n', stderr);
}

static void say_page(const struct output *o)
{
	if (faccessat(o->fd, CONCLUDE_PAGE, R_OK, AT_SYMLINK_NOFOLLOW))
		return;
	fputs("copse run: all of it, for a browser: ", stderr);
	str_quote(stderr, o->path);
	fputs("/" CONCLUDE_PAGE "\n", stderr);
}

static void say_nothing_came(const struct no_sample *n)
{
	char room[NO_SAMPLE_SIZE];

	fprintf(stderr, "copse run: took no sample in %" PRIu64 " ms: %s\n",
		n->run_ns / 1000000, no_sample_why(n, room));
}

/* Whoever started it may have had a sample or two. */
static void say_unmeasured(const struct no_sample *n)
{
	const char *why = no_sample_of_child(&n->tally);

	if (why)
		fprintf(stderr, "copse run: not measured: %s\n", why);
}

/* What the user waits for when the program has ended; no budget bounds it. */
static void say_long_end(uint64_t end_ns, uint64_t written_ns)
{
	uint64_t now = process_clock();

	if (!quiet && now - end_ns >= LONG_END_NS)
		fprintf(stderr,
			"copse run: that took %.1f s from the program's end: "
			"%.1f s to write profiles, %.1f s to merge and report "
			"them (--page off, --no-report)\n",
			(double)(now - end_ns) / 1e9,
			(double)(written_ns - end_ns) / 1e9,
			(double)(now - written_ns) / 1e9);
}

static void say_profiles(struct aftermath *a, const struct output *o,
			 const struct no_sample *n)
{
	say_unmeasured(n);
	if (!no_report && !a->useless && o->size <= MOST_RANKS_REPORTED) {
		if (aftermath_do(a, page ? AFTERMATH_PAGE : AFTERMATH_CONCLUDE))
			warn_user(fail_reason());
		else
			fputc('\n', stderr);
		say_page(o);
	}
	say_where_profiles_are(o);
}

/* The last rank speaks for the job.  DIR stays for profiles that were lost. */
static void conclude_run(struct aftermath *a, const struct output *o,
			 const struct no_sample *n, bool lost)
{
	bool profile = output_has_profile(o);

	if (profile && !quiet)
		say_profiles(a, o, n);
	else if (!profile && !quiet && !lost)
		say_nothing_came(n);
	if (!profile && !lost)
		output_discard(o);
	output_release(o);
}

/*
 * Raw copies are profiles as well.  The live ones stay: from them those can be
 * made that could not be written.
 */
static void keep_harvest(struct harvest *h)
{
	const char *kept;
	char why[512];

	snprintf(why, sizeof(why), "%s", fail_reason());
	kept = harvest_checkpoint(h) ? "" : "it is kept raw; ";
	fprintf(stderr,
		"copse run: a profile could not be written: %s; %son this "
		"host, to try again: copse recover ",
		why, kept);
	str_quote(stderr, h->output->path);
	fputc('\n', stderr);
}

/* False: a profile stays where it is. */
static bool harvest_all(struct harvest *h, struct aftermath *a)
{
	bool written =
		harvest_is_empty(h) || !aftermath_do(a, AFTERMATH_FINISH);

	harvest_left_out(h);
	if (!written)
		keep_harvest(h);
	else if (!livedir_lived_in(h->live_dir))
		livedir_remove(h->live_dir);
	harvest_fini(h);
	return written;
}

/*
 * Helpers that end when they see the program gone take some milliseconds for
 * it; who is there after that has outlived it.
 */
static void let_helpers_end(const char *live)
{
	const struct timespec step = { 0, HELPERS_STEP_NS };

	for (int i = 0; i < HELPERS_STEPS && livedir_lived_in(live); i++)
		nanosleep(&step, NULL);
}

/* What goes on is measured on, and nobody of ours waits for it. */
static void say_who_runs_on(const char *live, const char *to)
{
	char *who = livedir_inhabitants(live, NULL);

	if (who && *who) {
		fprintf(stderr,
			"copse run: %s still run%s, and will be measured to "
			"the end; to get the rest then, on this host: copse "
			"recover ",
			who, strstr(who, "process ") ? "s" : "");
		str_quote(stderr, to);
		fputc('\n', stderr);
	}
	free(who);
}

/* No second core dump: the program's own has been written. */
static void die_by_signal(int signo)
{
	const struct rlimit none = { 0, 0 };
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	signal(signo, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signo);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signo);
}

/* What the program gave back, or by what it was ended. */
static int end_as_program_did(const struct live_end *end)
{
	if (!end->signal)
		return (int)end->status;
	die_by_signal((int)end->signal);
	return 128 + (int)end->signal;
}

/*
 * Copies are files of the ranks, and file systems are shared: the larger the
 * job, the rarer, so that all its ranks together make no more than those of a
 * job of NODE_RANKS.
 */
static unsigned int usual_interval(const struct job *job)
{
	uint64_t seconds = USUAL_INTERVAL;

	if (job->size > NODE_RANKS)
		seconds = seconds * (uint64_t)job->size / NODE_RANKS;
	return (unsigned int)seconds;
}

/*
 * Where something went wrong the launcher may be about to end us: to wait for
 * our turn could take too long.
 */
static bool ended_without_trouble(const struct harvest *h,
				  const struct parent *p)
{
	return !h->end.signal && !h->end.status && !p->told_ns && !p->warned_ns;
}

/* Once for a job, but where its first rank has none. */
static void say_trouble(const struct power_meter *meter, const struct job *job,
			const struct settings *s)
{
	if (*meter->trouble && s->gpu_power && !quiet && job->rank <= 0)
		fprintf(stderr, "copse run: power of GPUs: %s\n",
			meter->trouble);
}

/* A process for each rank is too much where there is no driver. */
static bool may_use_gpus(void)
{
	return secure_getenv("COPSE_CUPTI") || !access("/dev/nvidiactl", F_OK);
}

static void start_meter(struct power_meter *meter, const struct settings *s,
			const char *live)
{
	bool wanted = s->gpu_power || (s->gpu && s->gpu_use && may_use_gpus());

	if (wanted &&
	    power_meter_start(meter, live,
			      s->gpu_power ? POWER_ALWAYS : POWER_ONCE_USED))
		snprintf(meter->trouble, sizeof(meter->trouble), "%s",
			 fail_reason());
}

static void start_watches(struct parent *parent, const struct settings *s,
			  const struct job *job, const char *directory,
			  const char *live)
{
	inquiry_watch_init(&parent->inquiry, directory, job->local_rank);
	parent->memory.pages = s->heap;
	if (job->rank <= 0 && s->mpi)
		parent->alarm = (struct alarm_watch){
			.folder = live,
			.directory = directory,
			.action = if_stuck,
			.patience_ns = patience * 1000000000ull,
		};
}

/* Negative: no process could be started, and nothing is executed. */
static int measure_program(char **argv, const struct settings *s,
			   const struct job *job, struct output *o,
			   const char *live, const struct program *program)
{
	struct harvest h = { .live_dir = live,
			     .output = o,
			     .key = job->key,
			     .rank = job->rank,
			     .parent = getpid(),
			     .file = -1,
			     .batch = job->batch };
	struct no_sample none = { .settings = s, .program = program };
	struct aftermath aftermath = { .harvest = &h };
	struct power_meter meter = { 0 };
	struct parent parent;
	bool written, lived_in;
	uint64_t written_ns;
	int err;

	parent_begin(&parent);
	start_watches(&parent, s, job, o->path, live);
	start_meter(&meter, s, live);
	err = parent_run(&parent, argv, &h,
			 checkpoint != UINT_MAX ? checkpoint
						: usual_interval(job));
	power_meter_stop(&meter);
	if (err && !parent.tried) {
		parent_give_up(&parent);
		return err;
	}
	none.run_ns = h.end.mono_ns - parent.start_ns;
	none.cpu_ns = process_children_cpu_ns();
	livedir_tally(live, &none.tally);
	output_restore(o, job);
	if (node_output_wanted(gather, job->size) &&
	    ended_without_trouble(&h, &parent))
		h.node = job->host;
	if (ended_without_trouble(&h, &parent))
		let_helpers_end(live);
	written = harvest_all(&h, &aftermath);
	written_ns = process_clock();
	lived_in = livedir_lived_in(live);
	parent_end(&parent);
	say_trouble(&meter, job, s);
	if (err) {
		warn_user(fail_reason());
		if (output_done(o))
			output_discard(o);
		return err == -ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
	}
	if (output_done(o)) {
		conclude_run(&aftermath, o, &none, !written);
		say_long_end(h.end.mono_ns, written_ns);
	} else if (parent.told_ns) {
		output_wait(o, parent.told_ns + MERCY_NS);
	}
	if (lived_in && !quiet)
		say_who_runs_on(live, o->path);
	aftermath_end(&aftermath);
	if (h.file >= 0)
		close(h.file);
	return parent.ending_ns ? ALARM_STATUS : end_as_program_did(&h.end);
}

/* As it was before preload_set(); NULL: no memory. */
static char **copy_environment(void)
{
	size_t words = 0;
	char **copy;

	while (environ[words])
		words++;
	copy = malloc((words + 1) * sizeof(*copy));
	if (copy)
		memcpy(copy, environ, (words + 1) * sizeof(*copy));
	else
		no_memory();
	return copy;
}

/* What was prepared to measure it goes. */
static int run_after_all(char **argv, char **env, struct output *o,
			 const char *live)
{
	char why[512];

	snprintf(why, sizeof(why), "%s", fail_reason());
	if (*live)
		livedir_remove(live);
	if (output_done(o))
		output_discard(o);
	output_close(o);
	if (env)
		environ = env;
	fail(0, "%s", why);
	return run_unmeasured(argv);
}

static void warn_without_wrappers(void)
{
	if (!strstr(getenv("LD_PRELOAD"), "libcopse-mpi-"))
		warn_user("this copse was built without wrappers for the "
			  "program's "
			  "MPI: its calls are not measured");
}

static int run_program(char **argv, const struct program *program,
		       const struct settings *s, const struct events *found)
{
	char live[PATH_MAX] = "", **env;
	const char *mpi;
	struct output o;
	struct job job;
	int err;

	job_init(&job);
	say_if_no_wall(s, &job);
	mpi = s->mpi ? find_mpi_adapter(program) : NULL;
	if (job.rank <= 0 && !quiet && preload_other_gpu_tool())
		warn_user("CUDA_INJECTION64_PATH is set for another tool: GPU "
			  "work "
			  "is not measured");
	err = find_run_output(&o, &job, program_name(argv));
	if (err)
		return err == -EINVAL ? err : run_unmeasured(argv);
	env = copy_environment();
	err = env ? open_live(live, &o, &job, argv) : -ENOMEM;
	if (err)
		*live = 0;
	if (!err)
		err = preload_set(s, live, mpi,
				  s->heap && program_allocator(program));
	if (!err && mpi && job.rank <= 0)
		warn_without_wrappers();
	if (!err)
		err = events_export(found);
	if (!err)
		err = measure_program(argv, s, &job, &o, live, program);
	if (err < 0)
		return run_after_all(argv, env, &o, live);
	output_close(&o);
	free(env);
	return err;
}

static int run_command(int argc, char **argv)
{
	struct program program;
	struct events found = { 0 };
	struct settings s;
	int err;

	if (!argc)
		return fail(-EINVAL, "which program? copse run [options] "
				     "PROGRAM [ARGUMENTS]");
	err = make_settings(&s, &found);
	if (err)
		return err;
	err = program_find(&program, argv[0]);
	if (err) {
		warn_user(fail_reason());
		return err == -ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
	}
	if (!quiet)
		hint_at_launcher(argv[0]);
	if (program.refused) {
		fail(0, "it %s", program.refused);
		return run_unmeasured(argv);
	}
	return run_program(argv, &program, &s, &found);
}

const struct command command_run = {
	.name = "run",
	.synopsis = "[options] [--] PROGRAM [ARGUMENTS]",
	.help = "measure a program while it runs",
	.options = options,
	.stop_at_first = true,
	.run = run_command,
};
