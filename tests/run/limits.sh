#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# limits.sh - under any limit a program ends as it does without copse: measured,
# or unmeasured with a word, and nothing is left behind.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset COPSE_BUDGET
CC=${CC:-cc}
MIB=1048576

# same PRLIMIT-OPTION WORD: as alone, and the word on stderr ("" for any).
same() {
	rm -rf in && mkdir in || return
	(cd in && prlimit "$1" ../seven >/dev/null 2>&1)
	bare=$?
	(cd in && prlimit "$1" "$copse" run --no-report -o out ../seven \
		2>&1 >/dev/null </dev/null) | cat >err
	(cd in && rm -rf out out.2 && prlimit "$1" "$copse" run -q \
		--no-report -o out ../seven) >/dev/null 2>&1
	is=$?
	# shellcheck disable=SC2012 # names of ours
	left=$(ls in | wc -l)
	echo "$1: $bare alone, $is with copse, $left names"
	cat err
	[ $is = $bare ] && [ "$left" -le 1 ] && grep -q "$2" err || return
	case $2 in
	*unmeasured*) [ "$left" = 0 ] ;;
	esac
}

# each WORD OPTION…
each() {
	word=$1
	shift
	for option; do
		same "$option" "$word" || return
	done
}

address_space() {
	each 'unmeasured.*ulimit -v' --as=$((10 * MIB)) --as=$((12 * MIB)) \
		--as=$((20 * MIB)) --as=$((60 * MIB)) --as=$((127 * MIB)) &&
		same --as=$((128 * MIB)) ''
}

data() {
	each 'unmeasured.*ulimit -d' --data=$((MIB / 2)) --data=$((2 * MIB)) \
		--data=$((8 * MIB)) --data=$((63 * MIB)) &&
		same --data=$((64 * MIB)) ''
}

# Of the few numbers some may be taken, by make say.
open_files() {
	exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
	each 'unmeasured.*ulimit -n' --nofile=4 --nofile=5 --nofile=6 \
		--nofile=15 && each '' --nofile=16 --nofile=20
}

# The same where the limit is wide and the numbers are taken: what copse itself
# finds no number for is no foreign directory.
no_numbers() {
	mkdir -p numbers && cd numbers || return
	for free in 2 3 4 5 6; do
		../holds $free "$copse" run --no-report -o out ../seven \
			>/dev/null 2>err
		is=$?
		cat err
		rm err
		# shellcheck disable=SC2012 # names of ours
		left=$(ls | wc -l)
		echo "$free: status $is, $left names"
		[ $is = 7 ] && [ "$left" -le 1 ] || return
		rm -rf out
	done
}

file_size() {
	each 'unmeasured' --fsize=0 && each '' --fsize=64 --fsize=512 \
		--fsize=4096 --fsize=20000
}

pending_signals() {
	each 'unmeasured.*ulimit -i' --sigpending=0 --sigpending=1 &&
		same --sigpending=64 ''
}

others() {
	each '' --memlock=0 --msgqueue=0 --core=0 --rtprio=0 --stack=$((MIB / 8))
}

# No process more for a user that has that many (root has no such limit).
processes() {
	[ "$(id -u)" = 0 ] || skip "not root"
	need setpriv
	mkdir -m 777 open
	chmod 755 .
	for limit in 1 2 3 4; do
		# Nobody may not read the build folder everywhere.
		setpriv --reuid 65534 --regid 65534 --clear-groups \
			sh -c 'cd open && exec "$@"' sh prlimit --nproc=$limit \
			"$copse" run --no-report -o out "$PWD/seven" >out 2>err
		is=$?
		cat err
		case $is in
		126 | 127) skip "copse is not in reach of another user" ;;
		esac
		[ $is = 7 ] || { echo "$limit: status $is"; return 1; }
		[ $limit != 1 ] || grep -q 'unmeasured: no process' err || return
		[ $limit != 1 ] || [ ! -e open/out ] || return
		rm -rf open/out
	done
}

