#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# copse-epilog.sh - an epilog of slurmd (Epilog=): ends what copse-prolog.sh began.
textfile=${TEXTFILE:-/var/lib/prometheus/node-exporter}
state=${STATE:-/run/copse}

[ -n "$SLURM_JOB_ID" ] || exit 0
for what in copy watch; do
	file=$state/$SLURM_JOB_ID.$what
	[ ! -s "$file" ] || kill -s TERM -- "-$(cat "$file")" 2>/dev/null
	rm -f "$file"
done
rm -rf --one-file-system "${state:?}/$SLURM_JOB_ID"
rm -f "$textfile/copse-$SLURM_JOB_ID.prom"*
exit 0
