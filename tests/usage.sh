#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage.sh - bad use gets one line that says what and what to do, and an exit
# status: 2 bad usage, 1 failed, 126 and 127 as shells do for the program.
# shellcheck source=tests/tap.sh
. "${srcdir:-$(dirname "$0")/..}/tests/tap.sh"
cd "$scratch" || exit 99

# refuses STATUS WORD COMMAND…: exits so, with one line that has WORD in it.
refuses() {
	status=$1
	word=$2
	shift 2
	"$@" >out 2>err
	is=$?
	cat err
	[ -s out ] && { echo "it wrote to stdout"; return 1; }
	[ "$is" = "$status" ] || { echo "exit status $is"; return 1; }
	[ "$(wc -l <err)" = 1 ] || { echo "not one line"; return 1; }
	grep -qF -e "$word" err || { echo "no word of $word"; return 1; }
}

# Without a command there is nothing to refuse: all of the usage.
shows_usage() {
	"$copse" 2>err
	is=$?
	[ "$is" = 2 ] && grep -q '^usage: ' err
}

exits_as() {
	status=$1
	shift
	"$copse" run --quiet -o "exits-$status.copse" "$@"
	is=$?
	[ "$is" = "$status" ] || { echo "exit status $is"; return 1; }
}

echo text >text
mkdir -p empty
printf 'no HDF5' >rank-0.h5
echo '#!/bin/true' >not-executable

point "no command" shows_usage
point "unknown command" refuses 2 "wood" "$copse" wood
point "unknown option" refuses 2 "--wood" "$copse" run --wood true
point "option without its word" refuses 2 "freq" "$copse" run --freq
point "bad number" refuses 2 "abc" "$copse" run --freq abc true
point "number out of range" refuses 2 "1 to 100000" \
	"$copse" run --freq 0 touch started
point "depth out of range" refuses 2 "8 to 4096" \
	"$copse" run --depth=1 touch started
point "memory out of range" refuses 2 "1 to 16384" \
	"$copse" run --memory 0 touch started
point "neither on nor off" refuses 2 "on or off" \
	"$copse" run --from-start=maybe touch started
point "no rate" refuses 2 "cpu@0" "$copse" run -e cpu@0 touch started
point "a rate below 0" refuses 2 "wall@-1" "$copse" run -e wall@-1 touch started
point "a rate beyond reason" refuses 2 "cpu@1000000" \
	"$copse" run -e cpu,cpu@1000000 touch started
point "two rates" refuses 2 "'wall@1000' beside 'cpu@5000'" \
	"$copse" run -e cpu@5000 -e wall@1000 touch started
point "no room" refuses 2 "40 columns" "$copse" report --width 39 empty
point "no event" refuses 2 "''" "$copse" run --events= touch started
point "bad number in the environment" refuses 2 "freq" \
	env COPSE_FREQ=0 "$copse" run touch started
point "the program was started by none of them" test ! -e started
point "unknown event" refuses 1 "wood" "$copse" run --strict -e wood true
point "unknown group of events" refuses 2 "software" "$copse" run -g wood true
point "run without a program" refuses 2 "program" "$copse" run
point "no such program" refuses 127 "no-such" "$copse" run ./no-such
point "not executable" refuses 126 "not-executable" \
	"$copse" run ./not-executable
point "unwritable output" refuses 1 "/proc/x.copse" \
	"$copse" run -o /proc/x.copse true
point "output below a file" refuses 1 "text/x" "$copse" run -o text/x true
point "report on nothing" refuses 1 "no-such" "$copse" report no-such.copse
point "report on an empty directory" refuses 1 "empty" "$copse" report empty
point "report on a text file" refuses 1 "text" "$copse" report text
point "report on what is no HDF5" refuses 1 "rank-0.h5" \
	"$copse" report rank-0.h5
point "unknown analysis" refuses 2 "wood" "$copse" report wood empty
point "unknown format" refuses 2 "wood" "$copse" report -f wood empty
point "check in an unknown format" refuses 2 "wood" "$copse" check -f wood
mkfifo pipe
"$copse" run -q -e cpu@10000 -o run.copse "$programs/phases" 0.1 >out 2>&1
mkdir -p run.copse
point "a number names its option" refuses 2 "--width" \
	"$copse" report --width x run.copse
point "a table of text" refuses 2 "--table" \
	"$copse" report --table hotspots run.copse
point "the analysis behind the profile" refuses 2 \
	"copse report hotspots run.copse" "$copse" report run.copse hotspots
point "nodes of one rank" refuses 2 "--rank" \
	"$copse" export nodes run.copse --rank 0
point "ranks by a metric" refuses 2 "--metric" \
	"$copse" export ranks run.copse -m cpu.time
point "a merge of no name" refuses 2 "empty" "$copse" merge ""
point "a database in place of what is no file" refuses 1 "not a regular file" \
	"$copse" merge -q run.copse -o pipe
mkdir piped
mkfifo piped/rank-0.h5
point "report on a pipe" refuses 1 "not a regular file" \
	timeout 60 "$copse" report pipe
point "a pipe among profiles" refuses 1 "not a regular file" \
	timeout 60 "$copse" report piped
point "recover for a file" refuses 1 "directory" "$copse" recover text
point "what is no file stays" test -p pipe
point "a rate for waiting alone" exits_as 8 -e cpu@0 -e wall@500 sh -c 'exit 8'
point "exit status is the program's" exits_as 7 sh -c 'exit 7'
point "a signal is the program's" exits_as 143 sh -c 'kill -TERM $$'
points_done
