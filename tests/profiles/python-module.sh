#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python-module.sh - `import copse`: its tables say what reports and exports say,
# the recipes of doc/python.md run as they are there, and what cannot be read
# gets a clear error.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
for try in python3 /usr/bin/python3; do
	"$try" -c 'import h5py, numpy' 2>/dev/null && python=$try && break
done
[ -n "${python-}" ] || { echo "1..0 # SKIP no h5py here"; exit 0; }
export PYTHONPATH="$builddir/python" PYTHONDONTWRITEBYTECODE=1
export PATH="$builddir:$PATH"

# demo NAME STEPS: NAME.copse, of four ranks.
demo() {
	mpirun -n 4 "$copse" run -q -o "$1.copse" "$programs/demo" "$2" \
		>out 2>&1 || { cat out; return 1; }
}

runs() {
	need mpirun
	[ -x "$programs/demo" ] || skip "the demo was not built"
	demo app 120 && demo before 30 && cp -r app.copse after.copse
}

made_gpu() {
	[ -e "$builddir/tests/gpu/made" ] || skip "built without CUDA's headers"
	COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so" "$copse" run -q \
		-o gpu.copse "$builddir/tests/gpu/made" all
}

have() {
	[ -e "$1.copse" ] || skip "there is no $1.copse"
}

# Of so many marked steps that a row stands for several.
stages() {
	need mpirun
	[ -x "$programs/mpi-stages" ] || skip "mpi-stages was not built"
	mpirun -n 2 "$copse" run -q -o steps.copse "$programs/mpi-stages" steps=9000 \
		step=0.0001 marked=1 >out 2>&1 || { cat out; return 1; }
}

# In a program that recurses: there what is below counts once.
recursion() {
	"$copse" run -q -e wall -o deep.copse "$programs/recursion" >out 2>&1 ||
		{ cat out; return 1; }
}

# What reports and exports of a profile say, to the last digit that they print.
cat >agrees.py <<'END'
import csv, io, json, subprocess, sys
import copse

def table(*arguments):
    text = subprocess.check_output(("copse",) + arguments, universal_newlines=True)
    return list(csv.DictReader(io.StringIO(text, newline="")))

def near(value, text, within=2e-9):
    return abs(float(value) - float(text or 0)) <= max(within, 1e-6 * abs(float(value)))

profile = sys.argv[1]
run = copse.open(profile)

# Functions.
time = run.time
mine = {}
f = run.functions
for row in zip(f["function"], f["module"], f[time], f[time + " (inc)"]):
    if row[2] > 0 or row[3] > 0:
        mine[row[:2]] = row[2:]
said = table("report", "hotspots", profile, "--idle-threads=on", "-n", "0", "-f", "csv")
assert len(said) == len(mine) > 3, (len(said), len(mine))
for row in said:
    own, below = mine[row["function"], row["module"]]
    assert near(own, row["exclusive"]) and near(below, row["inclusive"]), row
assert all(a >= b for a, b in zip(f[time][:-1], f[time][1:]))

# Nodes, all columns.
nodes = run.nodes
said = table("export", "nodes", profile)
assert len(said) == len(nodes)
for name in said[0]:
    values = range(len(nodes)) if name == "node" else nodes[name]
    for value, row in zip(values, said):
        assert (value == row[name] if isinstance(value, str) else
                near(max(0, value), row[name])), (name, value, row)

# Values and processes.
v = run.values
mine = dict(zip(zip(v["metric"], v["node"], v["process"]), v["value"]))
said = table("export", "values", profile)
assert len(said) == len(mine) > 0
for row in said:
    key = row["metric"], int(row["node"]), int(row["process"])
    assert near(mine[key], row["value"]), row
one = run.metric(time)
assert len(one) == list(v["metric"]).count(time) and len(one["node"]) > 0
for process, row in enumerate(table("export", "ranks", profile)):
    for name in row:
        value = process if name == "process" else run.ranks[name][process]
        assert (value == row[name] if isinstance(value, str) else
                near(value, row[name] or -1)), (name, value, row)

# Hatchet's literal.
sys.setrecursionlimit(10000)
text = subprocess.check_output(("copse", "export", "hatchet", profile))
todo = list(zip(run.tree, json.loads(text.decode())))
seen = 0
while todo:
    a, b = todo.pop()
    assert a["frame"] == b["frame"], (a["frame"], b["frame"])
    assert list(a["metrics"]) == list(b["metrics"])
    assert all(near(x, b["metrics"][m]) for m, x in a["metrics"].items())
    assert len(a["children"]) == len(b["children"])
    todo += zip(a["children"], b["children"])
    seen += 1
