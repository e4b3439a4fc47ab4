/* SPDX-License-Identifier: BSD-3-Clause */
/* device-claim.c - see device-claim.h. */
#include "cuda/device-claim.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cuda/cupti.h"
#include "cuda/device-names.h"

/* Its first byte is 0: a name that is no path. */
static socklen_t name_of(struct sockaddr_un *to, const CUuuid *uuid)
{
	int length = snprintf(to->sun_path + 1, sizeof(to->sun_path) - 1,
			      "copse-samples-");

	for (size_t i = 0; i < sizeof(uuid->bytes); i++)
		length += snprintf(to->sun_path + 1 + length, 3, "%02x",
				   (unsigned char)uuid->bytes[i]);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)length);
}

bool device_claim(uint32_t device, int *fd)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	bool others = false;
	CUuuid uuid;

	*fd = -1;
	if (!device_uuid((int)device, &uuid))
		return true;
	*fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (*fd >= 0 &&
	    bind(*fd, (const struct sockaddr *)&name, name_of(&name, &uuid))) {
		others = errno == EADDRINUSE;
		device_unclaim(fd);
	}
	return !others;
}

void device_unclaim(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
