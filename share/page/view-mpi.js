// SPDX-License-Identifier: BSD-3-Clause
// view-mpi.js - MPI: who waited for whom, messages between ranks, calls.
import { el, elReplace } from "./dom.js";
import { Grid } from "./grid.js";
import { rowsHave } from "./selection.js";
import { csvOfTable, saveButton } from "./svg.js";
import { tablesMake } from "./table.js";
import { bytesText, countText, timeText } from "./units.js";

const mostSide = 256;

// Lines of a report, and what it notes; findings with their call path.
export function linesMake(app, report) {
	const isGate = report.id === "gate";
	const lines = report.lines.slice(isGate ? 1 : 0);

	return [isGate && report.lines.length > 0 && el("p", { class: "verdict" +
		(/^(! )?Failed/.test(report.lines[0]) ? " failed" : "") }, report.lines[0]),
	lines.length > 0 && el("ul", { class: "remarks" },
		lines.map(l => el("li", {}, app.sentence(
			l.replace(/^([•–!]|  ) ?/, ""))))),
	report.notes.length > 0 && el("p", { class: "about" },
		report.notes.map(n => n.replace(/^! /, "")).join(" "))].filter(Boolean);
}

function columnOf(table, id) {
	return table ? table.columns.findIndex(c => c.id === id) : -1;
}

// { cause: columns by name, victims: [[cause, rank, ns]] }, or null.
export function waitsOf(model) {
	const array = name => model.stream.array(name);
	const nanoseconds = name => array(name).map(us => us * 1e3);

	if (!array("cause.ns"))
		return null;
	return {
		kind: array("cause.kind"), victim: array("cause.victim"),
		culprit: array("cause.culprit"), ns: array("cause.ns"),
		of: array("victim.cause"), rank: array("victim.rank"),
		waited: nanoseconds("victim.us"), context: array("context.cause"),
		node: array("context.node"), meanwhile: nanoseconds("context.us"),
		flags: array("context.flags"),
	};
}

// Nanoseconds by victim and culprit, ranks joined so that the matrix can be
// seen; only of the selected path and ranks, and of culprits that are known.
function waitsMatrix(app, waits) {
	const count = app.model.rankCount;
	const each = Math.ceil(count / mostSide);
	const side = Math.ceil(count / each);
	const sums = new Float64Array(side * side);
	const path = app.selection.path;
	const scope = path ? app.model.scope(path) : null;
	const isIn = n => !scope || scope.some(m => n >= m && n < app.model.end[m]);

	for (let i = 0; i < waits.of.length; i++) {
		const cause = waits.of[i], culprit = waits.culprit[cause];

		if (culprit < count && isIn(waits.victim[cause]))
			sums[Math.floor(waits.rank[i] / each) * side +
				Math.floor(culprit / each)] += waits.waited[i];
	}
	return { sums, side, each };
}

// What culprits did while others waited, by functions of the program: the
// longest first.
function meanwhileOf(app, waits, culprits) {
	const count = app.model.rankCount, sums = new Map();

	for (let i = 0; i < waits.context.length; i++) {
		const cause = waits.context[i], culprit = waits.culprit[cause];

		if (culprit >= count || waits.flags[i] & 2 || !rowsHave(culprits, culprit))
			continue;

		const node = app.model.ownFrame(waits.node[i],
			n => app.model.isSaid(n));

		sums.set(node, (sums.get(node) || 0) + waits.meanwhile[i]);
	}
	return [...sums].sort((a, b) => b[1] - a[1]).slice(0, 12);
}

function meanwhileMake(app, waits) {
	const rows = meanwhileOf(app, waits, app.selection.ranks);
	const who = app.selection.ranks ? app.model.ranksText(app.selection.ranks)
		: "late ranks";

	const table = el("table", {}, el("tbody", {}, rows.map(([node, ns]) =>
		el("tr", {},
			el("td", { class: "text" }, el("a", { href: app.link({ path: node }) },
				app.model.frames(node).slice(-3).reverse()
					.map(n => app.model.name(n)).join(" ← "))),
			el("td", {}, timeText(ns / 1e9))))));

	return el("section", { class: "table" },
		el("h3", {}, `What ${who} did while others waited for them`), table,
		saveButton("CSV", "meanwhile", () => csvOfTable(table)));
}

