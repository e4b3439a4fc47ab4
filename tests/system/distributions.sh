#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# distributions.sh - README's two commands on releases of Debian: each is made
# afresh by debootstrap, and a table says what ran there.  By hand, as root, before
# a release; not part of `make check`.
#
#   tests/system/distributions.sh [SYSTEM…] [demo|programs|check]…
#
#   SYSTEM     as debootstrap names it; bullseye, bookworm and trixie when none is
#   demo       ./bootstrap demo
#   programs   the same set-up, then LAMMPS, mpi4py, OpenMP, Python, both MPIs
#   check      ./bootstrap check, which has these, too
#   $OUT       a folder for the table and for what was said: ./distributions
#   $ROOTS     where systems are made, up to 6 GB each: /var/tmp
#   $DEBOOTSTRAP   more options of it: --components=main,universe for Ubuntu's
#
# What is committed is tested.  A system has mounts and processes of its own, which
# end with it: nothing is ever mounted where its files are removed.
set -u

srcdir=$(cd "$(dirname "$0")/../.." && pwd)
out=${OUT:-distributions}
tests='real/lammps real/mpi4py run/openmp run/python mpi/waits'
test_packages='lammps python3-mpi4py python3-numpy python3-h5py clang libomp-dev \
	mpich procps gfortran binutils file'
scripts=$(for test in $tests; do printf 'tests/%s.sh ' "$test"; done)

# fact SYSTEM WHAT TEXT: a field of the table.
fact() {
	printf '%s\t%s\t%s\n' "$1" "$2" "$3" | tee -a "$out/facts"
}

# within ROOT COMMAND: a command of the shell, in the tree there.
within() {
	# shellcheck disable=SC2016 # words of the inner shell
	unshare --mount --pid --ipc --fork --kill-child sh -c '
		mount --bind "$1" "$1" && cd "$1" &&
		mount -t proc proc proc && mount --rbind /sys sys &&
		mount --rbind /dev dev && mount -t tmpfs tmpfs dev/shm &&
		pivot_root . mnt && umount -l /mnt &&
		cd /copse && sh -c "$2"' sh "$1" "$2" </dev/null
}

# make_root SYSTEM ROOT: the release, with a clone of the tree.
make_root() {
	# shellcheck disable=SC2086 # a list of words
	unshare --mount debootstrap --variant=minbase ${DEBOOTSTRAP-} "$1" "$2" &&
		cp /etc/hosts "$2/etc" &&
		git clone -q --no-hardlinks "$srcdir" "$2/copse"
}

# command_for WHAT
command_for() {
	case $1 in
	programs)
		echo "{ [ -e build/copse ] || ./bootstrap demo; } &&
			DEBIAN_FRONTEND=noninteractive apt-get install -qq \
				--no-install-recommends $test_packages &&
			make -C build -j$(nproc) check TESTS='$scripts'" ;;
	*) echo "./bootstrap $1" ;;
	esac
}

# counted RESULTS: the points of a test that ended so; empty: it did not run.
counted() {
	sed -n 's/^:test-result: *\([A-Z]*\).*/\1/p' "$1" 2>/dev/null | sort |
		uniq -c | awk '{ print $1, tolower($2) }' | paste -s -d ,
}

versions='
	echo "C library:$(ldd --version | sed -n "1s/.* //p")"
	for package in gcc libopenmpi-dev libmpich-dev libhdf5-dev libdw-dev \
			libpapi-dev python3; do
		dpkg-query -W -f "\${Package}:\${Version}\n" $package 2>/dev/null
	done'

# judge SYSTEM ROOT WHAT…
judge() {
	system=$1 root=$2
	shift 2
	within "$root" "cat /etc/debian_version"
	for what; do
		log=$out/$system-$what.log how=ran
		within "$root" "$(command_for "$what")" >"$log" 2>&1 ||
			how="failed ($log)"
		[ "$what" != check ] || how=$(tail -n 1 "$log")
		fact "$system" "$what" "$how"
	done
	within "$root" "$versions" | while IFS=: read -r name version; do
		fact "$system" "$name" "$version"
	done
	for test in $tests; do
		how=$(counted "$root/copse/build/tests/$test.trs")
		fact "$system" "$test" "${how:-not run}"
	done
}

# A row for each fact, a column for each system.
table() {
	awk -F '\t' '
		!($1 in width) { systems[++columns] = $1; width[$1] = length($1) }
		!($2 in seen) { names[++rows] = $2; seen[$2] }
		length($2) > first { first = length($2) }
		length($3) > width[$1] { width[$1] = length($3) }
		{ text[$2, $1] = $3 }
		function row(name,   i, line) {
			line = sprintf("%-*s", first, name)
			for (i = 1; i <= columns; i++)
				line = line sprintf("  %-*s", width[systems[i]],
					name ? text[name, systems[i]] : systems[i])
			sub(/ *$/, "", line)
			print line
		}
		END { for (i = 0; i <= rows; i++) row(names[i]) }' "$out/facts"
}

[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null ||
	{ echo "distributions.sh: wants root and debootstrap" >&2; exit 2; }
systems='' whats=''
for word; do
	case $word in
	demo | programs | check) whats="$whats $word" ;;
	-*) sed -n '/^# dist/,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
	*) systems="$systems $word" ;;
	esac
done
mkdir -p "$out" && rm -f "$out/facts" || exit
roots=$(mktemp -d "${ROOTS:-/var/tmp}/copse-systems.XXXXXX") || exit
trap 'rm -rf --one-file-system "$roots"' EXIT
trap 'exit 1' HUP INT TERM
for system in ${systems:-bullseye bookworm trixie}; do
	root=$roots/$system
	if make_root "$system" "$root" >"$out/$system-made.log" 2>&1; then
		judge "$system" "$root" ${whats:-demo check}
	else
		fact "$system" made "failed ($out/$system-made.log)"
	fi
	rm -rf --one-file-system "$root"
done
table | tee "$out/table"
