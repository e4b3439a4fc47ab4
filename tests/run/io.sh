#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# io.sh - calls for files by call path and by file (copse run --io=on): each
# call and each byte, as the program knows them, and the rules on them.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
CC=${CC:-cc}
CXX=${CXX:-c++}

# run_with COMMAND…: what it says is as without copse.
run_with() {
	rm -rf io.copse
	"$@" >without && "$copse" run -q --no-report --io=on -o io.copse "$@" \
		>said || return
	cat said
	cmp without said
}

# columns TABLE 'NAME…': of the last run.
columns() {
	"$copse" report io -n 0 -f csv --table "$1" io.copse |
		awk -v columns="$2" -f "$srcdir/tests/lib/csv.awk"
}

# Sums over the paths that begin with each function.
paths_are_true() {
	columns paths 'call_path calls read written' |
		awk -F '\t' '
		NR == FNR {
			if (split($0, t, " ") && t[1] == "truth")
				want[t[2]] = t[3] " " t[4] " " t[5]
			next
		}
		{
			split($1, frame, " ")
			name = frame[1]
			sub(/^__/, "", name)
			sub(/_chk$/, "", name)
			sub(/^getdelim$/, "getline", name)
			sub(/^fxstat$/, "fstat", name) # before glibc 2.33
			calls[name] += $2
			read[name] += $3
			written[name] += $4
		}
		END {
			for (name in want) {
				is = calls[name] + 0 " " read[name] + 0 " " \
					written[name] + 0
				right += is == want[name]
				if (is != want[name])
					print name ": " is ", not " want[name]
				all++
			}
			print right " of " all " functions"
			exit !all || right != all
		}' said -
}

files_are_true() {
	columns files 'file reads read writes written opens' |
		awk -F '\t' -v at="$PWD/" '
		NR == FNR {
			if (split($0, t, " ") && t[1] == "file") {
				want[at t[2]] = t[3] " " t[4] " " t[5] " " \
					t[6] " " t[7]
				all++
			}
			next
		}
		$1 in want {
			is = $2 + 0 " " $3 + 0 " " $4 + 0 " " $5 + 0 " " $6 + 0
			right += is == want[$1]
			if (is != want[$1])
				print $1 ": " is ", not " want[$1]
		}
		END {
			print right + 0 " of " all + 0 " files"
			exit right != all
		}' said -
}

is_true_of_files() {
	run_with "$programs/files" "$1" "$PWD" && files_are_true
}

is_true() {
	is_true_of_files "$1" && paths_are_true
}

# Those that found a place have theirs, and all others one.
is_bounded() {
	is_true many || return
	columns files 'file writes written' >files
	awk -F '\t' '{ n++; writes += $2; bytes += $3 }
		END { print n, writes, bytes
			exit n > 1100 || writes < 3000 || bytes < 30000 }' \
		files && grep -q '^\[all others\]' files
}

# Between the last bin of writes and the first of reads is what the program
# says, but for the bins of the process and of its host.  What it prints is written, too.
is_in_time() {
	rm -rf io.copse
	"$copse" run -q --no-report --io=on -o io.copse "$programs/files" \
		times "$PWD" >said && files_are_true || return
	columns time 'seconds width read written' >bins
	cat said bins
	awk -F '\t' '
		NR == FNR {
			if (split($0, t, " ") && t[1] == "gap")
				gap = t[2]
			next
		}
		$4 > 1000 { end = $1 + $2; written += $4 }
		$3 > 1000 { read += $3; if (!width) begin = $1; width = $2 }
		function far(is, must) { return is < must - 1000 || is > must + 1000 }
		END {
			print written, read, begin - end, gap, width
			exit far(written, 8388608) || far(read, 16777216) ||
				!width || width > 0.1 || begin - end > gap ||
				begin - end < gap - 4 * width
		}' said bins
}

