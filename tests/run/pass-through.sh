#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pass-through.sh - what a program does is the same under `copse run`: arguments,
# files, exit status, signal; and bad use is told in one line.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset COPSE_BUDGET
# A job of our own, also when the tests run inside one.
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
cd "$scratch" || exit 99

# status WANT COMMAND…
status() {
	want=$1
	shift
	"$@" 2>err
	got=$?
	cat err
	[ "$got" = "$want" ] && return
	echo "status $got, not $want: $*"
	return 1
}

# refused STATUS WORD COMMAND…: that status, and one line that has the word.
refused() {
	want=$1
	word=$2
	shift 2
	status "$want" "$@" || return 1
	[ "$(wc -l <err)" -eq 1 ] || { echo "more than a line"; return 1; }
	grep -qF -e "$word" err || { echo "no word of $word"; return 1; }
}

given_back() {
	for code in 0 1 3 126 255; do
		status $code "$copse" run -q sh -c "exit $code" || return 1
	done
}

same_signal() {
	# shellcheck disable=SC3045 # where it exists, no core file
	ulimit -c 0 2>/dev/null
	for signal in 6 9 10 11 15; do
		status $((128 + signal)) "$copse" run -q \
			sh -c "kill -$signal \$\$" || return 1
	done
}

arguments() {
	"$copse" run -q -- printf '%s\n' -q --force 'a b' '' >got || return 1
	printf '%s\n' -q --force 'a b' '' | diff - got
}

files() {
	echo text | "$copse" run sh -c 'cat; echo err >&2' >out 2>err
	[ "$(cat out)" = text ] || { cat out; return 1; }
	grep -qx err err
}

quiet() {
	"$copse" run -q true >out 2>&1 && [ ! -s out ]
}

# The libraries that a user preloads stay, after ours.
preload() {
	# shellcheck disable=SC2016 # for the measured shell
	LD_PRELOAD=libm.so.6 "$copse" run -q sh -c 'echo "$LD_PRELOAD"' >out
	cat out
	grep -q '/libcopse\.so:\(.*:\)*libm\.so\.6$' out
}

# nohup's, and that of a parent which ignores its children.
dispositions() {
	for set in HUP CHLD "HUP INT"; do
		# shellcheck disable=SC2086 # a list
		(trap '' $set; grep SigIgn /proc/self/status) >want
		# shellcheck disable=SC2086
		(trap '' $set; "$copse" run -q grep -e SigIgn \
			/proc/self/status) >got || return 1
		diff want got || return 1
	done
	grep -e SigBlk /proc/self/status >want
	"$copse" run -q grep -e SigBlk /proc/self/status >got
	diff want got
}

too_short() {
	rm -rf true.copse
	"$copse" run true 2>err
	cat err
	grep -q 'took no sample' err && [ ! -e true.copse ]
}

# no_sample WORDS COMMAND…: of the reason, with what there is to do.
no_sample() {
	words=$1
	shift
	rm -rf none.copse
	"$@" 2>err
	cat err
	grep 'took no sample' err | grep -qF -e "$words"
}

# On a slow machine, a program that only waits takes long to load.
waited='it waited|in [1-9][0-9]+ ms of CPU'
no_sample_why() {
	no_sample '--freq' "$copse" run -o none.copse --freq 1 \
		"$programs/phases" 0.1 &&
		no_sample 'at 1 per second' "$copse" run -o none.copse \
			-e cpu@1 "$programs/phases" 0.1 &&
		no_sample 'ms of CPU time' "$copse" run -o none.copse \
			--freq 100 sleep 0.1 && grep -qE "$waited" err &&
		no_sample 'ulimit -f' sh -c 'ulimit -f 1 && exec "$@"' sh \
			"$copse" run -o none.copse "$programs/phases" 0.1
}

# leaves WAY: measured before and after, though its first sample comes after.
leaves() {
	[ "$(id -u)" = 0 ] || skip "not root"
	rm -rf leaves.copse
	"$copse" run -q -o leaves.copse "$programs/leaver" "$@" >out ||
		skip "it may not: $*"
	"$copse" report hotspots leaves.copse | grep afterwards
}

