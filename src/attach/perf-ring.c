/* SPDX-License-Identifier: BSD-3-Clause */
/* perf-ring.c - see perf-ring.h. */
#include "attach/perf-ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arch/page-size.h"
#include "arch/perf-registers.h"
#include "base/perf-attr.h"

enum {
	RECORD_MOST = 1 << 16 /* its size has 16 bits */
};

static int map_perf_ring(struct perf_ring *r, size_t room)
{
	void *at = mmap(NULL, page_size() + room, PROT_READ | PROT_WRITE,
			MAP_SHARED, r->fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	r->page = at;
	r->size = page_size() + room;
	return 0;
}

int perf_ring_open(struct perf_ring *r, pid_t tid, uint64_t period_ns,
		   bool kernel, bool wakes, uint32_t dump, size_t room)
{
	struct perf_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_READ | PERF_SAMPLE_REGS_USER |
			       PERF_SAMPLE_STACK_USER,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_regs_user = PERF_REGISTERS,
		.sample_stack_user = dump,
		.watermark = !wakes, /* bytes: nobody waits for so many */
		.wakeup_events = wakes ? 1 : UINT32_MAX,
	};
	int err;

	*r = (struct perf_ring){ .dump = dump };
	r->fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1,
			     PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0)
		return -errno;
	err = map_perf_ring(r, room);
	r->record = err ? NULL : malloc(RECORD_MOST);
	if (!err && !r->record)
		err = -ENOMEM;
	if (err)
		perf_ring_close(r);
	return err;
}

void perf_ring_close(struct perf_ring *r)
{
	if (r->page)
		munmap(r->page, r->size);
	if (r->fd >= 0)
		close(r->fd);
	free(r->record);
	*r = (struct perf_ring){ .fd = -1 };
}

static void copy_from_ring(const struct perf_ring *r, void *to, uint64_t at,
			   size_t size)
{
	size_t data = r->size - page_size(), from = at & (data - 1);
	size_t part = size < data - from ? size : data - from;
	const char *begin = r->page + page_size();

	memcpy(to, begin + from, part);
	memcpy((char *)to + part, begin, size - part);
}

/* What follows the head of a record of a sample; false: it is cut. */
static bool parse_sample(struct perf_sample *to, const char *at, size_t size)
{
	enum {
		WORDS = 4 /* time, core, counter, ABI */
	};
	const uint64_t *word = (const void *)at;
	size_t count = size / sizeof(*word), next = WORDS;
	uint64_t got;

	if (count < WORDS)
		return false;
	*to = (struct perf_sample){ .ns = word[0],
				    .core = (uint32_t)word[1],
				    .clock = word[2] };
	if (word[3] != PERF_REGISTERS_ABI)
		return true;
	if (count < WORDS + PERF_REGISTERS_COUNT + 1)
		return false;
	perf_registers_take(&to->registers, word + next);
	next += PERF_REGISTERS_COUNT;
	to->user = true;
	got = word[next++];
	if (got && got < size && next + got / sizeof(*word) < count) {
		to->stack = (const char *)(word + next);
		to->stack_size = word[next + got / sizeof(*word)];
		if (to->stack_size > got)
			to->stack_size = got;
	}
	return true;
}

bool perf_ring_next(struct perf_ring *r, struct perf_sample *to)
{
	struct perf_event_mmap_page *page = (void *)r->page;
	struct perf_event_header head;
	uint64_t end, lost[2];
	bool found = false;

	if (!page)
		return false;
	end = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	while (!found && page->data_tail < end) {
		copy_from_ring(r, &head, page->data_tail, sizeof(head));
		if (head.size < sizeof(head))
			break;
		copy_from_ring(r, r->record, page->data_tail, head.size);
		if (head.type == PERF_RECORD_SAMPLE) {
			found = parse_sample(to, r->record + sizeof(head),
					     head.size - sizeof(head));
		} else if (head.type == PERF_RECORD_LOST &&
			   head.size >= sizeof(head) + sizeof(lost)) {
			memcpy(lost, r->record + sizeof(head), sizeof(lost));
			r->lost += lost[1];
		}
		__atomic_store_n(&page->data_tail, page->data_tail + head.size,
				 __ATOMIC_RELEASE);
	}
	return found;
}

bool perf_ring_has_more(const struct perf_ring *r)
{
	const struct perf_event_mmap_page *page = (void *)r->page;

	return page && page->data_tail < __atomic_load_n(&page->data_head,
							 __ATOMIC_ACQUIRE);
}

uint64_t perf_ring_clock(const struct perf_ring *r)
{
	uint64_t clock = 0;

	if (r->fd >= 0 && read(r->fd, &clock, sizeof(clock)) < 0)
		clock = 0;
	return clock;
}
