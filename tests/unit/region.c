/* SPDX-License-Identifier: BSD-3-Clause */
/* region.c - no call is lost to a thread that has no core for a while. */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "collect/regions/region.h"
#include "collect/thread.h"
#include "live/layout.h"
#include "live/tree.h"
#include "tests/unit/measured.h"

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

enum {
	PAGE = 4096
};

/* Who reads the page waits until it is given; -1: not to be had here. */
static int page_that_waits(char **page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register whole = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);

	*page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(*page != MAP_FAILED);
	whole.range.start = (uintptr_t)*page;
	whole.range.len = PAGE;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &whole))
		return -1;
	return fd;
}

static struct {
	int fd;
	char *page;
	struct region_name name; /* its text is on the page */
} slow;

/* Holds the lists meanwhile. */
static void *add_slow_name(void *unused)
{
	uint32_t index;

	CHECK(registry_name(&slow.name, &index));
	return unused;
}

static void *give_page_later(void *unused)
{
	static char text[PAGE] = "slow";
	struct uffdio_copy copy = { .dst = (uintptr_t)slow.page,
				    .src = (uintptr_t)text,
				    .len = PAGE };

	usleep(100000);
	CHECK(!ioctl(slow.fd, UFFDIO_COPY, &copy));
	return unused;
}

static __attribute__((noinline)) void call(struct region_name *name)
{
	const struct region_values none = { .root = LIVE_NO_ROOT };
	struct region r;

	region_enter(&r, name);
	region_stop(&r);
	copse_region_leave(&r, &none);
}

static void measure_this_thread(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	measured_begin(8);
	thread_start(here - 65536, here + 4096, "");
}

TEST(a_call_waits_for_who_is_at_the_lists)
{
	static struct region_name first = { .text = "MPI_Init",
					    .class = LIVE_NAME_MPI },
				  second = { .text = "MPI_Isend",
					     .class = LIVE_NAME_MPI };
	pthread_t holder, giver;
	struct uffd_msg fault;
	struct profile *p;

	slow.fd = page_that_waits(&slow.page);
	if (slow.fd < 0)
		SKIP("no page that waits for us: userfaultfd");
	slow.name.text = slow.page;
	measure_this_thread();
	call(&first);
	CHECK(!pthread_create(&holder, NULL, add_slow_name, NULL));
	CHECK(read(slow.fd, &fault, sizeof(fault)), ==, sizeof(fault));
	CHECK(!pthread_create(&giver, NULL, give_page_later, NULL));
	call(&second);
	pthread_join(holder, NULL);
	pthread_join(giver, NULL);
	thread_stop();
	p = measured_profile();
	CHECK(measured_total(p, "mpi.calls"), ==, 2);
	profile_free(p);
}

/* The caller's path is known, and there is no room for another call below it.
 */
TEST(a_call_without_room_is_a_counted_loss)
{
	static struct region_name names[] = {
		{ .text = "MPI_Init", .class = LIVE_NAME_MPI },
		{ .text = "MPI_Isend", .class = LIVE_NAME_MPI }
	};
	struct live_thread *live;
	struct thread *t;
	uint32_t index;

	measure_this_thread();
	t = thread_self();
	CHECK(registry_name(&names[1], &index));
	for (uint64_t i = 0; i < 2; i++) {
		call(&names[i]);
		while (!i && tree_child(&t->tree, t->tree.root, LIVE_NODE_PC, 0,
					++index))
			;
	}
	live = t->live;
	CHECK(live->losses[LOSS_DROPPED_FULL], ==, 1);
	CHECK(!live->slowest_ns); /* beside the losses */
	thread_stop();
}

/* Was it known where it was called from? */
static __attribute__((noinline)) bool call_is_known(struct region_name *name)
{
	const struct region_values none = { .root = LIVE_NO_ROOT };
	struct region r;
	bool known;

	region_enter(&r, name);
	known = r.site && r.site->call; /* not learnt just now */
	region_stop(&r);
	copse_region_leave(&r, &none);
	return known;
}