# Its own limit is for the program; where that has no room, it runs all the same.
# The environment lies on that stack as well.
small_stack() {
	# shellcheck disable=SC3045,SC2016
	small='ulimit -s $0 && exec env -i "$@"'
	for kib in 96 24; do
		sh -c "$small" $kib "$programs/phases" 0.1 >out ||
			skip "the program itself needs more"
		rm -rf stack.copse
		sh -c "$small" $kib "$copse" run -o stack.copse --no-report \
			"$programs/phases" 0.1 >out 2>err
		status=$?
		cat err
		[ "$status" = 0 ] || { echo "$kib KiB: status $status"; return 1; }
	done
	grep -q 'unmeasured.*ulimit -s' err && [ ! -e stack.copse ]
}

# A limit that a script sets: where there is no room for our libraries the
# program has none of them, but others that it is to have; nor does it die.
script_sets_stack() {
	cc=$(command -v "${CC:-cc}") || skip "no compiler here"
	echo 'int other;' | "$cc" -shared -fPIC -x c - -o other.so || skip "no cc"
	for kib in 48 128; do
		rm -rf script.copse
		env -i LD_PRELOAD="$PWD/other.so" "$copse" run -q -o script.copse \
			sh -c 'ulimit -s "$0"; grep -o "[^/]*.so$" /proc/self/maps
				"$@"' $kib "$programs/phases" 0.1 >out 2>err
		status=$?
		sort -u out | grep -v ^truth
		[ "$status" = 0 ] || { cat err; return 1; }
		grep -q other.so out || return
		case $kib in
		48) grep -q libcopse out && return 1 ;;
		*) grep -q libcopse out || return ;;
		esac
	done
	return 0
}

# sanitized KIND WHAT…: what GCC's sanitizer finds, and nothing else.
sanitized() {
	CC=${CC:-cc}
	need "$CC"
	"$CC" -fsanitize="$1" -g -o "with-$1" "$srcdir/tests/programs/sanitized.c" \
		-pthread 2>said || skip "$CC has no -fsanitize=$1: $(cat said)"
	program=./with-$1
	shift
	for what in "$@"; do
		"$program" "$what" >plain 2>plain.err
		status=$?
		"$copse" run -q --force -o sanitized.copse -e cpu@10000 \
			"$program" "$what" >with 2>with.err
		is=$?
		summary with.err
		[ $is = $status ] && diff plain with || return
		[ "$(summary plain.err)" = "$(summary with.err)" ] || return
		[ "$("$copse" report sanitized.copse -m samples -f folded |
			awk '{ n += $NF } END { print n + 0 }')" -gt 10 ] ||
			return
	done
}

# Valgrind, which is known by a library of this name, does not survive a tick.
valgrind_alone() {
	CC=${CC:-cc}
	need "$CC"
	"$CC" -shared -o vgpreload_core-amd64-linux.so -x c /dev/null || return 1
	LD_PRELOAD=$PWD/vgpreload_core-amd64-linux.so "$copse" run --force \
		"$programs/shares" 0.2 >out 2>err
	[ $? = 0 ] && grep 'took no sample .*: Valgrind runs the program' err
}

# A library that tells the program another time tells us nothing, not even in
# a handler, where it may not allocate.
false_clock() {
	CC=${CC:-cc}
	need "$CC"
	cat >false.c <<'END'
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *t)
{
	static long calls;

	free(malloc(10));
	syscall(SYS_clock_gettime, clock, t);
	t->tv_sec += 100 * ++calls;
	return 0;
}
END
	"$CC" -shared -fPIC -o false.so false.c || return 1
	LD_PRELOAD=$PWD/false.so "$copse" run --force -q -o false.copse \
		sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' ||
		return
	"$copse" report false.copse -f csv >csv || return
	awk -v columns='cpu elapsed samples' -f "$srcdir/tests/lib/csv.awk" csv >is
	cat is
	awk '{ exit !($1 > 0.02 && $1 < 60 && $2 < 60 && $3 > 10) }' is
}

