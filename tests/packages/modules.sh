#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# modules.sh - with Lmod and with environment modules a user finds the command and
# its pages, and compiles a program with -lcopse.  By hand, as root, in the build
# folder: ROOT=/var/chroot/modules, which debootstrap made, and where each of the
# two is installed: Debian has no system with both.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
prefix=$(sed -n 's/^prefix = //p' "$builddir/Makefile")
root=${ROOT-}

inside() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}

# Where it was not made for.
installs() {
	[ "$(id -u)" = 0 ] || skip "only root can install packages"
	[ -n "${root%/}" ] && [ -x "$root/usr/bin/apt-get" ] ||
		skip "no ROOT that debootstrap made"
	env -u MAKELEVEL MAKEFLAGS='' make -s -C "$builddir" install \
		DESTDIR="$scratch/made" >"$scratch/out" 2>&1 ||
		{ cat "$scratch/out"; return 1; }
	rm -rf "$root/opt/copse"
	mv "$scratch/made$prefix" "$root/opt/copse"
}

# serves PACKAGE PROFILE: /etc/profile.d has the command `module`.
serves() {
	[ -n "$root" ] && [ -d "$root/opt/copse" ] || skip "not installed"
	inside apt-get install -y --no-install-recommends "$1" gcc libc6-dev \
		pkg-config man-db >"$scratch/out" 2>&1 ||
		{ cat "$scratch/out"; return 1; }
	cat >"$root/tmp/user.sh" <<-'END'
		set -e
		cd /tmp
		module use /opt/copse/share/modulefiles
		module load copse
		module list
		[ "$(command -v copse)" = /opt/copse/bin/copse ]
		case $MANPATH: in
		*/opt/copse/share/man:*:: | */opt/copse/share/man::*) ;;
		*) echo "MANPATH=$MANPATH"; exit 1 ;;
		esac
		echo '#include <copse.h>
			int main(void) { copse_begin("a"); copse_end("a"); }' >named.c
		gcc named.c -o named -lcopse
		./named
		pkg-config --modversion copse
		module unload copse
		! command -v copse
		[ -z "${CPATH-}${LIBRARY_PATH-}${LD_LIBRARY_PATH-}" ]
	END
	inside bash -c ". /etc/profile.d/$2.sh && . /tmp/user.sh"
}

point "a tree in another folder" installs
point "Lmod" serves lmod lmod
point "environment modules" serves environment-modules modules
points_done
