// SPDX-License-Identifier: BSD-3-Clause
// split.js - what the time of all ranks and threads went into: the parts of
// copse report split as one bar, with the paths and ranks of one of them, and as
// a stack for each rank.
import { ink } from "./colour.js";
import { canvasFit, el } from "./dom.js";
import { Strip } from "./strip.js";
import { savedBars, saveButton, svgButton, svgOfBoxes } from "./svg.js";
import { tableMake } from "./table.js";
import { shareText, sum, timeText } from "./units.js";

// As src/run/split.def; inks are variables of page.css.
const splitInks = { work: "own", alone: "alone", wait: "wait", mpi: "mpi",
	transfer: "mpi-box", blocked: "io", core: "core", openmp: "openmp",
	serial: "serial", threads: "threads", gpu: "gpu", start: "library-box",
	unknown: "rest" };

const manyRanks = 32;

const splitIds = Object.keys(splitInks);

export const splitColour = p => `background:var(--${p.ink})`;

// [{ id, title, ink, share, seconds, low, high, values: seconds by row of ranks }]
// of the parts that the run has, in the order of split.def.
export function splitOf(model) {
	const table = model.table("split", "parts");
	const at = test => table.columns.findIndex(test);
	const of = id => at(c => c.id === id);
	const text = cell => [cell].flat()[0];

	return table ? table.rows.map(row => ({ id: text(row[of("part")]),
		ink: splitInks[text(row[of("part")])] || "rest", title: text(row[at(c => !c.id && c.title === "part")]),
		share: row[of("share")], seconds: row[of("seconds")], low: row[of("low")],
		high: row[of("high")], values: partOfRanks(model,
			row[at(c => c.type === "spark")], row[of("max")]) })) : [];
}

// Of many ranks codes: 255 is the most of them.
function partOfRanks(model, cell, most) {
	return typeof cell === "string" ? model.drawn(cell).map(v => v * most)
		: cell || [];
}

// The same of columns of the timeline, of all ranks: seconds.
export function splitWithin(model, grid, from, to) {
	return splitOf(model).map(p => {
		const at = splitIds.indexOf(p.id) * grid.columns;

		return { ...p, seconds: sum(grid.split.subarray(at + from, at + to)) / 1e9 };
	});
}

export const partChosen = app => app.selection.show.find(w =>
	w.startsWith("part-"))?.slice(5);

// Shows a part's paths and ranks, or no more.
export const partLink = (app, id) => app.link({
	show: partChosen(app) === id ? [] : ["part-" + id] });

function partAttributes(app, p) {
	return { href: partLink(app, p.id), "aria-current": partChosen(app) === p.id &&
		"true", title: `${p.title}: ${timeText(p.seconds)}, ${
		shareText(p.share)}. A click shows its call paths and ranks.` };
}

// The bar of all, and what its colours are.
export function splitBar(app, parts) {
	const shown = parts.filter(p => p.share > 0);
	const picture = el("div", { class: "split" },
		el("div", { class: "times", role: "group", "aria-label": "parts of the time" },
			shown.map(p => el("a", { ...partAttributes(app, p), "aria-label":
				`${p.title} ${shareText(p.share)}`,
			style: `width:${p.share * 100}%;` + splitColour(p) }))),
		saveButton("SVG", "parts", () => svgOfBoxes(picture)),
		el("ul", { class: "legend" }, shown.map(p => el("li", {},
			el("a", partAttributes(app, p),
				el("i", { style: splitColour(p) }), p.title), " ",
			el("b", {}, shareText(p.share)), " ",
			el("span", { class: "quiet" }, timeText(p.seconds))))));

	return picture;
}

const partBetween = p => (p.high - p.low > 0.01 * p.seconds
	? `, between ${timeText(p.low)} and ${timeText(p.high)}` : "");

