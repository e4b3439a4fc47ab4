/* SPDX-License-Identifier: BSD-3-Clause */
/* memory-watch.c - see memory-watch.h. */
#include "launch/memory-watch.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "launch/livedir.h"
#include "launch/memory-pages.h"

enum {
	WATCHED_MOST = 64 /* a script may start thousands */
};

#define PAGES_MOST (16ull << 30) /* bytes of a process: 0.3 s */

struct watched_process {
	struct live_file file;
	bool ended;
	struct live_footprint of;
};

void memory_watch_start(struct memory_watch *w)
{
	memory_limits_open(&w->limits, "/proc", "/sys/fs/cgroup");
	w->kills = memory_kills(&w->limits);
}

void memory_watch_fini(struct memory_watch *w)
{
	memory_limits_close(&w->limits);
	free(w->at);
	w->at = NULL;
	w->count = 0;
}

/* Bytes; 0: it has ended. */
static uint64_t resident_bytes(pid_t pid)
{
	char path[64], text[128] = "";
	unsigned long long size, resident = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) > 0 &&
	    sscanf(text, "%llu %llu", &size, &resident) != 2)
		resident = 0;
	close(fd);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Of several images of a process only the last one lives. */
static bool watch_file(struct memory_watch *w, const struct live_file *file)
{
	struct watched_process fresh = { .file = *file };
	struct watched_process *free_place = NULL;

	for (size_t i = 0; i < w->count; i++) {
		struct watched_process *p = &w->at[i];

		if (p->file.pid == file->pid) {
			if (p->file.sequence >= file->sequence)
				return true;
			p->ended = true;
		}
		if (p->ended)
			free_place = p;
	}
	if (w->count < WATCHED_MOST)
		return array_append(&w->at, &w->count, &w->room, sizeof(fresh),
				    &fresh);
	if (free_place)
		*free_place = fresh;
	return free_place;
}

static void find_watched(struct memory_watch *w, const char *folder)
{
	struct live_file *files;
	size_t count = livedir_files(folder, &files);

	for (size_t i = 0; i < count; i++)
		if (!watch_file(w, &files[i]))
			break;
	free(files);
}

static bool has_folder_changed(struct memory_watch *w, const char *folder)
{
	struct stat st;
	uint64_t ns;

	if (stat(folder, &st))
		return false;
	ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
	     (uint64_t)st.st_mtim.tv_nsec;
	if (ns == w->listed_ns)
		return false;
	w->listed_ns = ns;
	return true;
}

static void write_footprint(const struct memory_watch *w, const char *folder,
			    struct watched_process *p)
{
	p->of.host_total = w->limits.total;
	p->of.limit = w->limits.limit;
	harvest_write_header(folder, &p->file, &p->of, sizeof(p->of),
			     offsetof(struct live_header, footprint));
}

/*
 * At the first reading, the second, the fourth, …: the kernel walks all pages,
 * and meanwhile the process cannot map memory.
 */
static void look_at_pages(struct watched_process *p)
{
	struct memory_pages pages;
	char folder[64];

	if (p->of.peak > PAGES_MOST || p->of.readings & (p->of.readings - 1))
		return;
	snprintf(folder, sizeof(folder), "/proc/%d", (int)p->file.pid);
	memory_pages_read(&pages, folder, "/sys/devices/system/node");
	if (pages.huge > p->of.huge)
		p->of.huge = pages.huge;
	if (pages.far > p->of.far)
		p->of.far = pages.far;
}

void memory_watch_look(struct memory_watch *w, const struct harvest *h,
		       uint64_t now)
{
	struct footprint_reading r = {
		.ns = now,
		.available = memory_available(&w->limits),
		.group = memory_held(&w->limits),
	};
	uint64_t kills = memory_kills(&w->limits) - w->kills;

	if (has_folder_changed(w, h->live_dir))
		find_watched(w, h->live_dir);
	for (size_t i = 0; i < w->count; i++) {
		struct watched_process *p = &w->at[i];

		if (p->ended)
			continue;
		r.resident = resident_bytes(p->file.pid);
		p->ended = !r.resident;
		if (p->ended)
			continue;
		footprint_add(&p->of, &r);
		if (w->pages)
			look_at_pages(p);
		p->of.oom_kills = kills;
		write_footprint(w, h->live_dir, p);
	}
}

/* What the kernel says in the end; the peak is one's if there was only one. */
void memory_watch_end(struct memory_watch *w, const struct harvest *h,
		      uint64_t peak)
{
	uint64_t kills = memory_kills(&w->limits) - w->kills;

	find_watched(w, h->live_dir);
	for (size_t i = 0; i < w->count; i++) {
		struct live_footprint *f = &w->at[i].of;

		if (w->count == 1 && w->at[i].file.pid == h->child &&
		    peak > f->peak) {
			f->peak = peak;
			f->peak_ns = 0;
		}
		f->group_peak = memory_peak(&w->limits);
		f->refusals = memory_refusals(&w->limits);
		f->oom_kills = kills;
		write_footprint(w, h->live_dir, &w->at[i]);
	}
}