assert seen == len(nodes)

# Paths: mean, least and most of the members.
p = run.paths
number = [rank if rank >= 0 else pid for rank, pid in zip(run.ranks["rank"], run.ranks["pid"])]
mine = {(run.call_path(i), number[p[time + " (most)"][i]], "%.4f" % p[time + " (max)"][i]): i
        for i in range(len(p))}
said = [] if sum(run.ranks["member"]) < 2 else table(
    "report", "imbalance", profile, "-n", "0", "-f", "csv")
for row in said:
    i = mine[row["call_path"], int(row["max_rank"]), "%.4f" % float(row["max"])]
    assert near(p[time + " (mean)"][i], row["mean"]), row
    assert near(p[time + " (min)"][i], row["min"]), row

# Iterations.
steps = {}
for number, each, seconds, mpi in zip(*(run.iterations[name] for name in (
        "iteration", "each", "seconds", "mpi"))):
    steps.setdefault(number, []).append((seconds, mpi, each))
said = table("report", "iterations", profile, "-n", "0", "--table", "iterations",
             "-f", "csv") if steps else []
for row in said:
    rows = steps[int(row["iteration"])]
    assert near(min(rows)[0], row["min"]) and near(max(rows)[0], row["max"]), row
    assert near(sum(r[1] for r in rows) / len(rows), row["mpi"]), row
    assert max(r[2] for r in rows) == int(row["each"]), row

# Waits: who waited, who was waited for and the causes are the same time.
waited = sum(run.waits["seconds"])
for other in (run.causes["seconds"], run.ranks["waited"], run.ranks["caused"]):
    assert near(sum(other), waited, 1e-6), (sum(other), waited)
by_rank = {}
for rank, seconds in zip(run.waits["process"], run.waits["seconds"]):
    by_rank[rank] = by_rank.get(rank, 0) + seconds
for rank, seconds in by_rank.items():
    assert near(run.ranks["waited"][rank], seconds, 1e-6)
for row in table("report", "waits", profile, "-n", "0", "-f", "csv") if waited else ():
    assert any(near(seconds, row["cause_seconds"]) and row["culprit_rank"] == str(rank) and
               kind == row["kind"] for seconds, rank, kind in zip(
                   run.causes["seconds"], run.causes["culprit_rank"], run.causes["kind"]) if
               row["culprit_rank"]) or not row["culprit_rank"], row

# Parts of the time, and the timeline's time in MPI.
parts = dict.fromkeys(run.split["part"], 0)
for part, seconds in zip(run.split["part"], run.split["seconds"]):
    parts[part] += seconds
for row in table("report", "split", profile, "-n", "0", "-f", "csv"):
    assert near(parts.get(row["part"], 0), row["seconds"]), row

# The timeline: other threads were in a context for no longer than on a core.
line = run.timeline
for kind, share, busy, known in zip(*(line[n] for n in ("kind", "share", "busy", "known"))):
    assert share <= (busy if kind == "others" else known) + 1e-6, (kind, share, busy, known)

# Kernels.
kernels = run.kernels
said = table("report", "gpu-kernels", profile, "-n", "0", "-f", "csv")
assert len(said) == len(kernels)
for i, row in enumerate(said):
    assert kernels["kernel"][i] == row["kernel"]
    for name in ("count", "seconds", "mean", "shortest", "longest", "delay"):
        assert near(kernels[name][i], row[name]), (name, row)
print(time, len(nodes), "nodes,", len(steps), "iterations of",
      max(list(run.iterations["each"]) + [0]), "%.3f s waited," % waited,
      len(kernels), "kernels")
END

agrees() {
	have "$1"
	"$python" agrees.py "$1.copse" | tee said && grep -q "$2" said
}

# The same without pandas.
agrees_bare() {
	have app
	{ echo 'import sys; sys.modules["pandas"] = None'; cat agrees.py; } >bare.py
	"$python" bare.py app.copse && "$python" - <<-'END'
	import sys; sys.modules["pandas"] = None
	import copse, numpy
	table = copse.open("app.copse").functions
	assert isinstance(table, numpy.ndarray) and "cpu.time (inc)" in table.dtype.names
	line = copse.open("app.copse").timeline
	assert len(line) > 20 and set(line["rank"][line["function"] == "burnt"]) <= {0}
	long = table[table["cpu.time"] > 0]
	assert 3 < len(long) < len(table) and long["function"][0] == table["function"][0]
	print(table[:3])
	END
}

