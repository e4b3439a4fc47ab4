#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-trace.sh - each piece of GPU work, call of CUDA and range with its times
# (--gpu-trace), with a made CUDA (tests/gpu/made-cuda.h) that says when all was.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
made=$builddir/tests/gpu/made
export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH MADE_FAULT COPSE_GPU_CAPTURE

[ -e "$made" ] || { echo "1..0 # SKIP built without CUDA's headers"; exit 0; }
for try in python3 /usr/bin/python3; do
	"$try" -c 'import h5py' 2>/dev/null && python=$try && break
done
export PYTHONPATH="$srcdir/tests/lib" PYTHONDONTWRITEBYTECODE=1

# measure NAME OPTIONS PROGRAM…: NAME.copse, and what happened in NAME.log.
measure() {
	name=$1
	options=$2
	shift 2
	rm -f "$scratch/$name.log"
	# shellcheck disable=SC2086 # a list of words
	MADE_LOG=$scratch/$name.log "$copse" run -q --force \
		-o "$scratch/$name.copse" $options "$@" >"$scratch/$name.out"
}

# cells NAME TABLE COLUMNS [OPTION…]: its rows, with blanks between.
cells() {
	name=$1
	table=$2
	columns=$3
	shift 3
	"$copse" report gpu-trace "$scratch/$name.copse" -n 0 -f csv \
		--table "$table" "$@" >"$scratch/csv" || return
	awk -v columns="$columns" -f "$srcdir/tests/lib/csv.awk" \
		"$scratch/csv" | tr '\t' ' '
}

# says NAME WORDS [OPTION…]
says() {
	name=$1
	words=$2
	shift 2
	"$copse" report gpu-trace "$scratch/$name.copse" --width 1000 "$@" \
		>"$scratch/said" || return
	grep -q "$words" "$scratch/said" || { cat "$scratch/said"; return 1; }
}

# in_python NAME [WORD…]: the program of standard input, which has `made` (work
# by id: its kind, start, end), `asked` (calls by id: name, before, after), and the
# tables of the rank file, each a list of dictionaries.
in_python() {
	[ -n "${python-}" ] || skip "no python3-h5py here"
	cat >"$scratch/program.py"
	"$python" - "$scratch" "$@" <<-'P'
	import glob, h5py, sys
	scratch, name = sys.argv[1:3]
	words = sys.argv[3:]
	made, asked = {}, {}
	for line in open("%s/%s.log" % (scratch, name)):
	    word = line.split()
	    if word[0] == "work":
	        made[int(word[2])] = word[1], int(word[3]), int(word[4])
	    else:
	        asked.setdefault(int(word[2]), (word[1], int(word[3]), int(word[4])))
	file, = glob.glob("%s/%s.copse/rank-*.h5" % (scratch, name))
	with h5py.File(file) as f:
	    of = {}
	    for table in "work", "calls", "ranges", "window":
	        group = f["gpu-trace"].get(table)
	        columns = {c: group[c][:] for c in group} if group else {}
	        rows = len(next(iter(columns.values()))) if columns else 0
	        of[table] = [{c: columns[c][i] for c in columns}
	                     for i in range(rows)]
	exec(open(scratch + "/program.py").read())
	P
}

# All work has the times that the device gave it, and each call was when it was
# made: the call that began a piece has its id, and came before.
have_times() {
	measure all '--gpu-trace 16' "$made" all || return
	in_python all <<-'P'
	assert len(of["work"]) == len(made) == 152, len(of["work"])
	calls = {row["id"]: row for row in of["calls"]}
	for row in of["work"]:
	    kind, start, end = made[row["id"]]
	    assert (row["start"], row["end"]) == (start, end), row
	    call = calls[row["id"]]
	    name, before, after = asked[row["id"]]
	    assert before - 2000 <= row["launched"] <= min(after + 2000, start)
	    assert call["thread"] == row["thread"]
	assert set(calls) <= set(asked)
	assert len(calls) == 166, len(calls)  # as gpu-api has it
	for id, row in calls.items():
	    name, before, after = asked[id]
	    # The counter's and the clock's times are 2 us apart at most.
	    assert before - 2000 <= row["start"] <= after + 2000, (row, asked[id])
	    assert row["start"] <= row["end"]
	starts = [row["start"] for row in of["work"]]
	assert starts == sorted(starts)
	last = {}
	for row in of["work"]:  # one after the other on a stream
	    stream = row["context"], row["stream"]
	    assert last.get(stream, 0) <= row["start"]
	    last[stream] = row["end"]
	assert len(last) > 2
	assert [row["lost"] for row in of["window"]] == [0]
	P
}

