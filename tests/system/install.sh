#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh - what `make install` puts somewhere works there: the command finds
# its libraries, the module its command.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
prefix=$(sed -n 's/^prefix = //p' "$builddir/Makefile")
root=$scratch/root

again() {
	env -u MAKELEVEL MAKEFLAGS='' make -s -C "$builddir" "$1" \
		DESTDIR="$root"
}

# Wherever the tree is put, the command finds what is its.
installs() {
	again install >"$scratch/out" 2>&1 || { cat "$scratch/out"; return 1; }
	cd "$scratch" && "$root$prefix/bin/copse" run -q sh -c '
			i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done' &&
		ls sh.copse/rank-0.h5
}

# LD_PRELOAD ends a name at a space and at a colon.  The link that stands for it
# goes with the run: not to be noticed by what lives on, nor by names.
from_a_blank() {
	moved="$scratch/a place: with blanks"
	cp -r "$root$prefix" "$moved" || return
	cd "$scratch" && "$moved/bin/copse" run -o moved.copse sh -c '
		(sleep 2; exec cat /dev/null) 2>late &
		i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done' >said 2>&1
	cat said
	ls moved.copse/rank-0.h5 && ! grep 'cannot be opened' said || return
	sleep 3
	cat late
	[ ! -s late ]
}

version() {
	"$root$prefix/bin/copse" --version | awk '{ print $NF }'
}

# From wherever the tree is: here it is below the folder it was made for.
loads() {
	need modulecmd
	modules=$root$prefix/share/modulefiles
	file=copse/$(version)
	PATH=/usr/bin:/bin
	unset CPATH
	code=$(MODULEPATH=$modules modulecmd sh load "$file")
	echo "$code"
	eval "$code"
	[ "${PATH%%:*}" = "$root$prefix/bin" ] &&
		[ -x "${PATH%%:*}/copse" ] && [ -e "${CPATH%%:*}/copse.h" ]
}

# From there, too; what it has to merge is merged by the copse beside it.
imports() {
	for try in python3 /usr/bin/python3; do
		"$try" -c 'import h5py' 2>/dev/null && python=$(command -v "$try") && break
	done
	[ -n "${python-}" ] || skip "no h5py here"
	unset PYTHONPATH
	loads || return
	cd "$scratch" && rm -f sh.copse/run.h5 && PATH=/usr/bin:/bin "$python" -c '
import copse
print(copse.__file__, copse.open("sh.copse").functions[:3])' &&
		ls sh.copse/run.h5
}

# What copse(3) says, as who has the module loaded types it.
links_in_module() {
	need gcc
	loads || return
	echo '#include <copse.h>
		int main(void) { copse_begin("a"); copse_end("a"); }' \
		>"$scratch/named.c"
	eval "$code"
	cd "$scratch" && gcc named.c -o named -lcopse && ./named
}

# Who links libcopse finds it by its .pc file, at once and when it runs.
links() {
	need pkg-config gcc
	echo '#include <copse.h>
		int main(void) { copse_pause(); copse_resume(); }' >"$scratch/uses.c"
	flags=$(PKG_CONFIG_PATH=$root$prefix/lib/pkgconfig pkg-config \
		--define-prefix --cflags --libs copse) || return
	echo "$flags"
	cd "$scratch" || return
	# shellcheck disable=SC2086 # a list of words
	gcc -o uses uses.c $flags && ./uses
}

# As system libraries are.
are_data() {
	ls -l "$root$prefix/lib" "$root$prefix/lib/copse"
	[ -z "$(find "$root$prefix/lib" -type f ! -perm 644)" ] &&
		[ -f "$root$prefix/lib/libcopse.so.1" ] &&
		[ -e "$root$prefix/lib/copse/libcopse.so" ]
}

# As they lie in the tree, with all that they link to.
are_linked() {
	need python3
	cd "$root$prefix/share/doc/copse" || return
	python3 "$srcdir/doc/links.py" README.md doc/*.md doc/decisions/*.md
}

leaves() {
	again uninstall && left=$(find "$root" ! -type d) &&
		[ -z "$left" ] && return
	echo "left: $left"
	return 1
}

point "what is installed measures" installs
point "and from a folder with blanks and a colon in its name" from_a_blank
point "the module file, in a tree that was moved" loads
point "import copse, in the module's environment" imports
point "programs link the library" links
point "in the module's environment by its name alone" links_in_module
point "libraries are data" are_data
point "documentation leads somewhere" are_linked
point "uninstall takes all of it" leaves
points_done