# Its tables are all that are in files, with their columns: tables.awk knows what
# run-file.c writes.
all_columns() {
	have app
	"$python" - app.copse gpu.copse <<-'END'
	import os, sys
	import h5py, copse
	from copse.tables import TABLES
	for name in sys.argv[1:]:
	    if not os.path.exists(name):
	        continue
	    run = copse.open(name)
	    seen = set()
	    def see(path, data):
	        group, _, column = path.rpartition("/")
	        if isinstance(data, h5py.Dataset) and group and not path.startswith("metrics/"):
	            seen.add(group)
	            assert column in TABLES[group].split()[::2], path
	    with h5py.File(run.path, "r") as file:
	        file.visititems(see)
	        for group in seen:
	            kind = dict(zip(*[iter(TABLES[group].split())] * 2))
	            assert set(kind) == set(file[group]), (group, set(kind) ^ set(file[group]))
	            for column, data in file[group].items():
	                as_said = {"u": "u", "i": "i", "f": "f", "s": "u"}[kind[column][0]]
	                assert data.dtype.kind == as_said, (group, column)
	            assert len(run.table(group)) == len(data)
	    assert len(seen) > 20 and len(run.table("metrics/cpu.time/stats")["sum"])
	    assert run.table("ranks")["host"][0] == os.uname().nodename.split(".")[0]
	END
}

# The columns that the page lists, and metrics.
documented() {
	have app
	grep '^| .run' "$srcdir/doc/python.md" >listed
	"$python" - <<-'END'
	import copse
	run = copse.open("app.copse")
	metrics = run.metrics["name"].tolist()
	rows = 0
	for line in open("listed", encoding="utf-8"):
	    name, _, columns = (cell.strip(" `") for cell in line.strip("| \n").split("|"))
	    if "table(" in name:
	        continue
	    table = run.metric("cpu.time") if "metric(" in name else getattr(run, name[4:])
	    has = list(table) if hasattr(table, "columns") else table.dtype.names
	    listed = columns.split()
	    assert listed == [c for c in has if c in listed or c.split(" (")[0] not in metrics], has
	    rows += 1
	assert rows > 12
	END
}

# recipe NUMBER PROFILE: what it prints is in ./said.
recipe() {
	have "$2"
	"$python" -c 'import pandas' 2>/dev/null || skip "no pandas here"
	[ -e "recipe-$1.py" ] || { echo "the page has no such recipe"; return 1; }
	"$python" "recipe-$1.py" >said 2>&1 || { cat "recipe-$1.py" said; return 1; }
	cat said
}

# burnt() works on rank 0 alone, diffuse() on all.
uneven() {
	recipe 1 app &&
		awk '$1 == "burnt" { b = $3 == "4.000" && $4 == 0 }
		$1 == "diffuse" && $3 < 2 { d = 1 }
		END { exit !(b && d && NR <= 12) }' said || return
	"$copse" report hotspots app.copse -f csv -n 1 >csv
	sed -n 3p said | cut -d ' ' -f 1 >most
	awk -v columns=function -f "$srcdir/tests/lib/csv.awk" csv | diff - most
}

# It has four times as many steps.
slower() {
	recipe 2 after && awk '$1 == "diffuse" || $1 == "burnt" { n += $2 > 0 }
		END { exit n != 2 }' said
}

# The largest cause, and what its culprit did most of that time.
whom() {
	recipe 3 app && [ "$(grep -c ' s in MPI_' said)" -ge 2 ] &&
		"$copse" report waits app.copse -n 0 -f csv >csv || return
	awk -v columns='cause_seconds victim culprit_rank culprit' \
		-f "$srcdir/tests/lib/csv.awk" csv | sort -s -t '	' -k 1,1gr |
		awk -F '\t' 'NR == 1 {
			printf "%.3f s in %s for rank %s: %s\n", $1, $2, $3, $4
		}' >most
	grep ' s in MPI_' said | head -n 1 | diff most -
}

drift() {
	recipe 4 app && "$copse" report iterations app.copse -n 0 -f csv >csv &&
		awk -v columns=median -f "$srcdir/tests/lib/csv.awk" csv |
		sort -g | tail -n 1 >most &&
		awk 'NR == FNR { most = $1; next } FNR == 5 {
			print $2, most; exit !($2 - most < 1e-5 && most - $2 < 1e-5)
		}' most said
}