# The sums are those of the other reports, and so are the paths.
sums() {
	cells all work 'seconds bytes work launched_by' | awk '
		{ name = $3 == "[copy" || $3 == "[memset]" ? "copies" : $3
			count[name]++; seconds[name] += $1; bytes += $2 }
		END { for (name in count)
				printf "%s %d %.6f\n", name, count[name], seconds[name]
			print "bytes", bytes }' | LC_ALL=C sort >"$scratch/got"
	LC_ALL=C sort >"$scratch/want" <<-END
	alpha 85 0.090000
	beta 40 0.120000
	[graph] 6 0.024000
	deep 4 0.000004
	copies 17 0.005008
	bytes 12597248
	END
	diff "$scratch/want" "$scratch/got" || return
	cells all work 'work launched_by' >"$scratch/got"
	grep -qx 'beta solve ← all ← main' "$scratch/got" &&
		grep -qx 'alpha direct ← all ← main' \
			"$scratch/got" && says all 'none was lost'
}

# Without it there is nothing, and the report says how to get it.
untraced() {
	measure plain '' "$made" solve || return
	[ -z "$(cells plain work work)" ] && says plain 'gpu-trace 16 keeps one'
}

# 33,000 launches, of which 12,288 rows have room: the last ones, and what ended
# after the time that is told is complete.
overrun() {
	measure many '--gpu-trace 1' "$made" many 30000 || return
	in_python many <<-'P' || return
	window, = of["window"]
	assert len(made) == 33000
	kept = len(of["work"]) + len(of["calls"])
	print(window, kept)
	assert window["room"] == kept == 12288
	assert window["lost"] == 66000 - kept
	whole = window["lost_until"]
	want = {id: w for id, w in made.items() if w[2] > whole}
	have = {row["id"]: row for row in of["work"]}
	assert 1000 < len(want) and set(want) <= set(have)
	calls = {row["id"] for row in of["calls"]}
	assert {id for id, a in asked.items() if a[1] > whole} <= calls
	assert all(row["end"] == made[row["id"]][2] for row in of["work"])
	P
	says many 'the last .* had no room: all is there from' &&
		"$copse" info "$scratch/many.copse" >"$scratch/said" &&
		grep -q 'trace of GPUs  .* had no room' "$scratch/said"
}

# Of a process that was killed all is there that CUPTI had told.
killed() {
	measure killed '--gpu-trace 4' "$made" killed
	[ $? = 137 ] || return
	in_python killed <<-'P'
	assert {row["id"]: (row["start"], row["end"]) for row in of["work"]} == {
	    id: w[1:] for id, w in made.items()}
	assert len(of["work"]) == 30
	P
}

# What three steps launch, on whatever thread, and they with what is in them.
ranges() {
	measure steps '--gpu-trace 16' "$made" steps 20 || return
	in_python steps <<-'P' || return
	names = [row["name"].decode() for row in of["ranges"]]
	assert names.count("forward") == 20 and "Train step 17" in names, names
	assert len(names) == 20 + 20 + 6 + 1
	steps = sorted(r["start"] for r in of["ranges"]
	               if r["name"].startswith(b"Train"))
	open(scratch + "/steps", "w").write("%d %d" % (steps[9], steps[12]))
	P
	measure three \
		'--gpu-trace 16 --gpu-trace-range Train_step_#:10-12' \
		"$made" steps 20 || return
	in_python three <<-'P' || return
	assert not of["work"], "no range has this name"
	assert of["window"][0]["begin"] == 2 ** 64 - 1
	P
	says three '1 of 1 processes had no such ranges' || return
	rm -f "$scratch/three.log"
	MADE_LOG=$scratch/three.log "$copse" run -q --force \
		-o "$scratch/three.copse" --gpu-trace 16 \
		--gpu-trace-range 'Train step #:10-12' "$made" steps 20 \
		>"$scratch/three.out" || return
	in_python three <<-'P'
	names = [row["name"].decode() for row in of["ranges"]]
	assert sorted(names) == ["Train step 10", "Train step 11",
	                         "Train step 9"] + 3 * ["forward"], names
	assert len(of["work"]) == 9
	truth = [line.split() for line in open(scratch + "/three.out")
	         if line.startswith("range")]
	begin, end = int(truth[9][2]), int(truth[11][3])
	wanted = {id for id, a in asked.items()
	          if begin <= a[1] and a[2] <= end and id in made}
	assert {row["id"] for row in of["work"]} == wanted
	window, = of["window"]
	assert begin - 2000 <= window["begin"] and window["end"] <= end + 2000
	P
}

