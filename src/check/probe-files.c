/* SPDX-License-Identifier: BSD-3-Clause */
/* probe-files.c - where profiles grow, and where they go. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/err.h"
#include "check/probe.h"
#include "launch/livedir.h"

#define MIB   (1ull << 20)
#define LEAST (64 * MIB) /* for the profiles of a run */

static uint64_t bytes_free(const struct statfs *fs)
{
	return (uint64_t)fs->f_bavail * (uint64_t)fs->f_bsize;
}

static const char *size_text(char to[32], uint64_t bytes)
{
	bool small = bytes < 8 * MIB;

	snprintf(to, 32, "%" PRIu64 " %s",
		 (uint64_t)(bytes / (small ? 1024 : MIB)),
		 small ? "KiB" : "MiB");
	return to;
}

void probe_shared(struct finding *to, const struct doctor *d)
{
	uint64_t most = d->settings->memory * MIB;
	char room[32], size[32], share[32];
	struct live_note note = { .key = "check" };
	char path[PATH_MAX];
	struct statfs fs;

	if (statfs("/dev/shm", &fs)) {
		probe_found(to, FINDING_NO, "/dev/shm: %s", strerror(errno));
		probe_mend(to, "mount a tmpfs there");
		return;
	}
	if (livedir_new(path, &note)) {
		probe_found(to, FINDING_NO, "%s", fail_reason());
		probe_instead(to, "programs run unmeasured");
		probe_mend(to, "make /dev/shm writable to all (mode 1777), or "
			       "remove what is in the way");
		return;
	}
	livedir_remove(path);
	*strrchr(path, '/') = 0;
	probe_found(
		to, bytes_free(&fs) < most ? FINDING_LIMITED : FINDING_YES,
		"/dev/shm has %s of %s free; a process takes a few MiB, "
		"at most %s, in %.60s",
		size_text(room, bytes_free(&fs)),
		size_text(size, (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize),
		size_text(share, most), path);
	if (bytes_free(&fs) < most) {
		probe_instead(to, "what does not fit is dropped and counted");
		probe_mend(to,
			   "enlarge it (mount -o remount,size=…; "
			   "containers: --shm-size), or a smaller --memory");
	}
}

static int count_left(const char *path, void *to)
{
	struct live_note note;

	livedir_note(path, &note);
	if (!livedir_in_use(&note) && !livedir_lived_in(path))
		++*(size_t *)to;
	return 0;
}

void probe_left_overs(struct finding *to, const struct doctor *d)
{
	size_t count = 0;

	(void)d;
	if (livedir_each(count_left, &count)) {
		probe_found(to, FINDING_LIMITED, "%s", fail_reason());
		return;
	}
	if (!count) {
		probe_found(to, FINDING_YES, "none of killed runs in /dev/shm");
		return;
	}
	probe_found(to, FINDING_LIMITED,
		    "%zu of killed runs, which take memory in /dev/shm", count);
	probe_mend(to,
		   "copse recover (to see them), --all (to get the profiles), "
		   "or --remove --all (to remove them)");
}

static const struct {
	unsigned long magic;
	const char *name;
	bool network;
} kinds[] = {
	{ EXT4_SUPER_MAGIC, "ext4", false },
	{ XFS_SUPER_MAGIC, "xfs", false },
	{ BTRFS_SUPER_MAGIC, "btrfs", false },
	{ TMPFS_MAGIC, "tmpfs", false },
	{ OVERLAYFS_SUPER_MAGIC, "overlay", false },
	{ NFS_SUPER_MAGIC, "NFS", true },
	{ 0x00c36400, "Ceph", true },
	{ 0x0bd00bd0, "Lustre", true },
	{ 0x47504653, "GPFS", true },
	{ 0x19830326, "BeeGFS", true },
};

/* 0, or -1 and errno, also of what is no directory. */
static int open_probe_directory(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -1 : close(fd);
}

void probe_output(struct finding *to, const struct doctor *d)
{
	const char *kind = "a file system of another kind";
	char room[32];
	bool network = false;
	struct statfs fs;

	if (open_probe_directory(d->output) || statfs(d->output, &fs) ||
	    access(d->output, W_OK)) {
		probe_found(to, FINDING_LIMITED, "%.200s: %s", d->output,
			    strerror(errno));
		probe_mend(to, "give copse run another directory with -o");
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((unsigned long)fs.f_type == kinds[i].magic) {
			kind = kinds[i].name;
			network = kinds[i].network;
		}
	if (bytes_free(&fs) < LEAST)
		probe_mend(to,
			   "make room there, or take another directory (-o)");
	probe_found(to, bytes_free(&fs) < LEAST ? FINDING_LIMITED : FINDING_YES,
		    "%.200s: %s, %s free%s", d->output, kind,
		    size_text(room, bytes_free(&fs)),
		    network ? "; written once, when the program has ended"
			    : "");
}
