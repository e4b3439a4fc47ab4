#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# viewers.sh - exports for viewers of others: each is read by a reader that is
# not ours, and its sums are those of the report, to the nanosecond.
#
#   SPEEDSCOPE_SCHEMA   file-format-schema.json of the npm package speedscope
#                       (dist/release), to judge by that as well
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
for try in python3 /usr/bin/python3; do
	"$try" -c 'import h5py, jsonschema' 2>/dev/null && python=$try && break
done

# pprof as Go has it; golang-go alone would put `go` on the PATH.
pprof=
for try in /usr/lib/go-*/pkg/tool/*/pprof; do
	[ -x "$try" ] && pprof=$try
done

measure() {
	if [ -x "$programs/demo" ] && command -v mpirun >/dev/null; then
		mpirun -n 3 "$copse" run -q -o ranks.copse "$programs/demo"
	else
		"$copse" run -q -o ranks.copse "$programs/forker" 0.2
	fi && if [ -x "$programs/mpi-stages" ] && command -v mpirun >/dev/null; then
		mpirun -n 3 "$copse" run -q -o stages.copse \
			"$programs/mpi-stages" slow=20 late=1
	fi && "$copse" run -q -o inlined.copse "$programs/inline-recursive" 0.4 &&
		"$copse" run -q -o phases.copse "$programs/phases" 0.4 &&
		"$copse" run -q -o forks.copse "$programs/forker" 0.2
}

runs='ranks inlined phases forks'

export_all() {
	for run in $runs; do
		"$copse" export "$1" "$run.copse" -o "$run.$1" 2>said ||
			{ cat said; return 1; }
	done
}

cat >read.py <<'P'
import collections, decimal, json, re, sys

def whole(seconds):
    ns = seconds * 1000000000
    assert ns == int(ns)
    return int(ns)

# Where there are bytes that mean something to a terminal, or nothing.
def plain(name):
    return re.sub("[\x00-\x1f\x7f-\x9f\ufffd]", "?", name)

# Function to what it has itself, as copse report hotspots -f json says.
def report(path):
    of = collections.Counter()
    for row in json.load(open(path), parse_float=decimal.Decimal
                         )["tables"]["hotspots"]:
        of[plain(row["function"])] += whole(row["exclusive"])
    return +of

def speedscope(path, schemas):
    import jsonschema
    text = open(path, encoding="utf-8").read()
    all = json.loads(text)
    for schema in schemas:
        jsonschema.validate(all, json.load(open(schema)))
    for profile in all["profiles"]:
        samples, weights = profile["samples"], profile["weights"]
        assert len(samples) == len(weights)
        assert sum(weights) == profile["endValue"]
        assert all_below(samples, len(all["shared"]["frames"]))
    return all

def all_below(samples, count):
    return all(frame < count for sample in samples for frame in sample)

def speedscope_own(all, profile):
    of = collections.Counter()
    for sample, weight in zip(profile["samples"], profile["weights"]):
        of[plain(all["shared"]["frames"][sample[-1]]["name"])] += weight
    return of

# What go tool pprof -raw prints: samples and locations, of one type.
def pprof(path):
    at, type, samples, names = None, 0, [], {}
    for line in open(path, encoding="utf-8"):
        if re.match("Samples:|Locations|Mappings", line):
            at = line[0]
            continue
        found = at == "S" and re.match(r"\s*([-\d ]+): ([\d ]+)$", line)
        if found:
            samples.append(([int(v) for v in found[1].split()],
                            [int(v) for v in found[2].split()], []))
        elif at == "S" and samples:
            samples[-1][2].append(line.strip())
        elif at == "S":
            types = line.split()
        found = at == "L" and re.match(
            r"\s*(\d+): 0x0 (?:M=\d+ )?(.*) \S*:\d+ s=0\(\)$", line)
        if found:
            names[int(found[1])] = found[2]
    return types, samples, names

# What protoc --decode prints: messages as lists of (field, value).
def message(lines):
    of = []
    for line in lines:
        line = line.strip()
        if line == "}":
            return of
        field, rest = line.split(None, 1)
        of.append((field.rstrip(":"), message(lines) if rest == "{" else
                   rest.strip('"') if rest[0] == '"' else
                   int(rest) if rest.isdigit() else rest))
    return of

# Each track's events as (ns, type, name, notes, stack), where every number
# that stands for a name was told before; arrows by their numbers.
class perfetto:
    def __init__(self, path):
        self.tracks, self.names, self.flows = {}, {}, collections.Counter()
        known = collections.defaultdict(dict)
        for _, packet in message(open(path, encoding="utf-8")):
            packet = dict(packet)
            for kind, part in packet.get("interned_data", []):
                self.intern(known[kind], kind, part, known)
            if "track_descriptor" in packet:
                self.track(dict(packet["track_descriptor"]))
            if "track_event" in packet:
                self.event(packet["timestamp"], packet["track_event"], known)

    def intern(self, of, kind, part, known):
        of[dict(part)["iid"]] = part
        for field, value in part:
            if field == "frame_ids":
                assert value in known["frames"]
            elif field == "function_name_id":
                assert value in known["function_names"]
            elif field == "mapping_id":
                assert value in known["mappings"]
            elif field == "path_string_ids":
                assert value in known["mapping_paths"]

    def track(self, track):
        assert track["uuid"] not in self.names
        assert track.get("parent_uuid", track["uuid"]) in {
            track["uuid"], *self.names}
        self.tracks[track["uuid"]] = []
        self.names[track["uuid"]] = track.get("name", "")

    def event(self, ns, event, known):
        of = dict(event)
        events = self.tracks[of["track_uuid"]]
        assert (not events or events[-1][0] <= ns or
                of["type"] == "TYPE_INSTANT")
        notes = {}
        for field, value in event:
            if field == "debug_annotations":
                value = dict(value)
                name = dict(known["debug_annotation_names"][value["name_iid"]])
                notes[name["name"]] = value["uint_value"]
            if field in ("flow_ids", "terminating_flow_ids"):
                self.flows[field, value] += 1
        if "callstack_iid" in of:
            assert of["callstack_iid"] in known["callstacks"]
        name = ""
        if "name_iid" in of:
            name = dict(known["event_names"][of["name_iid"]])["name"]
        events.append((ns, of["type"], name, notes))

    # Every slice as (depth, name, begin, end).
    def slices(self, track):
        open, of = [], []
        for ns, type, name, notes in self.tracks[track]:
            if type == "TYPE_SLICE_BEGIN":
                open.append((len(open), name, ns))
            elif type == "TYPE_SLICE_END":
                of.append((*open.pop(), ns))
        assert not open
        return of

def pprof_own(samples, names, index):
    of = collections.Counter()
    for values, stack, labels in samples:
        of[names[stack[0]]] += values[index]
    return +of
P

speedscope() {
	[ -n "${python-}" ] || skip "no python3-jsonschema and h5py here"
	export_all speedscope || return
	for run in $runs; do
		"$copse" report hotspots -n 0 --idle-threads=on -f json \
			"$run.copse" -o "$run.json" &&
			"$copse" export ranks "$run.copse" -o "$run.csv" ||
			return
		"$python" - "$run" "$srcdir/tests/profiles/speedscope.schema.json" \
			${SPEEDSCOPE_SCHEMA:+"$SPEEDSCOPE_SCHEMA"} <<-'P' || return
		import csv, sys
		from read import *
		name = sys.argv[1]
		all = speedscope(name + ".speedscope", sys.argv[2:])
		first, own = all["profiles"][0], report(name + ".json")
		assert first["unit"] == "nanoseconds"
		assert speedscope_own(all, first) == own, own
		ranks = [p for p in all["profiles"]
		         if p["name"].startswith(("cpu.time, rank ",
		                                  "cpu.time, process "))]
		count = len(list(csv.DictReader(open(name + ".csv"))))
		print(name, len(all["shared"]["frames"]), len(ranks), count)
		assert len(ranks) == (count if count > 1 else 0)
		if ranks:
		    assert sum(p["endValue"] for p in ranks) == first["endValue"]
		P
	done
}

# A node's frames: what is inlined shares the location of its caller.
pprof() {
	[ -n "$pprof" ] || skip "no pprof of Go here"
	[ -n "${python-}" ] || skip "no python3-jsonschema and h5py here"
	export_all pprof || return
	for run in $runs; do
		for how in raw top traces tags peek=.; do
			"$pprof" "-$how" "$run.pprof" >"$run.$how" 2>said ||
				{ cat said; return 1; }
		done
		"$copse" report hotspots -n 0 --idle-threads=on -f json \
			"$run.copse" -o "$run.json" || return
		"$python" - "$run" <<-'P' || return
		import sys
		from read import *
		name = sys.argv[1]
		types, samples, names = pprof(name + ".raw")
		index = types.index("cpu.time/nanoseconds[dflt]")
		assert pprof_own(samples, names, index) == report(name + ".json")
		labels = {l for s in samples for l in s[2] if l.startswith("rank")}
		print(name, len(samples), labels)
		if name == "ranks":
		    assert labels == {"rank:[0 rank]", "rank:[1 rank]",
		                      "rank:[2 rank]"}, labels
		P
	done
	[ "$runs" = hostile ] || grep -q 'inlined (inline)' inlined.traces
}

# Fields that perfetto.proto does not have would be shown by their numbers.
perfetto() {
	need protoc
	[ -n "${python-}" ] || skip "no python3-jsonschema and h5py here"
	export_all perfetto || return
	for run in $runs; do
		protoc --decode=Trace -I "$srcdir/tests/profiles" perfetto.proto \
			<"$run.perfetto" >"$run.packets" || return
		grep -E '^ *[0-9]+[: ]' "$run.packets" && return 1
		"$copse" report hotspots -n 0 --idle-threads=on -f json \
			"$run.copse" -o "$run.json" || return
		"$python" - "$run" <<-'P' || return
		import sys
		from read import *
		name = sys.argv[1]
		trace = perfetto(name + ".packets")
		own = collections.Counter()
		for track, events in trace.tracks.items():
		    trace.slices(track)
		    if trace.names[track] == "profile":
		        own["cpu.time"] += sum(e[3].get("cpu.time ns", 0)
		                               for e in events)
		assert own["cpu.time"] == sum(report(name + ".json").values())
		print(name, len(trace.tracks), trace.flows)
		P
	done
}

# What a program did one after the other is so on each rank's track; arrows
# have two ends.
stages() {
	need protoc
	[ -e stages.copse ] || skip "no MPI here"
	runs=stages
	perfetto || return
	"$python" - <<-'P'
	from read import *
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
	for kind, flow in trace.flows:
	    assert trace.flows["flow_ids", flow] == 1
	    assert trace.flows["terminating_flow_ids", flow] == 1
	P
}

# What otf2-print and python3-otf2 read is what copse report timeline says: a
# sample of each bin, in its middle, and its metrics, at its begin.
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
	/usr/bin/python3 - "$name.otf2/traces.otf2" <<-'P'
	import sys, csv, otf2
	from read import *
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
	with otf2.reader.open(sys.argv[1]) as trace:
	    for location, event in trace.events:
	        group = location.group.creating_location_group or location.group
	        cells = want[group.name.split()[-1], location.name]
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
	assert samples == sum(c["path"] != "" for r in want.values()
	                      for c in r.values()), samples
	print(samples, "samples")
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
	from read import *
	want = sum(whole(decimal.Decimal(r["value"]))
	           for r in csv.DictReader(open("values.csv")))
	types, samples, names = pprof("two.raw")
	index = types.index("cpu.time/nanoseconds[dflt]")
	assert sum(s[0][index] for s in samples) == want > 0
	assert {l for s in samples for l in s[2]} == {"rank:[1 rank]",
	                                              "rank:[2 rank]"}
	all = json.load(open("two.json"))
	assert [p["name"] for p in all["profiles"]] == [
	    "cpu.time, rank 1", "cpu.time, rank 2"]
	assert sum(p["endValue"] for p in all["profiles"]) == want
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
	runs=hostile
	speedscope && pprof && perfetto || return
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
point "speedscope" speedscope
point "pprof" pprof
point "perfetto" perfetto
point "perfetto: stages, one after the other" stages
point "otf2" otf2_stages
point "ranks that are chosen" chosen
point "hostile names" hostile
point "what cannot be exported is told" refuses
points_done