# Step 17 has a kernel of 60 ms, which hides all of its communication; in others,
# which are shorter, 3 of 4 ms at most.
hidden() {
	cells steps messages 'call count seconds hidden_share' \
		--window 'Train step 17' >"$scratch/got"
	cat "$scratch/got"
	awk '{ good = $2 == 1 && $3 == 0.004 && $4 > 0.9999 }
		END { exit !good }' "$scratch/got" || return
	cells steps messages 'call count seconds hidden_share' \
		--window 'Train step #:1-10' >"$scratch/got"
	cat "$scratch/got"
	awk '{ good = $2 == 10 && $3 < 0.04001 && $4 > 0.1 && $4 <= 0.7501 }
		END { exit !good }' "$scratch/got" || return
	says steps 'Shown: Train step 17' --window 'Train step 17' &&
		says steps '60.*alpha' --window 'Train step 17'
}

# Kernels of NCCL have the name and the size of their call, on both ranks.
nccl_calls() {
	[ -e "$made-nccl" ] || skip "no made NCCL was built"
	unset NCCL_PROFILER_PLUGIN
	start=$(($(date +%s%N) + 1000000000))
	for rank in 0 1; do
		RANK=$rank WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT=1 \
			"$copse" run -q -o "$scratch/nccl.copse" --gpu-trace 4 \
			"$made-nccl" even 5 "$start" &
	done
	wait
	cells nccl messages 'call count bytes' >"$scratch/got"
	diff - "$scratch/got" <<-END && cells nccl work 'rank work' |
	ncclAllReduce 10 40000000
	END
		grep -c ncclAllReduce | grep -x 10
}

# Between two times: what ran there, and nothing else.
between() {
	cells all work 'at seconds stream' | LC_ALL=C sort -n >"$scratch/rows"
	from=$(sed -n 40p "$scratch/rows" | cut -d ' ' -f 1)
	until=$(sed -n 60p "$scratch/rows" | cut -d ' ' -f 1)
	cells all work 'at seconds stream' --window "$from-$until" |
		LC_ALL=C sort -n >"$scratch/got"
	awk -v from="$from" -v until="$until" '
		function ns(s) { return int(s * 1e9 + 0.5) }
		ns($1) + ns($2) > ns(from) && ns($1) < ns(until)' \
		"$scratch/rows" | diff - "$scratch/got" || return
	for wrong in nothing 2-1 900-901 iteration:3 'Train step #:0-3' ''; do
		"$copse" report gpu-trace "$scratch/all.copse" \
			--window "$wrong" >"$scratch/said" 2>&1
		[ $? = 2 ] && grep -q "there is no '$wrong' in the trace" \
			"$scratch/said" || { cat "$scratch/said"; return 1; }
	done
	"$copse" report gpu-idle "$scratch/all.copse" --window 1-2 \
		>"$scratch/said" 2>&1
	[ $? = 2 ] && grep -q 'what does: copse report gpu-trace' "$scratch/said"
}

# A gap of 12 ms follows each kernel; its host is outside of CUDA for all of it.
gaps() {
	measure idle '--gpu-trace 16' "$made-times" idle 10 || return
	cells idle gaps 'seconds host' >"$scratch/got"
	cat "$scratch/got"
	[ "$(awk '$1 > 0.012 && / outside of CUDA$/' "$scratch/got" |
		wc -l)" = 10 ] || return
	# As long as the device was idle.
	idle=$(awk '{ sum += $1 } END { print sum }' "$scratch/got")
	in_python idle "$idle" <<-'P'
	busy, gaps, until = 0, 0, None
	for kind, start, end in sorted(made.values(), key=lambda w: w[1]):
	    if until is not None and start > until:
	        gaps += start - until
	    until = max(until or end, end)
	assert abs(gaps / 1e9 - float(words[0])) < 1e-6, (gaps, words)
	P
}

