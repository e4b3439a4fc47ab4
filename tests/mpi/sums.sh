#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sums.sh - the parts of the time are exclusive and whole: in jobs of many
# kinds the rows of ranks and those of paths have the same sums, to the
# nanosecond, in run.h5 and in the report, and a process that has one thread
# has its elapsed time in them.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/mpi.sh
. "$srcdir/tests/lib/mpi.sh"
cd "$scratch" || exit 99
python=/usr/bin/python3

sums_hold() {
	need $python h5dump
	"$copse" report split -n 0 -f json a.copse >json || return
	$python - <<-'P'
	import decimal, json, subprocess, sys
	def columns(*names):
	    # With lines of numbers alone, which no index precedes.
	    text = subprocess.run(["h5dump", "-y", *sum((["-d", n] for n in names), []),
	                           "a.copse/run.h5"], text=True, check=True,
	                          capture_output=True).stdout
	    return [[int(n) for n in data.split("}")[0].replace(",", " ").split()]
	            for data in text.split("DATA {")[1:]]
	def sums(keys, values):
	    to = {}
	    for key, value in zip(keys, values):
	        to[key] = to.get(key, 0) + value
	    return {key: value for key, value in to.items() if value}
	tables = json.load(open("json"), parse_float=decimal.Decimal)["tables"]
	def reported(table):
	    return sums([row["part"] for row in tables[table]],
	                [int(row["seconds"] * 10**9) for row in tables[table]])
	bad = []
	def same(what, a, b):
	    if a != b:
	        bad.append(f"{what}: {a} {b}")
	ranks, parts, ns, on_path, of_path, group_rank, kind, elapsed, paused, cpu = \
	    columns("/split/ranks/rank", "/split/ranks/part", "/split/ranks/ns",
	            "/split/paths/part", "/split/paths/ns", "/thread_groups/rank",
	            "/thread_groups/kind", "/ranks/elapsed_ns", "/ranks/paused_ns",
	            "/ranks/cpu_ns")
	part, whole = sums(parts, ns), sums(ranks, ns)
	said = reported("parts")
	same("paths", part, sums(on_path, of_path))
	same("report", sorted(part.values()), sorted(said.values()))
	same("report's ranks", said, reported("ranks"))
	same("report's paths", said, reported("paths"))
	several = {rank for rank, other in zip(group_rank, kind) if other}
	exact = 0
	for rank, ns in enumerate(a - b for a, b in zip(elapsed, paused)):
	    if rank not in several:
	        exact += whole.get(rank, 0) == ns
	        if whole.get(rank, 0) not in (ns, cpu[rank]):
	            bad.append(f"{rank}: {whole.get(rank)} {ns} {cpu[rank]}")
	print(sum(part.values()), "ns", exact, "of", len(elapsed), *bad)
	sys.exit(bool(bad) or not exact and not several)
	P
}

# job COMMAND…: a.copse.  Some are killed.
job() {
	"$@" >said 2>&1
	[ -d a.copse ] || { cat said; return 1; }
	sums_hold
}

run="$copse run -q --force -o a.copse"

# alone [OPTION…] PROGRAM [ARGUMENT…]
alone() {
	# shellcheck disable=SC2086 # a list of words
	job $run "$@"
}

# ranks MPI RANKS PROGRAM [ARGUMENT…]
ranks() {
	mpi=$1 count=$2 program=$programs/$3
	shift 3
	[ -x "$program" ] || skip "$program was not built"
	launcher_of "$mpi" >said || skip "no launcher of $mpi here"
	# shellcheck disable=SC2086 # a list of words
	job launch "$mpi" "$count" $run "$program" "$@"
}

openmp() {
	"${CC:-cc}" -g -O1 -fopenmp -o omp "$srcdir/tests/programs/openmp.c" \
		-lm 2>said || skip "no OpenMP compiler"
	OMP_NUM_THREADS=2 alone ./omp 0.3
}

gpu() {
	[ -e "$builddir/tests/gpu/made" ] || skip "built without CUDA's headers"
	COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so" \
		alone "$builddir/tests/gpu/made" all
}

in_python() {
	need $python
	cat >steps.py <<-'P'
		import json, threading, time
		def count(n):
		    return sum(i * i for i in range(n))
		other = threading.Thread(target=count, args=(1000000,))
		other.start()
		count(1000000)
		time.sleep(0.05)
		other.join()
	P
	alone -e wall $python steps.py
}

# Ended from outside, while it is at work.
killed() {
	alone sh -c "'$programs/shares' 60 & sleep 0.5; kill -9 \$!; wait"
}

spawned() {
	need_spawned
	ranks openmpi 2 mpi-behaviour dynamic
}

point "2 ranks" ranks openmpi 2 mpi-parts 0.1
point "4 ranks" ranks openmpi 4 mpi-skew 0.05
point "4 ranks of MPICH" ranks mpich 4 mpi-skew.mpich 0.05
point "messages" ranks openmpi 4 exchange
point "nonblocking messages" ranks openmpi 2 mpi-overlap
point "phases" ranks openmpi 2 mpi-phases
point "one-sided" ranks openmpi 2 windows-threads
point "MPI from several threads" ranks openmpi 2 mpi-threads
point "ranks that fork" ranks openmpi 2 mpi-forks
point "pauses" ranks openmpi 2 mpi-paused
point "spawned ranks" spawned
point "OpenMP" openmp
point "threads" alone "$programs/threads32" 0.02
point "locks" alone --locks=on "$programs/lock-patterns"
point "processes" alone "$programs/forker" 0.1
point "Python, elapsed time" in_python
point "a GPU that is made" gpu
point "killed" killed
points_done
