// SPDX-License-Identifier: BSD-3-Clause
// model.js - the run in the page: call paths, metrics, and what each process
// has of them.  Nodes stand depth first, so what is below one is one piece.
import { rowsHave } from "./selection.js";

// Numbers of kinds of nodes by their names, of the page that was read.
export const kinds = {};
export const inlined = 1, unnamed = 2, python = 4, own = 128;

// Of Python, what came with the interpreter or as a package.
const packaged = /(^|\/)(lib\d*\/python\d|site-packages|dist-packages)|^<|^$/;

const baseName = path => path.slice(path.lastIndexOf("/") + 1);

function endsOf(parent) {
	const end = new Uint32Array(parent.length);

	for (let n = parent.length - 1; n > 0; n--) {
		end[n] = Math.max(end[n], n + 1);
		end[parent[n]] = Math.max(end[parent[n]], end[n]);
	}
	if (parent.length)
		end[0] = parent.length;
	return end;
}

// Values of each node alone become those with all below.
export function valuesInclusive(own, parent) {
	const all = Float64Array.from(own);

	for (let n = all.length - 1; n > 0; n--)
		all[parent[n]] += all[n];
	return all;
}

export class Model {
	constructor(stream) {
		const page = stream.page;

		this.stream = stream;
		this.page = page;
		this.strings = page.strings || [];
		this.kinds = page.nodeKinds || [];
		this.kinds.forEach(({ name }, number) => kinds[name] = number);
		this.parent = stream.array("node.parent") || new Uint8Array(0);
		this.count = this.parent.length;
		for (const name of ["kind", "flags", "function", "module", "file",
			"line", "detail"])
			this[name] = stream.array("node." + name) ||
				new Uint8Array(this.count);
		// Of a diff each node is a call path.
		this.path = stream.array("node.path") ||
			Uint32Array.from(this.parent, (_, n) => n);
		this.end = endsOf(this.parent);
		this.metrics = page.metrics || [];
		this.rankCount = page.ranks ? page.ranks.count : 0;
		this.noun = page.ranks ? page.ranks.noun : "process";
		this.sums = new Map();
		this.chosen = {};
		this.members = this.membersByPath();
	}

	get isDiff() {
		return this.page.kind === "diff";
	}

	// A line, or a loop: part of the frame above.
	isPart(n) {
		return this.kinds[this.kind[n]].part;
	}

	// For each call path, its nodes but lines and loops.
	membersByPath() {
		const members = new Map();

		for (let n = 0; n < this.count; n++) {
			if (this.isPart(n))
				continue;

			const at = members.get(this.path[n]);

			if (at)
				at.push(n);
			else
				members.set(this.path[n], [n]);
		}
		return members;
	}

	string(index) {
		return this.strings[index] ?? "";
	}

	functionName(n) {
		return n ? this.string(this.function[n]) || "(unknown)"
			: "all call paths";
	}

	name(n) {
		const line = this.line[n];

		if (this.kind[n] === kinds.line)
			return baseName(this.string(this.file[n])) + ":" + line;
		if (this.kind[n] === kinds.loop)
			return "loop at " + baseName(this.string(this.file[n])) +
				":" + line +
				(this.detail[n] > line ? "–" + this.detail[n] : "");
		return this.functionName(n);
	}

	// The same, and where an MPI function was called.
	nameSite(n) {
		return this.name(n) + (this.kind[n] === kinds.mpi && this.line[n]
			? ` (line ${this.line[n]})` : "");
	}

	// It is of the program itself: in its module, or, of a program in Python,
	// in its own scripts.
	isOwn(n) {
		if (!this.scripts) {
			this.scripts = new Set();
			for (let m = 1; m < this.count; m++)
				if (this.flags[m] & python &&
				    !packaged.test(this.string(this.module[m])))
					this.scripts.add(this.module[m]);
		}
		return this.scripts.size ? this.scripts.has(this.module[n])
			: this.module[n] === this.ownModule;
	}

