#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# debian.sh - Debian's packages are without fault, and a user measures with them
# what the installed documentation says.  By hand, after `make packages`, as root:
# ROOT=/var/chroot/bookworm, which debootstrap made, and in which they stay.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
made=$builddir/packages/debian
root=${ROOT-}

has_root() {
	[ "$(id -u)" = 0 ] || skip "only root can install packages"
	[ -n "${root%/}" ] && [ -x "$root/usr/bin/apt-get" ] ||
		skip "no ROOT that debootstrap made"
}

# What Debian's own check says of sources and packages.
without_faults() {
	need lintian
	lintian -EvI "$made"/*.changes >"$scratch/said" 2>&1
	grep '^[EW]:' "$scratch/said" && return 1
	grep -q '^N:' "$scratch/said"
}

# inside COMMAND…: with the kernel's folders, in mounts that nobody else sees.
inside() {
	unshare --mount env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive ROOT="$root" sh -c '
		for folder in proc sys dev; do
			mount --rbind /$folder "$ROOT/$folder" || exit
		done
		exec chroot "$ROOT" "$@"' sh "$@"
}

installs() {
	has_root
	rm -rf "$root/packages"
	mkdir "$root/packages"
	cp "$made"/*.deb "$root/packages"
	inside sh -c 'apt-get install -y --no-install-recommends \
		--allow-downgrades --reinstall $(ls /packages/*.deb | grep -v dbgsym)' &&
		inside sh -c 'getent passwd user || useradd -m user'
}

# as_user TEST: one of its autopkgtests, with the packages that it names.
as_user() {
	has_root
	needs=$(awk -v test="$1" '$1 == "Tests:" { on = $2 == test }
		on && $1 == "Depends:" { sub(/.*: /, ""); gsub(/,/, ""); print }' \
		"$srcdir/share/packages/debian/tests/control")
	# shellcheck disable=SC2086 # a list of words
	inside apt-get install -y --no-install-recommends $needs >/dev/null &&
		rm -rf "$root/tmp/tests" &&
		cp -r "$srcdir/share/packages/debian/tests" "$root/tmp" || return
	inside su user -c "cd && rm -rf work && mkdir work &&
		AUTOPKGTEST_TMP=\$HOME/work /tmp/tests/$1"
}

# All of it, and nothing that a purge leaves.
purges() {
	has_root
	inside apt-get purge -y copse copse-doc libcopse-dev libcopse1 >/dev/null &&
		! find "$root/usr" "$root/etc" "$root/var/lib" -name '*copse*' \
			! -path '*/apt/*' | grep .
}

point "lintian finds no error and nothing to warn of" without_faults
point "the packages are installed in a clean system" installs
for name in tutorial-openmpi tutorial-mpich link python; do
	point "as a user: $name" as_user $name
done
point "a purge leaves nothing" purges
points_done
