// SPDX-License-Identifier: BSD-3-Clause
// slices.js - a trace of GPUs: lines of slices, of each process its ranges and
// calls of CUDA by thread, and the work of each stream.  Times are microseconds
// from the start of the run.

// Slices of a line that overlap stand in lanes: how many there are.
export function lanesSet(slices) {
	const until = [];

	for (const s of slices) {
		let lane = until.findIndex(end => end <= s.from);

		if (lane < 0)
			lane = until.length;
		until[lane] = s.to;
		s.lane = lane;
	}
	return Math.max(until.length, 1);
}

function slicesRead(model, kind) {
	const array = name => model.stream.array(`slice.${kind}.${name}`);
	const start = array("start") || [], ns = array("ns");

	return Array.from(start, (at, i) => ({ kind, index: i, rank: array("rank")[i],
		from: at / 1e3, to: (at + ns[i]) / 1e3 }));
}

// Lines by what key() makes of a slice, in the order of their keys.
function sliceLines(slices, key, label) {
	const lines = new Map();

	for (const s of slices) {
		const at = key(s).join();

		if (!lines.has(at))
			lines.set(at, { key: key(s), label: label(s), slices: [] });
		lines.get(at).slices.push(s);
	}
	return [...lines.values()];
}

// { lines: [{ label, rank, slices: [{ kind, from, to, lane, name, node, … }],
// lanes }], from, begin, end }; null: the page has none.  A piece of work has its
// call, and a call its works.
export function slicesOf(model) {
	const how = model.page.slices;

	if (!how)
		return null;

	const of = (kind, name) => model.stream.array(`slice.${kind}.${name}`);
	const work = slicesRead(model, "work"), calls = slicesRead(model, "call");
	const ranges = slicesRead(model, "range");

	for (const s of calls)
		Object.assign(s, { thread: of("call", "thread")[s.index], works: [],
			node: of("call", "node")[s.index] });
	for (const s of work) {
		const call = calls[of("work", "call")[s.index] - 1];

		for (const name of ["device", "stream", "kind", "bytes", "node"])
			s[name === "kind" ? "work" : name] = of("work", name)[s.index];
		s.call = call || null;
		call?.works.push(s);
	}
	for (const s of [...work, ...calls])
		s.name = model.name(s.node);
	for (const s of ranges)
		Object.assign(s, { thread: of("range", "thread")[s.index],
			name: model.string(of("range", "name")[s.index]) });

	const lines = [
		...sliceLines(ranges, s => [s.rank, 0, s.thread, 0],
			s => `thread ${s.thread}: ranges`),
		...sliceLines(calls, s => [s.rank, 0, s.thread, 1],
			s => `thread ${s.thread}: CUDA`),
		...sliceLines(work, s => [s.rank, 1, s.device, s.stream],
			s => `GPU ${s.device}, stream ${s.stream}`),
	].sort((a, b) => a.key.map((k, i) => k - b.key[i]).find(d => d) || 0);
	const all = [...work, ...calls, ...ranges];

	for (const line of lines) {
		line.rank = line.key[0];
		line.lanes = lanesSet(line.slices);
	}
	return { lines, from: how.from / 1e3, all: how.work, shown: work.length,
		begin: all.reduce((t, s) => Math.min(t, s.from), Infinity),
		end: all.reduce((t, s) => Math.max(t, s.to), 0) };
}

// The slices of a line that overlap from … to.
export function slicesBetween(line, from, to) {
	return line.slices.filter(s => s.to > from && s.from < to);
}

// So much of from … to has a slice of the line, 0 … 1.
export function busyShare(line, from, to) {
	let until = from, busy = 0;

	for (const s of slicesBetween(line, from, to)) {
		const a = Math.max(s.from, until), b = Math.min(s.to, to);

		if (b > a) {
			busy += b - a;
			until = b;
		}
	}
	return busy / (to - from);
}