# finds RULE PATTERN: it, and the file.
finds() {
	run_with "$programs/files" "$2" "$PWD" || return
	"$copse" report diagnose io.copse --width 400 >found
	cat found
	grep -q "^  $1 " found && grep -q "^• .*$PWD" found
}

finds_nothing() {
	run_with "$programs/files" good "$PWD" || return
	"$copse" report diagnose io.copse >found
	cat found
	! grep -E '^  (small-requests|random-reads|metadata|sync-in-loop|rereading|rewriting|one-writer|uneven-file) ' \
		found
}

# A program that ends before its first sample.
has_no_sample() {
	rm -rf io.copse
	"$copse" run -q --no-report --io=on -e cpu@1 -o io.copse cat \
		/etc/passwd >without || return
	diff without /etc/passwd || return
	"$copse" report io io.copse | grep "^  /etc/passwd"
}

# 300 writes of 5,000 bytes, and one sync.
has_darshans_names() {
	need python3
	cat >write.py <<-'END'
		import os
		with open("big.bin", "wb", buffering=0) as f:
		    for i in range(300):
		        f.write(b"x" * 5000)
		    os.fsync(f.fileno())
	END
	rm -rf io.copse
	"$copse" run -q --no-report --io=on -o io.copse "${PYTHON:-/usr/bin/python3}" \
		write.py || return
	"$copse" export darshan io.copse | tee darshan.txt | grep big.bin
	for is in 'OPENS 1' 'READS 0' 'WRITES 300' 'BYTES_WRITTEN 1500000' \
		'MAX_BYTE_WRITTEN 1499999' 'FSYNCS 1' 'SEQ_WRITES 300' \
		'RW_SWITCHES 0' 'SIZE_WRITE_1K_10K 300' 'SIZE_WRITE_0_100 0'; do
		awk -F '\t' -v is="$is" 'split(is, of, " ") && NF == 8 &&
			$1 == "POSIX" && $2 == 0 && $6 ~ /big.bin$/ &&
			$4 == "POSIX_" of[1] { good = $5 == of[2] }
			END { exit !good }' darshan.txt || { echo "not $is"; return 1; }
	done
}

# What runs without it is not measured, and says how to, and what it would be.
is_off() {
	rm -rf io.copse
	"$copse" run -q --no-report -o io.copse "$programs/files" small \
		"$PWD" >said || return
	"$copse" report io --width 400 io.copse >found
	cat found
	[ ! -e /proc/self/io ] || grep -q 'and 28.6 MiB written' found || return
	grep -q 'copse run --io=on measures' found &&
		[ -z "$(columns paths call_path)$(columns files file)" ]
}

# What the kernel counted and nobody saw: to the byte as far as it is written;
# what is read to start a program is some 60 KiB.
unseen_is_told() {
	[ -e /proc/self/io ] || skip "the kernel does not count"
	is_true_of_files unseen || return
	columns coverage 'does files others kernel storage' >coverage
	cat coverage
	"$copse" report io --width 400 io.copse >found
	cat found
	awk -F '\t' '
		$1 == "read" { read = $4 - $2 - $3; pipe = $3 }
		$1 == "written" { written = $4 - $2 - $3; good = $3 == 5242880 }
		END { exit !(good && pipe == 5242880 && written == 3145728 &&
			read >= 2097152 && read < 2359296) }' coverage &&
		grep -q '^• Not seen: 2\..* MiB of .* counted as read' found &&
		grep -q '^• Not seen: 3.00 MiB of 24.0 MiB .* as written' found || return
	# Where the kernel knows of storage (not in memory), and of io_uring.
	if awk '$1 == "written" { exit $5 < 16777216 }' coverage; then
		grep -q '^• Some 1[56]\..* MiB more .* written to storage' found || return
	fi
	! grep -q '^uring 1' said ||
		grep -q '^• 1 process used io_uring' found
}

