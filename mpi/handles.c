/* SPDX-License-Identifier: BSD-3-Clause */
/* handles.c - open addressing; removed slots are marked, then reused. */
#include "mpi/handles.h"

static uintptr_t key_at(const struct handles *h, uint32_t at)
{
	return atomic_load_explicit(&h->keys[at], memory_order_relaxed);
}

int handles_reserve(struct handles *h, uintptr_t handle)
{
	uint32_t size = 1u << h->bits;
	uint32_t at = handles_hash(h->bits, handle);
	int slot;

	pthread_mutex_lock(&h->lock);
	slot = handles_find(h, handle);
	if (slot >= 0)
		return slot;
	if (h->used >= size / 4 * 3) {
		pthread_mutex_unlock(&h->lock);
		return -1;
	}
	while (key_at(h, at) > HANDLES_REMOVED)
		at = (at + 1) & (size - 1);
	return (int)at;
}

void handles_publish(struct handles *h, int slot, uintptr_t handle)
{
	if (key_at(h, (uint32_t)slot) != handle)
		h->used++;
	atomic_store_explicit(&h->keys[slot], handle, memory_order_release);
	pthread_mutex_unlock(&h->lock);
}

void handles_remove(struct handles *h, uintptr_t handle)
{
	uint32_t mask = (1u << h->bits) - 1;
	int slot;

	pthread_mutex_lock(&h->lock);
	slot = handles_find(h, handle);
	if (slot >= 0) {
		uint32_t at = (uint32_t)slot;

		h->used--;
		atomic_store(&h->keys[at], HANDLES_REMOVED);
		/* A mark at the end of its chain is not needed. */
		while (key_at(h, at) == HANDLES_REMOVED &&
		       key_at(h, (at + 1) & mask) == HANDLES_FREE) {
			atomic_store(&h->keys[at], HANDLES_FREE);
			at = (at - 1) & mask;
		}
	}
	pthread_mutex_unlock(&h->lock);
}

void handles_forked(struct handles *h)
{
	pthread_mutex_init(&h->lock, NULL);
}
