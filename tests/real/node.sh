#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# node.sh - Node.js: code of a just-in-time compiler, without unwind
# information, between that of V8.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/real.sh
. "$srcdir/tests/lib/real.sh"

cat >"$scratch/load.js" <<'EOM'
function Point(x, y) { this.x = x; this.y = y; }
Point.prototype.dot = function (o) { return this.x * o.x + this.y * o.y; };

function mandel(n) {
	let count = 0;
	for (let i = 0; i < n; i++)
		for (let j = 0; j < n; j++) {
			const a = i / n * 3 - 2, b = j / n * 2 - 1;
			let x = 0, y = 0, k = 0;
			while (x * x + y * y < 4 && k < 60) {
				const t = x * x - y * y + a;
				y = 2 * x * y + b;
				x = t;
				k++;
			}
			count += k;
		}
	return count;
}

function words(n) {
	const seen = new Map();
	for (let i = 0; i < n; i++) {
		const s = 'k' + i * 7919 % 5000;
		seen.set(s, (seen.get(s) || 0) + 1);
	}
	return [...seen].sort((a, b) => a[0] < b[0] ? -1 : 1).length;
}

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

for (let round = 0; round < 8; round++) {
	const points = [];
	for (let i = 0; i < 50000; i++)
		points.push(new Point(i, i + 1));
	const text = JSON.stringify(points.slice(0, 10000));
	console.log(round, mandel(250), words(50000), fib(24),
		points.reduce((sum, p) => sum + p.dot(p) % 7, 0),
		JSON.parse(text).length,
		text.replace(/"x":(\d+)/g, (all, x) => x + all).length);
}
EOM

run_node() {
	need node
	run_both 0 node "$scratch/load.js"
}

point "runs with and without copse" run_node
point "prints the same" after_run same_but cat
point "90 % of the ticks have a complete path" after_run complete 0.90
point "remembered paths are right" after_run paths_are_verified
points_done