# Two ranks on one clock: each has its own, and both stand in one order.
ranks() {
	[ -e "$made-mpi" ] || skip "no wrappers for Open MPI were built"
	need mpirun.openmpi
	mpirun.openmpi -n 2 "$copse" run -q --force -o "$scratch/mpi.copse" \
		--gpu-trace 4 "$made-mpi" || return
	cells mpi work 'rank work' | sort | uniq -c |
		awk '{ print $1, $2, $3 }' >"$scratch/got"
	cat "$scratch/got"
	grep -qx '10 0 alpha' "$scratch/got" &&
		grep -qx '20 1 alpha' "$scratch/got" || return
	cells mpi work at >"$scratch/got"
	sort -nc "$scratch/got"
}

# Streams, calls and ranges have their tracks; an arrow goes from each call to
# what it began, and all times are those of the device.
perfetto() {
	need protoc
	[ -n "${python-}" ] || skip "no python3-h5py here"
	for run in all steps many; do
		"$copse" export perfetto "$scratch/$run.copse" \
			-o "$scratch/$run.pftrace" || return
		protoc --decode=Trace -I "$srcdir/tests/profiles" \
			perfetto.proto <"$scratch/$run.pftrace" \
			>"$scratch/$run.packets" || return
		grep -E '^ *[0-9]+[: ]' "$scratch/$run.packets" && return 1
		in_python "$run" <<-'P' || { echo "$run"; return 1; }
		import viewers
		trace = viewers.perfetto("%s/%s.packets" % (scratch, name))
		works, calls, ranges = [], [], []
		for track in trace.tracks:
		    to = (works if trace.names[track].startswith("GPU 0, stream")
		          else calls if "calls of CUDA" in trace.names[track]
		          else ranges if trace.names[track].endswith("ranges")
		          else None)
		    if to is not None:
		        to += [s[1:] for s in trace.slices(track)]
		assert len(works) == len(of["work"]) > 0
		assert len(calls) == len(of["calls"])
		assert len(ranges) == len(of["ranges"])
		shift = min(s[1] for s in works) - min(r["start"] for r in of["work"])
		for slices, rows in ((works, of["work"]), (calls, of["calls"]),
		                     (ranges, of["ranges"])):
		    assert sorted(s[1:] for s in slices) == sorted(
		        (int(r["start"]) + shift, int(r["end"]) + shift)
		        for r in rows)
		both = {c["id"] for c in of["calls"]} & {w["id"] for w in of["work"]}
		arrows = [a for a in trace.arrows.values() if len(a) == 2]
		assert len(arrows) == len(trace.arrows) == len(both) > 0
		assert all(a["flow_ids"] <= a["terminating_flow_ids"] for a in arrows)
		begins = {int(w["start"]) + shift for w in of["work"]
		          if w["id"] in both}
		assert {a["terminating_flow_ids"] for a in arrows} == begins
		P
	done
}

refuses() {
	for wrong in x step step: step:0 step:3-2 :1 step:1-2x; do
		"$copse" run --gpu-trace 4 --gpu-trace-range "$wrong" true \
			>"$scratch/said" 2>&1
		[ $? = 2 ] && grep -q "such as 'step:10-12', not '$wrong'" \
			"$scratch/said" || { cat "$scratch/said"; return 1; }
	done
	"$copse" run --gpu-trace-range step:1 true >"$scratch/said" 2>&1
	[ $? = 2 ] && grep -q 'wants --gpu-trace MIB' "$scratch/said"
}

point "all work and all calls have their times" have_times
point "sums are those of the other reports" sums
point "nothing is kept that nobody asked for" untraced
point "the last ones stay, and from when on is known" overrun
point "a killed process keeps what was told" killed
point "ranges, and what certain ones launch" ranges
point "communication that other kernels hide" hidden
point "calls of NCCL" nccl_calls
point "a part of the time" between
point "gaps, and where the host was" gaps
point "ranks on one clock" ranks
point "tracks and arrows for Perfetto" perfetto
point "what makes no sense is refused" refuses
points_done
