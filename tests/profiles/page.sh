#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# page.sh - what -f html puts into a page says the same as the reports.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
export PYTHONPATH="$srcdir/tests/lib" PYTHONDONTWRITEBYTECODE=1

measure() {
	if [ -x "$programs/mpi-skew" ] && command -v mpirun >/dev/null; then
		mpirun -n 4 "$copse" run --quiet -o app.copse \
			"$programs/mpi-skew" 0.1 >out 2>&1
	else
		"$copse" run --quiet -o app.copse "$programs/steady" 0.5 >out 2>&1
	fi || { cat out; return 1; }
	"$copse" report -f html -o app.html app.copse
}

same_bytes() {
	"$copse" report -f html app.copse >again.html || return 1
	cmp app.html again.html
}

# The template, with data in one line and the script packed.
is_the_template() {
	need python3
	python3 - "$builddir/page/page.html" <<-'EOF'
	import sys
	from page import unpacked
	template = open(sys.argv[1], encoding="utf-8").read()
	assert unpacked("app.html") == template
	assert "<!--COPSE-DATA-->" in template
	EOF
}

# Sums over nodes, over processes, and those of each function, to the
# nanosecond.
totals() {
	need python3
	python3 - "$copse" <<-'EOF'
	import collections, csv, io, json, subprocess, sys
	from page import decode
	page, a = decode("app.html")
	def report(*words):
	    return json.loads(subprocess.run(
	        [sys.argv[1], "report", *words, "-f", "json", "app.copse"],
	        check=True, capture_output=True).stdout)
	def same(value, text, unit):
	    return round(text * 1e9) == value if unit == "ns" else text == value
	nodes = len(a["node.parent"])
	for metric in page["metrics"]:
	    name, unit = metric["name"], metric["unit"]
	    if metric["merge"] != "sum":
	        assert "sum." + name not in a and metric["total"] is None
	        continue
	    cells = a["cell." + name + ".first"]
	    values = iter(a["cell." + name + ".value"])
	    sums = [sum(next(values) for _ in range(n)) for n in cells]
	    assert len(sums) == nodes and "sum." + name not in a
	    assert next(values, None) is None
	    assert sum(sums) == metric["total"], name
	    # Of few processes what a clock said is rounded, but for the sums.
	    exact = collections.Counter()
	    for row in csv.DictReader(io.StringIO(subprocess.run(
	        [sys.argv[1], "export", "values", "-m", name, "app.copse"],
	        check=True, capture_output=True, text=True).stdout)):
	        exact[int(row["node"]), int(row["process"])] = round(
	            float(row["value"]) * (1e9 if unit == "ns" else 1))
	    ranks, values = (iter(a["cell." + name + part])
	                     for part in (".rank", ".value"))
	    found = {(n, next(ranks)): next(values)
	             for n, count in enumerate(cells) for _ in range(count)}
	    rounds = unit == "ns" and not metric["sampled"]
	    assert all(abs(v - exact[k]) <= 0.007 * exact[k] * rounds
	               for k, v in found.items()), name
	    if rounds and page["ranks"]["count"] > 1:
	        assert found != {k: exact[k] for k in found}, name
	    own = collections.Counter()
	    for n, value in enumerate(sums):
	        own[page["strings"][a["node.function"][n]] or "(no call path)",
	            page["strings"][a["node.module"][n]]] += value
	    rows = report("hotspots", "-m", name)["tables"]["hotspots"]
	    assert rows, name
	    for row in rows:
	        value = own[row["function"], row["module"]]
	        assert same(value, row["exclusive"], unit), (name, row, value)
	    tree = report("tree", "-m", name, "--prune", "0")["tree"]
	    assert same(metric["total"] - sums[0],
	                sum(n["inclusive"] for n in tree if not n["depth"]),
	                unit), name
	EOF
}

