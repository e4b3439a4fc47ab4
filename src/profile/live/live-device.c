/* SPDX-License-Identifier: BSD-3-Clause */
/* live-device.c - what a live profile says of devices and streams, read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "profile/live/live-reader.h"

/* What a context had a device do, of all names that it had there. */
void reader_work(struct reader *r, uint32_t node, uint32_t device,
		 uint64_t count, uint64_t ns)
{
	struct profile *p = r->p;
	uint32_t at;

	if (!reader_grow(r, &p->works, p->work_count, sizeof(*p->works)))
		return;
	at = map_put(&r->works, node, device, (uint32_t)p->work_count);
	if (at == MAP_NONE) {
		reader_no_memory(r);
		return;
	}
	if (at == p->work_count)
		p->works[p->work_count++] =
			(struct profile_work){ node, device, 0, 0 };
	p->works[at].count += count;
	p->works[at].ns += ns;
}

/* "GPU-01234567-89ab-…", as nvidia-smi says it. */
static void write_device_uuid(char *to, size_t size, const uint8_t uuid[16],
			      bool mig)
{
	static const uint8_t none[16];
	size_t at;

	to[0] = 0;
	if (!memcmp(uuid, none, sizeof(none)))
		return;
	at = (size_t)snprintf(to, size, "%s", mig ? "MIG" : "GPU");
	for (size_t i = 0; i < sizeof(none) && at < size; i++)
		at += (size_t)snprintf(
			to + at, size - at, "%s%02x",
			i == 0 || (i >= 4 && i <= 10 && !(i % 2)) ? "-" : "",
			uuid[i]);
}

static void take_device_bins(struct reader *r, uint32_t device,
			     const struct live_device *d)
{
	struct profile *p = r->p;
	const void *at;

	if (!d->bins || d->moving & 1)
		return;
	at = reader_claim(r, d->bins, LIVE_BINS * sizeof(uint64_t));
	for (uint32_t i = 0; at && i < LIVE_BINS; i++) {
		uint64_t ns, most = (uint64_t)1 << d->bin_shift;

		memcpy(&ns, (const char *)at + i * sizeof(ns), sizeof(ns));
		if (!ns ||
		    !reader_grow(r, &p->bins, p->bin_count, sizeof(*p->bins)))
			continue;
		p->bins[p->bin_count++] =
			(struct profile_bin){ device, i,
					      ns < most ? ns : most };
	}
}

/* Times that cannot be: a copy may have been made between two stores. */
static uint64_t time_within(uint64_t ns, uint64_t most)
{
	return ns < most ? ns : most;
}

static bool is_device_valid(const struct live_device *d)
{
	return d->bin_shift < 64 && d->first_ns <= d->last_ns &&
	       d->last_ns <= PROFILE_TIME_MOST &&
	       d->first_bin <= PROFILE_TIME_MOST >> d->bin_shift;
}

static void put_device(struct reader *r, const struct live_device *d)
{
	struct profile *p = r->p;
	struct profile_device *to = &p->devices[p->device_count];
	uint64_t span = d->last_ns - d->first_ns;
	char *name = reader_string(r, d->name);

	*to = (struct profile_device){
		.id = d->id,
		.instance = d->instance,
#define COLUMN(type, name, ...) .name = d->name,
#define ADDED                   COLUMN
#include "live/device.def"
#undef COLUMN
#undef ADDED
		.first_bin = d->first_bin,
		.bin_shift = d->bin_shift,
		.kernels_until_ns = d->kernels_until_ns,
		.copies_until_ns = d->copies_until_ns,
	};
	to->busy_ns = time_within(d->busy_ns, span);
	to->kernels_ns = time_within(d->kernels_ns, span);
	to->copies_ns = time_within(d->copies_ns, span);
	write_device_uuid(to->uuid, sizeof(to->uuid), d->uuid,
			  d->instance >= 0);
	snprintf(to->name, sizeof(to->name), "%s", name ? name : "");
	free(name);
	take_device_bins(r, (uint32_t)p->device_count++, d);
}

static live_ref take_live_device(struct reader *r, const void *at)
{
	struct profile *p = r->p;
	struct live_device d;

	memcpy(&d, at, sizeof(d));
	if (!is_device_valid(&d))
		r->damaged++;
	else if (reader_grow(r, &p->devices, p->device_count,
			     sizeof(*p->devices)))
		put_device(r, &d);
	return d.next;
}

static live_ref take_stream(struct reader *r, const void *at)
{
	struct profile *p = r->p;
	struct live_stream s;

	memcpy(&s, at, sizeof(s));
	if (s.first_ns > s.last_ns || s.last_ns > PROFILE_TIME_MOST) {
		r->damaged++;
		return s.next;
	}
	if (s.kernels + s.copies &&
	    reader_grow(r, &p->streams, p->stream_count, sizeof(*p->streams)))
		p->streams[p->stream_count++] = (struct profile_stream){
			.device = s.device,
			.context = s.context,
			.stream = s.stream,
			.busy_ns = s.busy_ns,
			.kernels_ns = s.kernels_ns,
			.first_ns = s.first_ns,
			.last_ns = s.last_ns,
			.kernels = s.kernels,
			.copies = s.copies,
		};
	return s.next;
}

/* Devices that are there and were not used are nobody's; they have no bins. */
static void leave_out_unused(struct profile *p)
{
	size_t kept = 0, bin = 0;

	for (size_t i = 0; i < p->device_count; i++) {
		const struct profile_device *d = &p->devices[i];

		for (; bin < p->bin_count && p->bins[bin].device == i; bin++)
			p->bins[bin].device = (uint32_t)kept;
		if (d->kernels + d->copies)
			p->devices[kept++] = *d;
	}
	p->device_count = kept;
}

/* At least 1: it is not the whole time. */
static uint64_t known_ns(const struct live_header *h)
{
	const struct live_gpu_times *t = &h->gpu_times;
	uint64_t from = h->start_mono_ns;
	uint64_t ns = t->until_ns > from ? t->until_ns - from : 0;

	if (!t->until_ns)
		return 0;
	return ns > t->until_paused_ns ? ns - t->until_paused_ns : 1;
}

static void read_devices(struct reader *r)
{
	const struct live_gpu_times *t = &r->header.gpu_times;

	r->p->gpu_known.ns = known_ns(&r->header);

	reader_walk(r, r->header.gpu_devices, sizeof(struct live_device),
		    take_live_device);
	reader_walk(r, r->header.gpu_streams, sizeof(struct live_stream),
		    take_stream);
	if (t->first_ns <= t->last_ns && t->last_ns <= PROFILE_TIME_MOST)
		r->p->gpu = (struct profile_gpu_times){
			time_within(t->busy_ns, t->last_ns - t->first_ns),
			t->first_ns,
			t->last_ns,
			t->late,
			t->late_ns,
			t->first_paused_ns
		};
	else
		r->damaged++;
	reader_pieces(r);
	leave_out_unused(r->p);
}

ORDER_BY(by_profile_work, struct profile_work, ASC(node) ?: ASC(device))

static void order_works(struct reader *r)
{
	struct profile *p = r->p;

	if (p->work_count)
		qsort(p->works, p->work_count, sizeof(*p->works),
		      by_profile_work);
}

const struct live_section section_device = {
	.tables = read_devices,
	.order = order_works,
};