	// Where its code is: of a frame, the file of what was sampled in it.
	moduleName(n) {
		return baseName(this.string(this.module[n]));
	}

	// The node and what it is called from, the outermost first, without what
	// starts a program above main.
	frames(n) {
		const frames = [];

		for (; n > 0; n = this.parent[n])
			if (!frames.length || this.path[n] && !this.isPart(n))
				frames.push(n);
		return frames.reverse();
	}

	// It is of the program or of a library that a person knows: as reports say.
	isSaid(n) {
		return this.isOwn(n) || !this.scripts.size && !!(this.flags[n] & own);
	}

	// The same, or MPI, OpenMP's runtime, a GPU or a phase: no library that
	// folds into its caller.
	isMine(n) {
		return this.isSaid(n) || this.kinds[this.kind[n]].group !== "code";
	}

	// Each node, or where it is of a library, the one of mine that called it, if
	// there is one.
	get mine() {
		if (!this.mineKept) {
			this.mineKept = Uint32Array.from(this.kind.keys());
			for (let n = 1; n < this.count; n++) {
				const up = this.mineKept[this.parent[n]];

				if (up && this.isMine(up) && !this.isMine(n))
					this.mineKept[n] = up;
			}
		}
		return this.mineKept;
	}

	get hasOthers() {
		return this.mine.some((up, n) => up !== n);
	}

	// Values of each node alone, those of libraries as their caller's.
	folded(own) {
		const folded = this.zeros();

		this.mine.forEach((up, n) => {
			folded[up] += own[n];
		});
		return folded;
	}

	// The first node of the call path of the innermost function of the program
	// itself that n is in, or n.
	ownFrame(n, isOwn = m => this.isOwn(m)) {
		for (let m = n; m > 0; m = this.parent[m])
			if (isOwn(m) && this.path[m])
				return this.members.get(this.path[m])[0];
		return n;
	}

	metric(name) {
		return this.metrics.find(m => m.name === name) || null;
	}

	// Those that a tree can show: sums, in the run's order.
	get treeMetrics() {
		return this.metrics.filter(m => m.merge === "sum" &&
			(m.total > 0 || m.base > 0));
	}

	get metricDefault() {
		const has = name => this.treeMetrics.some(m => m.name === name);

		return has(this.page.metric) ? this.page.metric
			: has("cpu.time") ? "cpu.time"
			: this.treeMetrics.length ? this.treeMetrics[0].name : null;
	}

	zeros() {
		return new Float64Array(this.count);
	}

	// The base of a diff.
	base(name) {
		return this.stream.array("base." + name) || this.zeros();
	}

	cells(name) {
		const first = this.stream.array(`cell.${name}.first`);

		if (!first)
			return null;
		if (!this.sums.has("cells " + name)) {
			const from = new Float64Array(this.count + 1);

			for (let n = 0; n < this.count; n++)
				from[n + 1] = from[n] + first[n];
			this.sums.set("cells " + name, {
				from,
				rank: this.stream.array(`cell.${name}.rank`),
				value: this.stream.array(`cell.${name}.value`),
			});
		}
		return this.sums.get("cells " + name);
	}

	// What each process has is rounded, but for the sums: doc/page-format.md.
	isRounded(name) {
		const { unit, sampled } = this.metric(name);

		return unit === "ns" && !sampled && this.rankCount <= 8 &&
			!!this.cells(name);
	}

	// Of each node alone: where each process's values are here, their sum.
	sum(name) {
		if (!this.sums.has(name)) {
			const cells = this.cells(name);

			this.sums.set(name, this.stream.array("sum." + name) || (cells
				? this.ownOf(cells, [[0, this.rankCount - 1]])
				: this.zeros()));
		}
		return this.sums.get(name);
	}

	// Of each node alone, of these rows of ranks (null: all).  Rows are only
	// heeded where each process's values are in the page.
	own(name, rows) {
		const cells = rows && this.cells(name);

		if (!cells)
			return this.ownLive(name, rows) ||
				this.sum(name);

		const key = name + " " + rows.join();

		if (this.chosen.key !== key)
			this.chosen = { key, own: this.ownOf(cells, rows) };
		return this.chosen.own;
	}

