#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check.sh - copse check answers each question, and notices what is forced to
# be wrong: for root, for others, for a missing or tiny /dev/shm.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
CC=${CC:-cc}
cd "$scratch" || exit 99

# A PATH with what the trial needs, and no MPI.
mkdir bin
ln -s "$(command -v sh)" "$(command -v sleep)" bin

# check STATUS COMMAND…: its exit status; its answer goes to `answer`.
check() {
	status=$1
	shift
	"$@" -f csv >answer 2>err
	is=$?
	cat answer err
	[ "$is" = "$status" ] || { echo "exit status $is"; return 1; }
}

# says PROBE STATE WORD: the row of the answer has that state and word in it.
says() {
	awk -F , -v probe="$1" '$2 == probe' answer >row
	awk -F , -v state="$2" '$3 != state { exit 1 }' row &&
		[ -s row ] && grep -qF -e "$3" row ||
		{ echo "not: $1 is $2, with the word '$3'"; return 1; }
}

# What is not well has a cure, or something is done about it.
nothing_unsaid() {
	python3 - "$1" "$srcdir/src/check/probes.def" <<'P'
import json, re, sys
rows = json.load(open(sys.argv[1]))["tables"]["probes"]
table = re.findall(r'^PROBE\(\w+, "([^"]+)", "([^"]+)"',
                   open(sys.argv[2]).read(), re.M)
assert [(r["group"], r["probe"]) for r in rows] == table, rows
for r in rows:
    assert r["state"] in ("yes", "limited", "absent", "no"), r
    assert r["found"], r
    if r["state"] == "limited":
        assert r["instead"] or r["mend"], r
P
}

can_measure() {
	"$copse" check >text || { cat text; return 1; }
	cat text
	tail -n 1 text | grep -qF 'can be measured here' && ! grep -w NO text
}

json() {
	need python3
	"$copse" check -f json >check.json || return 1
	python3 -m json.tool check.json >/dev/null && nothing_unsaid check.json
}

# As a user who may do nothing special, in a place that is open to him.
nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
		--bounding-set=-all "$@"
}

as_nobody() {
	for_others
	need python3
	chmod 755 . && nobody "$copse" check -o /tmp -f json >nobody.json ||
		{ cat nobody.json; return 1; }
	nothing_unsaid nobody.json || return 1
	check 0 nobody "$copse" check -o /tmp || return 1
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
		says 'perf events' limited perf_event_paranoid=1 &&
			says cpu limited 'tried: ' &&
			says wall limited 'cannot be sampled'
	else
		says 'perf events' yes 'in the kernel' &&
			says cpu yes sigtrap
	fi
}

forced_timer() {
	check 0 env COPSE_CLOCK=timer "$copse" check &&
		says cpu limited timer: && says wall limited 'cannot be sampled'
}

no_mpirun() {
	check 0 env PATH="$scratch/bin" "$copse" check &&
		says mpirun absent 'none on the PATH'
}

other_mpirun() {
	mkdir mpi
	printf '#!/bin/sh\necho "Wooden MPI 1.0"\n' >mpi/mpirun
	chmod +x mpi/mpirun
	check 0 env PATH="$scratch/mpi:$scratch/bin" "$copse" check &&
		says mpirun limited 'Wooden MPI 1.0'
}

# A library that crashes is an answer, too; the others come all the same.
crashing_library() {
	mkdir papi
	echo '#include <stdlib.h>
int PAPI_library_init(int v) { abort(); }
int PAPI_num_components(void) { return 0; }
void *PAPI_get_component_info(int i) { return NULL; }' >papi.c
	"$CC" -w -shared -fPIC -o papi/libpapi.so papi.c || return 1
	check 0 env LD_LIBRARY_PATH="$scratch/papi" "$copse" check &&
		says PAPI absent crashed && says cpu "$(state_of_cpu)" tried:
}

# As on a slow machine: longer than what is measured then.
slow_loader() {
	"$CC" -w -shared -fPIC -o slow.so -x c - <<'C' || return
#include <time.h>
__attribute__((constructor)) static void begin(void)
{
	while (clock() < CLOCKS_PER_SEC / 2)
		;
}
C
	check 0 env LD_PRELOAD="$scratch/slow.so" "$copse" check &&
		says cpu "$(state_of_cpu)" tried: && ! grep ',no,' answer
}