summary() {
	grep -e ^SUMMARY -e 'runtime does not come first' "$1"
}

# Its loader would find that our libraries need another C library, and end it.
other_library() {
	CC=${CC:-cc}
	need "$CC"
	ln -s /lib64/ld-linux-x86-64.so.2 ld-musl-x86_64.so.1
	echo 'int main(void) { return 7; }' >other.c
	"$CC" -o other -Wl,--dynamic-linker="$PWD/ld-musl-x86_64.so.1" other.c ||
		return 1
	"$copse" run ./other 2>err
	[ $? = 7 ] && grep 'another C library' err
}

# The same, of which only the head says that it has 32 bits.
other_processor() {
	printf '\177ELF\1' >other32
	tail -c +6 /bin/true >>other32
	chmod +x other32
	"$copse" run ./other32 2>err # which Linux does not mind
	grep 'no program for x86 with 64 bits' err
}

static() {
	[ -x /sbin/ldconfig ] || skip "no static program here"
	head -c 4000 /sbin/ldconfig | grep -qa ld-linux && skip "not static"
	"$copse" run /sbin/ldconfig -V >out 2>err || return 1
	cat err
	grep -q ldconfig out && grep -q 'statically' err
}

no_shared_memory() {
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null ||
		skip "cannot take /dev/shm away"
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs -o ro none /dev/shm || exit 77
		exec "$1" run echo unharmed' sh "$copse" >out 2>err
	[ $? = 77 ] && skip "cannot take /dev/shm away"
	cat err
	[ "$(cat out)" = unharmed ] && grep -q unmeasured err
}

point "the exit status is given back" given_back
point "it dies by the program's signal" same_signal
point "arguments are the program's" arguments
point "standard files are the program's" files
point "--quiet prints nothing" quiet
point "the user's own preload stays" preload
point "ignored and blocked signals are inherited" dispositions
# On a busy machine a sample may fall into any program.
point "a program without a sample leaves nothing" too_short
point "why there is no sample is told" no_sample_why
point "a small stack is the program's own" small_stack
point "a script may set a small stack" script_sets_stack
point "a static program runs, unmeasured" static
point "AddressSanitizer need not be the first library" \
	sanitized address good freed leaked
point "a clock that others tell is not ours" false_clock
point "what runs in Valgrind is left alone" valgrind_alone
point "ThreadSanitizer" sanitized thread good
point "one with another C library runs, unmeasured" other_library
point "one for another processor is not given our libraries" other_processor
point "without shared memory it runs, unmeasured" no_shared_memory

touch plain
point "no such program" refused 127 no-such "$copse" run no-such
point "no such path" refused 127 ./no-such "$copse" run ./no-such
point "not executable" refused 126 ./plain "$copse" run ./plain
point "a directory" refused 126 /tmp "$copse" run /tmp
point "no program" refused 2 PROGRAM "$copse" run
point "unknown option" refused 2 --bogus "$copse" run --bogus true
point "unknown letter" refused 2 -Z "$copse" run -Z true
point "unknown event" refused 1 "no event" "$copse" run --strict -e gpu true
point "bad rate" refused 2 cpu@x "$copse" run -e cpu@x true
point "no number" refused 2 abc "$copse" run --freq abc true
point "no value" refused 2 HZ "$copse" run --freq
point "a value for a switch" refused 2 --quiet "$copse" run --quiet=1 true
point "unknown command" refused 2 nonsense "$copse" nonsense
point "output not creatable" refused 7 "the profiles go to ./x instead" \
	"$copse" run -q -o /proc/x sh -c "exit 7"
for way in setuid seteuid setreuid setresuid chroot setrlimit prlimit syscall; do
	point "the first sample comes after $way" leaves $way
done
point "recover of no directory" refused 1 no-such "$copse" recover no-such
points_done
