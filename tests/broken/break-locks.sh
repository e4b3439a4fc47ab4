#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# break-locks.sh NAME SOURCES FOLDER - the code of the adapter of locks, with
# the mistake of that name (locks.tbl).
set -eu
tab=$(printf '\t')
line=$(sed "s/$tab$tab*/$tab/g" "$2/tests/broken/locks.tbl" | grep "^$1$tab")
file=$(echo "$line" | cut -f 2)
rm -rf "$3"
mkdir -p "$3"
cp "$2"/locks/*.c "$3"
echo "$line" | cut -f 3 | sed -f - "$2/locks/$file" >"$3/$file"
! cmp -s "$3/$file" "$2/locks/$file" ||
	{ echo "$0: $1 changes nothing in $file" >&2; exit 1; }
