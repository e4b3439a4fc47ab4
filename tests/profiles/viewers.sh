#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# viewers.sh - exports for viewers of others, read by readers of others
# (tests/lib/viewers.sh): runs of all kinds, chosen ranks, inlined functions,
# time, hostile names.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/viewers.sh
. "$srcdir/tests/lib/viewers.sh"
cd "$scratch" || exit 99

measure() {
	if [ -x "$programs/mpi-skew" ] && command -v mpirun >/dev/null; then
		mpirun -n 3 "$copse" run -q -o ranks.copse "$programs/mpi-skew" 0.1
	else
		"$copse" run -q -o ranks.copse "$programs/forker" 0.2
	fi && if [ -x "$programs/mpi-stages" ] && command -v mpirun >/dev/null; then
		mpirun -n 3 "$copse" run -q -o stages.copse \
			"$programs/mpi-stages" slow=20 late=1
	fi && "$copse" run -q -o inlined.copse "$programs/inline-recursive" 0.4 &&
		"$copse" run -q -o phases.copse "$programs/phases" 0.4 &&
		"$copse" run -q -o forks.copse "$programs/forker" 0.2
}

# One of each kind that has metrics or rows of its own: locks, OpenMP, Python, a
# GPU, ranks of which one was killed, one rank with a trace, one without.
kinds() {
	"$copse" run -q -o locks.copse "$programs/lock-patterns" 2 &&
		"$copse" run -q --trace 1 -o trace.copse "$programs/phases" 0.2 ||
		return
	! "${CC:-cc}" -g -O1 -fopenmp -o omp "$srcdir/tests/programs/openmp.c" \
		2>said || OMP_NUM_THREADS=2 \
		"$copse" run -q -o openmp.copse ./omp 2 || return
	printf '%s\n' 'def inner(n): return sum(i * i for i in range(n))' \
		'class A:' '    def f(self): return [inner(999) for _ in "1234"]' \
		'for _ in range(400): A().f()' >program.py
	! /usr/bin/python3 -c pass 2>/dev/null ||
		"$copse" run -q -o python.copse /usr/bin/python3 program.py ||
		return
	[ ! -e "$builddir/tests/gpu/made" ] ||
		COPSE_CUPTI=$builddir/tests/gpu/libmade-cuda.so "$copse" run -q \
			-e cpu@10000 -o gpu.copse "$builddir/tests/gpu/made" all || return
	[ -e stages.copse ] || return 0
	mpirun -n 1 "$copse" run -q --trace 1 -o alone.copse \
		"$programs/mpi-stages" steps=10 stage=0.1
	mpirun -n 2 "$copse" run -q -o killed.copse "$programs/mpi-crash" kill9 \
		1 0.2 2>said
	[ -e killed.copse/rank-1.h5 ]
}

# of_kinds FORMAT WITH…: those of that kind that were measured here.
of_kinds() {
	read=$1
	shift
	for kind; do
		shift
		[ ! -e "$kind.copse" ] || set -- "$@" "$kind"
	done
	[ $# -gt 0 ] || skip "no such run here"
	if [ "$read" = otf2 ]; then
		for kind; do
			otf2 "$kind" || return
		done
	else
		"$read" "$@"
	fi
}

# A profile without a sample is told, or is an export without one.
empty() {
	"$copse" run -q -e cpu@0 -e perf::PAGE-FAULTS -o empty.copse \
		"$programs/steady" 0.1 || return
	for format in speedscope pprof perfetto; do
		"$copse" export $format empty.copse -o empty.$format 2>said
		case $? in
		0)	;;
		2)	grep -q "no metric 'cpu.time' in this profile" said ;;
		*)	false ;;
		esac || { cat said; return 1; }
	done
	need protoc
	protoc --decode=Trace -I "$srcdir/tests/profiles" perfetto.proto \
		<empty.perfetto >packets
}

all='ranks inlined phases forks'

pprof_inlined() {
	pprof inlined && grep -q 'inlined (inline)' inlined.traces
}

