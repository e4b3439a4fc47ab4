/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.h - which GPUs all ranks used. */
#pragma once

#include "profile/profile.h"

/* Time inside calls of CUDA, on the thread of MPI_Init, else the first. */
uint64_t devices_offload(const struct profile *profile);
