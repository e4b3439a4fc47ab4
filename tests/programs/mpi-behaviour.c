/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-behaviour.c [dynamic] - what a tool in front of MPI could change: errors
 * and their handlers, requests that never complete, callbacks that call MPI,
 * calls before MPI_Init and after MPI_Finalize, ports and, when asked for,
 * processes that come later, threads; for 2 ranks.
 *
 * It says what it sees, one line each; where an answer is wrong, that line says
 * WRONG.  Then come lines as in mpi-calls.c.
 */
#include <pthread.h>
#include <setjmp.h>

#include "mpi-truth.h"

static int rank, size, copies, deletions, handled, freed, cancelled;
static jmp_buf back;

static void say(const char *what, int right)
{
	printf("seen %d %s%s\n", rank, what, right ? "" : ": WRONG");
}

static void before_init(void)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int flag = 1, version = 0, subversion, length = 0;

	CALL(Initialized, (&flag), 0, 0);
	say("not initialised", !flag);
	CALL(Finalized, (&flag), 0, 0);
	CALL(Get_version, (&version, &subversion), 0, 0);
	say("version", version >= 3);
	CALL(Get_library_version, (text, &length), 0, 0);
	say("library version", length > 0 && *text);
}

static int class_of(int error)
{
	int class = -1;

	CALL(Error_class, (error, &class), 0, 0);
	return class;
}

static void returned_errors(void)
{
	int x[4] = { 0 }, rc;
	MPI_Request r;

	CALL(Comm_set_errhandler, (MPI_COMM_WORLD, MPI_ERRORS_RETURN), 0, 0);
	rc = MPI_Send(x, 1, MPI_INT, size, 1, MPI_COMM_WORLD);
	did("MPI_Send", 0, 0);
	say("no such rank", class_of(rc) == MPI_ERR_RANK);
	rc = MPI_Send(x, -1, MPI_INT, rank, 1, MPI_COMM_WORLD);
	did("MPI_Send", 0, 0);
	say("negative count", class_of(rc) == MPI_ERR_COUNT);
	rc = MPI_Allreduce(x, x + 1, 1, MPI_DATATYPE_NULL, MPI_SUM,
			   MPI_COMM_WORLD);
	did("MPI_Allreduce", 0, 0);
	say("no type", rc != MPI_SUCCESS);
	CALL(Isend, (x, 4, MPI_INT, rank, 2, MPI_COMM_WORLD, &r), INTS(4), 0);
	rc = MPI_Recv(x, 1, MPI_INT, rank, 2, MPI_COMM_WORLD,
		      MPI_STATUS_IGNORE);
	did("MPI_Recv", 0, 0);
	say("truncated", class_of(rc) == MPI_ERR_TRUNCATE);
	CALL(Wait, (&r, MPI_STATUS_IGNORE), 0, 0);
}

/* Each of the two survives one of them. */
static void freed_nothing(void)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int rc, length;

	CALL(Get_library_version, (text, &length), 0, 0);
	if (strncmp(text, "MPICH", 5) != 0) {
		rc = MPI_File_close(NULL);
		did("MPI_File_close", 0, 0);
		say("no file", rc != MPI_SUCCESS);
		return;
	}
	rc = MPI_Win_free(NULL);
	did("MPI_Win_free", 0, 0);
	say("no window", rc != MPI_SUCCESS);
}

static void handler(MPI_Comm *comm, int *error, ...)
{
	int n;

	MPI_Comm_rank(*comm, &n);
	handled += n == rank && *error != MPI_SUCCESS;
}

static void leaping(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	(void)error;
	longjmp(back, 1);
}

/* Handlers that call MPI, and one that never returns. */
static void handlers(void)
{
	MPI_Errhandler calls, leaps;
	int x = 0;

	CALL(Comm_create_errhandler, (handler, &calls), 0, 0);
	CALL(Comm_create_errhandler, (leaping, &leaps), 0, 0);
	CALL(Comm_set_errhandler, (MPI_COMM_WORLD, calls), 0, 0);
	CALL(Send, (&x, 1, MPI_INT, size, 1, MPI_COMM_WORLD), 0, 0);
	say("handled", handled == 1);
	CALL(Comm_set_errhandler, (MPI_COMM_WORLD, leaps), 0, 0);
	if (!setjmp(back)) {
		MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
		say("came back", 0);
	}
	CALL(Comm_set_errhandler, (MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), 0, 0);
	CALL(Errhandler_free, (&calls), 0, 0);
	CALL(Errhandler_free, (&leaps), 0, 0);
	say("leapt", 1);
}

