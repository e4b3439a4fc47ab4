// SPDX-License-Identifier: BSD-3-Clause
// time-slice.js - what call paths and ranks have of a selected time, for views
// of values that are kept without one: from the cells of the timeline.
import { kinds } from "./model.js";
import { gpuLine, helperLine, shareError } from "./time-grid.js";
import { spanText } from "./timeline.js";
import { timeText } from "./units.js";

// What of a metric the cells can tell: time that was sampled, or that in MPI.
export const isKeptByTime = metric => metric?.unit === "ns" &&
	(metric.sampled || metric.name === "mpi.time");

export class TimeSlice {
	constructor(model, grid, metric, time) {
		this.model = model;
		this.grid = grid;
		this.columns = grid.columnsOf(time);
		this.metric = metric.name;
		this.isOfMpi = !metric.sampled;
		this.wanted = Array.from(grid.nodes, (_, i) => !this.isOfMpi ||
			grid.frames[i].some(n => model.kind[n] === kinds.mpi));
	}

	get name() {
		return `time${this.isOfMpi ? " in MPI" : ""} (${
			spanText(this.columns.map(c => this.grid.timeOf(c)))})`;
	}

	linesOf(ranks) {
		return this.grid.linesOf(ranks).filter(l =>
			this.grid.lines[l].kind !== gpuLine);
	}

	// Nanoseconds of each node alone, in the lines of these rows of ranks.
	own(ranks) {
		const key = JSON.stringify(ranks);

		if (this.ownKey !== key) {
			const own = this.grid.held(this.linesOf(ranks), ...this.columns);

			this.grid.nodes.forEach((n, i) => {
				if (!this.wanted[i])
					own[n] = 0;
			});
			if (this.isOfMpi)
				own[0] = 0;
			Object.assign(this, { ownKey: key, ownLast: own });
		}
		return this.ownLast;
	}

	// Of each group of ranks, by place in the grid's nodes; the last is what is
	// at none of them.
	get groups() {
		this.groupsKept ??= this.groupsMake();
		return this.groupsKept;
	}

	groupsMake() {
		const { grid } = this, groups = new Map();

		for (const line of this.linesOf(null)) {
			const { first, count, kind, threads } = grid.lines[line];
			const ns = grid.width * 1e3 / 255 * threads;
			const sums = new Float64Array(grid.nodes.length);
			const all = grid.sum(kind === helperLine ? "busy" : "known", line,
				...this.columns);
			const group = groups.get(first) || { first, count, rest: 0,
				ns: new Float64Array(grid.nodes.length) };

			grid.weigh(sums, line, ...this.columns);
			sums.forEach((weight, i) => {
				group.ns[i] += this.wanted[i] ? weight * ns : 0;
			});
			group.rest += this.isOfMpi ? 0
				: Math.max(all - sums.reduce((a, b) => a + b, 0), 0) * ns;
			groups.set(first, group);
		}
		return [...groups.values()];
	}

	// As Model.byRank(), of a process of each group the mean.
	byRank(n) {
		const { model, grid } = this, scope = model.scope(n || 0);
		const places = [...grid.nodes.keys()].filter(i => scope.some(m =>
			grid.nodes[i] >= m && grid.nodes[i] < model.end[m]));

		return { columns: this.groups.map(({ first, count, ns, rest }) => {
			const all = places.reduce((sum, i) => sum + ns[i], n ? 0 : rest);

			return { first, count, mean: all / count, most: all / count };
		}) };
	}

	moments(ranks) {
		return this.linesOf(ranks).reduce((sum, l) =>
			sum + this.grid.sum("moments", l, ...this.columns), 0);
	}

	// What it is, and how sure, for a person.
	sureText(ranks) {
		const { grid, model } = this, moments = this.moments(ranks);
		const lines = this.linesOf(ranks).map(l => grid.lines[l]);
		const [first, last] = [lines[0], lines.at(-1)];

		return `Instead of ${this.metric}: ${this.name}, from the timeline's cells of ${
			timeText(grid.width / 1e6)}` + (ranks && lines.length
			? ` of ${model.ranksText([[first.first, last.first + last.count - 1]])}`
			: "") + ": of threads that call MPI all time, of others CPU time. " +
			(moments ? `${moments} samples: a share of it is known to ± ${
				(shareError(moments) * 100).toFixed(1)} %.`
				: "No sample is in it: the next one tells.");
	}
}
