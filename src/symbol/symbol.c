/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol.c - each distinct address gets its functions: from the cache, else
 * from the module's file, which is asked for DWARF, then the symbol table, then
 * the unwind information.
 *
 * The addresses that the cache lacks are cut into pieces, since one huge
 * program has most of them.  elfutils' handles have one user at a time, so each
 * piece opens the file by itself, which costs little: what is large there is
 * mapped, and read where an address leads.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/err.h"
#include "symbol/symbol-cache.h"
#include "symbol/symbol-file.h"

#define MOST_THREADS 32
#define PIECE        2048 /* addresses, at least */

/* What nobody set is what the environment says. */
static unsigned int fetch_seconds(void)
{
	const char *text = getenv("COPSE_FETCH");
	uint64_t seconds;

	if (symbol_options.fetch_seconds != UINT_MAX)
		return symbol_options.fetch_seconds;
	return text && str_to_uint(text, &seconds) && seconds < UINT_MAX
		       ? (unsigned int)seconds
		       : 60;
}

/*
 * Work that is done by several threads.
 */

struct shared_work {
	int (*one)(void *of, size_t i); /* 0 or -errno */
	void *of;
	size_t count;
	_Atomic size_t next, done;
	_Atomic int err;
	sem_t ended; /* a helper has nothing left to do */
};

static void say_symbol_progress(const struct shared_work *work,
				const struct symbol_progress *progress)
{
	if (progress)
		progress->step(progress->to,
			       remote_asking() ? "asking debuginfod"
					       : "finding names",
			       atomic_load(&work->done), work->count);
}

static void work_on_pieces(struct shared_work *work,
			   const struct symbol_progress *progress)
{
	for (;;) {
		size_t i = atomic_fetch_add(&work->next, 1);
		int err;

		if (i >= work->count || atomic_load(&work->err))
			return;
		err = work->one(work->of, i);
		if (err)
			atomic_store(&work->err, err);
		atomic_fetch_add(&work->done, 1);
		say_symbol_progress(work, progress);
	}
}

static void *helper_thread(void *of)
{
	struct shared_work *work = of;

	work_on_pieces(work, NULL);
	sem_post(&work->ended);
	return NULL;
}

static size_t symbol_cores(void)
{
	cpu_set_t set;

	if (symbol_options.threads)
		return symbol_options.threads;
	return sched_getaffinity(0, sizeof(set), &set)
		       ? 1
		       : (size_t)CPU_COUNT(&set);
}

