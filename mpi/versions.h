/* SPDX-License-Identifier: BSD-3-Clause */
/* versions.h - how versions of MPI differ. */
#pragma once

#define MPI_HAS(version, subversion)                                           \
	(MPI_VERSION > (version) ||                                            \
	 (MPI_VERSION == (version) && MPI_SUBVERSION >= (subversion)))

/*
 * What MPI_Pready_list takes: MPI 4.0 forgot the const, which libraries have
 * from different versions on, whatever their MPI_VERSION.
 */
#define PARTITIONS                                                             \
	__typeof__(_Generic(&MPI_Pready_list, int (*)(int, int *, MPI_Request) \
			    : (int *)0, default                                \
			    : (const int *)0))
