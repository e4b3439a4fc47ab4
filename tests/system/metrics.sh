#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# metrics.sh - metrics of a running job on their way: the prolog and epilog of a
# batch job, and Prometheus behind its node exporter, which answers what each panel
# of the dashboard asks.  tests/mpi/top.sh has the file itself.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

# Prometheus and its exporter run here only, on ports that nobody has.
free_port() {
	python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

has_metrics() {
	grep -q '^copse_ranks_alive{.*} 1$' "$1"
}

# Begun before the job has: the file comes, and goes with the job.
prolog_and_epilog() {
	[ "$(id -u)" = 0 ] || skip "a prolog is run by root"
	need runuser setsid
	mkdir text
	PATH=$(dirname "$copse"):$PATH
	export PATH TEXTFILE="$scratch/text" STATE="$scratch/state" EVERY=0.5 \
		SLURM_JOB_ID=471147 SLURM_JOB_USER=root
	"$srcdir/share/slurm/copse-prolog.sh" || return
	"$copse" run -q -o job.copse sh -c 'while :; do :; done' &
	job=$!
	wait_for has_metrics text/copse-471147.prom
	good=$?
	cat text/*
	grep -q '^copse_run_info{.*job="471147"' text/copse-471147.prom || good=1
	kill -TERM $job
	wait $job
	wait_for no_text || good=1
	"$srcdir/share/slurm/copse-epilog.sh" || good=1
	find text state
	[ "$(find text state | wc -l)" = 2 ] && [ $good = 0 ]
}

no_text() {
	! ls text/*.prom 2>/dev/null
}

serve_metrics() {
	exporter=$(free_port) server=$(free_port)
	cat >prometheus.yml <<-END
		global: { scrape_interval: 1s }
		scrape_configs:
		  - job_name: node
		    static_configs: [ { targets: [ "127.0.0.1:$exporter" ] } ]
	END
	prometheus-node-exporter --collector.disable-defaults \
		--collector.textfile --collector.textfile.directory=served \
		--web.listen-address="127.0.0.1:$exporter" >exporter.log 2>&1 &
	exporting=$!
	prometheus --config.file=prometheus.yml --storage.tsdb.path=data \
		--web.listen-address="127.0.0.1:$server" >prometheus.log 2>&1 &
	serving=$!
}

ask() {
	promtool query instant "http://127.0.0.1:$server" "$1"
}

is_scraped() {
	[ -n "$(ask 'rate(copse_cpu_seconds_total[10s]) > 0' 2>&1 | grep '=>')" ]
}

# Grafana's own words are what it would put there.
all_panels_have_data() {
	python3 - "$srcdir/share/grafana/copse-jobs.json" <<-'END' >expressions
		import json, sys
		for panel in json.load(open(sys.argv[1]))["panels"]:
		    for target in panel["targets"]:
		        print(target["expr"].replace("$__rate_interval", "10s")
		              .replace("$run", ".*"))
	END
	while read -r expression; do
		ask "$expression" >answer 2>&1 || { cat answer; return 1; }
		echo "$expression: $(head -n 1 answer)"
		grep -q '=>' answer || return
	done <expressions
	[ "$(wc -l <expressions)" -ge 12 ]
}

prometheus_scrapes() {
	need prometheus prometheus-node-exporter promtool python3 mpirun mpicc
	mkdir served
	mpirun -n 2 "$copse" run -q --io=on -o hang.copse \
		"$programs/hangs" loop >said 2>&1 &
	job=$!
	"$copse" top --wait 30 -d 1 --metrics "$scratch/served/copse.prom" \
		hang.copse &
	serve_metrics
	wait_for is_scraped && all_panels_have_data
	good=$?
	kill -INT $job
	wait $job
	kill $exporting $serving
	wait $exporting $serving
	[ $good = 0 ] || tail -n 5 exporter.log prometheus.log
	return $good
}

point "a prolog and an epilog of a batch job" prolog_and_epilog
point "Prometheus answers what each panel asks" prometheus_scrapes
points_done
