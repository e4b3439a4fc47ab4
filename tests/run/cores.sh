#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cores.sh - processes that have fewer cores than they need: the summary says
# how long they waited for them, and who shared how many.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

one_core() {
	taskset -c "$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' \
		/proc/self/status)" "$@"
}

said() {
	"$copse" report "$1" >text || return
	cat text
	tr -s '\n ' ' ' <text >line
}

# Both compute or poll all the time, so each has half of the core at most.
ranks_share_one() {
	need mpirun
	need taskset
	[ -x "$programs/mpi-skew" ] || skip "mpi-skew was not built"
	[ -r /proc/self/schedstat ] || skip "this kernel has no schedstat"
	one_core mpirun --oversubscribe --bind-to none -n 2 "$copse" run -q \
		-o two.copse "$programs/mpi-skew" 0.5 one >out 2>err ||
		{ cat out err; return 1; }
	said two.copse || return
	percent='[1-9][0-9] %'
	grep -q "Ranks 0, 1 waited for a core $percent of the time\\(, rank [01] $percent\\)* ([0-9]* % while they had work): 2 ranks shared 1 core of " line ||
		return
	"$copse" info two.copse/rank-0.h5 | grep 'cores  *1, waited for one'
}

point "two ranks share one core" ranks_share_one
points_done
