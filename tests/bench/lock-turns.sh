#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lock-turns.sh [ROUNDS] - what --locks=on adds to programs that use locks much:
# elapsed and CPU time with it against --locks=off, of runs one after the
# other in each round, the mean of the differences and its 95 % interval; and
# how often the program asks for locks, and for conditions without a time,
# counted by an interposer of its own (lock-tally.c).
#
#   THREADS  default: all cores, 8 at most
#   WORKS    of zstd xz pigz python node blas (all that are here)
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
threads=${THREADS:-$(cores)}
[ "$threads" -le 8 ] || threads=8
export OPENBLAS_NUM_THREADS=$threads

# What is packed: text that repeats, but not at once.
make_input() {
	awk 'BEGIN { srand(1); for (i = 0; i < 3000000; i++)
		print i, int(rand() * 1e6), "row", int(rand() * 100) }' \
		>"$scratch/once"
	cat "$scratch/once" "$scratch/once" "$scratch/once" >"$scratch/input"
}

# words WORK: in $app.
words() {
	case $1 in
	zstd)	app=(zstd -q -c -12 "-T$threads" -B1048576 "$scratch/input") ;;
	xz)	app=(xz -q -c -1 "-T$threads" --block-size=262144
			"$scratch/input") ;;
	pigz)	app=(pigz -c -6 -b 128 -p "$threads" "$scratch/input") ;;
	python)	app=("${PYTHON:-/usr/bin/python3}" -c "
import queue, threading
todo, done = queue.Queue(64), queue.Queue()
def work():
    while (n := todo.get()) is not None:
        done.put(sum(range(n)))
ts = [threading.Thread(target=work) for _ in range($threads)]
for t in ts: t.start()
for i in range(200000): todo.put(i % 300)
for t in ts: todo.put(None)
for t in ts: t.join()") ;;
	node)	app=(node -e "
const { Worker } = require('worker_threads')
for (let i = 0; i < $threads; i++) {
    const w = new Worker('(' + work + ')()', { eval: true })
    let left = 4000
    w.on('message', m => --left ? w.postMessage(m) : w.terminate())
    w.postMessage({ n: 1 })
}
function work() {
    const { parentPort } = require('worker_threads')
    parentPort.on('message', m => {
        let a = []
        for (let i = 0; i < 2000; i++) a.push({ i, s: 'x' + i })
        parentPort.postMessage({ n: a.length })
    })
}") ;;
	blas)	app=("$scratch/blas" 10000) ;;
	esac
}

# locks on|off: one run, a line "ELAPSED CPU" of its file.
locks() {
	cpu_and_wall "$copse" run --quiet --no-report --force "--locks=$1" \
		-o "$scratch/turns.copse" "${app[@]}"
	echo "$wall $cpu" >>"$scratch/$1"
}

# more COLUMN: per cent, of the pairs of each round.
more() {
	paste "$scratch/on" "$scratch/off" | awk -v column="$1" \
		'{ print ($column / $(column + 2) - 1) * 100 }' >"$scratch/pairs"
	confidence "$scratch/pairs"
}

asked() {
	rm -f "$scratch/tally"
	TALLY=$scratch/tally LD_PRELOAD=$scratch/lock-tally "${app[@]}" \
		>/dev/null 2>&1
	awk '{ for (i = 1; i <= 4; i++) n[i] += $i; s += $5 } END {
		printf "%.0f mutexes, %.0f rwlocks, %.0f conditions, " \
			"%.0f semaphores per second of CPU time", n[1] / s,
			n[2] / s, n[3] / s, n[4] / s }' "$scratch/tally"
}

one_work() {
	local i

	words "$1"
	command -v "${app[0]}" >/dev/null || { echo "# no $1 here"; return; }
	rm -f "$scratch/on" "$scratch/off"
	for ((i = 0; i < rounds; i++)); do
		locks off
		locks on
	done
	echo "$1, $threads threads: elapsed $(more 1) %, CPU $(more 2) %;" \
		"$(cut -d ' ' -f 1 "$scratch/off" >"$scratch/s"
			median "$scratch/s") s; asks for $(asked)"
}

machine
compile lock-tally -shared -fPIC -ldl || exit 1
compile blas -l:libopenblas.so.0 || :
make_input
for work in ${WORKS:-zstd xz pigz python node blas}; do
	one_work "$work"
done
