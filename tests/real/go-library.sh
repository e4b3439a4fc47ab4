#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# go-library.sh - a C program with a library in Go: Go asks the kernel itself
# for its alternate stack, installs its handlers by the C library, and runs on
# stacks of 2 KiB, on which handlers of the C program must not.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

cat >work.go <<'GO'
package main

import "C"
import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

//export Work
func Work(count C.int) C.int {
	var group sync.WaitGroup
	sums := make([]int, int(count))
	for i := range sums {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			defer func() { recover() }()
			for k := 0; k < 1000000; k++ {
				sums[i] += k % 7
			}
			var nowhere *int
			*nowhere = 1
		}(i)
	}
	group.Wait()
	all := 0
	for _, s := range sums {
		all += s
	}
	return C.int(all % 1000003)
}

//export Signals
func Signals() C.int {
	came := make(chan os.Signal, 64)
	signal.Notify(came, syscall.SIGUSR1)
	for i := 0; i < 20; i++ {
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		time.Sleep(time.Millisecond)
	}
	select {
	case <-came:
		return 1
	case <-time.After(10 * time.Second):
		return 0
	}
}

func main() {}
GO
cat >main.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include "libwork.h"

static volatile int count, sink;

static void on_alarm(int signum)
{
	char room[3000];

	memset(room, signum, sizeof(room));
	for (int i = 0; i < 20000; i++)
		sink += room[i % sizeof(room)];
	count++;
}

static void *work(void *unused)
{
	for (int i = 0; i < 3; i++)
		printf("%d\n", Work(20));
	return unused;
}

int main(int argc, char **argv)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction action = { .sa_handler = on_alarm,
				    .sa_flags = SA_ONSTACK | SA_RESTART };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
	pthread_t thread;

	if (argc > 1 && !strcmp(argv[1], "own"))
		sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	work(NULL);
	printf("%d %d\n", Signals(), count > 20);
	return 0;
}
C

go=
for try in /usr/lib/go-*/bin/go; do
	[ -x "$try" ] && go=$try
done

make_program() {
	GOCACHE=$scratch/cache GO111MODULE=off HOME=$scratch \
		"$go" build -buildmode=c-shared -o libwork.so work.go &&
		"${CC:-cc}" -O1 -g -o main main.c -L. -lwork -pthread \
			"-Wl,-rpath,$scratch"
}

# same CLOCK [own]: the same output and status, three times, and samples.
same() {
	clock=$1
	shift
	[ -x main ] || skip "Go makes no library here"
	./main "$@" >without || return
	for i in 1 2 3; do
		COPSE_CLOCK=$clock "$copse" run --quiet --force -o go.copse \
			-e cpu@10000 --budget 0 ./main "$@" >with 2>&1 ||
			{ echo "status $?, try $i"; head -n 20 with; return 1; }
		diff without with || return
	done
	"$copse" report go.copse -m samples -f folded |
		awk '{ all += $NF } END { print all; exit all < 20 }'
}

[ -z "$go" ] || make_program >made 2>&1
for clock in sigtrap timer; do
	point "no alternate stack of the program's, $clock" same $clock
	point "the program's alternate stack, $clock" same $clock own
done
points_done
