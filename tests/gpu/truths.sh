# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154
# truths.sh - compares what GPU programs say with reports; tests/lib/tap.sh first.
#
#   truths_hold OUTPUT REPORTS   every truth of OUTPUT stands in the reports
#
# report_to FILE REPORT..., a function of the caller's, makes the CSV of a report;
# REPORTS is a folder to keep them in.

# The lines of truths.tbl, tab-separated.
truth_rows() {
	grep -v -e '^#' -e '^ *$' "${truth_table:-$srcdir/tests/gpu/truths.tbl}" |
		sed 's/[ 	]\{2,\}/	/g'
}

# What the program speaks of: TABLE MEASURE, each once.
spoken_of() {
	awk '($1 == "truth" || $1 == "measured") && NF == 6 && $2 != "own" {
		print $2 "\t" $5 }' "$1" | sort -u
}

# The same as without copse: everything but what was measured, and the order of
# what several processes print.
same_each_time() {
	sed 's/^\(measured .*\) [^ ]*$/\1/; s/^\(counter [0-9]*\) .*/\1/' "$1"
}

# one_report REPORT: its CSV, made once.
one_report() {
	csv=$reports/$(echo "$1" | tr -c 'a-z0-9\n' _).csv
	[ ! -e "$csv.failed" ] || { echo "no report $1"; return 1; }
	# shellcheck disable=SC2086 # a list of words
	[ -e "$csv" ] || report_to "$csv" $1 || { : >"$csv.failed"; false; }
}

# one_truth OUTPUT TABLE MEASURE REPORT NAME PATH COLUMN COMBINE OFF
one_truth() {
	optional=${4%%[!?]*}
	one_report "${4#\?}" || return
	columns=$(echo "$5" | tr / ' ')
	names=$(echo "$columns" | wc -w)
	paths=1
	[ "$6" != - ] || paths=0
	awk -v columns="$columns${6:+ $6} $7" 'BEGIN {
		sub(/ - /, " ", columns); print columns }' >"$reports/columns"
	awk -v columns="$(cat "$reports/columns")" \
		-f "$srcdir/tests/lib/csv.awk" "$csv" >"$reports/found" \
		2>"$reports/err" || {
		cat "$reports/err"
		[ -n "$optional" ]
		return
	}
	awk -v table="$2" -v measure="$3" -v names="$names" -v paths="$paths" \
		-v combine="$8" -v off="$9" -f "$srcdir/tests/gpu/truths.awk" \
		"$1" "$reports/found"
}

truths_hold() {
	output=$1
	reports=$2
	mkdir -p "$reports"
	spoken_of "$output" >"$reports/spoken"
	[ -s "$reports/spoken" ] || { echo "the program says no truth"; return 1; }
	wrong=
	while IFS='	' read -r table measure; do
		truth_rows | grep "^$table	$measure	" >"$reports/row" ||
			{ echo "truths.tbl has no $table $measure"; return 1; }
		IFS='	' read -r _ _ report name path column combine off \
			<"$reports/row"
		one_truth "$output" "$table" "$measure" "$report" "$name" \
			"$path" "$column" "$combine" "$off" || wrong=yes
	done <"$reports/spoken"
	[ -z "$wrong" ]
}
