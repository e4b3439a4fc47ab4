/* SPDX-License-Identifier: BSD-3-Clause */
/* io-passed.c - see io-passed.h. */
#include "collect/io/io-passed.h"

#include "base/hidden.h"
#include "collect/registry.h"
#include "collect/source.h"

enum {
	PASSED_READ,
	PASSED_WRITTEN,
	PASSED_URING,
	PASSED_AIO,
	PASSED
};

/* Mutable. */
static struct {
	uint64_t waiting[PASSED]; /* for a profile */
	uint64_t told;            /* bits of what counts once a process */
} passed RESET_AT_FORK;

SIGSAFE static uint64_t *passed_sum(struct live_header *header, int what)
{
	switch (what) {
	case PASSED_READ:
		return &header->io_other_read;
	case PASSED_WRITTEN:
		return &header->io_other_written;
	case PASSED_URING:
		return &header->losses[LOSS_IO_URING];
	default:
		return &header->losses[LOSS_IO_AIO];
	}
}

static void add_passed(int what, uint64_t count)
{
	struct live_header *header = registry_header();

	__atomic_fetch_add(header ? passed_sum(header, what)
				  : &passed.waiting[what],
			   count, __ATOMIC_RELAXED);
}

void io_passed_bytes(bool written, uint64_t bytes)
{
	add_passed(written ? PASSED_WRITTEN : PASSED_READ, bytes);
}

void io_passed_way(bool uring)
{
	int what = uring ? PASSED_URING : PASSED_AIO;
	uint64_t bit = 1u << what;

	if (!(__atomic_load_n(&passed.told, __ATOMIC_RELAXED) & bit) &&
	    !(__atomic_fetch_or(&passed.told, bit, __ATOMIC_RELAXED) & bit))
		add_passed(what, 1);
}

SIGSAFE static void describe_passed(struct live_header *header)
{
	for (int i = 0; i < PASSED; i++)
		if (passed.waiting[i])
			__atomic_fetch_add(
				passed_sum(header, i),
				__atomic_exchange_n(&passed.waiting[i], 0,
						    __ATOMIC_RELAXED),
				__ATOMIC_RELAXED);
}

AT_FORK static void forget_passed(void)
{
	for (int i = 0; i < PASSED; i++)
		passed.waiting[i] = 0;
	passed.told = 0;
}

const struct source source_io_passed = {
	.describe = describe_passed,
	.fork = forget_passed,
};
