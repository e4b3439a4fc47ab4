#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hosts.sh - one job on several hosts: each profile says whose clock its times
# are of, all end up in one directory, nothing is left on any host, and a host
# that dies takes no other's profiles with it.
# shellcheck source=tests/lib/cluster.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/cluster.sh"
cd "$scratch" || exit 99

# Not every python3 in the path is the one that Debian's packages are for.
python=
for try in python3 /usr/bin/python3; do
	"$try" -c 'import h5py' 2>/dev/null && python=$try && break
done

if [ -z "$CLUSTER_LACKS" ]; then
	cluster_up oak elm || exit 99
fi

may() {
	cluster_may
	need mpirun
	[ -x "$programs/mpi-crash" ] || skip "mpi-crash was not built"
	[ -n "$python" ] || skip "no h5py here"
}

# attributes FILE…: NAME=VALUE, a line for each file.
attributes() {
	"$python" - "$@" <<'P'
import sys, h5py
for name in sys.argv[1:]:
    a = h5py.File(name)["identity"].attrs
    print(*(f"{k}={v.decode() if isinstance(v, bytes) else v}"
            for k, v in a.items()), sep="\t")
P
}

has() {
	dir=$1
	shift
	printf '%s\n' "$@" | sort >want
	ls "$dir" | diff want -
}

nothing_left() {
	for host in $cluster_hosts; do
		on "$host" sh -c '! ls -d /dev/shm/copse-*/*' 2>/dev/null ||
			{ echo "on $host in /dev/shm:"
			  on "$host" ls -R /dev/shm; return 1; }
	done
}

# Two on each host, which mpirun's own words name.
runs() {
	may
	over_hosts -n 4 "$copse" run --freq 500 -o runs.copse \
		"$programs/mpi-crash" finish 0 0.3 >said 2>&1 ||
		{ cat said; return 1; }
	cat said
	has runs.copse rank-0.h5 rank-1.h5 rank-2.h5 rank-3.h5 report.html \
		run.h5 &&
		grep -q '4 ranks .* on 2 hosts' said &&
		[ "$(grep -c 'the profiles are in' said)" = 1 ]
}

# What was said on the command line holds on the hosts that ssh reached.
hosts_are_right() {
	may
	over_hosts -n 4 sh -c 'echo "$OMPI_COMM_WORLD_RANK $(hostname)"' |
		sort >truth
	for rank in 0 1 2 3; do
		attributes runs.copse/rank-$rank.h5 | tr '\t' '\n' >is
		grep -qx freq=500 is || { cat is; return 1; }
		echo "$rank $(sed -n 's/^host=//p' is)"
	done >found
	diff truth found
}

# Clocks of the hosts are a day apart here.  One host has one clock, and each
# time of day is as if there was no difference.
clocks_are_told() {
	may
	attributes runs.copse/rank-*.h5 >all || return 1
	"$python" - all <<'P'
import sys
ranks = [dict(f.split("=", 1) for f in line.rstrip("\n").split("\t"))
         for line in open(sys.argv[1])]
clocks, days, ends = {}, {}, []
for r in ranks:
    n = {k: int(v) for k, v in r.items() if k.endswith("_ns")}
    start = n["start_real_ns"] - n["start_mono_ns"]
    late = n["late_real_ns"] - n["late_mono_ns"]
    assert len(r["clock_id"]) == 16, r
    assert abs(late - start) < 5e6, (late, start)
    assert n["late_mono_ns"] >= n["end_mono_ns"] > n["start_mono_ns"], n
    assert clocks.setdefault(r["host"], r["clock_id"]) == r["clock_id"]
    assert abs(days.setdefault(r["host"], start) - start) < 5e6
    ends.append(n["mpi_finalize_ns"] + start)
assert len(set(clocks.values())) == 2, clocks
a, b = days.values()
assert abs(abs(a - b) - 86400e9) < 5e9, days
assert max(ends) - min(ends) < 5e9, ends
P
}

# Each host's ranks in its file, the marks of both gone; then the first merges.
gathered() {
	may
	over_hosts -n 6 "$copse" run -q --gather on -o both.copse \
		"$programs/mpi-crash" finish 0 0.2 >said 2>&1 ||
		{ cat said; return 1; }
	ls -A both.copse
	has both.copse node-oak.h5 node-elm.h5 &&
		[ "$(find both.copse -name '.host-*' -o -name '.rank-*')" = '' ] ||
		return 1
	"$copse" merge -q -t 1 both.copse -o alone.h5 || return
	over_hosts -n 4 "$copse" merge -q --cache off both.copse -o both.h5 \
		>said 2>&1 || { cat said; return 1; }
	cmp alone.h5 both.h5
}