static int copied(MPI_Comm comm, int key, void *extra, void *from, void *to,
		  int *flag)
{
	int n, again = 0;

	(void)key;
	(void)extra;
	MPI_Comm_size(comm, &n);
	MPI_Sendrecv(&n, 1, MPI_INT, 0, 9, &again, 1, MPI_INT, 0, 9,
		     MPI_COMM_SELF, MPI_STATUS_IGNORE);
	*(void **)to = from;
	*flag = 1;
	copies += again == size;
	return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int key, void *value, void *extra)
{
	int n;

	(void)comm;
	(void)key;
	(void)value;
	(void)extra;
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	deletions += n == size;
	return MPI_SUCCESS;
}

/* What callbacks call is part of the call that caused it. */
static void attributes(void)
{
	int key, flag = 0, value = 7, *seen = NULL;
	MPI_Comm twin;

	CALL(Comm_create_keyval, (copied, deleted, &key, NULL), 0, 0);
	CALL(Comm_set_attr, (MPI_COMM_WORLD, key, &value), 0, 0);
	CALL(Comm_dup, (MPI_COMM_WORLD, &twin), 0, 0);
	CALL(Comm_get_attr, (twin, key, &seen, &flag), 0, 0);
	say("copied", flag && seen == &value && copies == 1);
	CALL(Comm_free, (&twin), 0, 0);
	CALL(Comm_delete_attr, (MPI_COMM_WORLD, key), 0, 0);
	CALL(Comm_free_keyval, (&key), 0, 0);
	say("deleted", deletions == 2);
}

/* A program that ends with open requests is wrong, but it ends. */
static void left_open(void)
{
	static int in[2];
	int flag = 0;
	MPI_Status status;
	MPI_Request r;

	CALL(Irecv, (in, 1, MPI_INT, 1 - rank, 77, MPI_COMM_WORLD, &r), 0,
	     INTS(1));
	CALL(Test, (&r, &flag, MPI_STATUS_IGNORE), 0, 0);
	say("nothing came", !flag);
	CALL(Irecv, (in + 1, 1, MPI_INT, 1 - rank, 78, MPI_COMM_WORLD, &r), 0,
	     0);
	CALL(Cancel, (&r), 0, 0);
	CALL(Wait, (&r, &status), 0, 0);
	CALL(Test_cancelled, (&status, &flag), 0, 0);
	say("cancelled", flag);
}

static int queried(void *extra, MPI_Status *status)
{
	(void)extra;
	MPI_Status_set_elements(status, MPI_INT, 3);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int released(void *extra)
{
	(void)extra;
	freed++;
	return MPI_SUCCESS;
}

static int withdrawn(void *extra, int complete)
{
	(void)extra;
	cancelled += !complete;
	return MPI_SUCCESS;
}

static void generalised(void)
{
	int n = 0;
	MPI_Status status;
	MPI_Request r;

	CALL(Grequest_start, (queried, released, withdrawn, NULL, &r), 0, 0);
	CALL(Cancel, (&r), 0, 0);
	CALL(Grequest_complete, (r), 0, 0);
	CALL(Wait, (&r, &status), 0, 0);
	CALL(Get_count, (&status, MPI_INT, &n), 0, 0);
	say("generalised", n == 3 && freed == 1 && cancelled == 1);
}

#define ROUNDS 200

static void *thread(void *comm)
{
	int out = 1, in = 0, sum = 0;

	for (int i = 0; i < ROUNDS; i++, sum += in)
		MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 5, &in, 1, MPI_INT,
			     1 - rank, 5, *(MPI_Comm *)comm, MPI_STATUS_IGNORE);
	return sum == ROUNDS ? comm : NULL;
}

