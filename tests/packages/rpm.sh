#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rpm.sh - the RPM, put into a folder, measures there, and its module files work
# from where they are.  By hand, after `make packages`.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
package=$(find "$builddir/packages/rpm/RPMS" -name 'copse-ohpc-[0-9]*.rpm')
root=$scratch/root

installs() {
	need rpm
	mkdir "$root" && rpm --root "$root" --dbpath "$root/db" --nodeps --noscripts \
		-i "$package" && at=$(echo "$root"/opt/ohpc/pub/apps/copse/*) &&
		[ -x "$at/bin/copse" ] &&
		rpm --root "$root" --dbpath "$root/db" --nodeps -V copse-ohpc
}

measures() {
	copse=$(echo "$root"/opt/ohpc/pub/apps/copse/*/bin/copse)
	cd "$scratch" && "$copse" run -q sh -c '
		i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done' &&
		"$copse" report hotspots sh.copse
}

# What it asks other packages for, and nothing of its own.
asks() {
	rpm -qp --requires "$package" >"$scratch/asks" 2>/dev/null
	cat "$scratch/asks"
	grep -q '^libhdf5' "$scratch/asks" && ! grep -q libcopse "$scratch/asks" &&
		! rpm -qp --provides "$package" | grep 'libcopse'
}

module_files() {
	ls "$root"/opt/ohpc/pub/modulefiles/copse &&
		[ "$(grep -l 'prefix.*/opt/ohpc/pub/apps/copse/' \
			"$root"/opt/ohpc/pub/modulefiles/copse/* | wc -l)" = 2 ]
}

[ -n "$package" ] || { echo "1..0 # SKIP no RPM here: make packages"; exit 77; }
point "the package is installed in a folder" installs
point "it measures there" measures
point "it asks for libraries, and has none for others" asks
point "with module files for both systems" module_files
points_done
