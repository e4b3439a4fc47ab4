/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.c - which rule speaks of ranks that wait. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/ends/verdict.h"
#include "tests/lib/test.h"

static const struct hang {
	const char *kind, *stand, *function, *there, *role;
	double signal, holds, silent;
	const char *rule, *role_there;
	double roots, other, begun;
} hangs[] = {
	{ "rank", "outside", "MPI_Allreduce", "endless ← main", "call", 0, 0, 0,
	  "rank" },
	{ "rank", "outside", "MPI_Barrier",
	  "sleeps in __sigsuspend ← pause ← sleeper ← main", "call", 0, 0, 0,
	  "rank" },
	{ "instead", "call", "MPI_Allreduce", "MPI_Barrier ← main", "call", 0,
	  0, 0, "instead" },
	{ "instead", "call", "MPI_Recv", "MPI_Finalize ← main", "receive", 0, 0,
	  0, "finished" },
	{ "circle", NULL, "MPI_Recv", NULL, "receive", 0, 0, 0, "circle" },
	{ "circle", NULL, "MPI_Send", NULL, "send", 0, 0, 0,
	  "circle-of-sends" },
	{ "arrived", NULL, "MPI_Bcast", NULL, "call", 0, 0, 0, "arrived" },
	{ "arrived", NULL, "MPI_Reduce", NULL, "call", 0, 0, 0, "roots", NULL,
	  1 },
	{ "arrived", NULL, "MPI_Barrier", NULL, "call", 0, 0, 0, "begun", NULL,
	  0, 0, 1 },
	{ "absent", NULL, "MPI_Recv", NULL, "receive", 0, 0, 0, "absent" },
	{ "instead", "call", "MPI_Finalize", "MPI_Recv ← main", "call", 0, 0, 0,
	  "receive", "receive" },
	{ "instead", "call", "MPI_Barrier", "MPI_Barrier ← main", "call", 0, 0,
	  0, "communicator", "call", 0, 1 },
	{ "instead", "call", "MPI_Barrier", "MPI_Wait ← main", "call", 0, 0, 0,
	  "send", "send" },
	{ "nobody", NULL, "MPI_Recv", NULL, "receive", 0, 0, 0, "nobody" },
	{ "begin", NULL, "MPI_Init", NULL, "call", 0, 0, 0, "begin" },
	{ "begin", NULL, "MPI_Init", NULL, "call", 0, 0, 1, "begin-late" },
	{ "rank", "ended", "MPI_Barrier", "main", "call", 0, 0, 0, "ended" },
	{ "rank", "ended", "MPI_Barrier", "main", "call", 9, 0, 0, "killed" },
	{ "rank", "stopped", "MPI_Barrier", "main", "call", 0, 0, 0,
	  "stopped" },
	{ "rank", "polls", "MPI_Barrier", "MPI_Test ← main", "call", 0, 0, 0,
	  "polls" },
	{ "rank", "outside", "MPI_Barrier",
	  "sleeps in __GI___lll_lock_wait ← __pthread_mutex_lock ← f", "call",
	  0, 0, 0, "mutex" },
	{ "rank", "outside", "MPI_Barrier",
	  "sleeps in GOMP_barrier ← f, its thread 7 sleeps in omp_set_lock",
	  "call", 0, 0, 0, "openmp" },
	{ "rank", "outside", "MPI_Barrier",
	  "sleeps in pthread_cond_timedwait ← take_gil ← call", "call", 0, 0, 0,
	  "gil" },
	{ "rank", "outside", "MPI_Barrier", "sleeps in flock ← claim ← main",
	  "call", 0, 0, 0, "file-lock" },
	{ "rank", "outside", "MPI_Barrier", "sleeps in wait4 ← child ← main",
	  "call", 0, 0, 0, "child" },
	{ "rank", "outside", "MPI_Barrier",
	  "sleeps in clock_nanosleep@GLIBC_2.2.5 ← usleep ← await", "call", 0,
	  0, 0, "sleep" },
	{ "rank", "outside", "MPI_Barrier", "sleeps in __libc_read ← ask",
	  "call", 0, 0, 0, "system-call" },
	{ "rank", "outside", "MPI_Barrier",
	  "waits in the kernel, for a disk or a file system in write ← save",
	  "call", 0, 0, 0, "file-system" },
	{ "rank", "outside", "MPI_Barrier", "cuStreamSynchronize ← step ← main",
	  "call", 0, 0, 0, "gpu" },
	{ "instead", "call", "MPI_File_write_at_all", "MPI_File_close ← main",
	  "call", 0, 0, 0, "collective-io" },
	{ "rank", "outside", "MPI_Comm_spawn", "main", "call", 0, 0, 0,
	  "spawn" },
	{ "rank", "outside", "MPI_Get", "compute ← main", "call", 0, 0, 0,
	  "target" },
	{ "rank", "outside", "MPI_Win_lock", "main", "call", 0, 1, 0,
	  "window-lock" },
};

static void put(struct fact *fact, const struct fact_set *set,
		const char *field, const char *text, double number)
{
	int at = fact_field_find(set, field, strlen(field));

	CHECK(at, >=, 0);
	if (set->fields[at].type == FACT_TEXT)
		fact->values[at].text = text ? strdup(text) : NULL;
	else
		fact->values[at].number = number;
}

TEST(of_each_kind_of_hang_its_own_rule_speaks)
{
	const struct fact_set *set = stuck_rules.sets[0];
	const struct diagnosis_rule *rule;
	struct verdict_rules rules;
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s/share/rules/stuck",
		 getenv("srcdir") ? getenv("srcdir") : "..");
	setenv("COPSE_STUCK_RULES", folder, 1);
	CHECK(!verdict_rules_init(&rules));
	CHECK(rules.problem == NULL);
	for (size_t i = 0; i < sizeof(hangs) / sizeof(*hangs); i++) {
		const struct hang *h = &hangs[i];
		struct facts facts = { 0 };
		struct fact *fact = facts_add(&facts, 0);

		put(fact, set, "kind", h->kind, 0);
		put(fact, set, "stand", h->stand, 0);
		put(fact, set, "function", h->function, 0);
		put(fact, set, "there", h->there, 0);
		put(fact, set, "role", h->role, 0);
		put(fact, set, "role_there", h->role_there, 0);
		put(fact, set, "roots", NULL, h->roots);
		put(fact, set, "other_communicator", NULL, h->other);
		put(fact, set, "begun", NULL, h->begun);
		put(fact, set, "signal", NULL, h->signal);
		put(fact, set, "holds", NULL, h->holds);
		put(fact, set, "silent", NULL, h->silent);
		put(fact, set, "waiting", NULL, 3);
		CHECK(!verdict_rule(&rule, &rules, fact));
		CHECK(rule != NULL);
		CHECK(rule->name, ==, h->rule);
		facts_fini(&facts);
	}
	verdict_rules_fini(&rules);
}