# Each table of each report, cell by cell.
reports() {
	need python3
	python3 - "$copse" <<-'EOF'
	import collections, json, subprocess, sys
	from page import decode
	page, _ = decode("app.html")
	compared = collections.Counter()
	read = {"run", "findings", "factors", "ranks", "map", "sizes", "devices",
	        "losses", "parts"}
	unseen = {("summary", "strip"), ("summary", "mpi"), ("split", "ranks"), ("split", "bins"),
	          ("ranks", "parts"), ("ranks", "paths"),
	          ("imbalance", "ranks"), ("iterations", "ranks"),
	          ("threads", "strips")}
	assert "summary" in page["reports"] and "diagnose" in page["reports"]
	for name, report in page["reports"].items():
	    rows = {"summary": "5", "iterations": "12"}.get(name, "100")
	    plain = json.loads(subprocess.run(
	        [sys.argv[1], "report", name, "-n", rows, "-f", "json",
	         "app.copse"], check=True, capture_output=True).stdout)
	    assert plain["lines"] == report["lines"], name
	    assert plain["notes"] == report["notes"], name
	    assert list(plain["tables"]) == [t["id"] for t in report["tables"]]
	    for table in report["tables"]:
	        rows = plain["tables"][table["id"]]
	        # What people read is cut short, and has five digits.
	        few = table["id"] not in read
	        if (name, table["id"]) in unseen:
	            rows = []
	        elif few:
	            rows = rows[:50] if table["columns"] else []
	        assert len(rows) == len(table["rows"]), (name, table["id"])
	        assert table["more"] >= len(rows) - len(table["rows"]), table
	        for row, cells in zip(rows, table["rows"]):
	            for column, cell in zip(table["columns"], cells):
	                if column["id"] not in row:
	                    continue
	                if isinstance(cell, list):
	                    text = column["type"] in ("text", "left")
	                    cell = cell[1] if text else cell[0]
	                said = row[column["id"]]
	                if few and column["type"] == "seconds":
	                    # A half may be rounded up or down.
	                    assert cell in [said] + [
	                        said and float(f"{said * (1 + by):.5g}")
	                        for by in (-1e-9, 1e-9)], (name, column, cell, said)
	                else:
	                    assert cell == said, (name, column, cell)
	                compared[name, table["id"]] += 1
	# Columns that nobody sees are there where the page reads them.
	for table in [("summary", "run"), ("ranks", "ranks"),
	              ("hotspots", "hotspots"), ("mpi-calls", "sites"),
	              ("split", "parts"), ("split", "paths"),
	              ("efficiency", "losses")]:
	    assert compared[table], table
	assert not compared["waits", "victims"]
	# What factors lose is what is missing to the efficiency, to rounding.
	def records(table):
	    columns = [c["id"] for c in table["columns"]]
	    return [dict(zip(columns, row)) for row in table["rows"]]
	tables = {t["id"]: t for t in page["reports"]["efficiency"]["tables"]}
	lost = records(tables["losses"])
	run = records(tables["factors"])[0]
	assert abs(1 - run["parallel_efficiency"] -
	           sum(l["share"] for l in lost)) < 1e-5, (run, lost)
	assert abs(sum(l["seconds"] for l in lost) + run["useful_mean"] -
	           run["elapsed"]) < 1e-5, (run, lost)
	EOF
}

# What an even load would save most of is first.
imbalance_by_gain() {
	need python3
	"$copse" report imbalance -n 0 -f json app.copse >imbalance.json &&
		python3 - <<-'EOF'
	import json
	rows = json.load(open("imbalance.json"))["tables"]["paths"]
	saved = [row["recoverable"] for row in rows]
	assert saved == sorted(saved, reverse=True) and len(saved) > 3, saved
	assert saved != sorted(saved), saved
	EOF
}

one_analysis() {
	need python3
	"$copse" report hotspots -n 3 -f html -o one.html app.copse &&
		python3 - <<-'EOF'
	from page import decode
	page, _ = decode("one.html")
	assert list(page["reports"]) == ["hotspots"]
	assert len(page["reports"]["hotspots"]["tables"][0]["rows"]) == 3
	EOF
}

