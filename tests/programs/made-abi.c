/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-abi.c - a library with the standard binary interface of MPI, for one
 * process that sends itself messages: what mpi-abi.c calls, and what wrappers
 * ask.  It has the interface's numbers itself; a call with others fails.  Like
 * Open MPI's it has data of another interface.
 */
#include <stdint.h>
#include <string.h>

#define WORLD    ((void *)0x101)
#define BYTE     ((void *)0x247)
#define INT      ((void *)0x209)
#define NONE     ((void *)0x180)
#define ANY      (-1)
#define IS(test) ((test) ? 0 : 16)

#define MPI(type, name, ...)                                                   \
	type P##name(__VA_ARGS__);                                             \
	__attribute__((alias("P" #name))) type name(__VA_ARGS__);              \
	type P##name(__VA_ARGS__)
#define REFUSED(name)                                                          \
	MPI(int, name, void)                                                   \
	{                                                                      \
		return 16;                                                     \
	}

char ompi_mpi_comm_world, ompi_mpi_comm_self, ompi_mpi_comm_null;
char ompi_mpi_datatype_null, ompi_mpi_op_no_op, ompi_request_null;
char ompi_request_empty;

struct status {
	int source, tag, error, internal[5];
};

static struct {
	char data[256];
	int bytes, tag;
} message;
static char requests[8];
static int began;

MPI(int, MPI_Init, int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

MPI(int, MPI_Finalize, void)
{
	return 0;
}

MPI(double, MPI_Wtick, void)
{
	return 1e-9;
}

MPI(int, MPI_Comm_rank, void *comm, int *rank)
{
	*rank = 0;
	return IS(comm == WORLD);
}

MPI(int, MPI_Comm_size, void *comm, int *size)
{
	*size = 1;
	return IS(comm == WORLD);
}

MPI(int, MPI_Type_size_x, void *type, int64_t *size)
{
	*size = type == INT ? 4 : 1;
	return IS(type == INT || type == BYTE);
}

MPI(int, MPI_Type_get_envelope, void *type, int *integers, int *addresses,
    int *types, int *combiner)
{
	*integers = *addresses = *types = 0;
	*combiner = 101;
	return IS(type == INT);
}

MPI(int, MPI_Get_library_version, char *text, int *length)
{
	strcpy(text, "Made MPI 5.0, of a test");
	*length = (int)strlen(text);
	return 0;
}

MPI(int, MPI_Query_thread, int *level)
{
	*level = 0;
	return 0;
}

MPI(int, MPI_Send, const void *data, int count, void *type, int to, int tag,
    void *comm)
{
	message.bytes = 4 * count;
	message.tag = tag;
	memcpy(message.data, data, (size_t)message.bytes);
	return IS(type == INT && to == 0 && comm == WORLD);
}

MPI(int, MPI_Isend, const void *data, int count, void *type, int to, int tag,
    void *comm, void **request)
{
	*request = &requests[began++ % 8];
	return PMPI_Send(data, count, type, to, tag, comm);
}

MPI(int, MPI_Wait, void **request, struct status *status)
{
	(void)status;
	*request = NONE;
	return 0;
}

MPI(int, MPI_Recv, void *data, int count, void *type, int from, int tag,
    void *comm, struct status *status)
{
	(void)tag;
	memcpy(data, message.data, (size_t)message.bytes);
	if (status)
		*status = (struct status){ .tag = message.tag,
					   .internal[3] = message.bytes };
	return IS(type == INT && from == ANY && comm == WORLD &&
		  message.bytes <= 4 * count);
}

MPI(int, MPI_Get_count_c, const struct status *status, void *type,
    int64_t *count)
{
	*count = status->internal[3] / (type == INT ? 4 : 1);
	return 0;
}

MPI(int, MPI_Request_toint, void *request)
{
	return (int)((char *)request - requests);
}

MPI(int, MPI_Allreduce, const void *in, void *out, int count, void *type,
    void *operation, void *comm)
{
	(void)operation;
	if (in != (void *)1)
		memcpy(out, in, 4 * (size_t)count);
	return IS(type == INT && comm == WORLD);
}

REFUSED(MPI_Cart_shift)
REFUSED(MPI_Cartdim_get)
REFUSED(MPI_Comm_group)
REFUSED(MPI_Comm_remote_group)
REFUSED(MPI_Comm_remote_size)
REFUSED(MPI_Comm_test_inter)
REFUSED(MPI_Dist_graph_neighbors)
REFUSED(MPI_Dist_graph_neighbors_count)
REFUSED(MPI_Graph_neighbors)
REFUSED(MPI_Graph_neighbors_count)
REFUSED(MPI_Group_free)
REFUSED(MPI_Group_size)
REFUSED(MPI_Group_translate_ranks)
REFUSED(MPI_Test_cancelled)
REFUSED(MPI_Topo_test)
REFUSED(MPI_Win_get_group)
