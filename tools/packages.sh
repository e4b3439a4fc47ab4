#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packages.sh SOURCE VERSION [KIND…] - packages from the tarball of `make release`,
# in ./packages: debian, rpm, and recipes for Spack, EasyBuild and conda, which
# get its SHA-256.  `make packages` calls it; tests/packages/ installs them.
set -eu

source=$(cd "$1" && pwd)
version=$2
tarball=$PWD/copse-$2.tar.xz
here=$PWD/packages
files=$source/share/packages
shift 2

die() {
	echo "packages: $*" >&2
	exit 1
}

want() {
	command -v "$1" >/dev/null ||
		die "there is no $1; as root: apt-get install $2 (Debian's names)"
}

# fresh KIND: an empty folder for it.
fresh() {
	rm -rf "${here:?}/$1"
	mkdir -p "$here/$1"
	cd "$here/$1"
}

debian() {
	want dpkg-buildpackage dpkg-dev
	want dh debhelper
	fresh debian
	cp "$tarball" "copse_$version.orig.tar.xz"
	tar -xf "$tarball"
	cp -r "$files/debian" "copse-$version"
	(cd "copse-$version" && dpkg-buildpackage -us -uc -j"$(nproc)") >log 2>&1 ||
		{ tail -n 30 log; exit 1; }
	if command -v lintian >/dev/null; then
		lintian -EvI --pedantic ./*.changes >lintian.log 2>&1 || :
		! grep '^[EW]:' lintian.log
	fi
	ls ./*.deb
}

# --nodeps: its names are those of other systems.
rpm() {
	want rpmbuild rpm
	fresh rpm
	rpmbuild --quiet --nodeps -bb --define "_topdir $PWD" \
		--define "_sourcedir ${tarball%/*}" \
		--define "_smp_mflags -j$(nproc)" "$files/rpm/copse.spec" \
		>log 2>&1 || { tail -n 30 log; exit 1; }
	find . -name '*.rpm'
}

recipes() {
	fresh recipes
	cp -r "$files/spack" "$files/easybuild" "$files/conda" .
	sum=$(sha256sum "$tarball" | sed 's/ .*//')
	find . -type f -exec sed -i "s/@SHA256@/$sum/" {} +
	find . -type f
}

[ -e "$tarball" ] || die "there is no $tarball: make release"
[ $# -gt 0 ] || set -- debian rpm recipes
for kind; do
	case $kind in
	debian | rpm | recipes) (export LC_ALL=C.UTF-8 && $kind) ;;
	*) die "debian, rpm and recipes are made, not '$kind'" ;;
	esac
done
