// SPDX-License-Identifier: BSD-3-Clause
// view-flame.js - the calling context tree as a flame graph: from callers down
// to what they called, or inverted; of a diff, coloured by change.
import { boxColour, changeColour } from "./colour.js";
import { el } from "./dom.js";
import { Flame } from "./flame.js";
import { kinds, python } from "./model.js";
import { treeBuild, treeChildren, treeInvert, treeValues } from "./tree.js";
import { shareText, valueText } from "./units.js";

const options = [
	["inverted", "inverted", "from what was executed up to its callers"],
	["inlined", "inlined frames", "functions that the compiler copied into their caller"],
	["loops", "loops", "loops of the source stand between a function and what is in them"],
	["lines", "lines", "lines that were sampled in a function"],
	["mine", "my code", "libraries are part of the function that called them"],
];

// Those that are on from the start: what the address has when they are off.
const wordsOff = { inlined: "noinlined", mine: "all" };

export function showOf(selection) {
	return Object.fromEntries(options.map(([id]) => [id, wordsOff[id]
		? !selection.show.includes(wordsOff[id]) : selection.show.includes(id)]));
}

function showToggled(selection, id) {
	const word = wordsOff[id] || id;

	return selection.show.includes(word)
		? selection.show.filter(w => w !== word) : [...selection.show, word];
}

// The tree of these options and values, with children.
export function treeShown(app) {
	const show = showOf(app.selection);
	const own = app.own;

	// A search finds libraries, too.
	show.mine &&= !app.selection.find;

	const key = Object.values(show).join() + app.metricText;

	if (app.shownTree?.key === key && app.shownTree.own === own)
		return app.shownTree;

	const tree = app.kept("tree " + [show.inlined, show.loops, show.lines, show.mine],
		() => treeBuild(app.model, show));
	const values = treeValues(tree, own);
	const shown = app.model.isDiff
		? changesOf(app, tree, values, treeValues(tree, app.base), show)
		: show.inverted ? treeInvert(app.model, tree, values.alone)
			: { ...tree, ...values };

	shown.children = treeChildren(shown, shown.size || shown.all);
	if (shown.size)
		shown.all = shown.size;
	Object.assign(shown, { key, own, show });
	app.shownTree = shown;
	return shown;
}

// Of a diff: boxes are as wide as the larger side, and know both.
function changesOf(app, tree, after, before, show) {
	const shown = { ...tree, alone: after.alone, after: after.all,
		before: before.all };

	if (show.inverted) {
		const inverted = alone => treeInvert(app.model, tree, alone);

		Object.assign(shown, inverted(after.alone.map((v, b) =>
			Math.max(v, before.alone[b]))));
		shown.after = invertedValues(shown, inverted(after.alone), app);
		shown.before = invertedValues(shown, inverted(before.alone), app);
	}
	shown.size = sizesOf(shown);
	return shown;
}

// A box holds the larger of its sides, and all that is below it.
function sizesOf(shown) {
	const below = new Float64Array(shown.parent.length);
	const size = new Float64Array(shown.parent.length);

	for (let b = size.length - 1; b >= 0; b--) {
		size[b] = Math.max(shown.after[b], shown.before[b], below[b]);
		if (b)
			below[shown.parent[b]] += size[b];
	}
	return size;
}

// Values of one inverted tree on the boxes of another, by their names.
function invertedValues(to, from, app) {
	const ids = (tree, known) => {
		const id = [""];

		for (let b = 1; b < tree.parent.length; b++)
			id[b] = id[tree.parent[b]] + "\n" + app.model.name(tree.frame[b]);
		return known ? new Map(id.map((text, b) => [text, tree.all[b]])) : id;
	};
	const values = ids(from, true);

	return Float64Array.from(ids(to), id => values.get(id) || 0);
}

// How far a call path's change, with all that it calls, may be chance; null:
// not known.
function marginOfBox(app, shown, box) {
	const margins = !shown.frame && app.model.stream.array("margin." + app.metric);

	return margins && margins[shown.node[box]] ? margins[shown.node[box]] - 1
		: null;
}

// Of a box of a diff: -1 gone, 1 new, 0 as before or within what is chance.
function changeShare(app, shown, box) {
	const change = shown.after[box] - shown.before[box];

	return Math.abs(change) <= (marginOfBox(app, shown, box) ?? 0) ? 0
		: change / Math.max(shown.after[box], shown.before[box]);
}

const nodeOf = (shown, box) => (shown.frame ? shown.frame[box] : shown.node[box]);

function aboutBox(app, shown, box) {
	const model = app.model, unit = app.unit;
	const all = shown.after ? shown.after[box] : shown.all[box];
	const total = shown.after ? shown.after[0] : shown.all[0];
	const name = box ? model.nameSite(nodeOf(shown, box)) : "all call paths";
	const where = box ? model.moduleName(nodeOf(shown, box)) : "";
	const words = [name + (where ? ` (${where})` : "")];

	if (shown.after)
		words.push(`${valueText(shown.before[box], unit)} before, ${
			valueText(all, unit)} now: ${changeText(all - shown.before[box],
			shown.before[box], unit)}`,
		marginOfBox(app, shown, box) !== null && `± ${
			valueText(marginOfBox(app, shown, box), unit)}`);
	else
		words.push(`${valueText(all, unit)}, ${shareText(all / total || 0)} of all`);
	if (!shown.after && shown.alone[box])
		words.push(`${valueText(shown.alone[box], unit)} of it itself`);
	return words.filter(Boolean).join(" · ");
}

