/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi.h - the part of the standard binary interface (MPI 5.0, chapter 20 and
 * appendix A) that the wrappers need.  Functions are declared as functions.tbl
 * has them.
 */
#pragma once

#include <stdint.h>

#define MPI_VERSION    5
#define MPI_SUBVERSION 0

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Datatype *MPI_Datatype;
typedef struct MPI_ABI_Errhandler *MPI_Errhandler;
typedef struct MPI_ABI_File *MPI_File;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Info *MPI_Info;
typedef struct MPI_ABI_Message *MPI_Message;
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Request *MPI_Request;
typedef struct MPI_ABI_Session *MPI_Session;
typedef struct MPI_ABI_Win *MPI_Win;

typedef struct {
	int MPI_SOURCE, MPI_TAG, MPI_ERROR;
	int MPI_internal[5];
} MPI_Status;

#define MPI_NO_OP         ((MPI_Op)0x3d)
#define MPI_COMM_NULL     ((MPI_Comm)0x100)
#define MPI_COMM_WORLD    ((MPI_Comm)0x101)
#define MPI_COMM_SELF     ((MPI_Comm)0x102)
#define MPI_REQUEST_NULL  ((MPI_Request)0x180)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_BYTE          ((MPI_Datatype)0x247)

#define MPI_IN_PLACE        ((void *)1)
#define MPI_STATUS_IGNORE   ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)

enum {
	MPI_SUCCESS = 0,
	MPI_ERR_OTHER = 16,

	MPI_ANY_SOURCE = -1,
	MPI_ANY_TAG = -2,
	MPI_PROC_NULL = -3,
	MPI_ROOT = -4,
	MPI_UNDEFINED = -32766,

	MPI_THREAD_SINGLE = 0,
	MPI_THREAD_MULTIPLE = 4096,

	MPI_CART = 211,
	MPI_GRAPH = 212,
	MPI_DIST_GRAPH = 213,

	MPI_COMBINER_NAMED = 101,

	MPI_MAX_LIBRARY_VERSION_STRING = 8192
};

/* The program's functions are only passed on. */
#define CALLBACK(name) typedef void name(void);
CALLBACK(MPI_Comm_copy_attr_function)
CALLBACK(MPI_Comm_delete_attr_function)
CALLBACK(MPI_Comm_errhandler_function)
CALLBACK(MPI_Datarep_conversion_function)
CALLBACK(MPI_Datarep_conversion_function_c)
CALLBACK(MPI_Datarep_extent_function)
CALLBACK(MPI_File_errhandler_function)
CALLBACK(MPI_Grequest_cancel_function)
CALLBACK(MPI_Grequest_free_function)
CALLBACK(MPI_Grequest_query_function)
CALLBACK(MPI_Session_errhandler_function)
CALLBACK(MPI_Type_copy_attr_function)
CALLBACK(MPI_Type_delete_attr_function)
CALLBACK(MPI_User_function)
CALLBACK(MPI_User_function_c)
CALLBACK(MPI_Win_copy_attr_function)
CALLBACK(MPI_Win_delete_attr_function)
CALLBACK(MPI_Win_errhandler_function)
#undef CALLBACK

#include "mpi/declared.h"

/* What the wrappers ask the library, beside others. */
#define PMPI_OWN_FUNCTIONS(F)                                                  \
	F(Get_count_c)                                                         \
	F(Request_toint)

int PMPI_Request_toint(MPI_Request request);
