#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# docs.sh - man pages have whatever a user can name: settings, commands and
# their options, analyses, formats, metrics, losses; decisions are short.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
doc=$srcdir/doc

# Without what only automake understands.
plain_makefile() {
	sed '/^if /d; /^else$/d; /^endif$/d' "$srcdir/$1"
}

# The words of a list in a makefile, without their folder.
words_of() {
	MAKEFLAGS='' MAKELEVEL='' make -s -f - words <<EOM
$(plain_makefile "$2")
words:
	@for w in \$($1); do w=\$\${w##*/}; echo "\$\${w#cmd-}"; done
EOM
}

# names_in LIST MAKEFILE MEMBER: what the files of a list call what they define,
# where that has the member.
names_in() {
	for file in $(MAKEFLAGS='' MAKELEVEL='' make -s -f - words <<EOM
$(plain_makefile "$2")
words:
	@echo \$($1:=.c)
EOM
	); do
		grep -q "^	\.$3 = " "$srcdir/$file" &&
			sed -n 's/^	\.name = "\(.*\)",/\1/p' "$srcdir/$file"
	done
}

# The second argument of each row of a .def table, or the first.
rows_of() {
	sed -n "s/^$1(\\([a-z_]*\\),.*/\\1/p; s/^$1([A-Z_]*, \"\\([^\"]*\\)\".*/\\1/p" \
		"$srcdir/$2"
}

# page FILE: as a reader sees it.
page() {
	need mandoc
	[ -e "$doc/$1" ] || { echo "doc/$1 is missing"; return 1; }
	mandoc -T ascii "$doc/$1" | sed "s/.$(printf '\b')//g"
}

# stands PAGE WORD…: each of the words.
stands() {
	what=$1
	shift
	page "$what" >"$scratch/page" || { err=$?; cat "$scratch/page"; return $err; }
	bad=
	for word in "$@"; do
		grep -qE -e "(^|[^a-zA-Z0-9_.-])$word([^a-zA-Z0-9_-]|\$)" \
			"$scratch/page" && continue
		echo "doc/$what says nothing of $word"
		bad=yes
	done
	[ -z "$bad" ]
}

# Of `copse NAME… --help`.
options_of() {
	"$copse" "$@" --help 2>&1 | grep -oE -e '(^|[ ,])--[a-z][a-z-]*' |
		tr -d ' ,' | sort -u
}

# page_of ANALYSIS: the file of the page that its help names.
page_of() {
	set -- "$doc/$("$copse" report "$1" --help |
		sed -n 's/^All of it: man //p')".[1-9]
	basename "$1"
}

clean_mdoc() {
	need mandoc
	mandoc -T lint -W warning "$1"
}

# What nobody reads to the end explains nothing.
short_decisions() {
	for file in "$doc"/decisions/*.md; do
		words=$(wc -w <"$file")
		[ "$words" -le 900 ] || echo "$file: $words words"
	done | grep . && return 1
	return 0
}

commands=$(words_of COMMANDS tools/local.mk)
analyses=$(names_in ANALYSES src/analyse/local.mk run)
# shellcheck disable=SC2046 # lists of words
{
	point "commands" stands copse.1 $commands
	for command in $commands; do
		point "options of $command" stands "copse-$command.1" \
			$(options_of "$command")
	done
	point "settings" stands copse-run.1 \
		$(rows_of SETTING src/base/settings.def | tr _ - | sed 's/^/--/')
	point "variables of settings" stands copse-run.1 \
		$(rows_of SETTING src/base/settings.def |
			tr '[:lower:]' '[:upper:]' | sed 's/^/COPSE_/')
	point "questions" stands copse-check.1 \
		$(sed -n 's/^PROBE(.*, "\(.*\)", [a-z]*)/\1/p' \
			"$srcdir/src/check/probes.def" | tr ' ' '\n')
	point "what programs may call" stands copse.3 \
		$(sed -n 's/^void \(copse_[a-z]*\)(.*/\1/p' "$srcdir/src/copse.h")
	point "analyses" stands copse-report.1 $analyses
	for analysis in $analyses; do
		page=$(page_of "$analysis")
		case $page in
		copse-gpu.7) options= ;; # copse-report.1 has them
		*) options=$(options_of report "$analysis") ;;
		esac
		point "page of $analysis" stands "$page" "$analysis" $options
	done
	point "formats" stands copse-report.1 \
		$(names_in FORMATS src/format/local.mk write_report)
	point "formats of runs" stands copse-export.1 \
		$(names_in FORMATS src/format/local.mk write_run)
	point "metrics" stands copse-metrics.7 \
		$(rows_of METRIC src/live/metrics.def)
	point "losses" stands copse-report-measurement.1 \
		$(rows_of LOSS src/live/losses.def)
}
for file in "$doc"/*.[1-9] doc/*.[1-9]; do
	[ -e "$file" ] || continue
	point "$(basename "$file") is clean mdoc" clean_mdoc "$file"
done
point "no decision is longer than 900 words" short_decisions
points_done
