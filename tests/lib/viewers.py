# SPDX-License-Identifier: BSD-3-Clause
# viewers.py - what exports for viewers say, for tests/lib/viewers.sh.
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
            r"\s*(\d+): 0x0 (?:M=\d+ )?(.*?) (?:<frozen \S+>|\S*):\d+"
            r"(?::\d+)? s=0\(\)$", line)
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
        self.arrows = collections.defaultdict(dict)
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
                self.arrows[value][field] = ns
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

# Calls of MPI as (rank, thread, enter, leave) and what ended in them.
def kept_calls(path):
    import h5py
    of = h5py.File(path, "r")["waits"].get("operations")
    calls = collections.defaultdict(list)
    for rank, thread, enter, leave, kind in zip(*(
            of[c][:].tolist() for c in
            ("rank", "thread", "enter_ns", "leave_ns", "kind"))) if of else ():
        calls[rank, thread, enter].append((leave, kind))
    return calls

# One enter and one leave for each, with the messages and operations between.
def otf2_calls(exact, run):
    from otf2 import events as e
    want, seen = kept_calls(run), 0
    sent = received = 0
    for (rank, name), events in exact.items():
        if not name.endswith("calls of MPI"):
            continue
        thread, open, begun = int(name.split()[1].rstrip(",")), None, 0
        for event in events:
            if isinstance(event, e.Enter):
                assert open is None
                open = want[int(rank), thread, event.time]
                assert open
            elif isinstance(event, e.Leave):
                assert event.time == max(leave for leave, kind in open)
                assert not begun
                open, seen = None, seen + 1
            elif isinstance(event, e.MpiCollectiveBegin):
                begun += 1
            elif isinstance(event, e.MpiCollectiveEnd):
                begun -= 1
                assert open and any(kind > 1 for leave, kind in open)
            elif isinstance(event, (e.MpiSend, e.MpiIsend)):
                sent += 1
            elif isinstance(event, (e.MpiRecv, e.MpiIrecv)):
                received += 1
        assert open is None
    assert seen == len(want), (seen, len(want))
    assert sent == received
    return seen

def otf2_steps(exact, rows):
    from otf2 import events as e
    want = collections.defaultdict(dict)
    for row in rows:
        want[row["rank"]][int(row["iteration"])] = float(row["seconds"])
    got = collections.defaultdict(dict)
    for (rank, name), events in exact.items():
        if name == "iterations":
            for enter, number, leave in zip(*[iter(events)] * 3):
                assert isinstance(number, e.ParameterUnsignedInt)
                got[rank][number.value] = (leave.time - enter.time) / 1e9
    assert got == want
    return sum(map(len, want.values()))

def pprof_own(samples, names, index):
    of = collections.Counter()
    for values, stack, labels in samples:
        of[names[stack[0]]] += values[index]
    return +of