export function changeText(change, before, unit) {
	return (change > 0 ? "+" : "") + valueText(change, unit) +
		(before ? ` (${change > 0 ? "+" : ""}${shareText(change / before)})` : "");
}

// The boxes that a search finds, and their value without counting twice.
function search(app, shown, text) {
	const wanted = text.toLowerCase();
	const found = new Set(), within = new Uint8Array(shown.parent.length);
	let value = 0;

	for (let b = 1; b < shown.parent.length; b++) {
		const n = nodeOf(shown, b);
		const here = app.model.name(n).toLowerCase().includes(wanted) ||
			app.model.moduleName(n).toLowerCase().includes(wanted);

		within[b] = within[shown.parent[b]] || here ? 1 : 0;
		if (here && shown.all[b]) {
			found.add(b);
			if (!within[shown.parent[b]])
				value += shown.all[b];
		}
	}
	return { found, value };
}

function boxOfNode(shown, node) {
	if (node === null)
		return null;
	if (shown.boxOf)
		return shown.boxOf[node] || null;
	return Math.max(shown.node.indexOf(node), shown.frame.indexOf(node), 0) || null;
}

function optionsMake(app) {
	const has = { loops: app.model.kind.includes(7),
		lines: app.model.kind.includes(2), inverted: true,
		inlined: app.model.flags.some(f => f & 1),
		mine: app.model.hasOthers };

	return options.filter(([id]) => has[id]).map(([id, title, why]) =>
		el("label", { title: why }, el("input", { type: "checkbox", name: id,
			checked: showOf(app.selection)[id],
			onchange: () => app.go({ show: showToggled(app.selection, id),
				zoom: null }) }), title));
}

function legendMake(app) {
	const entry = (name, title) => el("li", {}, el("i", { class: name + "-box" }), title);

	if (app.model.isDiff)
		return el("ul", { class: "legend" }, entry("faster", "faster"),
			entry("same", "as before, or chance"), entry("slower", "slower"),
			el("li", { class: "quiet" }, "as wide as the larger side"));

	const ofPython = app.model.flags.some(f => f & python);

	return el("ul", { class: "legend" },
		entry("own", ofPython ? "the program's Python" : "the program"),
		ofPython && entry("python", "packages in Python"),
		entry("library", ofPython ? "compiled code" : "libraries"),
		app.model.kind.includes(kinds.mpi) && entry("mpi", "MPI"),
		app.model.kind.includes(kinds.kernel) && entry("gpu", "GPU"),
		app.model.kind.includes(kinds.io) && entry("io", "files"),
		app.model.kind.includes(kinds.openmp) && entry("openmp", "OpenMP's runtime"),
		entry("rest", "system, or without a name"));
}

export const viewFlame = {
	id: "flame", title: "Flame graph", strip: true, finds: true,
	byTime: "cells", byPhase: true,
	about: "Each box is a function on its call path, below its caller, as wide " +
		"as its value with all that it called. Click selects, double click or " +
		"Enter zooms, Escape zooms out, arrows move, / searches.",
	has: app => app.model.count > 1,
	make(app, element) {
		let shown;
		const flame = new Flame({
			label: box => (box ? app.model.name(nodeOf(shown, box))
				: `all: ${valueText(shown.all[0], app.unit)} of ${app.metricText}`),
			colour: box => (shown.after
				? changeColour(changeShare(app, shown, box))
				: boxColour(app.model, nodeOf(shown, box))),
			about: box => aboutBox(app, shown, box || 0),
			onselect: box => app.go({
				path: box ? shown.node[box] : null, box }),
			onzoom: box => app.go({
				zoom: box ? shown.node[box] : null, zoomBox: box }),
		});
		const bar = el("div", { class: "options" });
		const hits = el("span", { class: "hits", "aria-live": "polite" });

		element.append(bar, flame.element);
		app.drawn = flame;
		return { update(change) {
			shown = treeShown(app);
			bar.replaceChildren(...optionsMake(app), legendMake(app), hits);

			// An inverted box stands for several call paths: what was clicked
			// is remembered beside the node that the address has.
			const at = name => (change[name] !== undefined && shown.frame
				? change[name] || null : null);
			const zoom = at("zoomBox") ?? boxOfNode(shown, app.selection.zoom) ?? 0;
			const box = at("box") ?? boxOfNode(shown, app.selection.path);
			const found = app.selection.find
				? search(app, shown, app.selection.find) : null;

			hits.textContent = found ? `“${app.selection.find.slice(0, 60)}”: ${
				found.found.size} boxes, ${
				shareText(found.value / shown.all[0] || 0)} of all` : "";
			flame.show(shown, zoom, box, found?.found);
		} };
	},
};
