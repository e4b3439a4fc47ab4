#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# preload-compat.sh - programs that cannot load our libraries run as they do without
# copse, whoever executes them, and others keep theirs.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset COPSE_BUDGET
CC=${CC:-cc}
loader=/lib64/ld-linux-x86-64.so.2

# shows FILE FLAG…: a program that prints what it is to preload.
shows() {
	$CC -o "$@" -x c - <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	printf("%s\n", getenv("LD_PRELOAD"));
	return 42;
}
C
}

build() {
	mkdir old
	cp "$(realpath $loader)" old/ld-linux-x86-64.so.2
	ln -s $loader ld-musl-x86_64.so.1
	echo 'int other;' | $CC -shared -fPIC -x c - -o other.so
	echo 'GLIBC_2.17 { global: one; };' >old/map
	echo 'int one;' | $CC -shared -fPIC -nostdlib -x c - \
		-Wl,--version-script=old/map -o old/libc.so.6
	shows usual && shows static -static &&
		shows of-musl -Wl,--dynamic-linker="$PWD/ld-musl-x86_64.so.1" &&
		shows of-older \
			-Wl,--dynamic-linker="$PWD/old/ld-linux-x86-64.so.2"
	# Only its head says that it has 32 bits, which Linux does not mind.
	cp usual of-32-bits
	printf '\1' | dd of=of-32-bits bs=1 seek=4 conv=notrunc status=none
	for program in of-musl of-older; do
		printf '#!%s/%s\n' "$PWD" $program >script-$program
		printf '#!%s/%s -x\n' "$PWD" script-$program >script-of-script
	done
	chmod +x script-*
	cp usual apptainer
	# What execvp() passes by.
	mkdir -p folders/usual folders/of-musl folders/of-older
}

# by HOW FILE OURS: has it our library, beside the user's own?
by() {
	rm -rf started.copse
	PATH=$PWD/no-such:$PWD/folders:$PWD:$PATH LD_PRELOAD=$PWD/other.so "$copse" run -q \
		-o started.copse "$programs/starter" "$1" "$PWD/$2" \
		>out 2>err
	is=$?
	case $(cat out) in
	*libcopse.so:*other.so) has=true ;;
	*/libcopse*) has=half ;;
	*/other.so) has=false ;;
	*) has=nothing ;;
	esac
	[ $is = 42 ] && [ $has = "$3" ] && [ ! -s err ] || {
		echo "$2 by $1: status $is, our libraries: $has"
		cat out err
		return 1
	}
}

# each OURS FILE HOW…
each() {
	ours=$1
	file=$2
	shift 2
	bad=
	for how; do
		by "$how" "$file" "$ours" || bad=1
	done
	[ ! "$bad" ]
}

# everywhere OURS FILE…: executed by each function that does.
everywhere() {
	belongs=$1
	shift
	for one; do
		# shellcheck disable=SC2046 # a list of words
		each "$belongs" "$one" $("$programs/starter") || return
	done
}

# The same by the functions that are given no open file or folder.
by_name() {
	# shellcheck disable=SC2046 # a list of words
	each "$1" "$2" $("$programs/starter" | grep -v -e fexec -e at)
}

# A loader that is executed by its name, with a program.
by_loader() {
	for name in ld-musl-x86_64.so.1 old/ld-linux-x86-64.so.2 $loader; do
		rm -rf started.copse
		"$copse" run -q -o started.copse sh -c '"$@"; exit $?' sh \
			"$(realpath -s "$name")" ./usual >out
		is=$?
		cat out
		[ $is = 42 ] || return
		case $name in
		"$loader") grep -q libcopse out || return ;;
		*) grep -q libcopse out && return 1 ;;
		esac
	done
	return 0
}

# Of more words than fit on a small stack.
large_environment() {
	for i in $(seq 2000); do
		export "WORD_$i=$i"
	done
	by execve of-musl false && by posix_spawn of-older false
}

