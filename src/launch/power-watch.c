/* SPDX-License-Identifier: BSD-3-Clause */
/* power-watch.c - reads the few words of live profiles that matter here. */
#include "launch/power-loop.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "launch/livedir.h"
#include "live/layout.h"

static bool read_process_memory(int fd, uint64_t offset, void *to, size_t size)
{
	return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* "01234567-89ab-…", as nvidia-smi writes it behind "GPU-". */
static void write_board_uuid(char to[40], const uint8_t uuid[16])
{
	size_t at = 0;

	for (size_t i = 0; i < 16; i++)
		at += (size_t)snprintf(to + at, 40 - at, "%s%02x",
				       i >= 4 && i <= 10 && !(i % 2) ? "-" : "",
				       uuid[i]);
}

/* Its board, LIVE_POWER_NO_BOARD: it has none.  NVML is asked once. */
static uint32_t board_of_watch(struct watch *w, const uint8_t uuid[16])
{
	struct live_power *p = w->power;
	struct live_power_device *d = p->devices;
	char text[40];
	bool is_mig = false;

	write_board_uuid(text, uuid);
	for (uint32_t i = 0; i < p->device_count; i++)
		if (!strcmp(d[i].uuid, text))
			return d[i].board;
	if (p->device_count == LIVE_POWER_DEVICES)
		return LIVE_POWER_NO_BOARD;
	d += p->device_count;
	memcpy(d->uuid, text, sizeof(text));
	d->board = w->board_of(w->to, text, &is_mig);
	d->is_mig = is_mig;
	__atomic_store_n(&p->device_count, p->device_count + 1,
			 __ATOMIC_RELEASE);
	return d->board;
}

/* The list may be longer, or run in a circle. */
static void look_at_devices(struct watch *w, int fd, live_ref ref,
			    struct watch_process *to)
{
	bool sees[LIVE_POWER_BOARDS] = { 0 }, used = false;
	struct live_device d;

	for (size_t i = 0; ref && i < LIVE_POWER_DEVICES; i++, ref = d.next) {
		uint32_t board;

		if (!read_process_memory(fd, (uint64_t)ref * LIVE_UNIT, &d,
					 sizeof(d)))
			break;
		board = board_of_watch(w, d.uuid);
		if (board >= LIVE_POWER_BOARDS)
			continue;
		to->sees_any = sees[board] = true;
		if (d.kernels + d.copies)
			used = to->uses[board] = true;
	}
	if (!used)
		memcpy(to->uses, sees, sizeof(sees));
}

static bool look_at_process(struct watch *w, int fd, struct watch_process *to)
{
	struct live_header h;
	struct live_thread t;

	*to = (struct watch_process){ 0 };
	if (!read_process_memory(fd, 0, &h, sizeof(h)) ||
	    h.magic != LIVE_MAGIC || h.version != LIVE_VERSION)
		return false;
	look_at_devices(w, fd, h.gpu_devices, to);
	to->pid = h.pid;
	to->start_ns = h.start_mono_ns;
	if (h.threads &&
	    read_process_memory(fd, (uint64_t)h.threads * LIVE_UNIT, &t,
				sizeof(t)))
		to->phase = t.phase;
	return true;
}

static void look_at_live_file(struct watch *w, const char *name)
{
	char *path = str_format("%s/%s", w->folder, name);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;

	if (fd >= 0 && look_at_process(w, fd, &w->at[w->count]))
		w->count++;
	if (fd >= 0)
		close(fd);
	free(path);
}

void watch_look(struct watch *w)
{
	struct live_file *files;
	size_t count = livedir_files(w->folder, &files);

	w->count = 0;
	for (size_t i = 0; i < count && w->count < WATCH_PROCESSES; i++)
		look_at_live_file(w, files[i].name);
	free(files);
}

static bool lists_devices(const struct watch *w, const char *name)
{
	char *path = str_format("%s/%s", w->folder, name);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct live_header h = { 0 };

	if (fd >= 0 && !read_process_memory(fd, 0, &h, sizeof(h)))
		h.gpu_devices = 0;
	if (fd >= 0)
		close(fd);
	free(path);
	return h.gpu_devices != 0;
}

bool watch_sees_devices(const struct watch *w)
{
	struct live_file *files;
	size_t count = livedir_files(w->folder, &files);
	bool sees = false;

	for (size_t i = 0; i < count && !sees; i++)
		sees = lists_devices(w, files[i].name);
	free(files);
	return sees;
}
