#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# attach.sh [SECONDS] - what copse attach says of programs that run, beside perf
# record and a run under copse: shares of CPU time of the functions that have
# most, in percent.  Of LAMMPS, Python, and Java, each where it is installed.
# Then how long a program of Python with 159 threads takes, and one that is
# attached to, in turn; and 1000 times attached to one and left.
#
#   HZ     99
#   PAIRS  5
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
seconds=${1:-10}
hz=${HZ:-99}
python=/usr/bin/python3
cd "$scratch" || exit

# functions PROFILE: name and share of each.
functions() {
	"$copse" report hotspots -m cpu.time -n 0 -f csv "$1" |
		awk -v columns='function share' -f "$srcdir/tests/lib/csv.awk" |
		awk -F '\t' '{ share[$1] += 100 * $2 }
			END { for (f in share) print share[f] "\t" f }' |
		sort -gr
}

# by_perf: the same of the file of perf.  It has no functions of Python, and
# says of code that Java made where it is.
by_perf() {
	perf report -i perf.data --stdio --no-children -g none -F overhead,sym \
		2>/dev/null |
		sed -nE 's/^ +([0-9.]+)%  \[[.k]\] (0x[0-9a-f]+ *$)?/\1\t/p' |
		sed -E 's/\t *$/\t[no module]/; s/\(.*//; s/ +$//' |
		awk -F '\t' '{ share[$2] += $1 }
			END { for (f in share) print share[f] "\t" f }' |
		sort -gr
}

started() {
	"$@" >/dev/null 2>&1 &
	pid=$!
	sleep 2
}

# ended: the program, which goes on longer than it is looked at.
ended() {
	kill "$pid" && wait "$pid" 2>/dev/null
}

# compare NAME COMMAND…
compare() {
	local name=$1

	shift
	started "$@"
	"$copse" attach --no-report -f -F "$hz" -d "$seconds" -o at.copse "$pid" \
		2>said || cat said
	ended
	: >by.perf
	if have_perf; then
		started "$@"
		perf record -q -F "$hz" -g -o perf.data -p "$pid" -- \
			sleep "$seconds" 2>/dev/null
		ended
		by_perf >by.perf
	fi
	rm -rf run.copse
	started "$copse" run -q --from-start=off -o run.copse "$@"
	"$copse" control run.copse start >/dev/null
	sleep "$seconds"
	"$copse" control run.copse stop >/dev/null
	pkill -TERM -P "$pid"
	wait "$pid"
	functions at.copse >by.attach
	functions run.copse >by.run
	echo "$name: attach, perf, run"
	awk -F '\t' 'FILENAME == "by.attach" { a[$2] = $1 }
		FILENAME == "by.perf" { p[$2] = $1 }
		FILENAME == "by.run" { if (FNR <= 6) top[++n] = $2; r[$2] = $1 }
		END { for (i = 1; i <= n; i++)
			printf "  %6.2f %6s %6.2f  %s\n", a[top[i]], \
				top[i] in p ? sprintf("%.2f", p[top[i]]) : "-", \
				r[top[i]], top[i] }' by.attach by.perf by.run
}

lammps() {
	have lmp || return
	sed -n '/^cat >.*in.melt/,/^EOM/p' "$srcdir/tests/real/lammps.sh" |
		sed '1d; $d; s/^run.*/run 100000/' >in.melt
	compare LAMMPS lmp -log none -in in.melt
}

# Functions of 100 ns, and of the interpreter's C.
pythons() {
	cat >short.py <<-'EOM'
		import sys, threading, zlib
		data = bytes(range(256)) * 16
		def little(x): return x + 1
		def other(x): return x * 3 & 0xffff
		def fibonacci(n):
		    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
		def loop():
		    x = 0
		    for _ in range(2000): x = other(little(x))
		def pack(): zlib.compress(data, 1)
		def work():
		    while True:
		        fibonacci(12)
		        loop()
		        pack()
		for _ in range(int(sys.argv[1]) - 1):
		    threading.Thread(target=work, daemon=True).start()
		work()
	EOM
	cat >arrays.py <<-'EOM'
		import numpy
		a = numpy.random.rand(200, 200)
		v = numpy.random.rand(2000)
		def products(): a @ a
		def sums():
		    for _ in range(100): v.sum()
		def sorts(): numpy.sort(v)
		def pure(): return [i * i for i in range(5000)]
		while True:
		    products()
		    sums()
		    sorts()
		    pure()
	EOM
	compare Python "$python" short.py 1
	compare "Python, 4 threads" "$python" short.py 4
	OPENBLAS_NUM_THREADS=1 compare NumPy "$python" arrays.py
}

jvm() {
	have javac || return
	cat >Work.java <<-'EOM'
		import java.util.Arrays;
		import java.util.Random;
		public class Work {
			static double sums(double[] a) {
				double s = 0;
				for (int k = 0; k < 50; k++)
					for (double x : a) s += x * k;
				return s;
			}
			public static void main(String[] args) {
				Random r = new Random(7);
				double s = 0;
				for (;;) {
					double[] a = r.doubles(20000).toArray();
					Arrays.sort(a);
					s += sums(a);
					String.valueOf(s).intern();
				}
			}
		}
	EOM
	javac Work.java || return
	compare Java java -XX:+UseSerialGC -cp . Work
}

machine
lammps
pythons
jvm