# Who may no longer ask for files executes one all the same.
in_sandbox() {
	echo 'int main(void) { return 42; }' | $CC -static -x c - -o silent &&
		$CC -w -o confined -x c - <<'C' || return
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define NO(call)                                                               \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),                       \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
int main(int argc, char **argv, char **env)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		NO(SYS_access), NO(SYS_openat), NO(SYS_pread64),
		NO(SYS_newfstatat), NO(SYS_faccessat), NO(SYS_readlinkat),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter),
				      filter };

	for (volatile int i = 0; i < 100000000; i++)
		;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	return execve(argv[1], argv + 1, env);
}
C
	./confined ./silent
	[ $? = 42 ] || skip "no sandbox here, or the C library is told too little"
	"$copse" run -q -o confined.copse ./confined ./silent
	is=$?
	[ $is = 42 ] || { echo "status $is"; return 1; }
	[ -e confined.copse/rank-0.h5 ]
}

# refused FILE WORDS: by copse run itself.
refused() {
	LD_PRELOAD=$PWD/other.so "$copse" run "./$1" >out 2>err
	is=$?
	cat out err
	[ $is = 42 ] && grep -q "$2" err && ! grep -q libcopse out
}

# A root without our libraries: its loader has nothing to say about them.
other_root() {
	[ "$(id -u)" = 0 ] || skip "not root"
	need chroot ldd
	mkdir -p root/lib64
	cp usual root/
	ldd usual | grep -o '/[^ ]*' | while read -r file; do
		mkdir -p "root/${file%/*}"
		cp "$(realpath "$file")" "root/$file"
	done
	"$copse" run -q -o root.copse chroot root /usual >out 2>err
	is=$?
	cat out err
	[ $is = 42 ] && [ ! -s err ] && ! grep -q libcopse out
}

# What execve() says of arguments that point to nothing, and posix_spawn() of a
# file that is no program.
no_program() {
	echo true >text && chmod +x text
	$CC -w -o wrong -x c - <<'C' || return
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
/* C libraries before 2.34 have none. */
__attribute__((weak)) int execveat(int, const char *, char *const[],
				   char *const[], int);
static int at(int directory, const char *path, char **argv, int flags)
{
	return execveat ? execveat(directory, path, argv, environ, flags)
			: (int)syscall(SYS_execveat, directory, path, argv,
				       environ, flags);
}
int main(void)
{
	char *argv[] = { "true", 0 }, **nowhere = (char **)8;
	pid_t pid;

	printf("%d %d\n", execve("/bin/true", argv, nowhere), errno);
	printf("%d %d\n", execve((char *)nowhere, argv, environ), errno);
	printf("%d %d\n", execve("/bin/no-such", argv, nowhere), errno);
	printf("%d %d\n", at(-1, "true", argv, 0), errno);
	printf("%d %d\n", fexecve(-1, argv, environ), errno);
	printf("%d %d\n", at(0, 0, argv, AT_EMPTY_PATH), errno);
	printf("%d\n", posix_spawn(&pid, "./text", 0, 0, argv, environ));
	printf("%d\n", posix_spawnp(&pid, "./text", 0, 0, argv, environ));
	return 0;
}
C
	./wrong >plain && "$copse" run -q -o wrong.copse ./wrong >with &&
		diff plain with
}

cd "$scratch" || exit 99
if ! echo 'int main(void) { return 0; }' | $CC -x c - -o here 2>/dev/null; then
	echo "1..0 # SKIP no compiler here"
	exit 0
fi
build || exit 99
point "usual and static programs get our libraries" everywhere true usual static
point "those of another C library do not" everywhere false of-musl
point "those of an older glibc do not" everywhere false of-older
point "those of another processor do not" everywhere false of-32-bits
point "nor do scripts for them" everywhere false script-of-musl script-of-older \
	script-of-script
point "nor do programs that enter containers" by_name false apptainer
point "nor what a loader is given that is named" by_loader
point "an environment may be large" large_environment
point "nothing is asked in a sandbox" in_sandbox
point "of another C library, by copse run" refused of-musl 'another C library'
point "of an older glibc, by copse run" refused of-older 'older glibc'
point "of another processor, by copse run" refused of-32-bits '64 bits'
point "a script of an older glibc, by copse run" \
	refused script-of-older 'older glibc'
point "another root, without our libraries" other_root
point "what is no program is refused as without copse" no_program
points_done
