#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cpu-time.sh - the CPU time of a job is in its report, or said to be missing:
# of many short processes, of those that outlive the run, of those that cannot
# be measured.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
count=1000

# in_run COLUMN: of the summary.
in_run() {
	"$copse" report summary -f csv out.copse | awk -v columns="$1" \
		-f "$srcdir/tests/lib/csv.awk" | head -n 1
}

# seconds_in FUNCTION: by the samples in it, and below.
seconds_in() {
	"$copse" report hotspots -n 0 -f csv out.copse |
		awk -v columns='function inclusive' \
			-f "$srcdir/tests/lib/csv.awk" |
		awk -F '\t' -v name="$1" '$1 == name { sum += $2 }
			END { print sum + 0 }'
}

# told WORD [NAME]: what the program said of itself.
told() {
	sed -n "s/^$1 //p" said
}

# measured OPTION… -- KIND MS
measured() {
	rm -rf out.copse
	"$copse" run --no-report -q -o out.copse "$programs/families" \
		"$1" $count "$2" >said || return
	cat said
	echo "work $(seconds_in work), cpu $(in_run cpu), start" \
		"$(in_run cpu_start), sampled $(in_run cpu_sampled)," \
		"profiles $(in_run processes), without" \
		"$(in_run processes_unsampled)"
}

# in_all TOLERANCE: work is there, in the mean.
in_all() {
	near "$(awk -v w="$(seconds_in work)" -v t="$(told 'truth work')" \
		'BEGIN { print w / t }')" 1 "$1"
}

# Four standard errors of the samples that are expected.
short() {
	measured "$1" 0.6 && in_all 0.35
}

# What the system counted is what the program saw of it, and what is told apart
# adds up to it.
counted() {
	measured fork 0.6 || return
	near "$(in_run cpu)" "$(told usage)" 0.05 &&
		awk -v cpu="$(in_run cpu)" -v start="$(in_run cpu_start)" \
			-v sampled="$(in_run cpu_sampled)" 'BEGIN {
			exit !(start > 0 && start + sampled > 0.6 * cpu &&
				start + sampled < 1.3 * cpu) }'
}

# Each process has a sample or is counted; few have a file.
bounded() {
	measured fork 0.6 || return
	near "$(($(in_run processes) + $(in_run processes_unsampled)))" \
		$((count + 1)) 2 &&
		[ "$(find out.copse -name 'rank-*.h5' | wc -l)" -lt 320 ]
}

# Threads of one process have no lot to draw.
threads() {
	measured threads 0.6 && in_all 0.2
}

said() {
	rm -rf out.copse
	"$copse" run -q -o out.copse "$programs/families" fork $count 0.3 2>err
	"$copse" report measurement out.copse >err || return
	cat err
	grep -q '[0-9] processes ended before a sample' err
}

# A program that has no part of us, and does all the work.
static_one() {
	cat >spin.c <<-'C'
		#include <time.h>
		int main(void)
		{
			while (clock() < CLOCKS_PER_SEC / 2)
				;
			return 0;
		}
	C
	"${CC:-cc}" -static -o spin spin.c 2>/dev/null || skip "no static libc"
	rm -rf out.copse
	"$copse" run -o out.copse sh -c ". ./spins; ./spin; :" 2>err
	cat err
	grep -q '! Samples hold [0-9]* % of the .* of CPU time' err
}

outlives() {
	rm -rf out.copse go
	FAMILIES_GO=$PWD/go "$copse" run --no-report -o out.copse \
		"$programs/families" daemon 1 500 >said 2>err
	cat err
	pid=$(sed -n 's/.*process \([0-9]*\) (families) still runs.*/\1/p' err)
	[ "$pid" ] && touch go && wait_for sh -c "! kill -0 $pid" || return
	sed -n 's/.*on this host: copse/"$copse"/p' err >again
	copse=$copse sh -e again || return
	near "$(seconds_in work)" 0.5 0.05 &&
		! grep -ls "$PWD" /dev/shm/copse-"$(id -u)"/*/job
}

# What it did until the end of the run is in the run's report at once.
until_then() {
	rm -rf out.copse
	"$copse" run -o out.copse sh -c '. ./spins
		"$0" daemon 1 60000 & sleep 0.3' "$programs/families" 2>err
	cat err
	pid=$(sed -n 's/.*process \([0-9]*\) (families) still runs.*/\1/p' err)
	[ "$pid" ] || return
	"$copse" recover out.copse | tee got
	"$copse" recover --remove out.copse >cleaned
	seen=$(seconds_in work)
	kill -9 "$pid"
	wait_for sh -c "! kill -0 $pid"
	"$copse" recover out.copse || return
	cat cleaned
	grep -q "still measured: process $pid" got &&
		! grep removed cleaned &&
		awk -v seen="$seen" 'BEGIN { exit !(seen > 0) }'
}

# It ends by itself as soon as it sees that the program has.
helper() {
	need python3
	rm -rf out.copse
	"$copse" run --no-report -o out.copse python3 -c '
from multiprocessing import shared_memory
m = shared_memory.SharedMemory(create=True, size=1)
m.close()
m.unlink()' 2>err
	cat err
	! grep 'still run' err
}

cat >spins <<'S'
i=0
while [ $i -lt 600000 ]; do i=$((i + 1)); done
S
for kind in fork exec spawn vfork killed chain; do
	point "short: $kind" short $kind
done
# A thread that a library's constructor makes, as OpenBLAS does, which is before
# the collector's own.
early_thread() {
	cat >early.c <<-C
	#include <pthread.h>
	#include <signal.h>
	#include "$srcdir/tests/programs/known.h"
	static pthread_t thread;
	static KEPT void *work(void *unused)
	{
		work_for(0.4);
		return unused;
	}
	__attribute__((constructor)) static void begin(void)
	{
		sigset_t all, before;
		sigfillset(&all); /* as Go's runtime does */
		pthread_sigmask(SIG_SETMASK, &all, &before);
		pthread_create(&thread, NULL, work, NULL);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		work_for(0.2); /* below the dynamic loader's first code */
	}
	void wait_for_library(void);
	void wait_for_library(void)
	{
		pthread_join(thread, NULL);
	}
	C
	cat >late.c <<-C
	void wait_for_library(void);
	int main(void)
	{
		wait_for_library();
		return 0;
	}
	C
	"${CC:-cc}" -g -O1 -shared -fPIC -pthread early.c -o libearly.so &&
		"${CC:-cc}" -g late.c -o late ./libearly.so || return
	rm -rf out.copse
	"$copse" run --no-report -q -o out.copse ./late || return
	echo "$(seconds_in work) of 0.4 s"
	near "$(seconds_in work)" 0.4 0.05 &&
		near "$(seconds_in begin)" 0.2 0.05 || return
	"$copse" report summary --table losses -f csv out.copse >losses || return
	! grep partial losses
}

point "a thread from before main()" early_thread
point "short: threads" threads
point "the system's count is known, and adds up" counted
point "few of many short processes leave a profile" bounded
point "the report says that there were others" said
point "CPU time of a program that cannot be measured" static_one
point "a daemon is measured to its end" outlives
point "until then what it did is in the report" until_then
point "a helper that ends a little later is none" helper
points_done