left_overs() {
	may
	nothing_left
}

four_copies() {
	[ "$(ls dies.copse/rank-[0-3]-*.live 2>/dev/null | wc -l)" = 4 ]
}

# The daemons notice at once; what rank 2 and 3 did is in their last copies.
dies() {
	may
	over_hosts -n 4 "$copse" run -q --checkpoint 1 -o dies.copse \
		"$programs/mpi-skew" 20 >said 2>&1 &
	launcher=$!
	wait_for four_copies || return
	sleep 1.2
	host_dies elm
	wait $launcher
	wait_gone dies.copse
	ls dies.copse
	# mpirun gives parents a second until it kills them as well.
	for rank in 0 1; do
		[ -s dies.copse/rank-$rank.h5 ] ||
			ls dies.copse/rank-$rank-*.live || return 1
	done
	for rank in 2 3; do
		ls dies.copse/rank-$rank-*.live || return 1
	done
	"$copse" report dies.copse >summary || { cat summary; return 1; }
	cat summary
	grep -q '^4 ranks .* on 2 hosts' summary
}

# Parents may still write when mpirun is gone.
wait_gone() {
	for _ in $(seq 50); do
		on oak pgrep -f "run -q --checkpoint 1 -o $1" >/dev/null ||
			return
		sleep 0.1
	done
}

# all_wait COMMAND…: it says why the job hangs; the whole job has come to that.
all_wait() {
	"$@" "$copse" stuck --between 0.3 --width 250 hang.copse >stuck 2>&1
	cat stuck
	grep -q 'No rank completed.*' stuck && grep -Eq \
		'^3 of 4 ranks .* ranks, for rank 3, which is in MPI_Finalize' \
		stuck && ! ls -d hang.copse/.stuck
}

# Asked on a host with ranks, and on one without.
hang_is_explained() {
	may
	over_hosts -n 4 "$copse" run -q -o hang.copse "$programs/hangs" skip \
		>said 2>&1 &
	job=$!
	wait_for all_wait on elm
	good=$?
	all_wait env || good=1
	pkill -INT -P "$job" # the launcher; this shell ignores it
	wait "$job"
	cat said
	return $good
}

# all_but_one_wait COMMAND…: they do, for a rank whose host has no other.
all_but_one_wait() {
	"$@" "$copse" stuck --between 0.3 --width 250 alone.copse >stuck 2>&1
	cat stuck
	grep -Eq '^3 of 4 ranks .* for rank 3, which .*ended' stuck &&
		! grep -q 'nothing is known\|no profile\|not answer' stuck
}

ended_alone_is_known() {
	may
	over_hosts -n 4 --host oak:3,elm:1 --mca async_mpi_finalize 1 \
		"$copse" run -q -o alone.copse \
		"$programs/hangs" skip >said 2>&1 &
	job=$!
	wait_for all_but_one_wait on oak
	good=$?
	all_but_one_wait env || good=1
	ls -A alone.copse
	pkill -INT -P "$job" # the launcher; this shell ignores it
	wait "$job"
	cat said
	return $good
}

# watched COMMAND…: it shows all ranks, and first the one that others wait for.
watched() {
	"$@" "$copse" top --once --delay 1 -f csv --table ranks loop.copse >ranks ||
		return
	awk -v columns='rank host mpi' -f "$srcdir/tests/lib/csv.awk" ranks >rows
	cat rows
	awk -F '\t' '
		NR == 1 { good = $1 == 3 && $2 == "elm" && $3 < 0.1 }
		NR > 1 { good = good && $3 > 0.9 && $2 == ($1 < 2 ? "oak" : "elm") }
		END { exit !good || NR != 4 }' rows
}

# From a host with ranks, and from one without; then nobody asks.
all_hosts_are_watched() {
	may
	over_hosts -n 4 "$copse" run -q -o loop.copse "$programs/hangs" loop \
		>said 2>&1 &
	job=$!
	wait_for watched on oak
	good=$?
	wait_for watched env || good=1
	ls -A loop.copse
	! ls -d loop.copse/.top || good=1
	pkill -INT -P "$job" # the launcher; this shell ignores it
	wait "$job"
	cat said
	return $good
}

point "ranks of all hosts meet in one directory, one reports" runs
point "settings and host names are right on each host" hosts_are_right
point "clocks are told apart, and the offset is right" clocks_are_told
point "one file for each host, merged by processes of both" gathered
point "nothing is left on any host" left_overs
point "a job that hangs, asked on one host" hang_is_explained
point "a rank that ended alone on its host" ended_alone_is_known
point "a job that is watched, from one host and from outside" \
	all_hosts_are_watched
point "a host that dies" dies
points_done