nothing_is_unseen() {
	run_with "$programs/files" sizes "$PWD" || return
	"$copse" report io --width 400 io.copse >found
	cat found
	! grep -E '^• (Not seen|Some|[0-9]+ process)' found
}

# Bytes of a library's buffer, of C++, of Fortran, and of Python.
languages() {
	cat >cxx.cc <<'CXX'
#include <fstream>
int main()
{
	std::ofstream f("cxx.out");
	for (int i = 0; i < 100000; i++)
		f << "1234567\n";
}
CXX
	"$CXX" -O1 -g cxx.cc -o cxx && run_with ./cxx &&
		columns files 'file written' | grep "$PWD/cxx.out	800000"
}

python_lines() {
	need /usr/bin/python3
	cat >lines.py <<'PYTHON'
def save():
    with open("lines.out", "wb", buffering=0) as f:
        for i in range(1000):
            f.write(b"x" * 100)

save()
PYTHON
	run_with /usr/bin/python3 lines.py || return
	"$copse" report io --width 200 io.copse >paths
	cat paths
	grep -q 'write ← lines.py:4 save ← lines.py:6 <module>  *1000 .* 97.7 KiB' \
		paths
}

# Each of four ranks writes 4,000 rows of 8 KiB, by itself and with all.
independent_calls() {
	need mpirun mpicc
	cat >rows.c <<'C'
#include <mpi.h>
#include <stdlib.h>

static char row[8192];

int main(int argc, char **argv)
{
	int (*write_row)(MPI_File, MPI_Offset, const void *, int, MPI_Datatype,
			 MPI_Status *) =
		argc > 1 ? MPI_File_write_at_all : MPI_File_write_at;
	int rank, size;
	MPI_File f;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_File_open(MPI_COMM_WORLD, "rows.out",
		      MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
	for (MPI_Offset i = rank; i < 4000 * size; i += size)
		write_row(f, i * (MPI_Offset)sizeof(row), row, sizeof(row),
			  MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
C
	mpicc -O2 -g -o rows rows.c || return
	for how in '' all; do
		rm -rf io.copse
		mpirun -n 4 "$copse" run -q --no-report -o io.copse ./rows $how ||
			return
		"$copse" report diagnose io.copse >found
		cat found
		case $how in
		'')	tr -s '\n ' ' ' <found | grep -q '16000 calls of MPI_File_write_at ← main, of 8.00 KiB each' || return ;;
		*)	! grep -q '^  independent-io ' found || return ;;
		esac
	done
}

# Each rank's own bytes; what MPI does within its functions is theirs.
mpi_ranks() {
	need mpirun mpicc
	cat >ranks.c <<'C'
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static char block[1 << 20];

int main(int argc, char **argv)
{
	MPI_File f;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!rank) {
		int fd = open("rank.out", O_CREAT | O_WRONLY, 0644);

		for (int i = 0; i < 32; i++)
			if (write(fd, block, sizeof(block)) < 0)
				return 1;
		close(fd);
	}
	MPI_File_open(MPI_COMM_WORLD, "all.out",
		      MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
	MPI_File_write_at(f, rank * (MPI_Offset)sizeof(block), block,
			  sizeof(block), MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
C
	mpicc -O1 -g ranks.c -o ranks || return
	rm -rf io.copse
	mpirun -n 4 "$copse" run -q --no-report --io=on -o io.copse ./ranks ||
		return
	columns ranks 'rank written' | sort -n | cut -f 2 | tr '\n' ' ' >by-rank
	cat by-rank
	columns files 'file processes written' >files
	cat files
	[ "$(cat by-rank)" = "34603008 1048576 1048576 1048576 " ] &&
		grep -q "$PWD/rank.out	1	33554432" files &&
		grep -q "$PWD/all.out	4	4194304" files &&
		columns paths 'call_path calls written' |
		grep 'MPI_File_write_at ← main.*	4	4194304'
}

# Who waits for a rank that writes is told so, with the file; also if it slept.
writer_is_blamed() {
	need mpirun mpicc
	cat >writer.c <<'C'
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

static char block[1 << 20];

__attribute__((noinline)) void checkpoint(void)
{
	int fd = open("restart.out", O_CREAT | O_WRONLY | O_TRUNC, 0644);

	for (int i = 0; i < 50; i++)
		if (write(fd, block, sizeof(block)) < 0 || fsync(fd))
			_exit(1);
	close(fd);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 5; i++) {
		if (!rank)
			checkpoint();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
C
	mpicc -O1 -g writer.c -o writer || return
	rm -rf io.copse
	mpirun -n 2 "$copse" run -q --no-report --io=on -o io.copse ./writer ||
		return
	"$copse" report waits --width 400 io.copse >found
	cat found
	grep -qE "for rank 0 in MPI_Barrier ← main, .*checkpoint ← main, 250 MiB to $PWD/restart.out" \
		found || return
	"$copse" report summary --width 400 io.copse >found
	cat found
	grep -q 'calls of fsync() or the like for .*restart.out' found
}

# 5,000 signals a second are in no call's way, and their handler may write.
signals_do_no_harm() {
	cat >alarms.c <<'C'
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int log_fd;
static volatile int logged;

static void on_alarm(int signal)
{
	(void)signal;
	logged += write(log_fd, "alarm\n", 6) == 6;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_alarm,
				    .sa_flags = SA_RESTART };
	struct itimerval every = { { 0, 200 }, { 0, 200 } }, never = { 0 };
	int fd = open("data", O_CREAT | O_RDWR | O_TRUNC, 0644), calls = 0;
	time_t end = time(NULL) + 3;
	char block[1000];

	log_fd = open("log", O_CREAT | O_WRONLY | O_TRUNC, 0644);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (time(NULL) < end) {
		int other = open("data", O_RDONLY);

		calls++;
		if (other < 0 ||
		    pwrite(fd, block, sizeof(block), 0) != sizeof(block) ||
		    pread(other, block, sizeof(block), 0) != sizeof(block) ||
		    close(other))
			return 1;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	fprintf(stderr, "%d %d\n", calls, logged);
	return !logged;
}
C
	"$CC" -O1 -g alarms.c -o alarms || return
	rm -rf io.copse
	"$copse" run -q --no-report --io=on -e cpu@5000 -o io.copse ./alarms \
		2>said || return
	cat said
	columns files 'file reads writes' >files
	cat files
	# A handler's call may be lost that comes while its thread is counted.
	awk -v at="$PWD" '
		NR == FNR { calls = $1; logged = $2; next }
		$1 == at "/data" { good += $2 > calls * 0.99 && $2 <= calls }
		$1 == at "/log" { good += $3 > logged * 0.98 && $3 <= logged }
		END { exit good != 2 }' said files
}

for pattern in sizes streams numbers threads children failures; do
	point "each call and byte: $pattern" is_true $pattern
done
point "more files than there is room for" is_bounded
point "bytes over time" is_in_time
point "small-requests" finds small-requests small
point "random-reads" finds random-reads random
point "metadata" finds metadata names
point "sync-in-loop" finds sync-in-loop sync
point "rereading" finds rereading reread
point "rewriting" finds rewriting rewrite
point "a program that reads and writes well" finds_nothing
point "what is not seen is told" unseen_is_told
point "nothing is said to be unseen that is seen" nothing_is_unseen
point "calls without a sample" has_no_sample
point "Darshan's names" has_darshans_names
point "nothing without --io" is_off
point "streams of C++" languages
point "lines of Python" python_lines
point "ranks, and MPI's functions for files" mpi_ranks
point "calls of MPI for files that are not collective" independent_calls
point "a rank that writes is waited for" writer_is_blamed
point "signals, and handlers that write" signals_do_no_harm
points_done
