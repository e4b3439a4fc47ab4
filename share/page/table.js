// SPDX-License-Identifier: BSD-3-Clause
// table.js - tables of reports, with the columns that man pages of analyses list.
import { el, elReplace } from "./dom.js";
import { heatColour } from "./colour.js";
import { csvText, saveButton } from "./svg.js";
import { bytesText, countText, numberText, shareText, timeText } from "./units.js";

const rowsFew = 25;
const texts = new Set(["text", "left"]);

const single = cell => (Array.isArray(cell) ? cell[0] : cell);

// What rows are sorted by.
export function cellOrder(type, cell) {
	if (cell === null || cell === undefined)
		return null;
	return single(cell);
}

export function cellText(type, cell) {
	if (cell === null || cell === undefined)
		return "–";
	switch (type) {
	case "seconds": return timeText(cell);
	case "count": return countText(cell);
	case "bytes": return bytesText(cell);
	case "number": return numberText(cell);
	case "share": return shareText(single(cell),
		Array.isArray(cell) ? cell[1] : 0);
	default: return String(single(cell));
	}
}

function barMake(share, title) {
	return el("span", { class: "bar", title },
		el("span", { style: `width:${Math.min(share, 1) * 100}%` }));
}

// The most of as many as share a place.
function peaksOf(values) {
	const each = Math.ceil(values.length / 128), peaks = [];

	for (let i = 0; i < values.length; i += each)
		peaks.push(Math.max(...values.slice(i, i + each)));
	return peaks;
}

function sparkMake(all) {
	const values = peaksOf(all);
	const top = Math.max(...values, 1e-300);

	return el("span", { class: "spark", "aria-hidden": "true" },
		values.map(v => el("i", {
			style: `height:${Math.max(v / top * 100, v ? 4 : 0)}%` })));
}

function heatMake(all) {
	const values = peaksOf(all);

	return el("span", { class: "cells", "aria-hidden": "true" },
		values.map(v => el("i", { style: `background:${heatColour(v)}` })));
}

// The ends of a long path; the title of its cell has all of it.
function framesFew(text) {
	const frames = String(text).split(" ← ");

	return frames.length > 5
		? [...frames.slice(0, 3), "…", frames.at(-1)].join(" ← ") : text;
}

// Names that read the same as another row's are told by more.
export function shortNames(table, c) {
	const seen = new Map(), paths = new Map();

	for (const row of table.rows) {
		const short = single(row[c]), few = framesFew(short);

		seen.set(short, (seen.get(short) || 0) + 1);
		paths.set(few, (paths.get(few) || new Set()).add(short));
	}
	return cell => {
		const short = single(cell), few = framesFew(short);

		return (Array.isArray(cell) && cell[2] && seen.get(short) > 1 ? cell[2]
			: paths.get(few)?.size > 1 ? short : few) || "–";
	};
}

function textCell(app, table, c, names, nodeOf) {
	const isPath = /path|^victim$|^culprit$|^function$/.test(table.columns[c].id || "");
	const lineColumn = table.columns.findIndex(k => k.id === "line");
	const isRank = /(^|_)rank$/.test(table.columns[c].id || "");

	return (cell, row) => {
		const type = table.columns[c].type;

		if (isRank && cell !== null) {
			const at = app.model.rowOf(cell);

			return at < 0 ? cellText(type, cell)
				: el("a", { href: app.link({ ranks: [[at, at]] }) }, `${cell}`);
		}
		if (!texts.has(type) || cell === null)
			return cellText(type, cell);

		const full = Array.isArray(cell) ? cell[1] : cell;
		const node = nodeOf ? nodeOf(full)
			: isPath || full.includes(" ← ")
				? app.nodeOf(full, row[lineColumn]) : 0;

		return node ? el("a", { href: app.linkPath(node), title: full },
			names(cell)) : el("span", { title: full }, names(cell));
	};
}