# What the program is given when it is not measured after all.
as_given() {
	prlimit --fsize=0 env -i PATH="$PATH" LD_PRELOAD= A=b "$copse" run -q \
		env 2>/dev/null | sort >env-with
	prlimit --fsize=0 env -i PATH="$PATH" LD_PRELOAD= A=b env | sort \
		>env-without
	diff env-without env-with || return
	if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
		chmod 755 .
		for how in '' "$copse run -q -o $PWD/no-such/out"; do
			# shellcheck disable=SC2086 # words
			setpriv --reuid 65534 --regid 65534 --clear-groups \
				env -i PATH="$PATH" prlimit --nproc=1 $how \
				grep -E '^Sig|^TracerPid|^Threads' \
				/proc/self/status | sed '/SigQ/d'
		done >states
		sort states | uniq -c | awk '$1 % 2 { bad = 1; print }
			END { exit bad }'
	fi
}

# A limit that a program sets itself, for what it starts by any way.
set_inside() {
	for how in execve posix_spawn system popen; do
		for limit in 60 1000; do
			rm -rf inside.copse
			"$copse" run -q --no-report -o inside.copse ./lower \
				$how $limit ./seven >out 2>err
			is=$?
			cat out err
			[ $is = 7 ] || { echo "$how $limit: $is"; return 1; }
			grep -q "preload:.*libcopse" out
			case $limit$? in
			601 | 10000) ;;
			*) echo "$how $limit: ours or not?"; return 1 ;;
			esac
		done
	done
}

# An auditor has the loader set up static TLS before it loads what is preloaded.
audited() {
	echo '#include <link.h>
	unsigned la_version(unsigned v) { (void)v; return LAV_CURRENT; }' |
		$CC -D_GNU_SOURCE -shared -fPIC -x c - -o libaudit.so || return
	for locks in off on; do
		LD_AUDIT=$PWD/libaudit.so "$copse" run -q --locks=$locks \
			--no-report -o audited.copse --force ./seven
		[ $? = 7 ] || return
		"$copse" run -q --locks=$locks --no-report -o audited.copse \
			--force env LD_AUDIT="$PWD/libaudit.so" ./seven
		[ $? = 7 ] || return
	done
	# Two of them, and a program whose own libraries need some.
	cp libaudit.so libaudit2.so
	printf 'static __thread char mine[512]
		__attribute__((tls_model("initial-exec")));
	char *of_thread(void) { mine[0]++; return mine; }' |
		$CC -shared -fPIC -x c - -o libneeds.so || return
	printf 'char *of_thread(void);
	int main(void) { return of_thread()[0] + 6; }' |
		$CC -x c - -o needs -L. -lneeds -Wl,-rpath,"$PWD" || return
	LD_AUDIT=$PWD/libaudit.so:$PWD/libaudit2.so "$copse" run -q \
		--locks=on --no-report -o audited.copse --force ./needs
	[ $? = 7 ] || return
	LD_AUDIT=$PWD/libaudit.so "$copse" run -q --no-report \
		-o audited.copse --force "$programs/phases" 0.2 >/dev/null &&
		"$copse" report hotspots audited.copse | grep -q work
}

# A file system of so many KiB: for profiles, or for what is measured.
on_small() {
	unshare -m sh -c 'mount -t tmpfs -o "size=$1k,$2" tmpfs "$3" || exit 77
		shift 3
		exec "$@"' sh "$@"
}

# Where profiles go, or shared memory, is full, or may not be written.
no_place() {
	mkdir -p place
	on_small 64 rw place true 2>/dev/null || skip "no mounts: a small file system"
	for size in 4 8 64; do
		for where in place /dev/shm; do
			for how in rw ro; do
				on_small $size $how $where "$copse" run -q \
					--no-report -o place/out ./seven >out 2>err
				is=$?
				[ $is = 7 ] || { echo "$where $how $size: $is"
					cat err; return 1; }
				rm -rf place/* seven.copse
			done
		done
	done
	# What could not be written is kept in shared memory, for copse recover.
	grep -ls "$PWD/place" /dev/shm/copse-"$(id -u)"/*/job |
		while read -r job; do
			rm -r "${job%/job}"
		done
}

# Libraries that come later find the surplus as it was, in the program's and in
# other namespaces.
later_libraries() {
	printf 'static __thread char mine[1300]
		__attribute__((tls_model("initial-exec")));
	char *of_thread(void) { mine[0]++; return mine; }' |
		$CC -shared -fPIC -x c - -o liblater.so || return
	$CC -D_GNU_SOURCE -x c - -o later -ldl <<'C' || return
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *lib = dlopen("./liblater.so", RTLD_NOW);
	void *other = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW);
	void *third = dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW);

	if (!lib)
		puts(dlerror());
	return (lib ? 4 : 0) + (other ? 2 : 0) + (third ? 1 : 0);
}
C
	./later
	[ $? = 7 ] || skip "the program itself needs more"
	for more in --locks=off --locks=on; do
		"$copse" run -q --no-report $more -o later.copse --force ./later
		[ $? = 7 ] || return
	done
}

