#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# third-party.sh - tests that others wrote for the C library, the kernel and an
# interpreter have the same results with copse at 10,000 samples per second:
# stress-ng's stressors, which verify what they do, and Python's own tests.
#
# Variables: OUTSIDE=long, many more of them (some minutes).
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
# As in most sessions, below the hard limit: some tests try all descriptors.
# shellcheck disable=SC3045 # bash and dash have it
ulimit -Sn 1024

# What of stress-ng runs at the same time is one line.
cat >stressors <<'S'
sigabrt sigchld sigfd sigfpe sigio signal signest sigpending
sigpipe sigq sigrt sigsegv sigsuspend sigtrap timer timerfd itimer alarm
fork vfork exec spawn clone pthread mutex futex sem wait
mmap mremap mprotect context stack bad-altstack malloc poll epoll nanosleep
S
modules='test_epoll test_fork1 test_mmap test_poll test_posix test_pty
	test_select test_thread test_threadsignals test_time test_timeout
	test_wait3 test_wait4'
if [ "${OUTSIDE-}" = long ]; then
	cat >>stressors <<'S'
hrtimers kill daemon switch dynlib clock zombie dekker peterson
session stackmmap shm shm-sysv msg mq pipe sockpair eventfd
tee splice vm-splice userfaultfd madvise mlock brk bsearch qsort
inotify getdent dir flock lockf lockofd fcntl open close dup
S
	modules="$modules test_signal test_threading test_subprocess
		test_faulthandler test_selectors test_socket test_os
		test_ctypes test_concurrent_futures test_asyncio
		test_multiprocessing_main_handling test_ssl"
fi

measured="$copse run --quiet --budget 0 --force -o outside.copse -e cpu@10000"

# It was measured, or the rest says nothing.
enough_samples() {
	samples=$("$copse" report -f folded -m samples outside.copse |
		awk '{ n += $NF } END { print n + 0 }')
	[ "$samples" -ge 1000 ] || { echo "only $samples samples"; return 1; }
}

# stress WITH SECONDS STRESSOR…: those that did not do anything, or failed.
stress() {
	with=$1
	seconds=$2
	shift 2
	options=
	for stressor in "$@"; do
		options="$options --$stressor 1"
	done
	# shellcheck disable=SC2086 # lists of words
	timeout -k 5 120 $with stress-ng $options -t "$seconds" --verify \
		--metrics-brief --mmap-bytes 8m --mremap-bytes 8m \
		--malloc-bytes 8m >stress.out 2>&1 </dev/null
	echo "$@" | tr ' ' '\n' >asked
	awk 'NR == FNR { asked[$1] = 1; next }
		/ metrc: / && $6 ~ /^[0-9.]+$/ && $5 > 0 { did[$4] = 1 }
		/ fail: / {
			sub(":", "", $4)
			failed[$4] = 1
		}
		END {
			for (name in asked)
				if (!did[name] || failed[name])
					print name
		}' asked stress.out
}

# Older ones have no mutex: those of the words that this stress-ng has.
known_ones() {
	stress-ng --stressors 2>/dev/null | tr ' ' '\n' >known
	echo "$1" | tr ' ' '\n' | grep -xf known
}

# A stressor may not come to anything beside the others, or on its own: what
# counts is that it does without copse, and never with it.
same_stress() {
	need stress-ng
	stress "$measured" 2 "$@" >idle
	enough_samples || return
	while read -r stressor; do
		for _ in 1 2 3; do
			again=$(stress "$measured" 2 "$stressor")
			[ -n "$again" ] || continue 2
		done
		cp stress.out with.out
		[ -z "$(stress '' 2 "$stressor")" ] || continue
		echo "$stressor fails with copse only"
		cat with.out
		return 1
	done <idle
}

# Python's own results, a line for each case.
cat >cases.py <<'P'
import sys
import xml.etree.ElementTree as tree

for case in tree.parse(sys.argv[1]).iter("testcase"):
    bad = [part.tag for part in case if part.tag in ("failure", "error")]
    skipped = case.get("result") == "skipped" or case.find("skipped") is not None
    print(case.get("name"), "bad" if bad else "skipped" if skipped else "good")
P

# cases NAME WITH MODULE…: the results, in the file NAME.
cases() {
	name=$1
	with=$2
	shift 2
	mkdir -p "$name.dir"
	# shellcheck disable=SC2086 # a list of words
	TMPDIR=$scratch/$name.dir timeout -k 5 600 $with /usr/bin/python3 \
		-m test -j 6 --junit-xml "$scratch/$name.xml" "$@" \
		>"$name.out" 2>&1
	/usr/bin/python3 cases.py "$name.xml" | sort >"$name"
}

# The modules whose results differ.
differing() {
	diff without with >differences && return
	sed -n 's/^[<>] test\.\(test_[a-z0-9_]*\)\..*/\1/p' differences | sort -u
}

# Both at once: these tests mostly wait.  Tests that depend on time may fail on
# a busy machine, so those that differ get two chances more, alone.
same_python() {
	/usr/bin/python3 -c 'import test.test_select' 2>/dev/null ||
		skip "no Python tests here"
	# shellcheck disable=SC2086 # a list of words
	cases with "$measured" $modules &
	# shellcheck disable=SC2086 # a list of words
	cases without '' $modules
	wait $!
	[ -s without ] || { echo "no results"; cat without.out; return 1; }
	enough_samples || return
	bad=
	for module in $(differing); do
		for _ in 1 2 3; do
			cases with "$measured" "$module"
			cases without '' "$module"
			[ -n "$(differing)" ] || continue 2
		done
		cat differences
		tail -n 20 with.out
		bad=yes
	done
	[ -z "$bad" ]
}

while read -r group; do
	# shellcheck disable=SC2046 # a list of words
	point "stress-ng: $group" same_stress $(known_ones "$group")
done <stressors
point "Python's own tests" same_python
points_done
