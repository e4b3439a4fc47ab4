#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# release.sh - what `make release` makes is the same bytes each time, and whole.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
version=$(sed -n 's/^PACKAGE_VERSION = //p' "$builddir/Makefile")
file=copse-$version.tar.xz
export GNUPGHOME="$scratch/gnupg"

# again UMASK [VARIABLE=VALUE…]
again() (
	umask "$1"
	shift
	env -u MAKELEVEL MAKEFLAGS='' "$@" make -s -C "$builddir" release
)

with_key() {
	need gpg
	mkdir -m 700 "$GNUPGHOME" && gpg --batch --quiet --passphrase '' \
		--quick-generate-key test@example.org
}

same_bytes() {
	need xz sha256sum
	again 022 && mv "$builddir/$file" "$scratch/first" || return
	with_key
	sleep 1
	again 077 RELEASE_KEY=test@example.org &&
		cmp "$scratch/first" "$builddir/$file"
}

is_whole() {
	need xz sha256sum
	cd "$builddir" && sha256sum -c "$file.sha256" || return
	tar -tf "$file" >"$scratch/names"
	for name in configure NEWS COPYING README.md tools/release.sh \
		share/packages/debian/control; do
		grep -qx "copse-$version/$name" "$scratch/names" ||
			{ echo "without $name"; return 1; }
	done
	[ "$(tar --numeric-owner -tvf "$file" | awk '{ print $2, $4 }' |
		sort -u | wc -l)" = 1 ]
}

is_signed() {
	need gpg
	cd "$builddir" && gpg --verify "$file.asc" "$file"
	is=$?
	gpgconf --kill gpg-agent
	return $is
}

# A release of which NEWS says nothing.
is_refused() {
	cd "$scratch" && ! "$srcdir/tools/release.sh" "$srcdir" 99.1 2>said &&
		cat said && grep -q '^release: NEWS has nothing about 99.1$' said
}

point "twice the same bytes" same_bytes
point "with all that a user needs, and its SHA-256" is_whole
point "its signature is good" is_signed
point "NEWS has to say something about it" is_refused
points_done
