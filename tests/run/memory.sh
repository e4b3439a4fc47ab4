#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# memory.sh - who held how much memory, and who was killed for lack of it, of
# programs that say (tests/programs/grows.c): in control groups made here.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/mpi.sh
. "$srcdir/tests/lib/mpi.sh"
cd "$scratch" || exit 99

version=2 limit=memory.max group=/sys/fs/cgroup/copse-test-$$
if [ -d /sys/fs/cgroup/memory ]; then
	version=1 limit=memory.limit_in_bytes
	group=/sys/fs/cgroup/memory/copse-test-$$
fi
trap 'end_group; rm -rf "$scratch"' EXIT

end_group() {
	[ -d "$group" ] || return 0
	xargs -r kill -KILL <"$group/cgroup.procs" 2>/dev/null
	wait_for rmdir "$group"
}

# make_group MIB: a control group with that limit.
make_group() {
	end_group
	mkdir "$group" 2>/dev/null || skip "no control group can be made here"
	echo "$(($1 << 20))" 2>/dev/null >"$group/$limit" || {
		rmdir "$group"
		skip "no control group with a limit here"
	}
	# What is swapped out is not resident.
	echo 0 2>/dev/null >"$group/memory.swap.max" ||
		echo 0 2>/dev/null >"$group/memory.swappiness"
}

# Sentences without line ends.
said() {
	"$copse" "$@" --width 250 | tr -s '\n ' ' '
}

# The most of each rank in MiB, the one with most first.
most_of() {
	"$copse" report memory -f csv --table ranks "$1" |
		awk -v columns='rank most' -f "$srcdir/tests/lib/csv.awk" |
		awk '{ printf "%d %d\n", $1, $2 / 1048576 }'
}

# in_group PROFILE ARGUMENT…: four ranks of grows.
in_group() {
	profile=$1
	shift
	rm -rf "$profile"
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" \
		mpirun -n 4 "$copse" run --quiet -o "$profile" \
		"$programs/grows" "$@" >out 2>&1
}

# A rank holds what it says, and some 15 MiB before.
known() {
	need mpirun
	mpirun -n 4 "$copse" run --quiet -o known.copse "$programs/grows" \
		40 40 400 4 1 || return
	most_of known.copse >most
	cat most
	awk 'NR == 1 { bad += $1 != 1 || $2 < 400 || $2 > 460 }
		NR > 1 { bad += $2 < 40 || $2 > 100 }
		END { exit bad || NR != 4 }' most || return
	said report diagnose known.copse >diagnosis
	cat diagnosis
	grep -Eq 'Rank 1 held 4[0-9]{2} MiB, half of the ranks [0-9.]+ MiB' \
		diagnosis || return
	"$copse" export perfetto known.copse -o known.pftrace &&
		grep -aq memory known.pftrace
}

killed() {
	need mpirun
	make_group 500
	in_group killed.copse 40 10 2000 60 2
	"$copse" merge killed.copse >merged 2>&1 || cat merged
	end_group
	said report killed.copse >summary
	cat out summary
	grep -Eq "^[^!]*! The kernel killed rank 2 on [^ ]+ for lack of memory: it held [2-4][0-9.]+ MiB \([0-9.]+ MiB [0-9.]+ m?s before\), the others [4-9][0-9.]* MiB at most; the limit of its control group is 500 MiB" \
		summary || return
	said report memory killed.copse | grep -q 'The kernel killed rank 2'
}

# at_limit: rank 2 could get no more.
at_limit() {
	[ "$version" = 2 ] && return 0
	grep -q 'under_oom 1' "$group/memory.oom_control"
}

# The kernel kills the parents, too (memory.oom.group); where it cannot (version
# 1), all wait at the limit, and are killed here.
all_killed() {
	need mpirun
	make_group 500
	if [ "$version" = 1 ]; then
		echo 1 >"$group/memory.oom_control"
	else
		echo 1 >"$group/memory.oom.group"
	fi
	in_group all.copse 40 10 2000 60 2 &
	job=$!
	if [ "$version" = 1 ]; then
		wait_for at_limit || return
		xargs kill -KILL <"$group/cgroup.procs"
	fi
	wait "$job"
	end_group
	"$copse" recover all.copse >recovered 2>&1
	"$copse" merge all.copse >merged 2>&1 || cat merged
	said report all.copse >summary
	cat out recovered summary
	grep -Eq '! Likely the kernel killed all processes on [^ ]+ for lack of memory: nothing saw their end, and the limit of its control group is 500 MiB. Rank 2 held most, [1-4][0-9.]+ MiB when it was read last' \
		summary
}

# With so many MiB: a job that ends well.
within() {
	need mpirun
	make_group "$1"
	in_group within.copse 80 0 80 2
	"$copse" merge within.copse >merged 2>&1 || cat merged
	end_group
	said report diagnose within.copse >diagnosis
	said report within.copse >summary
	cat out diagnosis summary
	grep -q '4 ranks' summary && ! grep -q 'for lack of memory' summary
}

# What the job needs, below that limit, in MiB.
needed() {
	make_group "$1"
	in_group size.copse 80 0 80 2
	end_group
	"$copse" merge size.copse >merged 2>&1 || cat merged
	"$copse" report memory -f csv --table hosts size.copse |
		awk -v columns=held -f "$srcdir/tests/lib/csv.awk" |
		awk '{ print int($1 / 1048576) }'
}

said_near='control group on [^ ]+ held [0-9.]+ MiB of [0-9.]+ MiB'

# A limit above the host's memory is none.
most=$(awk '/MemTotal/ { print int($2 / 2048) }' /proc/meminfo)

# With 3 % to spare; the first answer may have file cache.
nearly() {
	make_group "$most" # or skip
	end_group
	size=$(needed "$most")
	[ "${size:-0}" -gt 320 ] || return
	size=$(needed $((size * 5 / 4)))
	[ "${size:-0}" -gt 320 ] && within $((size * 103 / 100)) &&
		grep -Eq "$said_near" diagnosis
}

far() {
	within 2000 && ! grep -Eq "$said_near" diagnosis
}

# What a process has in huge pages, as it reads that itself.
huge_pages_are_known() {
	cat >huge.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	const size_t size = 64 << 20, align = 2 << 20;
	char *at = mmap(NULL, size + align, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), line[200];
	unsigned long long kib;
	FILE *f;

	at += align - (unsigned long)at % align;
	if (madvise(at, size, MADV_HUGEPAGE))
		return 1;
	memset(at, 1, size);
	f = fopen("/proc/self/smaps_rollup", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "AnonHugePages: %llu", &kib) == 1)
			printf("%llu\n", kib << 10);
	fflush(stdout);
	sleep(3);
	return 0;
}
C
	"${CC:-cc}" -O1 huge.c -o huge || return
	rm -rf huge.copse
	"$copse" run --quiet --heap=on -o huge.copse ./huge >truth || true
	[ "$(cat truth)" -gt 0 ] 2>/dev/null || skip "the kernel gives no huge pages here"
	"$copse" report memory -f csv --table ranks huge.copse |
		awk -v columns='huge' -f "$srcdir/tests/lib/csv.awk" >found
	cat truth found
	cmp truth found
}

point "each rank holds what it says" known
point "huge pages are known" huge_pages_are_known
point "the one that the kernel kills is named" killed
point "so is it when all are killed" all_killed
point "a limit that is near is said" nearly
point "one that is far is not" far

points_done