/* The others are not done yet: show that something goes on. */
static void wait_for_pieces(struct shared_work *work,
			    const struct symbol_progress *progress)
{
	struct timespec until;

	do {
		say_symbol_progress(work, progress);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 100000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (sem_timedwait(&work->ended, &until));
}

static int in_parallel(int (*one)(void *of, size_t i), void *of, size_t count,
		       const struct symbol_progress *progress)
{
	struct shared_work work = { .one = one, .of = of, .count = count };
	pthread_t threads[MOST_THREADS];
	size_t started = 0, wanted = symbol_cores();

	sem_init(&work.ended, 0, 0);
	while (started < MOST_THREADS && started + 1 < wanted &&
	       started + 1 < count &&
	       !pthread_create(&threads[started], NULL, helper_thread, &work))
		started++;
	work_on_pieces(&work, progress);
	for (size_t i = 0; i < started; i++)
		wait_for_pieces(&work, progress);
	while (started)
		pthread_join(threads[--started], NULL);
	sem_destroy(&work.ended);
	return work.err;
}

/*
 * A piece: some addresses of a module, in a module of their own.
 */

struct module_piece {
	struct symbol_module part;
	struct loop_names *loops; /* NULL: not wanted */
	struct map readable;      /* a name's place in DWARF -> its string */
};

static int push_frame(struct symbol_module *module,
		      const struct symbol_frame *frame)
{
	return array_append(&module->frames, &module->frame_count,
			    &module->frame_room, sizeof(*frame), frame)
		       ? 0
		       : -ENOMEM;
}

/* Takes over name, which may be NULL when out of memory; its string. */
static uint32_t add_symbol_name(struct symbol_module *module, char *name)
{
	uint32_t string = name ? str_add(&module->strings, name) : STR_NONE;

	free(name);
	return string;
}

/* The outermost function's name, when DWARF has not the linker's. */
static char *outer_name(struct symbol_module *module, struct symbol_file *file,
			uint64_t address, const char *dwarf_name,
			uint32_t *flags)
{
	uint64_t start = address;
	char *symbol = NULL, *name;
	const char *variant;

	if (file->elf)
		symbol = elf_names_find(file->elf, address, &start);
	if (*dwarf_name && (!symbol || strncmp(symbol, "_Z", 2) != 0)) {
		free(symbol);
		return strdup(dwarf_name);
	}
	if (symbol) {
		name = symbol_readable(symbol);
		free(symbol);
		return name;
	}
	variant = symbol_variant(module->path, start);
	if (variant)
		return strdup(variant);
	*flags |= SYMBOL_UNNAMED;
	return str_format("%s+0x%" PRIx64, str_base(module->path), start);
}

/* A name of DWARF: demangled once, however many addresses have it. */
static uint32_t dwarf_name(struct module_piece *piece, const char *name)
{
	uintptr_t key = (uintptr_t)name;
	uint32_t string = map_get(&piece->readable, key, 0);

	if (string != MAP_NONE)
		return string;
	string = add_symbol_name(&piece->part, symbol_readable(name));
	if (string != STR_NONE &&
	    map_put(&piece->readable, key, 0, string) == MAP_NONE)
		return STR_NONE;
	return string;
}

static int add_place(struct module_piece *piece, struct symbol_file *file,
		     uint64_t address, const struct dwarf_place *p,
		     uint32_t flags)
{
	struct symbol_module *part = &piece->part;
	struct symbol_frame frame = { .line = p->line, .flags = flags };

	if (p->inlined)
		frame.flags |= SYMBOL_INLINED;
	if (p->linkage || (p->inlined && *p->name))
		frame.function = dwarf_name(piece, p->name);
	else
		frame.function = add_symbol_name(
			part,
			outer_name(part, file, address, p->name, &frame.flags));
	frame.file = str_add(&part->strings, p->file);
	if (frame.function == STR_NONE || frame.file == STR_NONE)
		return -ENOMEM;
	return push_frame(part, &frame);
}

struct enclosing_loops {
	const struct loop_place *at; /* outermost first */
	size_t count;
	size_t depth; /* take those of this one only */
};

/* A function, and before it the loops in it, innermost first. */
static int add_frames(struct module_piece *piece, struct symbol_file *file,
		      uint64_t address, const struct dwarf_place *p,
		      uint32_t flags, const struct enclosing_loops *loops)
{
	struct symbol_module *part = &piece->part;
	size_t first = part->frame_count, last;
	int err = 0;

	for (size_t i = loops->count; i-- && !err;) {
		struct symbol_frame frame = { .line = loops->at[i].first,
					      .last = loops->at[i].last };

		if (loops->at[i].depth != loops->depth)
			continue;
		frame.file = str_add(&part->strings, loops->at[i].file);
		err = frame.file == STR_NONE ? -ENOMEM
					     : push_frame(part, &frame);
	}
	if (!err)
		err = add_place(piece, file, address, p, flags);
	if (err)
		return err;
	last = part->frame_count - 1;
	for (size_t i = first; i < last; i++) {
		part->frames[i].function = part->frames[last].function;
		part->frames[i].flags = part->frames[last].flags | SYMBOL_LOOP;
	}
	return 0;
}

static int name_address(struct module_piece *piece, struct symbol_file *file,
			uint64_t address)
{
	struct dwarf_place places[DWARF_PLACES] = { { .name = "",
						      .file = "" } };
	struct loop_place loops[LOOP_PLACES];
	size_t count = 0, loop_count = 0;
	bool settled = false;
	int err = 0;

	if (file->dwarf)
		count = dwarf_names_find(file->dwarf, address, places,
					 &settled);
	if (!count)
		count = 1;
	if (piece->loops)
		loop_count = loop_names_find(piece->loops, file, address,
					     places, count, loops);
	for (size_t i = 0; i < count && !err; i++)
		err = add_frames(piece, file, address, &places[i],
				 settled ? SYMBOL_SETTLED : 0,
				 &(struct enclosing_loops){ loops, loop_count,
							    count - i });
	return err;
}

/* What is shown without the rest of split debug information. */
static int say_missing_debug(struct symbol_module *part,
			     const struct symbol_file *file)
{
	const char *name =
		file->dwarf ? dwarf_names_missing(file->dwarf) : NULL;

	if (!name || part->problem)
		return 0;
	part->problem = str_format("has debug information in other files, one "
				   "of which cannot be read (%s); inlined "
				   "functions are not shown",
				   name);
	return part->problem ? 0 : -ENOMEM;
}

static int name_piece(void *pieces, size_t i)
{
	struct module_piece *piece = (struct module_piece *)pieces + i;
	struct symbol_module *part = &piece->part;
	struct symbol_file file = { 0 };
	int err;

	part->first = calloc(part->count + 1, sizeof(*part->first));
	if (!part->first)
		return -ENOMEM;
	if (symbol_loops() && !(piece->loops = loop_names_new()))
		return -ENOMEM;
	err = symbol_file_open(&file, part, &part->problem);
	for (size_t k = 0; k < part->count && !err; k++) {
		err = name_address(piece, &file, part->addresses[k]);
		part->first[k + 1] = (uint32_t)part->frame_count;
	}
	if (!err)
		err = say_missing_debug(part, &file);
	map_fini(&piece->readable);
	loop_names_free(piece->loops);
	symbol_file_close(&file);
	return err;
}

/*
 * A module: what was kept, the pieces of the rest, and both together.
 */

struct module_job {
	struct symbol_module *module;
	struct symbol_module kept;
	uint64_t *missing; /* addresses */
	size_t missing_count;
	struct module_piece *pieces; /* of all pieces */
	size_t piece_count;
};

static int start_job(void *jobs, size_t i)
{
	struct module_job *job = (struct module_job *)jobs + i;
	const struct symbol_module *m = job->module;
	size_t k = 0;

	if (!m->count)
		return 0;
	job->missing = calloc(m->count, sizeof(*job->missing));
	if (!job->missing)
		return -ENOMEM;
	symbol_cache_load(&job->kept, m);
	for (size_t a = 0; a < m->count; a++) {
		while (k < job->kept.count &&
		       job->kept.addresses[k] < m->addresses[a])
			k++;
		if (k == job->kept.count ||
		    job->kept.addresses[k] != m->addresses[a])
			job->missing[job->missing_count++] = m->addresses[a];
	}
	return 0;
}

/* More than there are cores: what a piece read is freed with it. */
static size_t pieces_of(const struct module_job *job)
{
	size_t pieces = job->missing_count / PIECE, most = 2 * symbol_cores();

	return !job->missing_count ? 0
	       : !pieces           ? 1
	       : pieces > most     ? most
				   : pieces;
}

static void cut_into_pieces(struct module_job *job, struct module_piece *pieces)
{
	job->pieces = pieces;
	for (size_t i = 0; i < job->piece_count; i++) {
		size_t from = job->missing_count * i / job->piece_count;
		size_t to = job->missing_count * (i + 1) / job->piece_count;

		pieces[i].part = (struct symbol_module){
			.path = job->module->path,
			.build_id = job->module->build_id,
			.addresses = job->missing + from,
			.count = to - from,
		};
	}
}

/* Append the answer number i of another module. */
static int adopt_piece(struct symbol_module *to,
		       const struct symbol_module *from, size_t i)
{
	int err = 0;

	for (uint32_t f = from->first[i]; f < from->first[i + 1] && !err; f++) {
		struct symbol_frame frame = from->frames[f];

		frame.function = str_add(
			&to->strings, str_at(&from->strings, frame.function));
		frame.file = str_add(&to->strings,
				     str_at(&from->strings, frame.file));
		if (frame.function == STR_NONE || frame.file == STR_NONE)
			return -ENOMEM;
		err = push_frame(to, &frame);
	}
	return err;
}

/* All three are sorted: walk along them. */
static int join_pieces(struct module_job *job)
{
	struct symbol_module *to = job->module;
	size_t k = 0, piece = 0, at = 0;

	for (size_t a = 0; a < to->count; a++) {
		const struct symbol_module *from = &job->kept;
		size_t i;
		int err;

		while (k < from->count && from->addresses[k] < to->addresses[a])
			k++;
		i = k;
		if (k == from->count ||
		    from->addresses[k] != to->addresses[a]) {
			while (at == job->pieces[piece].part.count) {
				piece++;
				at = 0;
			}
			from = &job->pieces[piece].part;
			i = at++;
		}
		err = adopt_piece(to, from, i);
		if (err)
			return err;
		to->first[a + 1] = (uint32_t)to->frame_count;
	}
	return 0;
}

static int end_job(void *jobs, size_t i)
{
	struct module_job *job = (struct module_job *)jobs + i;
	struct symbol_module *m = job->module;
	int err;

	m->first = calloc(m->count + 1, sizeof(*m->first));
	if (!m->first)
		return -ENOMEM;
	err = join_pieces(job);
	for (size_t p = 0; p < job->piece_count && !m->problem; p++) {
		m->problem = job->pieces[p].part.problem;
		job->pieces[p].part.problem = NULL;
	}
	if (!err && job->missing_count)
		symbol_cache_store(m, &job->kept);
	return err;
}

static void free_jobs(struct module_job *jobs, size_t count)
{
	for (size_t i = 0; jobs && i < count; i++) {
		struct module_job *job = &jobs[i];

		for (size_t p = 0; job->pieces && p < job->piece_count; p++)
			symbol_module_fini(&job->pieces[p].part);
		symbol_cache_free(&job->kept);
		free(job->missing);
	}
	free(jobs);
}

/* Cut all modules into pieces; NULL when out of memory. */
static struct module_piece *cut_all(struct module_job *jobs, size_t count,
				    size_t *pieces)
{
	struct module_piece *all, *next;

	*pieces = 0;
	for (size_t i = 0; i < count; i++) {
		jobs[i].piece_count = pieces_of(&jobs[i]);
		*pieces += jobs[i].piece_count;
	}
	all = next = calloc(*pieces + 1, sizeof(*all));
	for (size_t i = 0; i < count && all; i++) {
		cut_into_pieces(&jobs[i], next);
		next += jobs[i].piece_count;
	}
	return all;
}

int symbols_find(struct symbol_module *modules, size_t count,
		 const struct symbol_progress *progress)
{
	struct module_job *jobs = calloc(count + 1, sizeof(*jobs));
	struct module_piece *pieces = NULL;
	size_t piece_count = 0;
	int err = jobs ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && jobs; i++)
		jobs[i].module = &modules[i];
	if (!err)
		err = in_parallel(start_job, jobs, count, NULL);
	if (!err) {
		pieces = cut_all(jobs, count, &piece_count);
		err = pieces ? 0 : -ENOMEM;
	}
	if (!err && piece_count) {
		remote_begin(fetch_seconds());
		err = in_parallel(name_piece, pieces, piece_count, progress);
	}
	if (!err)
		err = in_parallel(end_job, jobs, count, NULL);
	if (!err && piece_count)
		symbol_cache_trim();
	free_jobs(jobs, count);
	free(pieces);
	return err ? fail(err, "out of memory while finding names") : 0;
}