	// Of one process, where a server knows it.
	ownLive(name, rows) {
		return this.live && rows?.length === 1 && rows[0][0] === rows[0][1]
			? this.live.rank(name, rows[0][0], this.count) : null;
	}

	// Call paths are those of the selected rows of ranks.
	isOfRows(name, rows) {
		return !rows || !!this.cells(name) || !!this.ownLive(name, rows);
	}

	ownOf(cells, rows) {
		const own = this.zeros();
		const wanted = new Uint8Array(this.rankCount);

		for (let r = 0; r < this.rankCount; r++)
			wanted[r] = rowsHave(rows, r) ? 1 : 0;
		for (let n = 0; n < this.count; n++)
			for (let i = cells.from[n]; i < cells.from[n + 1]; i++)
				if (wanted[cells.rank[i]])
					own[n] += cells.value[i];
		return own;
	}

	// What the program calls its phases: [{ node, name }], those within another
	// behind it.
	get phases() {
		const phases = new Map();

		for (let n = 1; n < this.count; n++)
			if (this.kind[n] === kinds.phase && !phases.has(this.path[n]))
				phases.set(this.path[n], { node: n, name: this.frames(n)
					.map(m => this.functionName(m)).join(" › ") });
		return [...phases.values()];
	}

	// Of each node alone, those in a phase; null: all.
	ownIn(own, phase) {
		if (phase === null)
			return own;
		if (this.within?.from !== own || this.within.phase !== phase) {
			const within = this.zeros();

			for (const n of this.scope(phase))
				within.set(own.subarray(n, this.end[n]), n);
			this.within = { from: own, phase, own: within };
		}
		return this.within.own;
	}

	// It is the phase, or a call path in it.
	isIn(n, phase) {
		return this.scope(phase).some(m => n >= m && n < this.end[m]);
	}

	inclusive(own) {
		if (this.lastOwn !== own) {
			this.lastOwn = own;
			this.lastAll = valuesInclusive(own, this.parent);
		}
		return this.lastAll;
	}

	// The nodes that a selected one stands for: all of its call path, or all
	// of the same line or loop there; those below another are left out.
	scope(n) {
		if (!(n > 0 && n < this.count))
			return this.count ? [0] : [];

		const same = this.isPart(n) ? this.sameCode(n)
			: this.members.get(this.path[n]) || [n];
		const top = [];
		let end = 0;

		for (const m of same)
			if (m >= end) {
				top.push(m);
				end = this.end[m];
			}
		return top;
	}

	sameCode(n) {
		const same = [];

		for (let m = 0; m < this.count; m++)
			if (this.kind[m] === this.kind[n] && this.path[m] === this.path[n] &&
			    this.file[m] === this.file[n] && this.line[m] === this.line[n])
				same.push(m);
		return same;
	}

	// A selected node with all below.
	value(n, all) {
		return this.scope(n).reduce((sum, m) => sum + all[m], 0);
	}

	// What each process, or group of processes, has of a node with all below:
	// [{ first, count, mean, most, least }], and whether it is exact; or null.
	byRank(name, n) {
		const cells = this.cells(name);

		if (cells)
			return { exact: true, columns: this.columnsOf(cells, n) };
		return this.exactByRank(name, n) || this.liveByRank(name, n) ||
			this.heatByRank(name, n);
	}

	liveByRank(name, n) {
		const values = this.live && !this.isPart(n) && this.live.path(name, n);

		return values ? { exact: true, columns: columnsSingle(values) } : null;
	}

	columnsOf(cells, n) {
		const values = new Float64Array(this.rankCount);

		for (const m of this.scope(n))
			for (let i = cells.from[m]; i < cells.from[this.end[m]]; i++)
				values[cells.rank[i]] += cells.value[i];
		return columnsSingle(values);
	}

