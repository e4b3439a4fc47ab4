// SPDX-License-Identifier: BSD-3-Clause
// time-grid.js - what lines of ranks did when: cells of time that are sums over
// their threads, and the call paths in them.
import { kinds } from "./model.js";
import { sum } from "./units.js";

export const threadLine = 0, helperLine = 1, gpuLine = 2;

const cellParts = ["known", "busy", "moments", "mpi", "mpi_wait", "io", "gpu"];

// The frames that a picture of time tells apart, the outermost first: what MPI
// does inside is MPI's.
function framesOf(model, node) {
	const frames = model.frames(node)
		.map(n => model.members.get(model.path[n])?.[0] ?? n);
	const mpi = frames.findIndex(n => model.kind[n] === kinds.mpi);

	return mpi < 0 ? frames : frames.slice(0, mpi + 1);
}

export class TimeGrid {
	// how: "timeline" of the JSON; array(name): without its "time."
	constructor(model, how, array) {
		const first = array("first"), count = array("count");

		this.model = model;
		this.columns = how.columns;
		// Microseconds, from the start of the run.
		this.begin = how.first * how.width / 1e3;
		this.end = (how.first + how.bins) * how.width / 1e3;
		this.whole = how.all * how.width / 1e3;
		this.width = how.each * how.width / 1e3;
		this.lines = Array.from(first, (from, i) => ({ first: from,
			count: count[i], kind: array("kind")[i],
			number: array("number")[i], threads: array("threads")[i] }));
		for (const part of cellParts)
			this[part] = array(part);
		this.split = array("split");
		this.read = array("read");
		this.written = array("written");
		this.hasBytes = [this.read, this.written].some(of => of.some(b => b));
		this.nodes = array("nodes");
		this.own = array("own");
		this.path = array("path");
		this.weight = array("weight");
		this.from = new Uint32Array(this.lines.length * this.columns + 1);
		array("paths").forEach((n, cell) => {
			this.from[cell + 1] = this.from[cell] + n;
		});
		this.frames = Array.from(this.nodes, n => framesOf(model, n));
		this.deepest = this.frames.reduce((d, f) => Math.max(d, f.length), 1);
	}

	// Some of the lines alone.
	part(lines) {
		const of = (values, from, to) => Array.from(values.subarray(from, to));
		const grid = Object.create(this);

		grid.lines = lines.map(l => this.lines[l]);
		for (const part of cellParts)
			grid[part] = Float64Array.from(lines.flatMap(l => of(this[part],
				l * this.columns, (l + 1) * this.columns)));

		const ends = l => [this.from[l * this.columns],
			this.from[(l + 1) * this.columns]];
		let at = 0;

		grid.path = lines.flatMap(l => of(this.path, ...ends(l)));
		grid.weight = lines.flatMap(l => of(this.weight, ...ends(l)));
		grid.from = new Uint32Array(lines.length * this.columns + 1);
		for (const l of lines)
			for (let c = 0; c < this.columns; c++)
				grid.from[++at] = grid.from[at - 1] +
					this.from[l * this.columns + c + 1] -
					this.from[l * this.columns + c];
		return grid;
	}

	// The first column that ends behind a time; behind the last: columns.
	columnAt(us) {
		return Math.max(0, Math.min(this.columns,
			Math.floor((us - this.begin) / this.width + 1e-9)));
	}

	timeOf(column) {
		return Math.min(this.begin + column * this.width, this.end);
	}

	// Lines of rows of ranks; null: all.
	linesOf(ranks) {
		return [...this.lines.keys()].filter(i => {
			const { first, count } = this.lines[i];

			return !ranks || ranks.some(([a, b]) =>
				a < first + count && b >= first);
		});
	}

	// The columns that a time is in, at least one: [from, to]; null: all.
	columnsOf(time) {
		if (!time)
			return [0, this.columns];

		const from = Math.min(this.columnAt(time[0] + 1), this.columns - 1);

		return [from, Math.max(from + 1, Math.min(this.columns,
			Math.ceil((time[1] - 1 - this.begin) / this.width)))];
	}

	// Of columns from … to - 1 of a line: 255ths of one column and thread.
	sum(part, line, from, to) {
		const values = this[part], at = line * this.columns;
		let sum = 0;

		for (let c = at + from; c < at + to; c++)
			sum += values[c];
		return sum;
	}

	// The same in seconds of all its threads.
	seconds(part, line, from, to) {
		return this.sum(part, line, from, to) / 255 * this.width / 1e6 *
			this.lines[line].threads;
	}

	// What was read and written in columns from … to - 1, a second.
	byteRates(from, to) {
		const seconds = (this.timeOf(to) - this.timeOf(from)) / 1e6 || 1;
		const of = bytes => sum(bytes.slice(from, to)) / seconds;

		return [of(this.read), of(this.written)];
	}

	// By place in nodes, onto sums.
	weigh(sums, line, from, to) {
		const at = line * this.columns;

		for (let i = this.from[at + from]; i < this.from[at + to]; i++)
			sums[this.path[i]] += this.weight[i];
	}

	// For each place in nodes, the frame at a depth, from 1; 0: it has none.
	// Depth 0 is that of the program's own function.
	framesAt(depth) {
		if (!depth)
			return Array.from(this.own, n =>
				this.model.members.get(this.model.path[n])?.[0] ?? n);
		return this.frames.map(f => (f.length
			? f[Math.min(depth, f.length) - 1] : 0));
	}

	// What lines and columns hold: nanoseconds by node, those of the root are
	// time that is at none of these paths.
	held(lines, from, to) {
		const own = this.model.zeros();

		for (const line of lines) {
			const sums = new Float64Array(this.nodes.length);
			const ns = this.width * 1e3 / 255 * this.lines[line].threads;
			const all = this.sum(this.lines[line].kind === helperLine ? "busy"
				: "known", line, from, to);
			let at = 0;

			this.weigh(sums, line, from, to);
			sums.forEach((weight, i) => {
				own[this.nodes[i]] += weight * ns;
				at += weight;
			});
			own[0] += Math.max(all - at, 0) * ns;
		}
		return own;
	}
}

// Of the page; null: it has none.
export function timeGridOf(model) {
	const how = model.page.timeline;

	return how ? new TimeGrid(model, how, name =>
		model.stream.array("time." + name)) : null;
}

// A share of n samples is known so well (95 % would be 1.96 of it).
export const shareError = moments => (moments ? 1 / Math.sqrt(moments) : null);
