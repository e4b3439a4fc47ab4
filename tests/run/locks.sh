#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# locks.sh - what threads wait for, where, and where it was held meanwhile, by
# copse run --locks=on; and nothing of it without.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
CC=${CC:-cc}
CXX=${CXX:-c++}

# run_with OPTION… COMMAND…
run_with() {
	rm -rf locks.copse
	"$copse" run -q -o locks.copse "$@"
}

# rows TABLE: of the last run.
rows() {
	"$copse" report threads -n 0 -f csv --table "$1" locks.copse >"$1.csv" ||
		return
	cat "$1.csv"
}

build_patterns() {
	"$CC" -O2 -g -D_GNU_SOURCE "$srcdir/tests/programs/lock-patterns.c" \
		-o patterns -pthread -lm
}

# By seconds that the program has measured, and by names of functions.
patterns_are_told() {
	build_patterns || return
	run_with --locks=on ./patterns >truth || return
	cat truth
	rows locks || return
	awk -F '[ ,]' '
		NR == FNR {
			if ($1 == "truth")
				truth[$2] = $3
			next
		}
		{
			for (name in truth)
				if (index($0, "want_" name " ") &&
				    index($0, name "]") + index($0, "of want_" name))
					row[name] = $0
		}
		END {
			for (name in truth) {
				all++
				split(row[name], c, ",")
				off = c[3] - truth[name]
				off = off < 0 ? -off : off
				# Another process may take the core between.
				right += off < 0.05 * truth[name] + 0.01
				held = name == "condition" ? "wait_for_condition ← hold_" : "hold_"
				holder += index(c[8], held name) == 1
				if (index(c[8], held name) != 1)
					print name " was held in " c[8]
			}
			print right, "of", all, "times,", holder, "holders"
			exit !(all == 12 && right >= 11 && holder >= 11)
		}' truth locks.csv
}

# Metrics stand at the paths, and samples of waits with them.
paths_are_told() {
	[ -e locks.copse ] || skip "there was no run"
	"$copse" report -f folded -m lock.wait locks.copse >folded || return
	grep '^main;want_plain;\[mutex plain\] ' folded || { cat folded; return 1; }
	"$copse" report -f folded -m lock.blame locks.copse >folded || return
	grep 'holder;hold_plain;\[mutex plain\] ' folded || { cat folded; return 1; }
	"$copse" report threads locks.copse >said && cat said &&
		grep -q 'Threads waited for locks' said
}

is_off() {
	[ -e patterns ] || skip "there was no program"
	# shellcheck disable=SC2016 # for the shell that is measured
	! "$copse" run -q -o off.copse sh -c 'echo $LD_PRELOAD' |
		grep copse-locks || return
	run_with ./patterns 2 >with || return
	rows locks
	! grep '\[' locks.csv
}

cxx_is_told() {
	need "$CXX"
	cat >pool.cc <<'C'
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <unistd.h>

struct pool {
	std::mutex mutex;
	std::condition_variable some;
	std::queue<int> jobs;
	int sum = 0;
};

__attribute__((noinline)) void put(pool &p, int job)
{
	std::lock_guard<std::mutex> guard(p.mutex);
	p.jobs.push(job);
	usleep(3000);
	p.some.notify_one();
}

__attribute__((noinline)) bool take(pool &p)
{
	std::unique_lock<std::mutex> lock(p.mutex);
	p.some.wait(lock, [&] { return !p.jobs.empty(); });
	int job = p.jobs.front();
	p.jobs.pop();
	p.sum += job;
	return job;
}

int main()
{
	for (volatile long i = 0; i < 100000000; i++) /* no short process */
		continue;
	auto p = std::make_unique<pool>();
	std::thread worker([&] { while (take(*p)) continue; });
	for (int i = 20; i >= 0; i--) {
		put(*p, i);
		usleep(1000);
	}
	worker.join();
	printf("%d\n", p->sum);
}
C
	"$CXX" -O2 -g -std=c++17 pool.cc -o pool -pthread || return
	[ "$(run_with --locks=on ./pool)" = 210 ] || return
	rows waits
	# Before GCC 12 the library's function that waits is not left by a jump.
	case $("$CXX" -dumpversion) in
	[4-9]* | 1[01]*) place='std::condition_variable::wait\],20,' ;;
	*) place='take.* pool.cc:' ;;
	esac
	grep "^\[condition of $place.*take" waits.csv &&
		grep '^\[end of thread' waits.csv
}

