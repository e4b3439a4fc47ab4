#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# thread-names.sh - threads are told by their names, as they are at their ends,
# together where the names differ by numbers and they began in one function.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

# rows COLUMN…: of the table, a line each.
rows() {
	"$copse" report threads -n 0 -f csv --table kinds names.copse >csv ||
		return
	awk -v columns="$*" -f "$srcdir/tests/lib/csv.awk" csv
}

is_measured() {
	"$copse" run -q -o names.copse "$programs/thread-names" || return
	"$copse" report threads names.copse
}

groups() {
	rows name threads began_in | sort >is
	cat is
	tr '\t' ' ' <is >words
	grep '^io-worker-# 4 serve$' words &&
		grep '^the-last-name 1 the process$' words &&
		grep -a ' 2 compute$' words && [ "$(grep -ac ' ' words)" = 3 ]
}

# What terminals obey, and what ends lines and cells, is text.
hostile() {
	"$copse" report threads names.copse >said || return
	! grep "$(printf '\033')" said || return
	"$copse" report threads -f json names.copse >said.json || return
	python3 - <<-'P'
		import csv, json
		for rows in (json.load(open("said.json"))["tables"]["kinds"],
			     list(csv.DictReader(open("csv", newline="",
				errors="surrogateescape")))):
		    assert len(rows) == 3, rows
		    names = [r["name"] for r in rows if r["began_in"] == "compute"]
		    assert '31m,"<b>' in names[0].replace('""', '"') or \
			'#m,"<b>' in names[0], names
	P
}

all_time() {
	rows cpu | awk '{ s += $1 } END { print s }' >all
	"$copse" report hotspots -n 0 -f csv names.copse |
		awk -v columns=exclusive -f "$srcdir/tests/lib/csv.awk" |
		awk '{ s += $1 } END { print s }' >of_functions
	near "$(cat all)" "$(cat of_functions)" 0.001
}

point "a program is measured" is_measured
point "four of one name, two of another, and the first" groups
point "a hostile name" hostile
point "all CPU time is some threads'" all_time
points_done