enum {
	CALLERS = 12
};

/* One function that calls, and its callers: no two calls go on alike. */
static __attribute__((noinline)) bool call_for(struct region_name *name,
					       int caller)
{
	bool known = false;

	switch (caller) {
#define CALLER(n)                                                              \
	case n:                                                                \
		known = call_is_known(name);                                   \
		__asm__ volatile("# " #n : "+r"(known));                       \
		break
		CALLER(0);
		CALLER(1);
		CALLER(2);
		CALLER(3);
		CALLER(4);
		CALLER(5);
		CALLER(6);
		CALLER(7);
		CALLER(8);
		CALLER(9);
		CALLER(10);
		CALLER(11);
#undef CALLER
	}
	return known;
}

static __attribute__((noinline)) bool call_as(struct region_name *name,
					      int caller)
{
	bool known = false;

	switch (caller % 3) {
#define CALLER(n)                                                              \
	case n:                                                                \
		known = call_for(name, caller / 3);                            \
		__asm__ volatile("# " #n : "+r"(known));                       \
		break
		CALLER(0);
		CALLER(1);
		CALLER(2);
#undef CALLER
	}
	return known;
}

/* With paths, which are not deep: nothing else sets how deep they may be. */
static void measure_paths_of_this_thread(void)
{
	enum {
		DEPTH = 64
	};
	struct unwinder *u;
	pthread_attr_t attr;
	void *low, *memory = calloc(1, unwind_size(DEPTH));
	size_t size;

	CHECK(memory && !pthread_getattr_np(pthread_self(), &attr) &&
	      !pthread_attr_getstack(&attr, &low, &size));
	pthread_attr_destroy(&attr);
	measure_this_thread();
	u = &thread_self()->unwinder;
	unwind_init(u, memory, DEPTH);
	unwind_reuse(u, (uintptr_t)low, (uintptr_t)low + size);
}

/* In the fourth turn in another order; no reason for a loop of its own. */
static __attribute__((noipa)) int caller_in_turn(int turn, int i)
{
	return i * (turn < 3 ? 1 : 7) % (3 * CALLERS);
}

TEST(the_callers_of_a_function_are_all_known)
{
	static struct region_name name = { .text = "MPI_Send",
					   .class = LIVE_NAME_MPI };
	int unknown[4] = { 0 };

	measure_paths_of_this_thread();
	/* The second time it may learn with more room. */
	for (int turn = 0; turn < 4; turn++)
		for (int i = 0; i < 3 * CALLERS; i++)
			unknown[turn] +=
				!call_as(&name, caller_in_turn(turn, i));
	thread_stop();
	CHECK(unknown[0], ==, 3 * CALLERS);
	CHECK(!unknown[2] && !unknown[3]);
}

/* Calls from 2^depth paths, either branch first; gives those that are known. */
static __attribute__((noipa)) uint32_t call_from_paths(int depth, int first)
{
	static struct region_name name = { .text = "MPI_Isend",
					   .class = LIVE_NAME_MPI };
	const struct region_values none = { .root = LIVE_NO_ROOT };
	uint32_t known = 0;
	struct region r;

	for (int i = 0; depth && i < 2; i++) {
		if (i ^ first)
			known += call_from_paths(depth - 1, first);
		else
			known += call_from_paths(depth - 1, first);
		__asm__ volatile("" ::: "memory"); /* two calls, not one */
	}
	if (depth)
		return known;
	region_enter(&r, &name);
	known = r.site != NULL;
	copse_region_leave(&r, &none);
	return known;
}

TEST(calls_from_thousands_of_paths_are_known_again)
{
	uint32_t known[5];

	measure_paths_of_this_thread();
	for (int turn = 0; turn < 5; turn++)
		known[turn] = call_from_paths(12, turn == 4);
	thread_stop();
	CHECK(known[3], ==, 4096);
	CHECK(known[4], ==, 4096); /* not those that are expected */
}