state_of_cpu() {
	awk -F , '$2 == "cpu" { print $3 }' answer
}

# As containers refuse perf_event_open, before the kernel looks at anything.
filtered() {
	for_others
	"$CC" -w -o filter -x c - <<'C' || return
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	return execv(argv[1], argv + 1);
}
C
	check 0 ./filter "$(command -v setpriv)" --reuid=65534 --regid=65534 \
		--clear-groups "$copse" check -o /tmp || return 1
	says 'perf events' limited 'seccomp profile' || return 1
	! grep 'sysctl kernel.perf_event_paranoid' answer
}

# with_shm OPTIONS COMMAND…: under another /dev/shm, which nobody else sees.
with_shm() {
	options=$1
	shift
	[ "$(id -u)" = 0 ] || skip "only root may mount"
	need unshare
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	# shellcheck disable=SC2016 # words of the inner shell
	unshare -m sh -c 'mount -t tmpfs -o "$0" tmpfs /dev/shm && "$@"' \
		"$options" "$@"
}

tiny_shm() {
	with_shm size=1m true || { err=$?; return $err; }
	check 1 with_shm size=4k "$copse" check &&
		says cpu no 'no sample was taken' && says 'shared memory' limited KiB
}

# Where the profile fits, but not the most that one may take.
small_shm() {
	with_shm size=8m true || { err=$?; return $err; }
	check 0 with_shm size=8m "$copse" check &&
		says 'shared memory' limited 'of 8 MiB' &&
		says cpu "$(state_of_cpu)" tried:
}

closed_shm() {
	for_others
	with_shm mode=755 true || { err=$?; return $err; }
	check 1 with_shm mode=755 setpriv --reuid=65534 --regid=65534 \
		--clear-groups "$copse" check -o /tmp &&
		says 'shared memory' no 'cannot create' &&
		says cpu no 'cannot create'
}

left_overs() {
	with_shm size=64m true || { err=$?; return $err; }
	cat >leave.sh <<'S'
umask 077
mkdir -p "/dev/shm/copse-$(id -u)/1-1"
printf 'copse live 1\nkey\n/out\n0\n1\n1\n1\nprogram\n' \
	>"/dev/shm/copse-$(id -u)/1-1/job"
exec "$@"
S
	check 0 with_shm size=64m sh leave.sh "$copse" check &&
		says left-overs limited '1 of killed runs' &&
		check 0 with_shm size=64m "$copse" check &&
		says left-overs yes none
}

unwritable_output() {
	check 0 "$copse" check -o /proc/self && says output limited /proc/self
}

no_collector() {
	mkdir -p alone && cp "$copse" alone &&
		cp "$builddir/libcopse-tools.so" alone || return 1
	[ ! -e "$("$copse" check -f csv |
		awk -F , '$2 == "collector" { print $4 }' |
		grep -v "^$builddir/")" ] || skip "copse is installed"
	check 1 alone/copse check && says collector no libcopse.so
}

# What was forced and tried leaves nothing behind.
leaves_nothing() {
	"$copse" check >/dev/null &
	pid=$!
	wait $pid
	! ls -d /dev/shm/copse-"$(id -u)"/$pid-* 2>/dev/null
}

point "programs can be measured here" can_measure
point "JSON has each question, answered" json
point "as a user without rights" as_nobody
point "under a filter of system calls no sysctl is proposed" filtered
point "COPSE_CLOCK=timer" forced_timer
point "no mpirun on the PATH" no_mpirun
point "the mpirun of an unknown MPI" other_mpirun
point "a library that crashes" crashing_library
point "a program that takes long to load" slow_loader
point "no room in /dev/shm" tiny_shm
point "little room in /dev/shm" small_shm
point "a /dev/shm that may not be written" closed_shm
point "left-overs of killed runs" left_overs
point "an output directory that may not be written" unwritable_output
point "no collector" no_collector
point "nothing is left in shared memory" leaves_nothing
points_done
