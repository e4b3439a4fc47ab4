// SPDX-License-Identifier: BSD-3-Clause
// view-ranks.js - ranks side by side: the strip of the selected path, which
// every view of call paths has beneath it; and the heat map rank by path.
import { el, elReplace } from "./dom.js";
import { Grid } from "./grid.js";
import { rowsAdd } from "./selection.js";
import { stacksMake } from "./split.js";
import { outliersFind, Strip } from "./strip.js";
import { tablesMake } from "./table.js";
import { valueText } from "./units.js";

function columnText(app, bin) {
	const { model, unit } = app;
	const rows = [[bin.first, bin.first + bin.count - 1]];
	const host = model.rankHost(bin.first);

	return `${model.ranksText(rows)}${host ? ` on ${host}` : ""}: ` +
		(bin.count > 1 ? `${valueText(bin.sum / bin.count, unit)} on average, ` +
			`${valueText(bin.most, unit)} at most`
			: valueText(bin.most, unit));
}

// Least, mean, most, and who they are.
export function spreadText(app, columns) {
	let sum = 0, count = 0, most = columns[0], least = columns[0];

	for (const c of columns) {
		sum += c.mean * c.count;
		count += c.count;
		most = c.most > most.most ? c : most;
		least = (c.least ?? c.mean) < (least.least ?? least.mean) ? c : least;
	}

	const name = c => app.model.ranksText([[c.first, c.first + c.count - 1]]);
	const out = outliersFind(columns);
	const outliers = columns.filter(c => out.isOut(c.most)).length;

	return `most ${valueText(most.most, app.unit)} on ${name(most)}, mean ${
		valueText(sum / count, app.unit)}, least ${valueText(least.least ??
		least.mean, app.unit)} on ${name(least)}` +
		(outliers ? `; ${outliers} stand${outliers > 1 ? "" : "s"} out (▾)` : "");
}

export function stripMake(app) {
	const title = el("h3");
	const sure = el("p", { class: "about" });
	let columns = [];
	const strip = new Strip({
		hostOf: row => app.model.rankHost(row),
		label: row => app.model.rankNumber(row),
		about: bin => (bin ? columnText(app, bin)
			: columns.length ? spreadText(app, columns) : ""),
		onselect: (from, to, add) => app.go({ ranks: from === null ? null
			: add ? rowsAdd(app.selection.ranks, from, to) : [[from, to]] }),
	});
	const element = el("section", { class: "strip-of" }, title, strip.element, sure);

	return { element, strip, update() {
		const path = app.pathOfStrip;
		const found = app.byRank(path);

		elReplace(title, app.metricText, " of ", path ? app.model.name(path)
			: "all call paths", ` over ${app.model.rankCount} ${
			app.model.noun === "process" ? "processes" : "ranks"}`);
		element.classList.toggle("empty", !found);
		columns = found ? found.columns : [];
		sure.textContent = !found
			? "The page does not have what each rank spent here: it is too little. " +
				"copse export values has it."
			: app.slice ? columns.some(c => c.count > 1)
				? "One column for each group of ranks: its mean." : "One column a rank."
			: found.exact ? "One column a rank; bands beneath are hosts, the " +
				"dashed line is the median." + (app.model.isRounded(app.metric)
				? " Each is within 0.7 %, their sum exact." : "")
			: "One column for each group of ranks: its mean, and light its most; " +
				"values are within 2.2 %.";
		if (found)
			strip.show(columns, app.selection.ranks);
	} };
}

export const viewRanks = {
	id: "ranks", title: "Ranks", strip: "first",
	about: "What each rank did with its time, which ranks stand out, and the " +
		"call paths on which they differ.",
	has: app => app.model.rankCount > 1 && !app.model.isDiff,
	make(app, element) {
		const [stacks, draw] = stacksMake(app) || [];

		element.append(stacks || "");
		// What the stacks show, and what the other report has more of.
		const but = { ranks: ["parts", "paths"], imbalance: ["ranks"] };

		for (const id in but) {
			const report = app.model.report(id);

			if (report)
				element.append(...report.lines.map(l => el("p", {},
					app.sentence(l.replace(/^• /, "")))),
				...tablesMake(app, report, 16, but[id]));
		}
		return { update() {
			draw?.();
		} };
	},
};

