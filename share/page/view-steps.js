// SPDX-License-Identifier: BSD-3-Clause
// view-steps.js - iterations: ranks by iteration, how long each took, and which
// of them stand out.
import { el, elReplace } from "./dom.js";
import { Grid } from "./grid.js";
import { rowsUnite } from "./selection.js";
import { countText, shareText, timeText } from "./units.js";
import { linesMake } from "./view-mpi.js";
import { tablesMake } from "./table.js";

// What colours a cell: of a rank that is alone all are its own.
const stepWays = [
	["own", "own work", "outside MPI: the most of a rank in an iteration"],
	["us", "duration", "the mean of ranks and iterations"],
	["mpi", "in MPI", "the share of the time"],
	["gpu", "GPU busy", "the share of the time"],
];

export class StepGrid {
	constructor(model) {
		const array = name => model.stream.array("step." + name);
		const begin = array("begin");

		this.how = model.page.iterations;
		this.columns = begin.length;
		this.lines = Array.from(array("first"), (first, i) => ({ first,
			count: array("ranks")[i], threads: array("threads")[i] }));
		this.number = array("number");
		this.count = array("count");
		this.median = array("median");
		this.outlier = array("outlier");
		this.node = array("node");
		// The last one ends where all do.
		this.times = Array.from(begin, (from, c) => [from, Math.max(from + 1,
			begin[c + 1] ?? this.how.end)]);
		this.us = array("us");
		this.mpi = array("mpi");
		this.gpu = array("gpu");
		this.most = array("most");
		this.ownMost = array("own");
	}

	at(line, column) {
		return line * this.columns + column;
	}

	// Microseconds of one rank in one iteration: the mean.
	mean(line, column) {
		return this.us[this.at(line, column)] / this.count[column] /
			this.lines[line].threads;
	}

	// Outside MPI, the most of a rank in an iteration.
	own(line, column) {
		const at = this.at(line, column);

		return this.ownMost ? this.ownMost[at]
			: Math.max(this.us[at] - this.mpi[at], 0) / this.count[column];
	}

	// 0 … 1: of twice the usual length, or of the time.
	value(way, line, column) {
		const at = this.at(line, column);

		if (way === "us" || way === "own")
			return Math.min((way === "us" ? this.mean(line, column)
				: this.own(line, column)) / this.how.usual / 2, 1);
		return this.us[at] ? Math.min(this[way][at] / this.us[at], 1) : 0;
	}

	numbersText(column) {
		const first = this.number[column], count = this.count[column];

		return count > 1 ? `iterations ${first}–${first + count - 1}`
			: `iteration ${first}`;
	}

	// The columns that a time holds the middle of: [from, to], or null.
	columnsIn([from, to]) {
		const inside = [...this.times.keys()].filter(c => {
			const middle = (this.times[c][0] + this.times[c][1]) / 2;

			return middle >= from && middle <= to;
		});

		return inside.length ? [inside[0], inside.at(-1)] : null;
	}
}

function cellAbout(app, steps, line, column) {
	const { first, count } = steps.lines[line];
	const ranks = app.model.ranksText([[first, first + count - 1]]);

	if (column < 0)
		return ranks;

	const at = steps.at(line, column);
	const words = [`${ranks}, ${steps.numbersText(column)}`,
		`${timeText(steps.mean(line, column) / 1e6)}${steps.most
			? " on average" : ""}, of it ${shareText(steps.mpi[at] /
			steps.us[at] || 0)} in MPI`,
		`own work ${timeText(steps.own(line, column) / 1e6)}${steps.most
			? " at most" : ""}`];

	if (steps.gpu[at])
		words.push(`GPU busy ${shareText(steps.gpu[at] / steps.us[at])}`);
	if (steps.outlier[column])
		words.push(`${(steps.median[column] / steps.how.usual).toFixed(1)
		} × the usual on all ranks`);
	return words.join(" · ");
}