# Both sides of each call path; together they are what diff says.
two_sides() {
	need python3
	"$copse" run -q -o one.copse "$programs/shares" 0.3 >out 2>&1 &&
		"$copse" run -q -o two.copse "$programs/shares" 0.5 >out 2>&1 &&
		"$copse" report diff -f html -o diff.html one.copse vs two.copse &&
		"$copse" report diff -f html one.copse vs two.copse |
		cmp - diff.html || return 1
	"$copse" gate --fail-if 'total>1%' -f html -o gate.html one.copse vs \
		two.copse
	[ $? = 1 ] || return 1
	python3 - "$copse" <<-'EOF'
	import json, subprocess, sys
	from page import decode
	page, _ = decode("gate.html")
	assert list(page["reports"]) == ["gate", "diff"], page["reports"]
	assert [t["rows"] for t in page["reports"]["gate"]["tables"]
	        if t["id"] == "rules"][0][0][0] == "total>1%"
	page, a = decode("diff.html")
	assert page["kind"] == "diff" and page["runs"] == [1, 1]
	assert list(page["reports"]) == ["diff"], "by rules that nobody gave"
	plain = json.loads(subprocess.run(
	    [sys.argv[1], "report", "diff", "-f", "json", "one.copse", "vs",
	     "two.copse"], check=True, capture_output=True).stdout)["tables"]
	ns = lambda seconds: round(seconds * 1e9)
	by_name = {m["metric"]: m for m in plain["metrics"]}
	for m in page["metrics"]:
	    scale = 1e9 if m["unit"] == "ns" else 1
	    for side, what in ("base", "base"), ("total", "new"):
	        assert m[side] == round(by_name[m["name"]][what] * scale), m
	    assert m["base"] == sum(a["base." + m["name"]])
	    assert m["total"] == sum(a["sum." + m["name"]])
	def text(n):
	    words = []
	    while n:
	        words.append(page["strings"][a["node.function"][n]])
	        n = a["node.parent"][n]
	    return " ← ".join(words)
	own = {}
	for n in range(1, len(a["node.parent"])):
	    own.setdefault(text(n), []).append(
	        (a["base.cpu.time"][n], a["sum.cpu.time"][n],
	         a["margin.cpu.time"][n]))
	for row in plain["paths"]:
	    sides = [(ns(row["itself_base"]), ns(row["itself_new"]))]
	    found = own.get(row["call_path"], [])
	    assert sides[0] in [f[:2] for f in found], row
	    if row["margin"] is not None:
	        assert ns(row["margin"]) + 1 in [f[2] for f in found], row
	EOF
}

# Source is in a page only when asked for, and only what is source.
sources() {
	need python3
	cat >hot.c <<-'EOC'
	volatile double here;
	int main(void)
	{
		for (long i = 0; i < 300000000; i++)
			here += 1; /* a <b>&"hot" line */
		return 0;
	}
	EOC
	${CC:-cc} -g -O1 -o hot "$PWD/hot.c" &&
		"$copse" run -q -o hot.copse ./hot &&
		"$copse" report -f html -o without.html hot.copse &&
		"$copse" report -f html --sources on -o with.html hot.copse ||
		return 1
	! "$copse" report --sources on hot.copse 2>said || return 1
	grep 'add -f html' said || return 1
	python3 - "$PWD/hot.c" <<-'EOF'
	import sys
	from page import decode
	page, _ = decode("without.html")
	assert page["sources"] == [] and "--sources on" in page["sourcesWhy"]
	page, _ = decode("with.html")
	file, = [f for f in page["sources"] if f["file"] == sys.argv[1]]
	lines = open(sys.argv[1]).read().split("\n")
	assert [5, lines[4]] in file["lines"] and not file["changed"]
	assert all(text == lines[n - 1] for n, text in file["lines"])
	EOF
}

# Functions of a program with names that an assembler takes, one of a megabyte:
# in the page they are text, and nothing else.
hostile_names() {
	need python3
	python3 - "$srcdir/tests/page/hostile.json" >hostile.c <<-'EOF'
	import json, sys
	names = [n for n in json.load(open(sys.argv[1]))
	         if n and len(n) < 4000 and not set(n) & set('\0\r\n"\\')
	         and not any(0xd800 <= ord(c) < 0xe000 for c in n)]
	assert len(names) >= 10
	names.append("long" * (1 << 18))
	print("volatile double here;")
	for i, name in enumerate(names):
	    print(f'void f{i}(void) __asm__("\\"{name}\\"");\n'
	          f"__attribute__((noinline)) void f{i}(void)\n"
	          "{ for (long k = 0; k < 8000000; k++) here += 1; }")
	print("int main(void)\n{")
	for i in range(len(names)):
	    print(f"\tf{i}();")
	print("\treturn 0;\n}")
	EOF
	${CC:-cc} -O1 -o hostile hostile.c 2>err || {
		head err
		! grep -q 'Error: invalid character' err || skip \
			"this assembler has no names of all characters"
		return 1
	}
	"$copse" run -q -o hostile.copse ./hostile &&
		"$copse" report -f html -o hostile.html hostile.copse || return 1
	python3 - "$builddir/page/page.html" <<-'EOF'
	import sys
	from page import decode
	page, a = decode("hostile.html")
	strings = set(page["strings"])
	assert "long" * (1 << 18) in strings
	assert any("</script>" in s for s in strings), strings
	text, template = (open(f, encoding="utf-8").read()
	                  for f in ("hostile.html", sys.argv[1]))
	for word in "</script", "<img", "onerror", "<svg":
	    assert text.count(word) <= template.count(word) + 2 * (
	        word == "</script")
	shown = [row[0] for row in
	         page["reports"]["hotspots"]["tables"][0]["rows"]]
	assert any("onerror" in str(name) for name in shown), shown
	EOF
}

