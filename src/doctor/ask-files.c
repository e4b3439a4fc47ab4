/* SPDX-License-Identifier: BSD-3-Clause */
/* ask-files.c - where profiles grow, and where they go. */
#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/err.h"
#include "doctor/ask.h"
#include "launch/livedir.h"

static unsigned long long free_mib(const struct statfs *fs)
{
	return (unsigned long long)fs->f_bavail * (uint64_t)fs->f_bsize >> 20;
}

void probe_shared(struct finding *to, const struct doctor *d)
{
	unsigned long long most = d->settings->memory, room, size;
	struct live_note note = { .key = "check" };
	char path[PATH_MAX];
	struct statfs fs;

	if (statfs("/dev/shm", &fs)) {
		ask_found(to, FINDING_NO, "/dev/shm: %s", strerror(errno));
		ask_mend(to, "mount a tmpfs there");
		return;
	}
	if (livedir_new(path, &note)) {
		ask_found(to, FINDING_NO, "%s", fail_reason());
		ask_instead(to, "programs run unmeasured");
		ask_mend(to, "make /dev/shm writable to all (mode 1777), or "
			     "remove what is in the way");
		return;
	}
	livedir_remove(path);
	room = free_mib(&fs);
	size = (unsigned long long)fs.f_blocks * (uint64_t)fs.f_bsize >> 20;
	ask_found(to, room < most ? FINDING_LIMITED : FINDING_YES,
		  "/dev/shm has %llu of %llu MiB free; a process takes a few, "
		  "at most %llu",
		  room, size, most);
	if (room < most) {
		ask_instead(to, "what does not fit is dropped and counted");
		ask_mend(to, "enlarge it (mount -o remount,size=…; "
			     "containers: --shm-size), or a smaller --memory");
	}
}

static int count_left(const char *path, void *to)
{
	struct live_note note;

	/* Without a note a run is just beginning. */
	if (!livedir_note(path, &note) && !livedir_in_use(&note))
		++*(size_t *)to;
	return 0;
}

void probe_left_overs(struct finding *to, const struct doctor *d)
{
	size_t count = 0;

	(void)d;
	if (livedir_each(count_left, &count)) {
		ask_found(to, FINDING_LIMITED, "%s", fail_reason());
		return;
	}
	if (!count) {
		ask_found(to, FINDING_YES, "none of killed runs in /dev/shm");
		return;
	}
	ask_found(to, FINDING_LIMITED,
		  "%zu of killed runs, which take memory in /dev/shm", count);
	ask_mend(to, "copse recover (to get the profiles), or copse recover "
		     "--clean 0 (to remove them)");
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
	{ CEPH_SUPER_MAGIC, "Ceph", true },
	{ 0x0bd00bd0, "Lustre", true },
	{ 0x47504653, "GPFS", true },
	{ 0x19830326, "BeeGFS", true },
};

void probe_output(struct finding *to, const struct doctor *d)
{
	const char *kind = "a file system of another kind";
	bool network = false;
	struct statfs fs;

	if (statfs(d->output, &fs) || access(d->output, W_OK)) {
		ask_found(to, FINDING_LIMITED, "%.200s: %s", d->output,
			  strerror(errno));
		ask_mend(to, "give copse run another directory with -o");
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((unsigned long)fs.f_type == kinds[i].magic) {
			kind = kinds[i].name;
			network = kinds[i].network;
		}
	ask_found(to, free_mib(&fs) < 64 ? FINDING_LIMITED : FINDING_YES,
		  "%.200s: %s, %llu MiB free%s", d->output, kind, free_mib(&fs),
		  network ? "; written once, when the program has ended" : "");
}
