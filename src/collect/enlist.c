/* SPDX-License-Identifier: BSD-3-Clause */
/* enlist.c - the page that all processes of a `copse run` share. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/enlist.h"
#include "collect/time.h"
#include "live/tally.h"

enum {
	ENOUGH = 64,          /* profiles, before short processes leave fewer */
	LONGEST_NS = 64000000 /* longer than that, each process leaves one */
};

/* Mutable: the page, NULL where there is none, and what is this process's. */
static struct {
	struct live_tally *page;
	bool unsampled;     /* it is counted as such */
	bool first;         /* the program itself */
	uint64_t before_ns; /* its CPU time as another program */
} tally RESET_AT_FORK;

#define ADD(member, n)                                                         \
	__atomic_fetch_add(&tally.page->member, (n), __ATOMIC_RELAXED)

/* A parent that just asks who is alive is not waited for. */
static struct live_tally *map_tally(const char *directory, bool lives)
{
	char path[300];
	struct stat st;
	long fd, at = -EINVAL;

	snprintf(path, sizeof(path), "%s/" LIVE_TALLY, directory);
	fd = sys4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW,
		  0);
	if (fd < 0)
		return NULL;
	if (!sys2(SYS_fstat, fd, &st) && st.st_size >= LIVE_TALLY_SIZE)
		at = sys6(SYS_mmap, 0, LIVE_TALLY_SIZE, PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);
	if (at > 0 && lives)
		sys2(SYS_flock, fd, LOCK_SH | LOCK_NB);
	sys1(SYS_close, fd);
	return at < 0 && at > -LIVE_TALLY_SIZE ? NULL : (void *)at;
}

static uint64_t cpu_now(void)
{
	return time_asked(CLOCK_PROCESS_CPUTIME_ID);
}

static struct live_exec *exec_of(uint32_t pid)
{
	return &tally.page->execs[pid % LIVE_TALLY_EXECS];
}

/* What it was before, if that was measured, knows how long it was it. */
static void begin_tally(void)
{
	uint32_t pid = (uint32_t)sys0(SYS_getpid);
	struct live_exec *before = exec_of(pid);
	bool known = before->pid == pid;

	tally.before_ns = known ? before->cpu_ns : 0;
	tally.first = !known && !tally.page->profiles && !tally.page->unsampled;
	if (!known || !before->unsampled)
		ADD(unsampled, 1);
	if (known)
		before->pid = 0;
	tally.unsampled = true;
}

void enlist_begin(const char *directory)
{
	tally.page = map_tally(directory, true);
	if (tally.page)
		begin_tally();
}

void enlist_forked(void)
{
	if (tally.page)
		begin_tally();
}

void enlist_started(uint64_t begun_ns)
{
	uint64_t cpu = cpu_now();

	if (!tally.page || cpu <= tally.before_ns)
		return;
	ADD(start_ns, cpu - tally.before_ns);
	ADD(own_ns, cpu - begun_ns);
}

void enlist_left_out(const char *directory)
{
	tally.page = map_tally(directory, false);
	if (tally.page)
		ADD(left_out, 1);
}

void enlist_exec(void)
{
	uint32_t pid = (uint32_t)sys0(SYS_getpid);

	if (tally.page)
		*exec_of(pid) =
			(struct live_exec){ pid, tally.unsampled, cpu_now() };
}

void enlist_unfit(enum live_unfit why)
{
	if (tally.page)
		__atomic_fetch_or(&tally.page->unfit, why, __ATOMIC_RELAXED);
}

void enlist_unfit_self(const char *directory, enum live_unfit why)
{
	tally.page = map_tally(directory, false);
	enlist_unfit(why);
}

struct live_request *enlist_request(void)
{
	return tally.page ? &tally.page->request : NULL;
}

SIGSAFE void enlist_profile(void)
{
	if (!tally.page)
		return;
	ADD(profiles, 1);
	if (tally.unsampled)
		ADD(unsampled, -1);
	tally.unsampled = false;
}

SIGSAFE void enlist_failed(void)
{
	if (tally.page)
		ADD(failed, 1);
}

uint64_t enlist_odds(uint64_t period_ns)
{
	uint32_t made = tally.page ? tally.page->profiles : 0;
	uint64_t odds = 1;

	if (tally.first)
		return 0;
	for (; made >= ENOUGH && 2 * odds * period_ns <= LONGEST_NS;
	     made -= ENOUGH)
		odds *= 2;
	return odds;
}