# What a program did one after the other is so on each rank's track, its 50
# steps are, and its calls of MPI to the nanosecond; arrows have two ends.
stages() {
	need protoc
	[ -e stages.copse ] || skip "no MPI here"
	perfetto stages && speedscope stages || return
	"$python" - <<-'P'
	from viewers import *
	trace = perfetto("stages.packets")
	ranks = 0
	for track in trace.tracks:
	    slices, begin = trace.slices(track), {}
	    for depth, name, start, end in slices:
	        begin.setdefault(name, start)
	        assert start < end
	    if "main" not in begin:  # threads of Open MPI's
	        continue
	    ranks += 1
	    order = ["main", "setup", "assemble", "compute", "finish"]
	    assert sorted(order, key=lambda n: begin[n]) == order, begin
	assert ranks == 3
	of = collections.defaultdict(list)
	for track in trace.tracks:
	    of[trace.names[track]].append(trace.slices(track))
	assert [len(steps) for steps in of["iterations"]] == [49] * 3
	calls = kept_calls("stages.copse/run.h5")
	assert len(calls) == sum(map(len, of["calls of MPI"])) > 100
	assert {begin for all in of["calls of MPI"] for d, n, begin, e in all} == {
	    enter for rank, thread, enter in calls}
	all = speedscope("stages.speedscope", [])
	ranks = 0
	for profile in all["profiles"]:
	    if not profile["name"].startswith("over time, rank "):
	        continue
	    ranks += 1
	    names = [[all["shared"]["frames"][f]["name"] for f in sample]
	             for sample in profile["samples"]]
	    begin = [next(i for i, sample in enumerate(names) if name in sample)
	             for name in ("setup", "assemble", "compute", "finish")]
	    assert begin == sorted(begin), begin
	    assert len(set(profile["weights"])) == 1
	assert ranks == 3
	for kind, flow in trace.flows:
	    assert trace.flows["flow_ids", flow] == 1
	    assert trace.flows["terminating_flow_ids", flow] == 1
	exact = [a for n, a in trace.arrows.items() if n > 64]
	assert len(exact) > 20
	for arrow in exact:
	    assert arrow["flow_ids"] <= arrow["terminating_flow_ids"]
	P
}

otf2_stages() {
	otf2 stages || return
	for name in setup assemble compute finish; do
		grep -q "$name" definitions || { echo "no $name"; return 1; }
	done
	"$copse" export otf2 --rank 1 stages.copse -o one.otf2 &&
		otf2-print -G one.otf2/traces.otf2 | grep -q 'MPI Rank 1' &&
		! otf2-print -G one.otf2/traces.otf2 | grep -q 'MPI Rank 0'
}

# Of a rank alone: what export values says of it.
chosen() {
	[ -n "$pprof" ] && [ -n "${python-}" ] || skip "no pprof of Go here"
	[ -e ranks.copse/rank-2.h5 ] || skip "no MPI here"
	"$copse" export values --rank 1-2 -m cpu.time ranks.copse -o values.csv &&
		"$copse" export pprof --rank 1,2 ranks.copse -o two.pprof &&
		"$copse" export speedscope --rank 1,2 ranks.copse -o two.json &&
		"$pprof" -raw two.pprof >two.raw || return
	"$python" - <<-'P' || return
	import csv, decimal
	from viewers import *
	want = sum(whole(decimal.Decimal(r["value"]))
	           for r in csv.DictReader(open("values.csv")))
	types, samples, names = pprof("two.raw")
	index = types.index("cpu.time/nanoseconds[dflt]")
	assert sum(s[0][index] for s in samples) == want > 0
	assert {l for s in samples for l in s[2]} == {"rank:[1 rank]",
	                                              "rank:[2 rank]"}
	all = json.load(open("two.json"))
	# Open MPI 5 may begin a thread whose record is the first.
	assert [re.sub("thread [01]$", "thread", p["name"])
	        for p in all["profiles"]] == [
	    "cpu.time, rank 1", "cpu.time, rank 2",
	    "over time, rank 1, thread", "over time, rank 2, thread"]
	assert sum(p["endValue"] for p in all["profiles"][:2]) == want
	P
	"$pprof" -top -tagfocus=rank=2 ranks.pprof 2>/dev/null | grep -q main
}

