#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bundle.sh SOURCE VERSION - one archive with copse and the libraries that it
# needs, but the C library: doc/bundle.md.  `make bundle` calls it.
#
# It builds anew, as configure was told here, without what depends on the folder.
set -eu

most_glibc=28 # 2.28: RHEL 8
source=$(cd "$1" && pwd)
name=copse-$2-x86-64
here=$PWD/bundle
top=$here/$name
into=$top/lib/copse/bundled
doc=$top/share/doc/copse
export LC_ALL=C

die() {
	echo "bundle: $*" >&2
	exit 1
}

build() {
	told=$(./config.status --config)
	mkdir "$here/build"
	cd "$here/build"
	eval "'$source/configure' $told --prefix=/usr/local \
		--libdir=/usr/local/lib CFLAGS=-O2 LDFLAGS= >log"
	# Before LD_LIBRARY_PATH, and for libraries' libraries: no RUNPATH.
	make -s -j"$(nproc)" >>log RUN_PATH="-Wl,--disable-new-dtags \
		'-Wl,-rpath,\$\$ORIGIN/bundled'"
	make -s install DESTDIR="$here/root" >>log
	mv "$here/root/usr/local" "$top"
}

# package_of FILE
package_of() {
	file=$(readlink -f "$1")
	dpkg -S "*${file#/usr}" | sed -n '1s/:.*//p'
}

# licence PACKAGE: what it says, and the version to which the source belongs.
licence() {
	cp -L "/usr/share/doc/$1/copyright" "$doc/licences/$1"
	# shellcheck disable=SC2016 # dpkg-query's
	dpkg-query -W -f '${Package} ${Version}, source ${source:Package} ${source:Version}\n' \
		"$1" >>"$doc/licences/VERSIONS"
}

add_libraries() {
	mkdir -p "$into" "$doc/licences"
	ldd "$top"/lib/copse/*.so | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
		grep -v '/libcopse' | sort -u >"$here/libraries"
	while read -r library; do
		package=$(package_of "$library")
		[ "$package" != libc6 ] || continue
		cp -L "$library" "$into"
		echo "$package"
	done <"$here/libraries" | sort -u >"$here/packages"
	for package in $(cat "$here/packages") libiberty-dev; do
		licence "$package"
	done
	cp -rL /usr/share/common-licenses "$doc/licences/common-licenses"
	cp "$source/COPYING" "$source/README.md" "$source/NEWS" "$doc"
}

strip_all() {
	find "$top" -type f | while read -r file; do
		! readelf -h "$file" >"$here/head" 2>&1 || echo "$file"
	done >"$here/objects"
	xargs strip --strip-unneeded <"$here/objects"
}

# The loader wants a version called GLIBC_2.29 for exp, log and pow of libm; those
# of GLIBC_2.2.5, which it always has, differ in how they report errors.  Both
# versions are the hash of their name, flags and number, and where the name is.
ask_for_first_libm() {
	# shellcheck disable=SC2016 # Perl's
	xargs perl -0777 -i -pe '
		($name) = /\x75\x1a\x69\x09\0\0..(.{4})/s;
		s/\x89\x91\x96\x06(\0\0..).{4}/\x75\x1a\x69\x09$1$name/s' \
		<"$here/objects"
}

# One name with a newer version, and the loader refuses the file.
check_versions() {
	xargs objdump -T <"$here/objects" |
		awk -v most=$most_glibc '
			/file format/ { file = $1 }
			match($0, /GLIBC_2\.[0-9]+/) &&
			substr($0, RSTART + 8, RLENGTH - 8) + 0 > most {
				print file, $0 }' >"$here/newer"
	[ ! -s "$here/newer" ] || {
		cat "$here/newer" >&2
		die "this asks for a glibc after 2.$most_glibc: build on Debian 11"
	}
}

# The same bytes whenever it is made.
pack() {
	date=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct \
		2>/dev/null || stat -c %Y "$source/configure.ac")}
	tar -C "$here" --sort=name --mtime="@$date" --owner=0 --group=0 \
		--numeric-owner --mode=u+rw,go=rX,a+X -cf - "$name" |
		xz -9e -T1 >"$name.tar.xz.tmp"
	mv "$name.tar.xz.tmp" "$name.tar.xz"
	ls -l "$name.tar.xz"
}

command -v xz >/dev/null || die "no xz here: install xz-utils"
rm -rf "$here"
mkdir "$here"
(build)
add_libraries
strip_all
ask_for_first_libm
check_versions
pack