const mostRows = 48;

// The call paths with the most, and what each column of ranks has of them.
function heatOf(app) {
	const { model, metric } = app;
	const heat = !app.slice && !model.cells(metric) && model.heat(metric);
	const columnsOf = node => (heat ? model.groupsByRank(heat, node)
		: app.byRank(node))?.columns;

	return pathsLargest(app).map(node => ({ node, columns: columnsOf(node) }))
		.filter(row => row.columns);
}

function pathsLargest(app) {
	const { model } = app;
	const all = model.inclusive(app.ownOf(null));
	const nodes = [];

	for (const [path, members] of model.members)
		if (path)
			nodes.push([members[0], model.value(members[0], all)]);
	// Less than one in two hundred is noise of few samples.
	return nodes.filter(n => n[1] > all[0] / 200).sort((a, b) => b[1] - a[1])
		.slice(0, mostRows).map(n => n[0]).sort((a, b) => a - b);
}

// Neighbours as one, so that a column has a pixel.
function columnsJoin(columns, most) {
	const each = Math.ceil(columns.length / most);
	const joined = [];

	for (let i = 0; i < columns.length; i += each) {
		const part = columns.slice(i, i + each);
		const count = part.reduce((n, c) => n + c.count, 0);

		joined.push({ first: part[0].first, count,
			mean: part.reduce((s, c) => s + c.mean * c.count, 0) / count,
			most: Math.max(...part.map(c => c.most)) });
	}
	return joined;
}

function depthOf(model, node) {
	let depth = 0;

	for (let n = model.parent[node]; n > 0; n = model.parent[n])
		if (!model.isPart(n))
			depth++;
	return Math.min(depth, 12);
}

function rowsOfHeat(app) {
	return heatOf(app).map(({ node, columns: all }) => {
		const columns = columnsJoin(all, 512);

		return { node, columns,
			top: Math.max(...columns.map(c => c.most), 1e-300) };
	});
}

export const viewHeat = {
	id: "heat", title: "Heat map", strip: true, byTime: "cells", byPhase: true,
	about: "Call paths from top to bottom, ranks from left to right, each row " +
		"by its own maximum: a row of one colour is balanced.",
	has: app => app.model.rankCount > 1 && !app.model.isDiff,
	make(app, element) {
		let rows = [], shown = null;
		const cell = (r, c) => rows[r].columns[c];
		const grid = new Grid({
			rowHeight: 17, labelWidth: 270, rows: 0, columns: 1,
			hint: "Click a cell to select its path and ranks.",
			most: "the most of its row",
			label: r => "\u2007".repeat(depthOf(app.model, rows[r].node)) +
				app.model.nameSite(rows[r].node),
			columnLabel: c => app.model.ranksText([[cell(0, c).first,
				cell(0, c).first + cell(0, c).count - 1]]),
			value: (r, c) => (cell(r, c).most ? cell(r, c).most / rows[r].top : null),
			isRow: r => app.selection.path !== null && app.model.path[rows[r].node] ===
				app.model.path[app.selection.path],
			about: (r, c) => (c < 0 ? app.model.name(rows[r].node)
				: `${app.model.name(rows[r].node)} · ${columnText(app,
					{ ...cell(r, c), sum: cell(r, c).mean * cell(r, c).count })}`),
			onselect: (r, c) => app.go({ path: rows[r].node,
				...(c >= 0 && { ranks: [[cell(r, c).first,
					cell(r, c).first + cell(r, c).count - 1]] }) }),
		});
		const none = el("p", { class: "about" },
			"The page has no values of ranks for this metric.");

		element.append(grid.element, none);
		app.drawn = grid;
		return { update() {
			const wanted = `${app.metricText} ${app.phase}`;

			// Which ranks are selected does not change them.
			if (shown !== wanted)
				rows = rowsOfHeat(app);
			shown = wanted;
			none.hidden = rows.length > 0;
			grid.element.hidden = !rows.length;
			if (rows.length)
				grid.show({ rows: rows.length, columns: rows[0].columns.length });
		} };
	},
};
