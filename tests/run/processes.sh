#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# processes.sh - which processes of a run without MPI count, and which of them
# are compared.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

cat >trains.py <<'P'
import os, time
def spin(seconds):
    start = time.process_time()
    while time.process_time() - start < seconds:
        sum(range(1000))
if os.fork() == 0:
    spin(0.3)
else:
    spin(1.5)
    os.wait()
P
cat >uneven.py <<'P'
import os, time
start = time.process_time()
try:
    os.mkdir("first")
    share = 1.5
except FileExistsError:
    share = 0.5
while time.process_time() - start < share:
    sum(range(1000))
P
cat >wrapper <<'S'
#!/bin/sh
# As pyenv's: shells that ask shells.
for turn in 1 2 3; do
	found=$(i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; echo $i)
done
[ "$found" = 20000 ] && exec "$@"
S
chmod +x wrapper
python=/usr/bin/python3

run() {
	[ -x "$python" ] || skip "no $python here"
	rm -rf app.copse
	"$copse" run -q -o app.copse "$@"
}

# A worker does other things for the one that started it.
of_one_that_started_others() {
	run "$python" trains.py && "$copse" report app.copse >said || return
	cat said
	grep '^2 processes' said && ! grep recoverable said || return
	"$copse" report imbalance app.copse >said && grep 'different things' said
}

# The same command, side by side: one has three times the work.
of_one_command() {
	rm -rf first
	run sh -c "$python uneven.py & $python uneven.py; wait" &&
		"$copse" report app.copse >said || return
	cat said
	grep '^2 processes' said || return
	"$copse" report imbalance app.copse >said && cat said &&
		! grep 'different things' said || return
	"$copse" report imbalance app.copse -f csv -n 0 |
		awk -v columns=recoverable -f "$srcdir/tests/lib/csv.awk" |
		awk '$1 > most { most = $1 } END {
			print most, "s recoverable"
			exit most < 0.45 || most > 0.55 }'
}

wrapped() {
	run ./wrapper "$python" trains.py && "$copse" report app.copse >said ||
		return
	cat said
	grep '^summary · trains.py · 2 processes$' said
}

# A script that works is a process as any other.
script() {
	run sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' &&
		"$copse" report app.copse >said || return
	cat said
	grep '^1 process ×' said
}

point "one that started others is not compared with them" \
	of_one_that_started_others
point "one command, started twice, is" of_one_command
point "shells in front of a program are not processes beside it" wrapped
point "a script that works is" script
points_done