function cellMaker(app, table, c, links) {
	const { type, id } = table.columns[c];
	const text = textCell(app, table, c, shortNames(table, c), links[id]);

	return (cell, row) => {
		if (type === "bar")
			return cell === null ? "" : barMake(single(cell));
		if (type === "spark" || type === "heat")
			return cell === null ? ""
				: type === "spark" ? sparkMake(app.model.drawn(cell))
				: heatMake(app.model.drawn(cell));
		return text(cell, row);
	};
}

// Columns for readers, but those that are empty.
export function columnsShown({ columns, rows }) {
	return columns.map((column, c) => ({ ...column, c })).filter(({ title, c }) =>
		title !== null && (!rows?.length || rows.some(row => row[c] !== null)));
}

// All tables of a report that readers can see, but some.
export function tablesMake(app, report, most, but = []) {
	return report.tables.filter(t => t.rows.length && !but.includes(t.id) &&
		columnsShown(t).length).map(t => tableMake(app, t, most));
}

// How many rows come before those that are only 0.0 % of all.
export function rowsWorth(table, columns) {
	const shares = columns.filter(({ type }) => type === "share");
	const at = table.rows.findLastIndex(row => shares.some(({ c }) =>
		Math.abs(single(row[c])) >= 0.0005));

	return shares.length && at >= 0 ? at + 1 : table.rows.length;
}

// A text in full, which a cell has behind the short one.
const plain = (cell, type) => (texts.has(type) && Array.isArray(cell) ? cell[1]
	: cell);

// The columns that are shown, but pictures; a name is the one for programs.
function csvOfRows(columns, rows) {
	const those = columns.filter(({ type }) =>
		!["spark", "heat", "bar"].includes(type));

	return csvText([those.map(({ id, title }) => id || title), ...rows.map(row =>
		those.map(({ c, type }) => plain(row[c], type)))]);
}

// Rows in the report's order, or by a column; more than a few, and those of
// 0.0 %, on demand.  Of some columns links has the node that a text means.
export function tableMake(app, table, few = rowsFew, links = {},
	name = table.title || table.id) {
	const columns = columnsShown(table);
	const most = Math.min(few, rowsWorth(table, columns));
	const makers = columns.map(({ c }) => cellMaker(app, table, c, links));
	const body = el("tbody");
	const more = el("button", { type: "button", class: "more",
		onclick: () => fill(Infinity) });
	const left = el("p", { class: "about" }, `${table.more} more rows are not in ` +
		"the page: copse report -n 0 has them.");
	let rows = table.rows, by = -1, down = true;

	function fill(count) {
		elReplace(body, rows.slice(0, count).map(row => el("tr", {},
			columns.map(({ c, type }, i) => el("td",
				{ class: texts.has(type) && (String(single(row[c])).length > 28
					? "text" : "text short") },
				makers[i](row[c], row))))));
		more.textContent = `all ${rows.length} rows`;
		more.hidden = rows.length <= count;
		left.hidden = !more.hidden || !table.more;
	}

	function sort(c, type, button) {
		down = by === c ? !down : !texts.has(type);
		by = c;
		rows = [...table.rows].sort((a, b) => {
			const x = cellOrder(type, a[c]), y = cellOrder(type, b[c]);

			if (x === null || y === null)
				return (x === null) - (y === null);
			return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
		});
		for (const th of button.closest("tr").children)
			th.removeAttribute("aria-sort");
		button.closest("th").setAttribute("aria-sort",
			down ? "descending" : "ascending");
		fill(more.hidden ? Infinity : most);
	}

	fill(most);
	return el("section", { class: "table" },
		table.title && el("h3", {}, table.title),
		el("div", { class: "scroll" }, el("table", {},
			el("thead", {}, el("tr", {}, columns.map(({ title, c, type }) =>
				el("th", { scope: "col", class: texts.has(type) ? "text" : "" },
					["spark", "heat", "bar"].includes(type) ? title
						: el("button", { type: "button",
							onclick: e => sort(c, type, e.target) }, title))))),
			body)), more,
		saveButton("CSV", name, () => csvOfRows(columns, rows)), left);
}
