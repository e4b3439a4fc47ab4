#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# export.sh - what other programs read: CSV tables, Hatchet's JSON, and the
# recipes for h5py that copse-format(5) has.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
for try in python3 /usr/bin/python3; do
	"$try" -c 'import h5py, numpy' 2>/dev/null && python=$try && break
done
python=${python:-python3}

measure() {
	if [ -x "$programs/mpi-skew" ] && command -v mpirun >/dev/null; then
		mpirun -n 3 "$copse" run --quiet -o app.copse \
			"$programs/mpi-skew" 0.1 >out 2>&1
	else
		"$copse" run --quiet -o app.copse "$programs/steady" 0.5 >out 2>&1
	fi || { cat out; return 1; }
	"$copse" merge app.copse >out 2>&1 || { cat out; return 1; }
}

# The tables say the same as each other and as the reports.
tables() {
	need python3
	for what in nodes ranks values; do
		"$copse" export $what app.copse -o $what.csv || return 1
	done
	"$copse" report hotspots app.copse -f csv >hotspots.csv || return 1
	python3 - <<-EOF
	import collections, csv
	nodes, ranks, values, hotspots = (
	    list(csv.DictReader(open(name + ".csv")))
	    for name in ("nodes", "ranks", "values", "hotspots"))
	own = collections.Counter()
	for row in values:
	    assert 0 <= int(row["process"]) < len(ranks)
	    if row["metric"] == "cpu.time":
	        own[row["node"]] += float(row["value"])
	inclusive = collections.Counter()
	by_function = collections.Counter()
	for row in reversed(nodes):
	    seconds = float(row["cpu.time"])
	    assert abs(seconds - own[row["node"]]) < 1e-6
	    inclusive[row["node"]] += seconds
	    assert abs(float(row["cpu.time (inc)"]) -
	               inclusive[row["node"]]) < 1e-6
	    inclusive[row["parent"]] += inclusive[row["node"]]
	    by_function[row["function"], row["module"]] += seconds
	assert inclusive["0"] > 0.2 and [r["node"] for r in nodes] == [
	    str(i) for i in range(len(nodes))]
	for row in hotspots:
	    assert abs(by_function[row["function"], row["module"]] -
	               float(row["exclusive"])) < 1e-6, row
	cpu = sum(float(r["cpu"]) for r in ranks)
	assert abs(cpu - inclusive["0"]) < 1e-3
	EOF
}

# What is chosen of the values is what stands there among all, and one that is
# not there is told.
chosen() {
	need python3
	ranks=$(awk -F, 'NR > 1 { print $2 != "" ? $2 : $4 }' ranks.csv)
	for rank in $ranks; do
		"$copse" export values --rank "$rank" app.copse \
			-o "rank-$rank.csv" || return 1
	done
	"$copse" export values --rank "$rank" -m mpi.time.max app.copse \
		-o extreme.csv 2>said || grep -q "no metric" said || return 1
	"$copse" export values --node 5 -m cpu.time app.copse -o node.csv &&
		"$copse" export values --node 5 --rank "$rank" -m cpu.time \
			app.copse -o one.csv || return 1
	python3 - "$rank" <<-EOF || return 1
	import csv, os, sys
	def table(name):
	    with open(name) as file:
	        return list(csv.DictReader(file))
	ranks, every = table("ranks.csv"), table("values.csv")
	sums = [v for v in every if not v["metric"].endswith((".max", ".min"))]
	assert sums
	for r in ranks:
	    chosen = table("rank-%s.csv" % (r["rank"] or r["pid"]))
	    assert chosen == [v for v in sums if v["process"] == r["process"]]
	last = ranks[-1]["process"]
	if os.path.exists("extreme.csv"):
	    assert table("extreme.csv") == [
	        v for v in every if v["metric"] == "mpi.time.max" and
	        v["process"] == last]
	node = [v for v in every if v["metric"] == "cpu.time" and v["node"] == "5"]
	assert table("node.csv") == node
	assert table("one.csv") == [v for v in node if v["process"] == last]
	EOF
	for wrong in '--rank 77777777' '--rank x' '--node 7777777' '-m tea'; do
		# shellcheck disable=SC2086 # two words
		"$copse" export values $wrong app.copse >said 2>&1
		[ $? = 2 ] || { echo "$wrong: not refused"; cat said; return 1; }
	done
}

