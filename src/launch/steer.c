/* SPDX-License-Identifier: BSD-3-Clause */
/* steer.c - see steer.h. */
#include "launch/steer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/str.h"
#include "live/layout.h"

enum {
	LOOK_MS = 20, /* between two looks at how fast ranks are … */
	AHEAD = 10,   /* … so many of which are left to them … */
	LEAST = 2     /* … and so many calls */
};

struct steer_lists {
	struct steer *steer;
	size_t tally_room, rank_room;
};

/* NULL: it is not there, or shorter. */
static void *map_file(const char *folder, const char *name, size_t size,
		      bool write)
{
	char *path = str_format("%s/%s", folder, name);
	int fd = path ? open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC |
					   O_NOFOLLOW)
		      : -1;
	void *at = MAP_FAILED;
	struct stat st;

	free(path);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size >= (off_t)size)
		at = mmap(NULL, size, PROT_READ | (write ? PROT_WRITE : 0),
			  MAP_SHARED, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

static bool is_alive(pid_t pid)
{
	return !kill(pid, 0) || errno == EPERM;
}

static bool is_going_on(const struct steer_process *p)
{
	return is_alive(p->pid) && !p->live->mpi_finalize_ns &&
	       !p->live->end.mono_ns;
}

/* A rank of MPI, of this version of copse. */
static bool is_rank_here(const struct live_header *h)
{
	return __atomic_load_n(&h->magic, __ATOMIC_ACQUIRE) == LIVE_MAGIC &&
	       h->version == LIVE_VERSION && h->size > 0 && h->rank >= 0;
}

static int add_rank(struct steer_lists *to, const char *folder,
		    const struct live_file *file)
{
	struct steer *s = to->steer;
	struct steer_process one = { .pid = file->pid };
	void *at = map_file(folder, file->name, sizeof(*one.live), false);

	one.live = at;
	if (!at)
		return 0;
	if (!is_rank_here(one.live) || !is_going_on(&one)) {
		munmap(at, sizeof(*one.live));
		return 0;
	}
	if (!array_append(&s->ranks, &s->rank_count, &to->rank_room,
			  sizeof(one), &one)) {
		munmap(at, sizeof(*one.live));
		return no_memory();
	}
	if (s->world < (size_t)one.live->size)
		s->world = (size_t)one.live->size;
	return 0;
}

static int add_tally(struct steer_lists *to, const char *folder)
{
	struct steer *s = to->steer;
	struct live_tally *tally =
		map_file(folder, LIVE_TALLY, LIVE_TALLY_SIZE, true);

	if (!tally)
		return 0;
	if (array_append(&s->tallies, &s->tally_count, &to->tally_room,
			 sizeof(tally), &tally))
		return 0;
	munmap(tally, LIVE_TALLY_SIZE);
	return no_memory();
}

static int add_processes(struct steer_lists *to, const char *folder)
{
	struct live_file *files;
	size_t count = livedir_files(folder, &files);
	int err = add_tally(to, folder);

	for (size_t i = 0; i < count && !err; i++)
		/* One that executed another program is that now. */
		if (i + 1 == count || files[i].pid != files[i + 1].pid)
			err = add_rank(to, folder, &files[i]);
	free(files);
	return err;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct steer_process *one = a, *other = b;

	return (one->live->rank > other->live->rank) -
	       (one->live->rank < other->live->rank);
}

int steer_init(struct steer *to, const struct live_run *run)
{
	struct steer_lists lists = { .steer = to };
	int err = 0;

	*to = (struct steer){ 0 };
	for (size_t i = 0; i < run->count && !err; i++)
		err = add_processes(&lists, run->at[i].path);
	if (!err && !to->tally_count)
		err = fail(-ENOENT,
			   "no process of the run can be asked: it has just "
			   "ended, or is of an older copse");
	if (to->rank_count)
		qsort(to->ranks, to->rank_count, sizeof(*to->ranks),
		      compare_ranks);
	return err;
}

void steer_fini(struct steer *steer)
{
	for (size_t i = 0; i < steer->tally_count; i++)
		munmap(steer->tallies[i], LIVE_TALLY_SIZE);
	for (size_t i = 0; i < steer->rank_count; i++)
		munmap((void *)(uintptr_t)steer->ranks[i].live,
		       sizeof(struct live_header));
	free(steer->tallies);
	free(steer->ranks);
	*steer = (struct steer){ 0 };
}

uint64_t steer_calls(const struct steer *steer)
{
	uint64_t most = 0, calls;

	for (size_t i = 0; i < steer->rank_count; i++) {
		calls = __atomic_load_n(&steer->ranks[i].live->steering.calls,
					__ATOMIC_RELAXED);
		if (calls > most)
			most = calls;
	}
	return most;
}

uint64_t steer_next_call(const struct steer *steer)
{
	const struct timespec look = { 0, LOOK_MS * 1000000L };
	uint64_t before = steer_calls(steer), now;

	nanosleep(&look, NULL);
	now = steer_calls(steer);
	return now + AHEAD * (now - before) + LEAST;
}

static uint32_t next_number(const struct steer *steer)
{
	uint32_t most = 0;

	for (size_t i = 0; i < steer->tally_count; i++)
		if (steer->tallies[i]->request.number > most)
			most = steer->tallies[i]->request.number;
	return (most | 1) + 1;
}

static void write_request(struct live_request *to,
			  const struct steer_wish *wish, uint64_t call,
			  uint32_t number)
{
	__atomic_store_n(&to->number, number - 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (wish->measuring != LIVE_MEASURING_ASKED)
		to->measuring = wish->measuring;
	if (wish->rate)
		to->rate = wish->rate;
	if (wish->phase) {
		to->phases++;
		snprintf(to->phase, sizeof(to->phase), "%s", wish->phase);
	}
	to->from = call;
	to->turned = 0;
	__atomic_store_n(&to->number, number, __ATOMIC_RELEASE);
}

void steer_ask(struct steer *steer, const struct steer_wish *wish,
	       uint64_t call)
{
	steer->number = next_number(steer);
	for (size_t i = 0; i < steer->tally_count; i++)
		write_request(&steer->tallies[i]->request, wish, call,
			      steer->number);
}

bool steer_was_overtaken(const struct steer *steer)
{
	for (size_t i = 0; i < steer->tally_count; i++)
		if (__atomic_load_n(&steer->tallies[i]->request.number,
				    __ATOMIC_ACQUIRE) != steer->number)
			return true;
	return false;
}

enum steer_state steer_state(const struct steer *steer, size_t rank)
{
	const struct steer_process *p = &steer->ranks[rank];

	if (__atomic_load_n(&p->live->steering.number, __ATOMIC_ACQUIRE) ==
	    steer->number)
		return STEER_TURNED;
	return is_going_on(p) ? STEER_WAITED_FOR : STEER_ENDED;
}

size_t steer_others(const struct steer *steer)
{
	size_t sum = 0;

	for (size_t i = 0; i < steer->tally_count; i++)
		sum += __atomic_load_n(&steer->tallies[i]->request.turned,
				       __ATOMIC_RELAXED);
	return sum;
}
