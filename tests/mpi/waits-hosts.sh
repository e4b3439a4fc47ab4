#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# waits-hosts.sh - who made whom wait across hosts whose monotonic clocks are a
# day apart: the clocks are aligned, the culprit is found on the other host, and
# the seconds are those of the program's own clock.
# shellcheck source=tests/lib/cluster.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/cluster.sh"
# shellcheck source=tests/lib/delays.sh
. "$srcdir/tests/lib/delays.sh"
cd "$scratch" || exit 99
seed=${SEED:-$(date +%s)}
launch=over_hosts

have_hosts() {
	cluster_may
	need mpirun
	[ -x "$programs/delays" ] || skip "delays was not built: no MPI compiler?"
	cat up
	[ -n "$cluster_hosts" ]
}

# finds_the_culprit PATTERN [KEY=VALUE…]
finds_the_culprit() {
	have_hosts || return
	delays_judged "$1" 4 "$@" "seed=$seed" step=0.01 delay=0.02 || return
	grep ^truth "$1.out"
	cat "$1.found"
	head -n 20 "$1.csv"
	found_right "$1"
}

[ -n "$CLUSTER_LACKS" ] || cluster_up alder birch >up 2>&1
point "two hosts are up" have_hosts
for pattern in allreduce bcast halo; do
	point "$pattern, the culprit on the second host" \
		finds_the_culprit "$pattern" late=2
done
points_done