function waitsGrid(app) {
	let matrix, top = 1;
	const rows = i => [[i * matrix.each,
		Math.min((i + 1) * matrix.each, app.model.rankCount) - 1]];
	const at = (r, c) => matrix.sums[r * matrix.side + c];
	const grid = new Grid({
		rowHeight: 12, labelWidth: 90, rows: 0, columns: 1,
		hint: "Rows waited, columns made them wait. Click a cell to see what the " +
			"late rank did.",
		label: r => app.model.ranksText(rows(r)),
		columnLabel: c => app.model.ranksText(rows(c)),
		value: (r, c) => (at(r, c) ? at(r, c) / top : null),
		about: (r, c) => (c < 0 ? app.model.ranksText(rows(r))
			: `${app.model.ranksText(rows(r))} waited ${timeText(at(r, c) / 1e9)} ` +
				`for ${app.model.ranksText(rows(c))}`),
		onselect: (r, c) => app.go({ ranks: rows(c < 0 ? r : c) }),
	});

	return { element: grid.element, grid, update(waits) {
		matrix = waitsMatrix(app, waits);
		top = Math.max(...matrix.sums, 1e-300);
		grid.show({ most: timeText(top / 1e9),
			 rows: matrix.side, columns: matrix.side,
			rowHeight: Math.max(2, Math.min(22, Math.floor(440 / matrix.side))) });
	} };
}

export const viewWaits = {
	id: "waits", title: "Waits",
	about: "Who waited for whom in MPI, and what the late rank did meanwhile. " +
		"Times are of matched operations; ± is the error of keeping only some.",
	has: app => app.model.report("waits")?.tables.some(t => t.rows.length),
	make(app, element) {
		const waits = waitsOf(app.model), report = app.model.report("waits");
		const matrix = waits && waitsGrid(app), meanwhile = el("div");

		element.append(...linesMake(app, report));
		if (matrix)
			element.append(el("div", { class: "pair" }, matrix.element, meanwhile));
		element.append(...tablesMake(app, report, 12));
		app.drawn = matrix?.grid;
		return { update() {
			matrix?.update(waits);
			if (waits)
				elReplace(meanwhile, meanwhileMake(app, waits));
		} };
	},
};

// The rows of a table with a drawn column: shares 0 … 1 of the most.
function mapOf(model) {
	const table = model.table("matrix", "map");
	const c = table ? table.columns.findIndex(k => k.type === "heat") : -1;

	return c < 0 ? null : { from: table.rows.map(r => r[columnOf(table, "from")]),
		each: table.rows.map(r => r[columnOf(table, "ranks")] || 1),
		rows: table.rows.map(r => model.drawn(r[c])) };
}

function mapMake(app) {
	const map = mapOf(app.model);

	if (!map || !map.rows.length)
		return null;

	const columns = map.rows[0].length;
	const label = i => app.model.ranksText([[map.from[i], Math.min(
		map.from[i] + map.each[i], app.model.page.ranks.world) - 1]]);
	const grid = new Grid({
		rowHeight: Math.max(3, Math.min(22, Math.floor(440 / map.rows.length))),
		labelWidth: 90, rows: map.rows.length, columns,
		hint: "Rows sent, columns received.", most: "most bytes",
		label, columnLabel: label,
		value: (r, c) => map.rows[r][c] || null,
		about: (r, c) => (c < 0 ? label(r) : `${label(r)} to ${label(c)}: ${
			Math.round((map.rows[r][c] || 0) * 100)} % of the most`),
		onselect: (r, c) => app.go({ ranks: [[app.model.rowOf(map.from[r]),
			app.model.rowOf(map.from[r]) + map.each[r] - 1]] }),
	});

	return grid;
}