/* Both ranks' threads of the same number talk at the same time. */
static void threads(void)
{
	MPI_Comm comms[3];
	pthread_t ids[3];
	void *ok;
	int right = 0;

	for (int i = 0; i < 3; i++)
		CALL(Comm_dup, (MPI_COMM_WORLD, &comms[i]), 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], NULL, thread, &comms[i]);
	for (int i = 0; i < 3; i++) {
		pthread_join(ids[i], &ok);
		right += ok != NULL;
	}
	for (int i = 0; i < 3 * ROUNDS; i++)
		did("MPI_Sendrecv", INTS(1), INTS(1));
	for (int i = 0; i < 3; i++)
		CALL(Comm_free, (&comms[i]), 0, 0);
	say("threads", right == 3);
}

/* Rank 1 connects to a port that rank 0 opens. */
static void connected(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	int out = 40 + rank, in = 0;
	MPI_Comm other;

	if (rank == 0)
		CALL(Open_port, (MPI_INFO_NULL, port), 0, 0);
	CALL(Bcast, (port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD),
	     rank ? 0 : sizeof(port), rank ? sizeof(port) : 0);
	if (rank == 0)
		CALL(Comm_accept,
		     (port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other), 0, 0);
	else
		CALL(Comm_connect,
		     (port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other), 0, 0);
	CALL(Sendrecv,
	     (&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, other,
	      MPI_STATUS_IGNORE),
	     INTS(1), INTS(1));
	say("connected", in == 41 - rank);
	CALL(Comm_disconnect, (&other), 0, 0);
	if (rank == 0)
		CALL(Close_port, (port), 0, 0);
}

static void spawned(char *self)
{
	char *argv[] = { (char *)"child", NULL };
	int number = 5, answer = 0;
	MPI_Comm child;

	CALL(Comm_spawn,
	     (self, argv, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child,
	      MPI_ERRCODES_IGNORE),
	     0, 0);
	CALL(Send, (&number, 1, MPI_INT, 0, 1, child), INTS(1), 0);
	CALL(Recv, (&answer, 1, MPI_INT, 0, 1, child, MPI_STATUS_IGNORE), 0,
	     INTS(1));
	say("spawned", answer == 6);
	CALL(Comm_disconnect, (&child), 0, 0);
}

static int child(void)
{
	int number;
	MPI_Comm parent;

	MPI_Init(NULL, NULL);
	MPI_Comm_get_parent(&parent);
	MPI_Recv(&number, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
	number++;
	MPI_Send(&number, 1, MPI_INT, 0, 1, parent);
	MPI_Comm_disconnect(&parent);
	MPI_Finalize();
	return 0;
}

/* The last that is heard of it before MPI_Finalize. */
static void freed_world(void)
{
	MPI_Comm world = MPI_COMM_WORLD;
	int rc;

	CALL(Comm_set_errhandler, (world, MPI_ERRORS_RETURN), 0, 0);
	rc = MPI_Comm_free(&world);
	did("MPI_Comm_free", 0, 0);
	say("not freed", rc != MPI_SUCCESS);
}

static void after_finalize(void)
{
	int flag = 0, version = 0, subversion;

	CALL(Initialized, (&flag), 0, 0);
	say("still initialised", flag);
	CALL(Finalized, (&flag), 0, 0);
	say("finalised", flag);
	CALL(Get_version, (&version, &subversion), 0, 0);
	say("version", version >= 3);
}

int main(int argc, char **argv)
{
	int level = -1;

	if (argc > 1 && !strcmp(argv[1], "child"))
		return child();
	before_init();
	CALL(Init_thread, (&argc, &argv, MPI_THREAD_MULTIPLE, &level), 0, 0);
	CALL(Comm_rank, (MPI_COMM_WORLD, &rank), 0, 0);
	CALL(Comm_size, (MPI_COMM_WORLD, &size), 0, 0);
	say("level", level == MPI_THREAD_MULTIPLE);
	returned_errors();
	freed_nothing();
	handlers();
	attributes();
	generalised();
	threads();
	if (argc > 1 && !strcmp(argv[1], "dynamic")) {
		connected();
		spawned(argv[0]);
	}
	left_open();
	freed_world();
	CALL(Finalize, (), 0, 0);
	after_finalize();
	print_truths(rank);
	return 0;
}
