# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154
# viewers.sh - judges exports for viewers: each is read by a reader that is not
# ours, and its sums are those of the report, to the nanosecond.  Runs are named
# without .copse, and are in the working directory.
#
#   SPEEDSCOPE_SCHEMA   file-format-schema.json of the npm package speedscope
#                       (dist/release), to judge by that as well
for try in python3 /usr/bin/python3; do
	"$try" -c 'import h5py, jsonschema' 2>/dev/null && python=$try && break
done
export PYTHONPATH="$srcdir/tests/lib" PYTHONDONTWRITEBYTECODE=1

# pprof as Go has it; golang-go alone would put `go` on the PATH.
pprof=
for try in /usr/lib/go-*/pkg/tool/*/pprof; do
	[ -x "$try" ] && pprof=$try
done

# export_each WHAT RUN…
export_each() {
	what=$1
	shift
	for run; do
		"$copse" export "$what" "$run.copse" -o "$run.$what" 2>said ||
			{ cat said; return 1; }
	done
}

# report_each RUN…: what a run's exports are compared with.
report_each() {
	for run; do
		"$copse" report hotspots -n 0 --idle-threads=on -f json \
			"$run.copse" -o "$run.json" &&
			"$copse" export ranks "$run.copse" -o "$run.csv" ||
			return
	done
}

# speedscope RUN…
speedscope() {
	[ -n "${python-}" ] || skip "no python3-jsonschema and h5py here"
	export_each speedscope "$@" && report_each "$@" || return
	"$python" - "$srcdir/tests/profiles/speedscope.schema.json" "$@" <<-'P'
	import csv, os, sys
	from viewers import *
	schemas = [sys.argv[1], os.environ.get("SPEEDSCOPE_SCHEMA")]
	for name in sys.argv[2:]:
	    all = speedscope(name + ".speedscope", filter(None, schemas))
	    first, own = all["profiles"][0], report(name + ".json")
	    assert first["unit"] == "nanoseconds"
	    assert speedscope_own(all, first) == own, (name, own)
	    ranks = [p for p in all["profiles"]
	             if p["name"].startswith(("cpu.time, rank ",
	                                      "cpu.time, process "))]
	    count = len(list(csv.DictReader(open(name + ".csv"))))
	    print(name, len(all["shared"]["frames"]), len(ranks), count)
	    assert len(ranks) == (count if count > 1 else 0)
	    if ranks:
	        assert sum(p["endValue"] for p in ranks) == first["endValue"]
	P
}

# pprof RUN…
pprof() {
	[ -n "$pprof" ] || skip "no pprof of Go here"
	[ -n "${python-}" ] || skip "no python3-jsonschema and h5py here"
	export_each pprof "$@" && report_each "$@" || return
	for run; do
		for how in raw top traces tags peek=.; do
			"$pprof" "-$how" "$run.pprof" >"$run.$how" 2>said ||
				{ cat said; return 1; }
		done
	done
	# Go 1.15's takes a number of 0 for none.
	case $pprof in
	*/go-1.15/*) unseen='rank:[0 rank]' ;;
	*) unseen= ;;
	esac
	"$python" - "$unseen" "$@" <<-'P'
	import csv, sys
	from viewers import *
	for name in sys.argv[2:]:
	    types, samples, names = pprof(name + ".raw")
	    index = types.index("cpu.time/nanoseconds[dflt]")
	    assert pprof_own(samples, names, index) == report(name + ".json"), name
	    labels = {l for s in samples for l in s[2] if l.startswith("rank")}
	    ranks = {"rank:[%s rank]" % r["rank"]
	             for r in csv.DictReader(open(name + ".csv")) if r["rank"]}
	    print(name, len(samples), labels)
	    assert labels == (ranks - {sys.argv[1]} if len(ranks) > 1 else set())
	P
}

# perfetto RUN…  Fields that perfetto.proto does not have would be shown by
# their numbers.
perfetto() {
	need protoc
	[ -n "${python-}" ] || skip "no python3-jsonschema and h5py here"
	export_each perfetto "$@" && report_each "$@" || return
	for run; do
		protoc --decode=Trace -I "$srcdir/tests/profiles" perfetto.proto \
			<"$run.perfetto" >"$run.packets" || return
		grep -E '^ *[0-9]+[: ]' "$run.packets" && return 1
	done
	"$python" - "$@" <<-'P'
	import sys
	from viewers import *
	for name in sys.argv[1:]:
	    trace = perfetto(name + ".packets")
	    own = 0
	    for track, events in trace.tracks.items():
	        trace.slices(track)
	        if trace.names[track] == "profile":
	            own += sum(e[3].get("cpu.time ns", 0) for e in events)
	    assert own == sum(report(name + ".json").values()), name
	    print(name, len(trace.tracks), len(trace.arrows))
	P
}

# What otf2-print and python3-otf2 read is what copse report timeline says: a
# sample of each bin, in its middle, and its metrics, at its begin; calls of MPI
# are those of run.h5, and iterations those of copse report iterations.
otf2() {
	name=$1
	need otf2-print
	/usr/bin/python3 -c 'import otf2' 2>/dev/null || skip "no python3-otf2"
	[ -e "$name.copse" ] || skip "no MPI here"
	rm -rf "$name.otf2"
	if ! "$copse" export otf2 "$name.copse" -o "$name.otf2" 2>said; then
		grep -q 'built without OTF2' said && skip "built without OTF2"
		cat said
		return 1
	fi
	otf2-print "$name.otf2/traces.otf2" >events 2>said &&
		otf2-print -G "$name.otf2/traces.otf2" >definitions 2>said &&
		[ ! -s said ] || { cat said; return 1; }
	"$copse" report timeline "$name.copse" -f csv -o cells.csv || return
	"$copse" report iterations "$name.copse" -f csv --table cells \
		-o steps.csv 2>said || echo rank,iteration,seconds >steps.csv
	/usr/bin/python3 - "$name.otf2/traces.otf2" "$name.copse/run.h5" <<-'P'
	import sys, csv, otf2
	from viewers import *
	csv.field_size_limit(10 ** 9)
	kinds = {"thread": "thread %s", "others": "other threads", "gpu": "GPU %s"}
	want = collections.defaultdict(dict)
	for row in csv.DictReader(open("cells.csv", newline="", encoding="utf-8",
	                               errors="replace")):
	    name = kinds[row["kind"]]
	    where = row["rank"], name % row["number"] if "%" in name else name
	    want[where][round(float(row["begin"]) * 1e9)] = row
	columns = "busy", "mpi", "mpi_wait", "io", "gpu"
	samples = metrics = 0
	exact = collections.defaultdict(list)
	with otf2.reader.open(sys.argv[1]) as trace:
	    for location, event in trace.events:
	        group = location.group.creating_location_group or location.group
	        rank = group.name.split()[-1]
	        if location.name.endswith(("calls of MPI", "iterations")):
	            exact[rank, location.name].append(event)
	            continue
	        cells = want[rank, location.name]
	        if isinstance(event, otf2.events.Metric):
	            cell = cells.get(event.time)
	            values = [v / 100 for v in event.values]
	            if not cell:  # the end of the row
	                assert not any(values)
	                continue
	            metrics += 1
	            for value, column in zip(values, columns):
	                assert abs(value - float(cell[column] or 0)) < 1e-5
	            last = cell
	        else:
	            samples += 1
	            begin = max(b for b in cells if b <= event.time)
	            path = cells[begin]["path"].split(" \u2190 ")
	            assert event.calling_context.region.name == plain(path[0])
	assert metrics == sum(map(len, want.values())), metrics
	without = "", "(no call path)"
	assert samples == sum(c["path"] not in without for r in want.values()
	                      for c in r.values()), samples
	print(samples, "samples", otf2_calls(exact, sys.argv[2]), "calls",
	      otf2_steps(exact, csv.DictReader(open("steps.csv"))), "iterations")
	P
}