// Sizes of messages: bars of calls by class, of all functions.
function sizesMake(app) {
	const table = app.model.table("mpi-calls", "sizes");

	if (!table || !table.rows.length)
		return null;

	const sizes = new Map();
	const at = id => columnOf(table, id);

	for (const row of table.rows) {
		const from = row[at("from")] || 0;
		const entry = sizes.get(from) || { from, calls: 0, seconds: 0 };

		entry.calls += row[at("calls")];
		entry.seconds += row[at("seconds")];
		sizes.set(from, entry);
	}

	const list = [...sizes.values()].sort((a, b) => a.from - b.from);
	const top = key => Math.max(...list.map(s => s[key]), 1e-300);

	const shown = el("table", { class: "sizes" },
		el("thead", {}, el("tr", {}, ["from", "calls", "", "time", ""].map(
			t => el("th", {}, t)))),
		el("tbody", {}, list.map(s => el("tr", {},
			el("td", {}, bytesText(s.from)), el("td", {}, countText(s.calls)),
			el("td", { class: "barcell" }, el("span", { class: "bar" },
				el("span", { style: `width:${s.calls / top("calls") * 100}%` }))),
			el("td", {}, timeText(s.seconds)),
			el("td", { class: "barcell" }, el("span", { class: "bar" },
				el("span", { style: `width:${s.seconds / top("seconds") * 100}%`,
					class: "wait" })))))));

	return el("section", { class: "table" }, el("h3", {}, "Sizes of messages"),
		el("div", { class: "scroll" }, shown),
		saveButton("CSV", "sizes", () => csvOfTable(shown)));
}

export const viewMessages = {
	id: "messages", title: "Messages",
	about: "Bytes between ranks, as MPI calls gave them, and how large the " +
		"messages were. Collective calls are not in the matrix.",
	has: app => app.model.report("matrix")?.tables.some(t => t.rows.length) ||
		app.model.table("mpi-calls", "sizes")?.rows.length,
	make(app, element) {
		const report = app.model.report("matrix");
		const grid = mapMake(app);

		if (report)
			element.append(...linesMake(app, report));
		element.append(el("div", { class: "pair" }, grid?.element || "",
			sizesMake(app) || ""));
		if (report)
			element.append(...tablesMake(app, report, 16, ["map"]));
		app.drawn = grid;
		return { update() {
			grid?.draw();
		} };
	},
};

// "gpu-kernels": "GPU kernels".
const titleOf = id => id.replaceAll("-", " ").replace(/^(gpu|mpi|io)\b/, s =>
	s.toUpperCase()).replace(/^./, c => c.toUpperCase());

// Views that are the tables of reports.
export function reportView(id, title, about, reports, but = []) {
	const those = app => reports(app).map(r => app.model.report(r)).filter(r =>
		r && (r.lines.length || r.tables.some(t => t.rows.length)));

	return {
		id, title, about, has: app => those(app).length > 0,
		make(app, element) {
			const many = those(app).length > 1;

			for (const report of those(app))
				element.append(el("section", { class: "report" },
					many && el("h2", {}, titleOf(report.id)), linesMake(app, report),
					tablesMake(app, report, 16, but)));
			return { update() {} };
		},
	};
}

export const viewCalls = reportView("calls", "MPI calls",
	"Each call site of MPI: how often, how long, how much. Times are exact; " +
	"polls that were only counted are estimated.", () => ["mpi-calls"], ["sizes"]);

export const viewDiff = reportView("start", "Changes",
	"What became slower or faster: ± is what may be chance, p the probability of " +
	"such a change without a cause.",
	app => (app.model.isDiff ? Object.keys(app.model.page.reports || {}) : []));

export const viewMore = reportView("more", "Details",
	"Files, efficiency by phase, processes, memory, and what measuring cost.",
	app => (app.model.isDiff ? []
		: ["io", "efficiency", "processes", "memory", "measurement"]));

export const viewLoops = reportView("loops", "Loops and counters",
	"Loops of the source, and what hardware counted.",
	app => (app.model.isDiff ? [] : ["loops", "counters"]));

export const viewReport = reportView("start", "Report",
	"This page was made of one report.",
	app => (app.model.report("summary") || app.model.isDiff ? []
		: Object.keys(app.model.page.reports || {})));