pictures() {
	recipe 5 app && grep -c '[▁▂▃▄▅▆▇█]' said | grep -x 4 &&
		sed 's/[▁▂▃▄▅▆▇█]/x/g' said | awk '{ print length($0) }' | uniq |
		awk '{ lengths++ } END { exit lengths != 1 || $1 < 20 }'
}

# made.c says how long its kernels are.
kernels() {
	recipe 6 gpu && grep -E ' beta +40\.0 +0\.12' said &&
		grep -E ' alpha +85\.0 +0\.09' said &&
		grep '^beta ← cudaLaunchKernel ← solve ← in_thread' said
}

# Hatchet is not in Debian: what it is given, or what a user is told.
hatchet() {
	have app
	mkdir -p stand-in
	cat >stand-in/hatchet.py <<-'END'
	class GraphFrame:
	    @staticmethod
	    def from_literal(literal):
	        return literal
	END
	"$python" - <<-'END' || return
	import copse
	run = copse.open("app.copse")
	try:
	    frame = run.hatchet()
	except copse.Error as e:
	    assert "llnl-hatchet" in str(e), e
	else:
	    assert len(frame.dataframe) == len(run.nodes)
	END
	PYTHONPATH="$PWD/stand-in:$PYTHONPATH" "$python" -c 'import copse
run = copse.open("app.copse")
assert run.hatchet() is run.tree and run.tree[0]["frame"]["name"] == "all"'
}

# refused PATH WORDS [ATTRIBUTE]: a copse.Error says them, of opening the path or
# of what it has.
refused() {
	"$python" - "$@" >said 2>&1 <<-'END'
	import sys
	import copse
	try:
	    run = copse.open(sys.argv[1])
	    eval("run." + sys.argv[3]) if sys.argv[3:] else None
	except copse.Error as e:
	    print(e)
	else:
	    sys.exit("not refused")
	END
	[ $? = 0 ] && grep -qF -e "$2" said && grep -qF -e "$1" said && return
	echo "$*:"
	cat said
	return 1
}

# change CODE: bad.h5, which is a run.h5 that this changed: f.
change() {
	cp app.copse/run.h5 bad.h5
	"$python" -c 'import sys, h5py
with h5py.File("bad.h5", "r+") as f:
    exec(sys.argv[1])' "$1"
}

refuses() {
	have app
	refused nowhere 'no such file' || return
	mkdir -p empty
	refused empty 'holds no profile' || return
	echo text >text
	refused text 'cannot be read' || return
	refused app.copse/rank-0.h5 'copse rank profile, but no copse run' || return
	change 'f.attrs["version"] = 2'
	refused bad.h5 'version 2' || return
	refused app.copse "no table 'waits/cause'" 'table("waits/cause")' || return
	refused app.copse 'no metric' 'metric("tea")' || return
	refused app.copse 'is closed' 'close() or run.nodes'
}

# change and refused, of many faults at once.
damaged() {
	have app
	"$python" - <<-'END' || return
	import shutil
	import copse, h5py
	for what in """f["nodes/function"][3] = 10**8: nodes
	        f["nodes/parent"][9] = 50: functions
	        f["nodes/parent"][0] = 1: nodes
	        del f["nodes/parent"]: functions
	        f["nodes/path"][5] = 4*10**9: paths
	        f["paths/parent"][3] = 80: call_path(5)
	        f["metrics/cpu.time/first"][9] = 2**60: values
	        f["timeline/rows/cells"][1] = 4*10**9: timeline
	        f["iterations/ranks/count"][0] += 1: iterations
	        f["waits/victims/cause"][0] = 9999: waits
	        f["waits/causes/culprit"][0] = 9999: causes
	        del f["strings"]: functions
	        del f["waits/victims/ns"]; f["waits/victims/ns"] = [1.0]: waits
	        del f["metrics/cpu.time/values"]: values
	        del f["split/ranks"]; f["split/ranks"] = 5: split
	        f.create_dataset("gpu/devices/id", (10**15,), "u4", chunks=(9,)): table("gpu/devices")
	        del f["run"]: info""".splitlines():
	    fault, _, then = what.strip().rpartition(": ")
	    shutil.copy("app.copse/run.h5", "bad.h5")
	    with h5py.File("bad.h5", "r+") as f:
	        exec(fault)
	    try:
	        run = copse.open("bad.h5")
	        eval("run." + then)
	    except copse.Error as e:
	        print(e)
	        assert str(e).startswith("bad.h5: damaged: "), e
	    else:
	        raise SystemExit("not refused: " + what)
	    finally:
	        run.close()
	END
	head -c 100000 app.copse/run.h5 >bad.h5
	refused bad.h5 'cannot be read'
}