# Written beside the profiles, and not by --page=off, nor left from before.
at_the_end() {
	"$copse" run -o end.copse "$programs/steady" 0.2 >out 2>&1 || return 1
	grep 'for a browser: end.copse/report.html$' out || { cat out; return 1; }
	"$copse" report -f html end.copse | cmp - end.copse/report.html ||
		return 1
	"$copse" run --page off --force -o end.copse "$programs/steady" 0.2 \
		>out 2>&1 || return 1
	! grep browser out && [ -e end.copse/run.h5 ] &&
		[ ! -e end.copse/report.html ]
}

# 80 ranks have more values than a page: groups of them, in codes, and some
# exactly, hold what all values say.
many_ranks() {
	need python3
	[ -x "$builddir/tests/bench/make-ranks" ] || skip "no make-ranks"
	mkdir job
	"$builddir/tests/bench/make-ranks" app.copse/rank-0.h5 job 80 \
		values=30000 &&
		"$copse" merge -q job -o many.h5 &&
		"$copse" report -f html -o many.html many.h5 &&
		"$copse" export values -m cpu.time many.h5 -o many.csv || return 1
	python3 - <<-'EOF'
	import csv, math
	from collections import Counter, defaultdict
	from page import decode
	page, a = decode("many.html")
	parent, path = a["node.parent"], a["node.path"]
	groups = list(zip(a["group.first"], a["group.count"]))
	assert [g[0] for g in groups] == [sum(a["group.count"][:i])
	                                  for i in range(len(groups))]
	assert sum(a["group.count"]) == 80 and page["heat"]
	values = defaultdict(Counter)  # of a metric and path: by process
	nodes = range(len(parent))
	above = {n: {path[n]} for n in nodes}
	for n in nodes[1:]:
	    above[n] |= above[parent[n]]
	for row in csv.DictReader(open("many.csv")):
	    for p in above[int(row["node"])]:
	        values[row["metric"], p][int(row["process"])] += round(
	            float(row["value"]) * 1e9)
	def near(code, value, top):
	    if value == 0 or code == 0:
	        return code == 0 and value == 0
	    read = top * 2 ** ((code - 255) / 16)
	    return code == 1 and value < read or abs(read / value - 1) < 0.0222
	for heat in page["heat"]:
	    name = heat["metric"]
	    if name != "cpu.time":
	        continue
	    assert "cell." + name + ".first" not in a
	    def rows(what, part, size):
	        found = a[f"{what}.{name}.{part}"]
	        at = a[f"{what}.{name}.nodes"]
	        assert len(found) == size * len(at) and at
	        return {path[n]: found[i * size:(i + 1) * size]
	                for i, n in enumerate(at)}
	    mean, most = (rows("heat", w, len(groups)) for w in ("mean", "most"))
	    least, top = rows("heat", "least", 1), rows("heat", "max", 1)
	    for p in mean:
	        own = [values[name, p][r] for r in range(80)]
	        assert least[p] == [min(own)] and top[p] == [max(own)]
	        for i, (first, count) in enumerate(groups):
	            part = own[first:first + count]
	            assert near(mean[p][i], sum(part) / count, heat["top"])
	            assert near(most[p][i], max(part), heat["top"])
	    for p, codes in rows("strip", "values", 80).items():
	        for r, code in enumerate(codes):
	            assert near(code, values[name, p][r], heat["top"])
	    for p, exact in rows("exact", "values", 80).items():
	        assert exact == [values[name, p][r] for r in range(80)]
	EOF
}

point "a page is made" measure
point "the same database, the same bytes" same_bytes
point "but for its data it is the template" is_the_template
point "totals equal the reports'" totals
point "tables equal the reports'" reports
point "imbalance by what an even load would save" imbalance_by_gain
point "one analysis alone" one_analysis
point "many ranks" many_ranks
point "two sides" two_sides
point "source when it is asked for" sources
point "hostile names" hostile_names
point "copse run writes a page" at_the_end
points_done
