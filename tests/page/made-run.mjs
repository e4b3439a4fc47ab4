// SPDX-License-Identifier: BSD-3-Clause
// made-run.mjs - runs that are made for tests of the page, as doc/page-format.md
// says: their totals are known by construction.
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

const nodeKinds = readFileSync(new URL("../../src/run/run-kinds.def",
	import.meta.url), "utf8").match(/^KIND.*/gm).map(row => {
	const [, name, group, role] = row.match(/, "(\w+)", "(\w+)", (\w+),/);

	return { name, group, part: role === "PART" };
});

export function varint(value) {
	const bytes = [];

	for (; value >= 128; value = Math.floor(value / 128))
		bytes.push(value % 128 + 128);
	return [...bytes, value];
}

function encode(type, values) {
	let last = 0;

	if (type === "u8")
		return values;
	return values.flatMap(v => {
		const change = v - last;

		if (type !== "delta")
			return varint(v);
		last = v;
		return varint(change < 0 ? -change * 2 - 1 : change * 2);
	});
}

// arrays: { NAME: [type, values] }
export function streamBytes(page, arrays) {
	const all = [], index = {};

	for (const [name, [type, values]] of Object.entries(arrays)) {
		const bytes = encode(type, values);

		index[name] = [type, values.length, bytes.length];
		all.push(...bytes);
	}

	const json = Buffer.from(JSON.stringify({ ...page, arrays: index }));
	const size = Buffer.alloc(4);

	size.writeUInt32LE(json.length);
	return Buffer.concat([size, json, Buffer.from(all)]);
}

// The same as a diff: before, every line took as much, dot nothing, MPI twice;
// the second solve is gone.
export function madeDiff(ranks) {
	const { page, arrays } = madeRun(ranks);
	const sums = arrays["sum.cpu.time"][1];

	for (const name of Object.keys(arrays))
		if (name.startsWith("cell."))
			delete arrays[name];
	page.kind = "diff";
	page.reports = { diff: { id: "diff", title: "diff", metric: "cpu.time",
		lines: ["slower"], notes: [], tables: [] } };
	arrays["base.cpu.time"] = ["varint", sums.map((v, n) =>
		(n === 5 ? 0 : n > 7 ? 2 * v : v))];
	sums[7] = 0;
	page.metrics[0].total -= 7 * ranks;
	return { page, arrays };
}

// A timeline of 32 columns of 1 s, and 8 iterations of 2 s from 16 s on, of
// lines of as many ranks as 128 lines take.  All of the first half are in the
// line of solve, then in MPI (node 8), of which a half waits; of the last line a
// quarter of each cell is in dot (node 5) instead.  Iteration 5 takes 4 s.
export function madeTime({ page, arrays }, ranks) {
	const each = Math.ceil(ranks / 128), lines = Math.ceil(ranks / each);
	const count = [...Array(lines).keys()].map(l =>
		Math.min(each, ranks - l * each));
	const cells = of => count.flatMap((_, l) =>
		[...Array(32).keys()].map(c => of(l, c)));
	const steps = of => count.flatMap((n, l) =>
		[...Array(8).keys()].map(c => of(n, c, l)));
	const isLast = l => l === lines - 1;
	const columns = { known: cells(() => 255), busy: cells((l, c) =>
		(c < 16 ? 255 : 200)), moments: cells((l, c) => (c ? 4 : 0)),
	mpi: cells((l, c) => (c < 16 ? 0 : 255)), mpi_wait: cells((l, c) =>
		(c < 16 ? 0 : 128)), io: cells(() => 0), gpu: cells(() => 0) };
	const took = c => (c === 5 ? 4e6 : 2e6);

	page.timeline = { width: 1e9, first: 0, bins: 32, each: 1, columns: 32,
		all: 32, level: 0 };
	page.iterations = { node: 8, marked: false, count: 8, usual: 2e6, end: 34e6 };
	for (const [name, values] of Object.entries(columns))
		arrays["time." + name] = ["varint", values];
	Object.assign(arrays, {
		"time.first": ["delta", count.map((_, l) => l * each)],
		"time.count": ["varint", count], "time.kind": ["u8", count.map(() => 0)],
		"time.number": ["varint", count.map(() => 0)],
		"time.threads": ["varint", count], "time.nodes": ["varint", [4, 8, 5]],
		"time.own": ["varint", [4, 8, 2]],
		"time.read": ["varint", [...Array(32).keys()]],
		"time.written": ["varint", Array(32).fill(7)],
		"time.paths": ["varint", cells(l => (isLast(l) ? 2 : 1))],
		"time.path": ["varint", cells((l, c) => [c < 16 ? 0 : 1,
			...(isLast(l) ? [2] : [])]).flat()],
		"time.weight": ["varint", cells(l => (isLast(l) ? [191, 64] : [255]))
			.flat()],
		"step.first": ["delta", count.map((_, l) => l * each)],
		"step.ranks": ["varint", count], "step.threads": ["varint", count],
		"step.number": ["delta", [0, 1, 2, 3, 4, 5, 6, 7]],
		"step.count": ["varint", Array(8).fill(1)],
		"step.begin": ["delta", [0, 1, 2, 3, 4, 5, 7, 8].map(n =>
			(n * 2 + 16) * 1e6)],
		"step.median": ["delta", [...Array(8).keys()].map(took)],
		"step.outlier": ["u8", [0, 0, 0, 0, 0, 1, 0, 0]],
		"step.node": ["varint", [0, 0, 0, 0, 0, 5, 0, 0]],
		"step.us": ["varint", steps((n, c) => n * took(c))],
		"step.mpi": ["varint", steps((n, c, l) =>
			n * (isLast(l) ? 0 : 5e5))],
		"step.gpu": ["varint", steps(() => 0)],
	});
	return { page, arrays };
}