function outliersMake(app, steps) {
	const columns = [...steps.times.keys()].filter(c => steps.outlier[c])
		.sort((a, b) => steps.median[b] - steps.median[a]).slice(0, 8);

	return columns.length > 0 && el("p", { class: "outliers" },
		el("span", { class: "mark" }, "▴"), " far longer than usual: ",
		columns.map((c, i) => [i > 0 && ", ", el("a", { href: app.link({
			time: steps.times[c], ...(steps.node[c] && { path: steps.node[c] }),
			...(app.hasView("time") && { view: "time" }), show: [] }) },
		`${steps.numbersText(c)} (${timeText(steps.median[c] / 1e6)})`)]), ".");
}

// Rows of ranks that no line has, as pieces.
export function rowsWithout(steps, count) {
	const has = new Uint8Array(count);

	for (const { first, count: ranks } of steps.lines)
		has.fill(1, first, first + ranks);

	const none = [...has.keys()].filter(row => !has[row]);

	return none.length ? rowsUnite(none.map(row => [row, row])) : null;
}

function withoutMake(app, steps) {
	const rows = rowsWithout(steps, app.model.rankCount);

	return rows && el("p", { class: "about without" }, `Not here: ${
		app.model.ranksText(rows)}. Iterations are told by calls of MPI that ` +
		"most ranks make equally often; these make them more or less often.");
}

// The rows of ranks, and the columns of time, that are selected.
function frameOfSteps(steps, { ranks, time }) {
	const rows = [...steps.lines.keys()].filter(i => !ranks || ranks.some(([a, b]) =>
		a < steps.lines[i].first + steps.lines[i].count &&
			b >= steps.lines[i].first));
	const columns = time ? steps.columnsIn(time) : [0, steps.columns - 1];

	return (ranks || time) && rows.length && columns
		? { rows: [rows[0], rows.at(-1)], columns } : null;
}

export const viewSteps = {
	id: "steps", title: "Iterations", byTime: true,
	about: "Iterations from left to right, ranks from top to bottom: a column " +
		"that stands out is an iteration in which all were slow, a single cell " +
		"one rank alone. The usual length is half of the scale.",
	has: app => app.model.page.iterations && !app.model.isDiff,
	make(app, element) {
		const steps = app.kept("steps", () => new StepGrid(app.model));
		const report = app.model.report("iterations");
		const tabs = el("div", { class: "options" });
		let way = "own";
		const grid = new Grid({
			rows: steps.lines.length, columns: steps.columns, labelWidth: 90,
			rowHeight: Math.max(2, Math.min(22,
				Math.floor(440 / steps.lines.length))),
			hint: "Click a cell to select its rank and its time.",
			label: r => app.model.ranksText([[steps.lines[r].first,
				steps.lines[r].first + steps.lines[r].count - 1]]),
			columnLabel: c => steps.numbersText(c),
			isMarked: c => steps.outlier[c], most: "twice the usual, or more",
			value: (r, c) => steps.value(way, r, c),
			about: (r, c) => cellAbout(app, steps, r, c),
			onselect: (r, c) => app.go({ ranks: [[steps.lines[r].first,
				steps.lines[r].first + steps.lines[r].count - 1]],
			time: c < 0 ? null : steps.times[c] }),
		});

		element.append(...(report ? linesMake(app, report) : []), tabs,
			grid.element, withoutMake(app, steps) || "",
			outliersMake(app, steps) || "",
			...(report ? tablesMake(app, report, 12, ["ranks"]) : []));
		app.drawn = grid;
		return { update() {
			const { show } = app.selection;

			way = stepWays.map(w => w[0]).find(w => show.includes("by-" + w)) ||
				"own";
			elReplace(tabs, el("span", { class: "quiet" }, "colour by"),
				stepWays.filter(([id]) => id !== "gpu" || steps.gpu.some(v => v))
					.map(([id, title, why]) => el("a", { class: "tab", title: why,
						href: app.link({ show: ["by-" + id] }),
						"aria-current": id === way && "true" }, title)));
			grid.show({ frame: frameOfSteps(steps, app.selection) });
		} };
	},
};
