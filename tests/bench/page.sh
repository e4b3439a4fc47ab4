#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# page.sh [ROUNDS] - the page of a run: bytes, milliseconds, of these on a core,
# and MiB to write it (median and extremes of so many rounds, 5), then what copse
# view takes for it.
#
#   floor     copse report hotspots, that is, opening the database
#   tile      milliseconds from a question to its answer, of 300 call paths drawn by
#             lot and the 60 largest; median, 99 of 100, most
#   rank      the same, of 100 ranks
#   time      the same, of the timeline of all ranks, asked for 20 times
#   MiB       resident, at most while it starts, and behind all questions
#
#   DATABASE  a run.h5; when not given, RANKS (1024) ranks are made after
#             MODEL, a rank file, and merged
#   WHERE     a directory with room: 0.3 MB for each rank
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
# shellcheck source=tests/bench/ranks.sh
. "$(dirname "$0")/ranks.sh"
where=$(mktemp -d "${WHERE:-$scratch}/page.XXXXXX") || exit
trap 'rm -rf "$where" "$scratch"' EXIT
have python3 || exit 0

database() {
	[ -z "${DATABASE-}" ] || { echo "$DATABASE"; return; }
	if [ -z "${MODEL-}" ]; then
		"$copse" run -q -o "$where/model.copse" "$programs/shares" 2 \
			>&2 || return
		MODEL=$where/model.copse/rank-0.h5
	fi
	mkdir "$where/job"
	model=$MODEL make_ranks "${RANKS:-1024}" "$where/job" values=42000 &&
		"$copse" merge -q "$where/job" -o "$where/run.h5" &&
		echo "$where/run.h5"
}

# ask WORD…: a line of milliseconds and MiB for each round.
ask() {
	python3 - "$rounds" "$@" <<'P'
import os, statistics, subprocess, sys, time
times, cores, sizes = [], [], []
for _ in range(int(sys.argv[1])):
    begin = time.perf_counter()
    child = subprocess.Popen(sys.argv[3:], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0
    times.append((time.perf_counter() - begin) * 1e3)
    cores.append((used.ru_utime + used.ru_stime) * 1e3)
    sizes.append(used.ru_maxrss / 1024)
print(f'{sys.argv[2]:<34} {statistics.median(times):.0f} ms ({min(times):.0f} to '
      f'{max(times):.0f}), {statistics.median(cores):.0f} on a core, '
      f'{max(sizes):.0f} MiB')
P
}

questions() {
	python3 - "$1" "$srcdir/tests/lib" <<'P'
import random, sys, time, urllib.request
sys.path.insert(0, sys.argv[2])
sys.dont_write_bytecode = True
from page import decode
def get(question):
    begin = time.perf_counter()
    with urllib.request.urlopen(sys.argv[1] + question) as answer:
        text = answer.read()
    return text, (time.perf_counter() - begin) * 1e3
def say(name, times):
    times.sort()
    print(f'{name:<34} {times[len(times) // 2]:.1f} ms, '
          f'{times[len(times) * 99 // 100]:.1f}, {times[-1]:.1f}')
open('served.html', 'wb').write(get('')[0])
page, arrays = decode('served.html')
metric = page['metric']
random.seed(1)
nodes = random.sample(range(len(arrays['node.parent'])),
                      min(300, len(arrays['node.parent'])))
nodes += arrays.get(f'heat.{metric}.nodes', [])[:60]
say('tile', [get(f'tile?metric={metric}&nodes={n}')[1] for n in nodes])
ranks = page['ranks']['count']
say('rank', [get(f'rank?metric={metric}&row={random.randrange(ranks)}')[1]
             for _ in range(100)])
if 'timeline' in page:
    bins = page['timeline']['all']
    say('time', [get(f'time?bin=0&bins={bins}&first=0&ranks={ranks}')[1]
                 for _ in range(20)])
P
}

view() {
	"$copse" view "$file" >"$where/said" 2>&1 &
	server=$!
	wait_for grep -q 'serves until' "$where/said" || return
	cd "$where" || return
	questions "$(sed -n 's|.*\(http://127.0.0.1:[0-9]*/[0-9a-f]*/\).*|\1|p' said)"
	awk '/VmHWM/ { most = $2 } /VmRSS/ { now = $2 }
		END { printf "%-34s %.0f at most, %.0f at the end\n",
			"MiB of copse view", most / 1024, now / 1024 }' \
		"/proc/$server/status"
	kill $server
}

file=$(database) || exit
machine
echo "# $(stat -c %s "$file") bytes"
ask 'floor: report hotspots' "$copse" report hotspots "$file"
ask 'report -f html' "$copse" report -f html -o "$where/page.html" "$file"
echo "page: $(stat -c %s "$where/page.html") bytes"
view
