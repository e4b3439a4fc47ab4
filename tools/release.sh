#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# release.sh SOURCE VERSION - the tarball of a release, the same bytes whenever
# it is made from the same source with the same tools; its SHA-256; and with
# RELEASE_KEY, a key of gpg, a signature.  `make release` calls it.
set -eu

source=$(cd "$1" && pwd)
version=$2
name=copse-$2
file=$name.tar.xz
export LC_ALL=C

die() {
	echo "release: $*" >&2
	exit 1
}

# Of the release, not of the day: the last commit's, or that of the tarball from
# which this one is made.
date_of() {
	git -C "$source" log -1 --format=%ct 2>/dev/null ||
		stat -c %Y "$source/configure.ac"
}

pack() {
	tar --sort=name --mtime="@${SOURCE_DATE_EPOCH:-$(date_of)}" \
		--owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX,a+X \
		--format=posix \
		--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime \
		-cf - "$name" | xz -9e -T1 >"$file.tmp"
	mv "$file.tmp" "$file"
}

sign() {
	rm -f "$file.asc"
	[ -n "${RELEASE_KEY-}" ] || {
		echo "release: not signed: no RELEASE_KEY" >&2
		return
	}
	gpg --batch --yes --armor --local-user "$RELEASE_KEY" \
		--output "$file.asc" --detach-sign "$file"
}

grep -q "^$version" "$source/NEWS" || die "NEWS has nothing about $version"
! grep "^$version (not released)" "$source/NEWS" >&2 ||
	echo "release: NEWS calls it not released" >&2
for tool in xz sha256sum; do
	command -v $tool >/dev/null || die "there is no $tool"
done
make -s distdir
pack
chmod -R u+w "$name"
rm -rf "$name"
sha256sum "$file" >"$file.sha256"
sign
cat "$file.sha256"