# Its GIL is made of a condition and a mutex: it has numbers of its own.
python_is_told() {
	need python3
	cat >turns.py <<'P'
import queue, threading, time
jobs, done = queue.Queue(), []
def work():
    while (n := jobs.get()) is not None:
        done.append(sum(range(n)))
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads: t.start()
for n in range(60):
    jobs.put(100000)
    time.sleep(0.002)
for t in threads: jobs.put(None)
for t in threads: t.join()
print(len(done), sum(done))
P
	python3 turns.py >without || return
	run_with --locks=on -e wall python3 turns.py >with || return
	diff without with || return
	rows waits
	grep '^\[semaphore' waits.csv && ! grep -i 'take_gil' waits.csv
}

# A run that has locks and no regions is not told of regions first.
nothing_of_regions() {
	build_patterns && run_with --locks=on ./patterns >truth &&
		"$copse" report threads locks.copse >said || return
	! grep 'parallel regions' said
}

# Of many brief waits only some are recorded in full: all are counted, and their
# holder is blamed for all.  Each ends at once, by its time.
brief_waits() {
	cat >often.c <<-'C'
	#include <pthread.h>
	#include <time.h>
	static pthread_mutex_t brief = PTHREAD_MUTEX_INITIALIZER;
	static volatile int sum;
	__attribute__((noipa)) static void want_brief(void)
	{
		struct timespec past = { 0 };
		pthread_mutex_timedlock(&brief, &past);
		sum++;
	}
	static void *want_often(void *unused)
	{
		for (int i = 0; i < 20000; i++)
			want_brief();
		return unused;
	}
	__attribute__((noipa)) static void hold_brief(void)
	{
		pthread_t thread;
		pthread_mutex_lock(&brief);
		pthread_create(&thread, NULL, want_often, NULL);
		pthread_join(thread, NULL);
		pthread_mutex_unlock(&brief);
		sum++;
	}
	int main(void)
	{
		for (volatile long i = 0; i < 100000000; i++)
			continue;
		hold_brief();
	}
	C
	"$CC" -O2 -g -pthread -o often often.c || return
	for _ in 1 2 3 4 5; do
		run_with --locks=on ./often && rows locks >/dev/null &&
			sed -n 2p locks.csv
	done >said
	cat said
	awk -F , '
		$2 == 20000 { counted++ }
		$7 > $3 * 0.1 { blamed++ }
		$7 > $3 * 1.000001 { more++ } # than was waited
		END { exit !(counted == 5 && blamed >= 3 && !more) }' said
}

# What MPI's helper threads wait for while it starts is longer than the
# program's own wait, and stands behind it.
locks_of_mpi() {
	need mpicc mpirun
	cat >brief.c <<-'C'
	#include <mpi.h>
	#include <pthread.h>
	static pthread_mutex_t brief_lock = PTHREAD_MUTEX_INITIALIZER;
	static volatile int held, wanted, sum;
	static void *want(void *unused)
	{
		while (!held)
			;
		wanted = 1;
		pthread_mutex_lock(&brief_lock);
		pthread_mutex_unlock(&brief_lock);
		return unused;
	}
	int main(int argc, char **argv)
	{
		pthread_t thread;
		MPI_Init(&argc, &argv);
		pthread_create(&thread, NULL, want, NULL);
		pthread_mutex_lock(&brief_lock);
		held = 1;
		while (!wanted)
			;
		for (int i = 0; i < 50000; i++)
			sum++;
		pthread_mutex_unlock(&brief_lock);
		pthread_join(thread, NULL);
		for (int i = 0; i < 100000000; i++)
			sum++;
		return MPI_Finalize();
	}
	C
	mpicc -g -O1 -pthread -o brief brief.c || return
	rm -rf locks.copse
	mpirun -n 2 "$copse" run -q --locks=on -o locks.copse ./brief || return
	rows locks || return
	[ "$(grep -c '^\[' locks.csv)" -gt 1 ] ||
		skip "nobody waited for a lock of MPI's"
	sed -n 2p locks.csv | grep -q brief_lock
}

point "twelve patterns: seconds, and who held it" patterns_are_told
point "at the paths of who waited and who held it" paths_are_told
point "brief waits: all are counted and blamed for" brief_waits
point "C++: a queue's condition" cxx_is_told
point "Python: its locks, and not its GIL" python_is_told
point "no regions: no word of them" nothing_of_regions
point "MPI: the program's own locks come first" locks_of_mpi
point "off: nothing stands in front" is_off
points_done
