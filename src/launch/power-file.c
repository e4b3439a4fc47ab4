/* SPDX-License-Identifier: BSD-3-Clause */
/* power-file.c - made by who reads power, taken by who copies live profiles. */
#include "launch/power-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"

static int open_power_file_in(const char *folder, int flags)
{
	char *path = str_format("%s/" LIVE_POWER_FILE, folder);
	int fd = path ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;

	free(path);
	return fd;
}

/* A page that cannot be backed later would be a SIGBUS. */
struct live_power *power_file_new(const char *folder)
{
	int fd = open_power_file_in(folder, O_RDWR | O_CREAT | O_EXCL);
	struct live_power *power = MAP_FAILED;
	int err = fd < 0 ? errno : posix_fallocate(fd, 0, sizeof(*power));

	if (!err) {
		power = mmap(NULL, sizeof(*power), PROT_READ | PROT_WRITE,
			     MAP_SHARED, fd, 0);
		err = power == MAP_FAILED ? errno : 0;
	}
	if (fd >= 0)
		close(fd);
	if (err) {
		fail(-err, "no room beside the live profile: %s",
		     strerror(err));
		return NULL;
	}
	power->magic = LIVE_POWER_MAGIC;
	power->size = sizeof(*power);
	return power;
}

void power_file_close(struct live_power *power)
{
	if (power)
		munmap(power, sizeof(*power));
}

static bool read_whole(int fd, struct live_power *to)
{
	return pread(fd, to, sizeof(*to), 0) == (ssize_t)sizeof(*to) &&
	       to->magic == LIVE_POWER_MAGIC && to->size == sizeof(*to);
}

void power_file_append(const char *folder, struct live_header **live,
		       size_t *size)
{
	size_t at = (*size + LIVE_UNIT - 1) / LIVE_UNIT * LIVE_UNIT;
	int fd = (*live)->gpu_devices ? open_power_file_in(folder, O_RDONLY)
				      : -1;
	char *bigger = NULL;

	if (fd < 0)
		return;
	(*live)->power = 0;
	if (at / LIVE_UNIT <= UINT32_MAX)
		bigger = realloc(*live, at + sizeof(struct live_power));
	if (bigger) {
		*live = (struct live_header *)bigger;
		memset(bigger + *size, 0, at - *size);
		if (read_whole(fd, (struct live_power *)(bigger + at))) {
			(*live)->power = (live_ref)(at / LIVE_UNIT);
			*size = at + sizeof(struct live_power);
		}
	}
	close(fd);
}