// 13 bits, the lowest first, are two of 91 characters.
function characters(bytes) {
	const digit = d => (d === 25 ? "!" : String.fromCharCode(35 + d));
	let bits = 0, have = 0, text = "";

	for (const byte of bytes) {
		bits |= byte << have;
		have += 8;
		if (have < 13)
			continue;
		text += digit(bits % 8192 % 91) + digit(Math.floor(bits % 8192 / 91));
		bits >>= 13;
		have -= 13;
	}
	return text + (have ? digit(bits % 91) : "") +
		(have > 6 ? digit(Math.floor(bits / 91)) : "");
}

export const streamPack = bytes => characters(deflateSync(bytes));

// As many ranks as wanted: main calls solve (a loop, a line, an inlined
// function) and MPI_Wait from two lines; solve calls itself.  cpu.time of rank
// r: the line 100, the inlined function 10 * r, each MPI_Wait 1.
export function madeRun(ranks, names = ["main", "solve", "dot", "MPI_Wait"]) {
	const strings = ["", ...names, "/bin/app", "app.c", "host0", "host1"];
	const [main, solve, dot, wait, app, file] = [1, 2, 3, 4, 5, 6];
	const nodes = [ // parent, kind, flags, function, module, file, line, path
		[0, 0, 0, 0, 0, 0, 0, 0],
		[0, 1, 0, main, app, file, 0, 1],
		[1, 1, 0, solve, app, file, 10, 2],
		[2, 7, 0, solve, app, file, 20, 2],
		[3, 2, 0, solve, app, file, 21, 2],
		[3, 1, 1, dot, app, file, 22, 3],
		[2, 1, 0, solve, app, file, 30, 4],
		[6, 2, 0, solve, app, file, 21, 4],
		[1, 3, 0, wait, 0, file, 40, 5],
		[1, 3, 0, wait, 0, file, 41, 6],
	];
	const column = c => nodes.map(n => n[c]);
	const value = (n, r) => [0, 0, 0, 0, 100, 10 * r, 0, 7, 1, 1][n];
	const rows = [...Array(ranks).keys()];
	const cells = { first: [], rank: [], value: [] };

	for (const n of nodes.keys()) {
		const has = rows.filter(r => value(n, r));

		cells.first.push(has.length);
		cells.rank.push(...has);
		cells.value.push(...has.map(r => value(n, r)));
	}

	const sums = nodes.map((_, n) => rows.reduce((s, r) => s + value(n, r), 0));
	const total = sums.reduce((a, b) => a + b);

	return {
		page: { page: 1, kind: "run", title: "app", reports: {}, strings, nodeKinds,
			metric: "cpu.time", losses: [], problems: [],
			metrics: [{ name: "cpu.time", unit: "ns", merge: "sum",
				sampled: true, total }],
			ranks: { noun: "rank", count: ranks, members: ranks, world: ranks } },
		arrays: {
			"node.parent": ["delta", column(0)], "node.kind": ["u8", column(1)],
			"node.flags": ["u8", column(2)],
			"node.function": ["varint", column(3)],
			"node.module": ["varint", column(4)],
			"node.file": ["varint", column(5)], "node.line": ["delta", column(6)],
			"node.detail": ["varint", column(6)],
			"node.path": ["delta", column(7)], "sum.cpu.time": ["varint", sums],
			"rank.number": ["delta", rows],
			"rank.host": ["delta", rows.map(r => (r < ranks / 2 ? 7 : 8))],
			"cell.cpu.time.first": ["varint", cells.first],
			"cell.cpu.time.rank": ["varint", cells.rank],
			"cell.cpu.time.value": ["varint", cells.value],
		},
	};
}