// The table of call paths without what is the same in all rows.
function partPaths(app, part) {
	const table = app.model.table("split", "paths");
	const c = table ? table.columns.findIndex(k => k.id === "part") : -1;
	const rows = c < 0 ? [] : table.rows.filter(row =>
		[row[c]].flat()[0] === part.id);

	return rows.length ? tableMake(app, { ...table, title: null, more: 0, rows,
		columns: table.columns.map(k => (k.title === "part"
			? { ...k, title: null } : k)) }, 8, {}, `paths of ${part.id}`)
		: el("p", { class: "about" }, "No call path has much of it.");
}

// A part's call paths and its ranks, and how to draw these: [element, draw].
export function partMake(app, part) {
	const { model } = app, { values } = part;
	const most = Math.max(...values), on = values.indexOf(most);
	const strip = new Strip({
		hostOf: row => model.rankHost(row), label: row => model.rankNumber(row),
		about: bin => (bin ? `${model.ranksText([[bin.first,
			bin.first + bin.count - 1]])}: ${timeText(bin.most)}`
			: `most ${timeText(most)} on ${model.ranksText([[on, on]])}, mean ${
				timeText(sum(values) / values.length)}`),
		onselect: from => app.go({ ranks: from === null ? null
			: [[from, from]] }),
	}, 84, `ranks of ${part.id}`);
	const element = el("section", { class: "part", style:
		`border-color:var(--${part.ink})` },
	el("h3", {}, `${part.title}: ${timeText(part.seconds)}, ${
		shareText(part.share)}${partBetween(part)}`),
	el("div", { class: "pair" }, partPaths(app, part),
		values.length > 1 && strip.element));

	return [element, () => values.length > 1 && strip.show(values.map((v, first) =>
		({ first, count: 1, mean: v, most: v })), app.selection.ranks)];
}

function barOfRank(app, parts, row, top) {
	const label = app.model.rankLabel(row);

	return el("a", { class: "rank", href: app.link({ ranks: [[row, row]] }),
		title: `${label} on ${app.model.rankHost(row)}` },
	el("span", { class: "name" }, label),
	el("span", { class: "times" }, parts.map(p => el("span", {
		style: `width:${p.values[row] / top * 100}%;` + splitColour(p),
		title: `${label}: ${p.title} ${timeText(p.values[row])}` }))),
	el("span", { class: "total" }, timeText(sum(parts.map(p => p.values[row])))));
}

// A stack for each rank, or for as many as one pixel has to show (their mean).
function stacksDraw(canvas, parts, count, top) {
	canvasFit(canvas, 110, (context, width, height) => {
		const columns = Math.min(count, Math.floor(width));

		for (let c = 0; c < columns; c++) {
			const from = Math.floor(c * count / columns);
			const to = Math.max(Math.floor((c + 1) * count / columns), from + 1);
			let y = height;

			for (const p of parts) {
				const tall = sum(p.values.slice(from, to)) / (to - from) / top *
					height;

				context.fillStyle = ink(p.ink);
				context.fillRect(c * width / columns, y - tall,
					width / columns + 0.3, tall);
				y -= tall;
			}
		}
	});
}

// What each rank did, and how to draw it: [element, draw], or null.
export function stacksMake(app) {
	const parts = splitOf(app.model).filter(p => p.seconds > 0);
	const count = parts[0]?.values.length || 0;

	if (count < 2)
		return null;

	const top = Math.max(...parts[0].values.map((_, r) =>
		sum(parts.map(p => p.values[r]))), 1e-12);
	const canvas = el("canvas", { class: "stacks", role: "img",
		"aria-label": "time of each rank, stacked" });

	return [el("section", { class: "where" },
		el("h3", {}, "What each did with its time"),
		el("ul", { class: "legend" }, parts.map(p => el("li", {},
			el("i", { style: splitColour(p) }), p.title))),
		count > manyRanks && el("p", { class: "about" }, "Each column is one of " +
			`${count} ranks, from rank 0, or the mean of as many as stand in ` +
			"one pixel."),
		count > manyRanks ? [canvas, svgButton(canvas, "time of ranks")]
			: savedBars("time of ranks", el("div", { class: "ranks" },
				parts[0].values.map((_, r) => barOfRank(app, parts, r, top))))),
	() => count > manyRanks && stacksDraw(canvas, parts, count, top)];
}