# Static TLS of what is preloaded: the surplus of a process is 1,664 bytes, and
# its own libraries want some of it.
# Of a program without MPI and Python: MiB of addresses, and of data.
mapped() {
	plain=$(cat /proc/self/statm)
	with=$("$copse" run -q --no-report --freq 1 -o mapped.copse \
		cat /proc/self/statm) || return
	# shellcheck disable=SC2086 # seven numbers each
	set -- $plain $with
	echo "$((($8 - $1) / 256)) MiB, $(((${13} - $6) / 256)) of data"
	data=3
	! has_own_modules || data=4
	[ $((($8 - $1) / 256)) -le 8 ] && [ $(((${13} - $6) / 256)) -le $data ]
}

static_tls() {
	need readelf
	sum=0
	for library in "$builddir"/libcopse.so \
		"$builddir"/libcopse-openmp.so \
		"$builddir"/libcopse-locks.so \
		"$builddir"/libcopse-heap*.so \
		"$builddir"/libcopse-mpi-*.so; do
		[ -e "$library" ] || continue
		# shellcheck disable=SC2046 # a number, hexadecimal
		sum=$((sum + $(readelf -lW "$library" |
			awk '$1 == "TLS" { print $6; some = 1 }
			END { if (!some) print 0 }')))
	done
	echo "$sum bytes"
	[ $sum -gt 0 ] && [ $sum -le 512 ]
}

cd "$scratch" || exit 99
if ! command -v prlimit >/dev/null || ! $CC -O1 -o seven -x c - <<'C' 2>/dev/null
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 50;
	volatile long x = 0;

	while (clock() < end)
		x++;
	printf("preload: %s\n", getenv("LD_PRELOAD"));
	return 7;
}
C
then
	echo "1..0 # SKIP no compiler or no prlimit here"
	exit 0
fi
$CC -D_GNU_SOURCE -o holds -x c - <<'C' || exit 99
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* FREE PROGRAM...: with so many numbers for files that are free. */
int main(int argc, char **argv)
{
	const struct rlimit limit = { 64, 64 };

	if (argc < 3 || setrlimit(RLIMIT_NOFILE, &limit))
		return 99;
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	for (int i = 0; i < atoi(argv[1]); i++)
		close(63 - i);
	execv(argv[2], argv + 2);
	return 98;
}
C
$CC -D_GNU_SOURCE -o lower -x c - <<'C' || exit 99
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* HOW MIB PROGRAM: in so much address space. */
int main(int argc, char **argv)
{
	rlim_t bytes = (rlim_t)atoi(argv[2]) << 20;
	const struct rlimit limit = { bytes, bytes };
	char *words[] = { argv[3], NULL }, line[4096];
	int status = -1;
	pid_t pid;
	FILE *from;

	if (argc < 4 || setrlimit(RLIMIT_AS, &limit))
		return 99;
	if (!strcmp(argv[1], "execve"))
		execve(argv[3], words, environ);
	if (!strcmp(argv[1], "posix_spawn") &&
	    !posix_spawn(&pid, argv[3], NULL, NULL, words, environ))
		waitpid(pid, &status, 0);
	if (!strcmp(argv[1], "system"))
		status = system(argv[3]);
	if (!strcmp(argv[1], "popen") && (from = popen(argv[3], "r"))) {
		while (fgets(line, sizeof(line), from))
			fputs(line, stdout);
		status = pclose(from);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}
C
point "address space" address_space
point "data" data
point "open files" open_files
point "a process without numbers for files" no_numbers
point "sizes of files" file_size
point "pending signals" pending_signals
point "other limits" others
point "processes of a user" processes
point "an unmeasured program is given what it would be" as_given
point "limits that the program sets" set_inside
point "a program that is audited" audited
point "no place for profiles" no_place
point "libraries that come later" later_libraries
point "static TLS is small" static_tls
point "few addresses are taken" mapped
points_done