	// The call path's place in a list of nodes, one for each path; -1: none.
	pathIn(nodes, n) {
		const path = this.path[n || 0];

		return nodes ? nodes.findIndex(m => this.path[m] === path) : -1;
	}

	exactByRank(name, n) {
		const row = this.pathIn(this.stream.array(`exact.${name}.nodes`), n);
		const values = row >= 0 && this.stream.array(`exact.${name}.values`);

		return values ? { exact: true, columns: columnsSingle(values.subarray(
			row * this.rankCount, (row + 1) * this.rankCount)) } : null;
	}

	// Groups of ranks: [first row, how many].
	get groups() {
		const count = this.stream.array("group.count") || [];

		return Array.from(this.stream.array("group.first") || [],
			(first, i) => [first, count[i]]);
	}

	// { top, nodes, mean, most }, or null: codes of values, groups by nodes.
	heat(name) {
		const how = (this.page.heat || []).find(h => h.metric === name);
		const part = p => this.stream.array(`heat.${name}.${p}`);

		return how ? { top: how.top, nodes: part("nodes"), mean: part("mean"),
			most: part("most") } : null;
	}

	heatByRank(name, n) {
		const heat = this.heat(name);

		return this.stripByRank(name, n, heat) || this.groupsByRank(heat, n);
	}

	groupsByRank(heat, n) {
		const row = heat ? this.pathIn(heat.nodes, n) : -1;

		return row < 0 ? null
			: { exact: false, columns: this.heatColumns(heat, row) };
	}

	stripByRank(name, n, heat) {
		const row = this.pathIn(this.stream.array(`strip.${name}.nodes`), n);

		if (row < 0 || !heat)
			return null;

		const codes = this.stream.array(`strip.${name}.values`).subarray(
			row * this.rankCount, (row + 1) * this.rankCount);

		return { exact: false, single: true, columns: columnsSingle(
			Float64Array.from(codes, code => heatValue(heat.top, code))) };
	}

	heatColumns(heat, row) {
		const groups = this.groups;

		return groups.map(([first, count], g) => ({
			first, count,
			mean: heatValue(heat.top, heat.mean[row * groups.length + g]),
			most: heatValue(heat.top, heat.most[row * groups.length + g]),
		}));
	}

	// What a drawn cell of a table holds: numbers 0 … 1 of their own, or codes.
	drawn(cell) {
		return typeof cell === "string"
			? Array.from(this.stream.array(cell) || [], v => v / 255)
			: cell || [];
	}

	rankNumber(row) {
		const number = this.stream.array("rank.number");

		return `${number ? number[row] : row}`;
	}

	rankLabel(row) {
		return `${this.noun} ${this.rankNumber(row)}`;
	}

	rankHost(row) {
		const host = this.stream.array("rank.host");

		return host ? this.string(host[row]) : "";
	}

	// "ranks 0–2, 5" of rows.
	ranksText(rows) {
		const number = this.stream.array("rank.number") || [];
		const n = row => number[row] ?? row;
		const one = rows.length === 1 && rows[0][0] === rows[0][1];
		const plural = this.noun === "process" ? "processes" : "ranks";

		return (one ? this.noun : plural) + " " + rows.map(([a, b]) =>
			(a === b ? `${n(a)}` : `${n(a)}–${n(b)}`)).join(", ");
	}

	// The row of a rank's number; -1: there is none.
	rowOf(rank) {
		const number = this.stream.array("rank.number");

		return number ? number.indexOf(rank) : rank;
	}

	report(id) {
		return (this.page.reports || {})[id] || null;
	}

	table(report, id) {
		const found = this.report(report);

		return found ? found.tables.find(t => t.id === id) || null : null;
	}
}

// One byte is the value's logarithm, in sixteenths of an octave.
function heatValue(top, code) {
	return code ? top * 2 ** (-(255 - code) / 16) : 0;
}

function columnsSingle(values) {
	return Array.from(values, (v, first) =>
		({ first, count: 1, mean: v, most: v }));
}