# What older files lack is 0, what a run has not is empty.
lacks() {
	have app
	change 'del f["ranks/paused_ns"], f["cores"], f["ranks/role"], f["waits"]'
	"$python" - <<-'END'
	import copse
	def names(table):
	    return list(table) if hasattr(table, "columns") else table.dtype.names
	run = copse.open("bad.h5")
	assert list(run.ranks["paused"]) == list(run.ranks["core_wait"]) == [0] * 4
	assert len(run.waits) == len(run.causes) == 0 and "seconds" in names(run.waits)
	assert len(run.kernels) == 0 and "kernel" in names(run.kernels)
	devices = run.table("gpu/devices")
	assert len(devices) == 0 and {"busy_ns", "uuid"} < set(names(devices))
	assert run.info["members"] == 4 and "demo" in run.info["command"]
	END
}

# The folder of a job that nobody looked at yet.
merges() {
	have app
	rm -f app.copse/run.h5 before.copse/run.h5
	mkdir -p only bare
	cp -r before.copse ./--
	"$python" -c 'import copse; assert copse.open("--").path == "--/run.h5"' || return
	# A process of a job that is not its first one.
	rm -f ./--/run.h5
	OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=1 PMIX_RANK=1 \
		"$python" -c "import copse; copse.open('$PWD/--')" || return
	# A module that is alone, and a PATH without copse.
	cp -r "$PYTHONPATH/copse" only
	PYTHONPATH="$PWD/only" PATH="$PWD/bare" "$(command -v "$python")" -c \
		'import copse; copse.open("before.copse")' >said 2>&1 && return 1
	grep 'copse.*Error: before.copse: has no run.h5, and there is no copse here' said ||
		{ cat said; return 1; }
	"$copse" merge -q app.copse
}

# By pip, which copies nothing that is not there: what of the tree it needs.
installs() {
	"$python" -c 'import setuptools, pip
int(setuptools.__version__.split(".")[0]) > 70 or __import__("wheel")' 2>/dev/null ||
		skip "no pip here, or no setuptools"
	"$python" -c 'import pip, sys
sys.exit([int(n) for n in pip.__version__.split(".")[:2]] < [21, 3])' ||
		skip "pip is older than 21.3"
	mkdir -p tree && (cd "$srcdir" && cp -r --parents share/python configure.ac \
		doc/tables.awk src/run src/profile src/live "$scratch/tree") || return
	chmod -R u+w tree
	"$python" -m pip install --quiet --no-build-isolation --no-deps --no-cache-dir \
		--disable-pip-version-check --target "$PWD/site" tree/share/python >out 2>&1 ||
		{ cat out; return 1; }
	diff -r -x __pycache__ site/copse "$PYTHONPATH/copse" | grep -v ': here$' && return 1
	cd / && PYTHONPATH="$scratch/site" "$python" -c 'import copse; print(copse.__file__)' |
		grep "^$scratch/site"
}

awk '/^```python$/ { n++; on = 1; next }
	/^```$/ { on = 0 }
	on { print >("recipe-" n ".py") }' "$srcdir/doc/python.md"

point "runs" runs
point "a run that recurses" recursion
point "a run of many steps" stages
point "a run on a made GPU" made_gpu
point "tables say what reports say" agrees app ' iterations of 1 [0-9.]* s waited'
point "and where functions recurse" agrees deep '^wall.time'
point "and where a row is several steps" agrees steps ' iterations of [2-9]'
point "and of a GPU" agrees gpu ' [1-9][0-9]* kernels'
point "without pandas" agrees_bare
point "all tables of the files, with all columns" all_columns
point "tables have the columns that the page lists" documented
point "recipe: functions and how uneven they are" uneven
point "recipe: two runs" slower
point "recipe: who made whom wait" whom
point "recipe: iterations" drift
point "recipe: ranks over time" pictures
point "recipe: kernels" kernels
point "Hatchet" hatchet
point "what cannot be opened gets a clear error" refuses
point "damaged files" damaged
point "what a file lacks" lacks
point "a folder without run.h5" merges
point "by pip from the tree" installs
points_done