# What Hatchet's literal reader does (hatchet/readers/literal_reader.py, frame.py,
# 2023): a list of roots; of each node a "frame" with attributes that can be
# hashed, of them a "name"; "metrics", the same for all nodes, whose names with
# "(inc)" are inclusive; "children", a list.  With Hatchet itself where it is
# installed, which Debian has no package of.
hatchet() {
	need python3
	"$copse" export hatchet app.copse -o app.json || return 1
	cat >read.py <<-EOF
	import csv, json
	literal = json.load(open("app.json"))
	nodes = list(csv.DictReader(open("nodes.csv")))
	seen, todo = [], list(literal)
	assert isinstance(literal, list) and len(literal) == 1
	names = list(literal[0]["metrics"])
	assert "time" in names and "time (inc)" in names
	while todo:
	    node = todo.pop(0)
	    assert set(node) == {"frame", "metrics", "children"}
	    hash(tuple(sorted(node["frame"].items())))
	    assert node["frame"]["name"] and node["frame"]["type"]
	    assert list(node["metrics"]) == names
	    assert all(type(v) in (int, float) for v in node["metrics"].values())
	    below = sum(c["metrics"]["time (inc)"] for c in node["children"])
	    assert abs(node["metrics"]["time"] + below -
	               node["metrics"]["time (inc)"]) < 1e-6
	    seen.append(node)
	    todo[0:0] = node["children"]
	assert len(seen) == len(nodes)
	for node, row in zip(seen, nodes):
	    for metric in ("cpu.time", "cpu.time (inc)"):
	        assert abs(node["metrics"][metric] - float(row[metric])) < 1e-6
	try:
	    from hatchet import GraphFrame
	except ImportError:
	    print("no Hatchet here: the structure alone was checked")
	else:
	    frame = GraphFrame.from_literal(literal)
	    assert len(frame.dataframe) == len(nodes)
	    assert "time (inc)" in frame.inc_metrics
	EOF
	python3 read.py
}


refuses() {
	"$copse" export nodes 2>said && return 1
	"$copse" export trees app.copse 2>said
	[ $? = 2 ] || return 1
	grep -q 'nodes, ranks, values, hatchet' said || { cat said; return 1; }
	"$copse" export values app.copse -o /dev/full 2>said
	[ $? = 1 ]
}

# Every Python program of the page runs as it stands there, and prints.
recipes() {
	"$python" -c 'import h5py, numpy' 2>/dev/null || skip "no h5py here"
	awk '/^\.Bd -literal/ { text = ""; on = 1; next }
		/^\.Ed/ { if (text ~ /^import/) { n++
				printf "%s", text >("recipe-" n ".py") }
			on = 0 }
		on { gsub(/\\e/, "\\"); text = text $0 "\n" }
		END { print n }' "$srcdir/doc/copse-format.5.in" >count
	[ "$(cat count)" -ge 5 ] || { echo "only $(cat count) recipes"; return 1; }
	"$copse" run -q --gather on -o node.copse "$programs/shares" 0.1 \
		>/dev/null && mv node.copse/node-*.h5 app.copse/node-oak.h5 ||
		return
	for recipe in recipe-*.py; do
		"$python" "$recipe" >"$recipe.out" 2>&1 && [ -s "$recipe.out" ] &&
			continue
		cat "$recipe" "$recipe.out"
		return 1
	done
	cat recipe-*.out
	# work() has most of it, and what it is told by each recipe agrees.
	grep -q work recipe-2.py.out && grep -q work recipe-3.py.out &&
		grep -q 'rank .*: 0\.[0-9]* s' recipe-3.py.out &&
		grep -q work recipe-4.py.out && grep -q work recipe-5.py.out &&
		grep -q '^rank-0.h5 [0-9]* [0-9]*$' recipe-6.py.out
}

point "a run" measure
point "tables" tables
point "some of the values" chosen
point "Hatchet's literal" hatchet
point "what cannot be exported is told" refuses
point "recipes of copse-format(5)" recipes
points_done
