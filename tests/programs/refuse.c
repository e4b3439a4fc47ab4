/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * refuse.c RULES PROGRAM [ARGS…] - a program, and what it starts, whose system
 * calls are refused as an older kernel or a container does it.  RULES are names
 * of the table, as newer,perf.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	LAST_OF_4_18 = 334, /* rseq; the next is 424 */
	AFTER_4_18_ADVICE = 20,
	ARGUMENT_3 = offsetof(struct seccomp_data, args[2]), /* low half */
	MOST = 128
};

/* Calls of these numbers whose third argument is as great as this. */
static const struct rule {
	const char *name;
	unsigned int from, to, least;
	int err;
} table[] = {
	{ "newer", LAST_OF_4_18 + 1, ~0u, 0, ENOSYS },
	{ "advice", SYS_madvise, SYS_madvise, AFTER_4_18_ADVICE, EINVAL },
	{ "fields", SYS_perf_event_open, SYS_perf_event_open, 0, E2BIG },
	{ "perf", SYS_perf_event_open, SYS_perf_event_open, 0, EPERM },
	{ "noperf", SYS_perf_event_open, SYS_perf_event_open, 0, ENOSYS },
	{ "readv", SYS_process_vm_readv, SYS_process_vm_readv, 0, EPERM },
};

/* Mutable: the filter grows rule by rule. */
static struct sock_filter filter[MOST];
static unsigned short used;

static void add_rule(const struct rule *r)
{
	const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, r->from, 0, 4),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, r->to, 3, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT_3),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, r->least, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | r->err),
	};

	memcpy(filter + used, code, sizeof(code));
	used += sizeof(code) / sizeof(code[0]);
}

static int add_rules(char *names)
{
	for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
		size_t i = 0, count = sizeof(table) / sizeof(table[0]);

		while (i < count && strcmp(table[i].name, name))
			i++;
		if (i == count)
			return fprintf(stderr, "refuse: no rule %s\n", name);
		add_rule(&table[i]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct sock_filter allow =
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 0, filter };

	if (argc < 3 || add_rules(argv[1]))
		return 99;
	filter[used++] = allow;
	program.len = used;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	execvp(argv[2], argv + 2);
	return 99;
}
