#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# copse-prolog.sh - a prolog of slurmd (Prolog=, on each node, by root): what the
# job's `copse run` measures becomes metrics of the node exporter while the job
# runs.  It never fails, so it drains no node.  copse-epilog.sh ends it.
#
#   $TEXTFILE   the folder of the node exporter's textfile collector
#   $STATE      where the job's user writes, a folder for each job
#
# The profiles are read by the job's user alone.  What that user wrote is read as
# that user, too, and of it only lines that are metrics of copse go on.
textfile=${TEXTFILE:-/var/lib/prometheus/node-exporter}
state=${STATE:-/run/copse}
every=${EVERY:-15}

[ -n "$SLURM_JOB_ID" ] && [ -n "$SLURM_JOB_USER" ] && [ -d "$textfile" ] || exit 0
command -v copse >/dev/null && command -v runuser >/dev/null || exit 0
folder=$state/$SLURM_JOB_ID
mkdir -p "$state" && chmod 0711 "$state" &&
	install -d -m 0700 -o "$SLURM_JOB_USER" "$folder" || exit 0

# One run after the other, if the job has several.
# shellcheck disable=SC2016 # words of the inner shell
setsid runuser -u "$SLURM_JOB_USER" -- sh -c '
	cd "$1" && while copse top --wait 86400 --delay "$3" \
		--metrics copse.prom "$2"; do :; done' \
	sh "$folder" "$SLURM_JOB_ID" "$every" </dev/null >/dev/null 2>&1 &
echo $! >"$state/$SLURM_JOB_ID.watch"

# shellcheck disable=SC2016 # words of the inner shell
setsid sh -c '
	to=$1/copse-$2.prom
	while sleep "$5"; do
		if runuser -u "$3" -- head -c 65536 "$4/copse.prom" 2>/dev/null |
			grep -E "^(# (HELP|TYPE) )?copse_" >"$to.$$"; then
			mv "$to.$$" "$to"
		else
			rm -f "$to.$$" "$to"
		fi
	done' sh "$textfile" "$SLURM_JOB_ID" "$SLURM_JOB_USER" "$folder" "$every" \
	</dev/null >/dev/null 2>&1 &
echo $! >"$state/$SLURM_JOB_ID.copy"
exit 0