# Names that a terminal obeys, that are no text, that read backwards, that end
# a script, that are long; in the place of all names of functions.
hostile_names() {
	[ -n "${python-}" ] || skip "no python3-jsonschema and h5py here"
	mkdir -p hostile.copse
	from=inlined
	[ -e stages.copse ] && from=stages
	"$copse" merge -q $from.copse -o hostile.copse/run.h5 || return
	"$python" - <<-'P'
	import h5py, numpy
	f = h5py.File("hostile.copse/run.h5", "r+")
	texts = f["strings"][:].tobytes().split(b"\0")
	names = [b"a\033[2Jb\xc2\x9b2J\x9b", b"\xff\xfe\xc3(", b"\xed\xa0\x80",
	         "\u202eesrever\u202c".encode(), b"</script><b>\"'\\",
	         b"l" * 1000000, b"line\nof two\ttabs\r"]
	used = sorted({int(i) for i in f["nodes/function"][:] if texts[i]})
	for n, i in enumerate(used):
	    texts[i] = names[n % len(names)] + b"%d" % (n // len(names))
	bytes = numpy.frombuffer(b"\0".join(texts), dtype="u1")
	del f["strings"]
	f.create_dataset("strings", data=bytes, chunks=(bytes.size,),
	                 compression="gzip")
	assert len(used) > len(names)
	P
}

hostile() {
	hostile_names || return
	speedscope hostile && pprof hostile && perfetto hostile || return
	[ ! -e stages.copse ] || (otf2 hostile) || [ $? = 77 ] || return
	LC_ALL=C grep -aqP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' \
		hostile.speedscope && { echo "control characters"; return 1; }
	grep -q esrever hostile.speedscope && grep -aq esrever hostile.raw
}

refuses() {
	"$copse" export pprof --rank 77777777 phases.copse >said 2>&1
	[ $? = 2 ] && grep -q 'there is no process 77777777' said || return
	"$copse" export pprof --node 1 phases.copse >said 2>&1
	[ $? = 2 ] || return
	for wrong in 1- 1,,2 x 1-2-3 -1; do
		"$copse" export pprof "--rank=$wrong" phases.copse >said 2>&1
		[ $? = 2 ] || { echo "$wrong"; cat said; return 1; }
	done
	"$copse" export pprof phases.copse -o /dev/full 2>said
	[ $? = 1 ] || return
	"$copse" export otf2 phases.copse >said 2>&1
	[ $? = 2 ] && grep -q 'name it with -o' said || return
	"$copse" export otf2 phases.copse -o phases.otf2 2>said
	[ $? = 1 ] && grep -qE 'no timeline|built without OTF2' said &&
		[ ! -e phases.otf2 ] || { cat said; return 1; }
	need script
	script -qec "'$copse' export pprof phases.copse" /dev/null >said
	grep -q 'not for a terminal' said
}

point "runs" measure
# shellcheck disable=SC2086 # a list of words
{
	point "speedscope" speedscope $all
	point "pprof" pprof $all
	point "pprof: inlined functions" pprof_inlined
	point "perfetto" perfetto $all
}
point "runs of each kind" kinds
serial='openmp locks trace python gpu'
ranks='alone killed'
# shellcheck disable=SC2086 # lists of words
{
	point "speedscope of each kind" of_kinds speedscope $serial $ranks
	point "pprof of each kind" of_kinds pprof $serial $ranks
	point "perfetto of each kind" of_kinds perfetto $serial $ranks
	point "otf2 of each kind" of_kinds otf2 trace $ranks
}
point "a profile without samples" empty
point "stages, one after the other" stages
point "otf2" otf2_stages
point "ranks that are chosen" chosen
point "hostile names" hostile
point "what cannot be exported is told" refuses
points_done
