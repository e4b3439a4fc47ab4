/* SPDX-License-Identifier: BSD-3-Clause */
/* device-claim.c - see device-claim.h. */
#include "cuda/device.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cuda/cupti.h"

/* Its first byte is 0: a name that is no path. */
static socklen_t claim_name_of(struct sockaddr_un *to, const CUuuid *uuid)
{
	int length = snprintf(to->sun_path + 1, sizeof(to->sun_path) - 1,
			      "copse-samples-");

	for (size_t i = 0; i < sizeof(uuid->bytes); i++)
		length += snprintf(to->sun_path + 1 + length, 3, "%02x",
				   (unsigned char)uuid->bytes[i]);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)length);
}

/* Sockets have numbers of their own, on a device that is theirs alone. */
static ino_t socket_inode(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISSOCK(st.st_mode) ? st.st_ino : 0;
}

bool device_claim(uint32_t device, struct claim *claim)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	bool others = false;
	CUuuid uuid;

	claim->fd = -1;
	if (!device_uuid((int)device, &uuid))
		return true;
	claim->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	claim->inode = socket_inode(claim->fd);
	if (claim->fd >= 0 && bind(claim->fd, (const struct sockaddr *)&name,
				   claim_name_of(&name, &uuid))) {
		others = errno == EADDRINUSE;
		device_unclaim(claim);
	}
	return !others;
}

void device_unclaim(struct claim *claim)
{
	if (claim->fd >= 0 && claim->inode &&
	    socket_inode(claim->fd) == claim->inode)
		close(claim->fd);
	claim->fd = -1;
}
