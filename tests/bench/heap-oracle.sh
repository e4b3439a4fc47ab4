#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# heap-oracle.sh COMMAND… - what copse run --heap=on says that each function held at
# the peak, means of RUNS (10), beside heaptrack, which records each call: the peak,
# the calls, and in how many functions that hold 0.1 % of it or more the mean is
# within the interval of 95 % of a mean, and within three sigma; the largest stand
# below; copse has all processes, heaptrack the first.  Then what each takes, and dhat of valgrind, with the bytes of each
# (enlarged by realloc(), a block is new bytes for copse, and the difference for dhat).
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
runs=${RUNS:-10}

# A function has what is allocated below it by the C++ library, and MPI_Init all.
compare() {
	"${PYTHON:-/usr/bin/python3}" - "$scratch" <<-'END'
		import collections, csv, glob, json, re, sys
		scratch = sys.argv[1]
		library = re.compile(r"operator new|std::|__gnu_cxx::")
		def short(text):
		    depth, out = 0, ""
		    for c in text:
		        depth += c in "(<"
		        out += c if depth == 0 else ""
		        depth -= c in ")>"
		    return re.sub("^PMPI_", "MPI_", out.replace(" const", "").strip().split("::")[-1])
		def stacks(kind):
		    sums = collections.defaultdict(float)
		    for line in open("%s/tracked.%s" % (scratch, kind)):
		        stack, value = line.rstrip().rsplit(" ", 1)
		        own = [f for f in stack.split(";") if f and not library.match(f)]
		        mpi = [f for f in own if re.match(r"P?MPI_", f)]
		        sums[short((mpi or own[::-1])[0])] += float(value)
		    return sums
		peak, calls = stacks("peak"), stacks("allocations")
		files = glob.glob(scratch + "/rows-*.csv")
		found = collections.defaultdict(lambda: [0, 0])
		blocks = allocated = 0
		for path in files:
		    for row in csv.DictReader(open(path)):
		        to = found[short(row["call_path"].split(" ← ")[0])]
		        to[0] += float(row["at_peak"] or 0) / len(files)
		        to[1] += (float(row["at_peak_margin"] or 0) / len(files)) ** 2
		        blocks += float(row["allocations"] or 0) / len(files)
		        allocated += float(row["allocated"] or 0) / len(files)
		all = sum(peak.values())
		print("peak %d, copse %.0f (%+.2f %%); calls %d, copse %.0f (%+.2f %%)" % (
		    all, sum(f[0] for f in found.values()),
		    100 * (sum(f[0] for f in found.values()) / all - 1), sum(calls.values()),
		    blocks, 100 * (blocks / sum(calls.values()) - 1)))
		large = sorted((n for n in peak if peak[n] >= 0.001 * all), key=lambda n: -peak[n])
		known = [n for n in large if n in found]
		off = [abs(found[n][0] - peak[n]) / (found[n][1] ** 0.5 + 1) for n in known]
		print("%d functions: %d within 95 %%, %d within three sigma; not by that name: %.2f %%" % (
		    len(large), sum(o <= 1 for o in off), sum(o <= 1.53 for o in off),
		    100 * sum(peak[n] for n in large if n not in found) / all))
		for n in large[:10]:
		    print("  %-36s %12d, copse %12.0f ± %.0f" % (
		        n[:36], peak[n], found[n][0], found[n][1] ** 0.5))
		dhat = json.load(open(scratch + "/dhat.out"))
		print("dhat: %d bytes in %d blocks; copse %.0f" % (
		    sum(p["tb"] for p in dhat["pps"]), sum(p["tbk"] for p in dhat["pps"]), allocated))
	END
}

seconds_of() {
	/usr/bin/time -f %e -o "$scratch/seconds" "$@" >"$scratch/said" 2>&1
	tail -n 1 "$scratch/seconds"
}

for tool in valgrind heaptrack heaptrack_print; do
	need $tool >/dev/null
done
echo "plain: $(seconds_of "$@") s"
for ((i = 0; i < runs; i++)); do
	rm -rf "$scratch/heap.copse"
	took=$(seconds_of "$copse" run -q --no-report --force --heap=on \
		-o "$scratch/heap.copse" "$@")
	"$copse" report memory -n 0 -f csv --table allocations \
		"$scratch/heap.copse" >"$scratch/rows-$i.csv"
done
echo "copse: $took s"
echo "heaptrack: $(seconds_of heaptrack -o "$scratch/tracked" "$@") s"
for kind in peak allocations; do
	heaptrack_print -f "$(ls "$scratch"/tracked.*z*)" -p 0 -a 0 -T 0 -l 0 \
		--flamegraph-cost-type $kind -F "$scratch/tracked.$kind" >/dev/null
done
echo "dhat: $(seconds_of valgrind --tool=dhat \
	--dhat-out-file="$scratch/dhat.out" "$@") s"
compare
