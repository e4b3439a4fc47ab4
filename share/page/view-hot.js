// SPDX-License-Identifier: BSD-3-Clause
// view-hot.js - functions, lines and loops by their value, and the callers and
// callees of one function.
import { boxColour } from "./colour.js";
import { el, elReplace } from "./dom.js";
import { treeAround, treeBuild, treeSpots, treeValues } from "./tree.js";
import { shareText, valueText } from "./units.js";

const kindsShown = [["function", "functions"], ["line", "lines"], ["loop", "loops"]];
const spotsFew = 40;

// Of a share of samples, 95 %; null where values are exact.
export function marginOf(app, share) {
	const samples = app.slice ? app.slice.moments(app.selection.ranks)
		: app.model.metric("samples")?.total;

	if (!app.slice && !app.model.metric(app.metric)?.sampled || !samples)
		return null;
	return 1.96 * Math.sqrt(Math.max(share * (1 - share), 0) / samples);
}

function barCell(share, colour) {
	return el("td", { class: "barcell" }, el("span", { class: "bar" },
		el("span", { style: `width:${Math.min(share, 1) * 100}%;` +
			`background:${colour}` })));
}

function spotRow(app, spot, total) {
	const { model, unit } = app;
	const share = spot.own / total || 0;
	const margin = marginOf(app, share);
	const file = model.string(model.file[spot.node]);
	const chosen = app.selection.path !== null &&
		model.scope(app.selection.path).includes(spot.node);

	return el("tr", { class: chosen && "chosen" },
		el("td", { class: "text" }, el("a", { href: app.link({ path: spot.node }) },
			model.kind[spot.node] === 2 || model.kind[spot.node] === 7
				? `${model.name(spot.node)} in ${model.functionName(spot.node)}`
				: model.name(spot.node))),
		el("td", { class: "text quiet", title: file || model.string(
			model.module[spot.node]) }, model.moduleName(spot.node)),
		el("td", {}, valueText(spot.own, unit)),
		el("td", {}, shareText(share, margin)),
		barCell(share, boxColour(model, spot.node)),
		el("td", {}, valueText(spot.all, unit)),
		el("td", {}, shareText(spot.all / total || 0)));
}

function spotsTable(app, kind, most) {
	const spots = treeSpots(app.model, app.own, kind)
		.filter(s => kind === "loop" || s.own);
	const total = app.all[0];
	const found = app.selection.find.toLowerCase();
	const wanted = found ? spots.filter(s =>
		(app.model.name(s.node) + " " + app.model.functionName(s.node))
			.toLowerCase().includes(found)) : spots;

	return el("div", { class: "scroll" }, el("table", {},
		el("thead", {}, el("tr", {}, [kind, "in", "itself", "share", "",
			"with all below", "share"].map((t, i) =>
			el("th", { class: i < 2 ? "text" : "" }, t)))),
		el("tbody", {}, wanted.slice(0, most).map(s => spotRow(app, s, total)))),
	wanted.length > most && el("p", { class: "about" },
		`The largest ${most} of ${wanted.length}; search finds the others.`));
}

// Of a diff: functions on both sides, the largest change first.
export function spotsChanged(model, own, base) {
	const key = s => model.functionName(s.node) + "\n" + model.moduleName(s.node);
	const changed = new Map();
	const add = (side, spots) => {
		for (const spot of spots) {
			const at = changed.get(key(spot)) ||
				{ node: spot.node, before: 0, now: 0 };

			at[side] += spot.own;
			changed.set(key(spot), at);
		}
	};

	add("now", treeSpots(model, own, "function"));
	add("before", treeSpots(model, base, "function"));
	return [...changed.values()].filter(s => s.before || s.now)
		.sort((a, b) => Math.abs(b.now - b.before) - Math.abs(a.now - a.before));
}

function changesTable(app) {
	const { model, unit } = app;
	const found = app.selection.find.toLowerCase();
	const spots = spotsChanged(model, app.own, app.base).filter(s =>
		model.functionName(s.node).toLowerCase().includes(found)).slice(0, spotsFew);

	return el("div", { class: "scroll" }, el("table", {},
		el("thead", {}, el("tr", {}, ["function", "in", "before", "now", "change",
			"of its own"].map((t, i) => el("th", { class: i < 2 && "text" }, t)))),
		el("tbody", {}, spots.map(s => el("tr", {},
			el("td", { class: "text" }, el("a", { href: app.link({ path: s.node }) },
				model.functionName(s.node))),
			el("td", { class: "text quiet" }, model.moduleName(s.node)),
			el("td", {}, valueText(s.before, unit)),
			el("td", {}, valueText(s.now, unit)),
			el("td", {}, (s.now > s.before ? "+" : "") +
				valueText(s.now - s.before, unit)),
			el("td", {}, s.before ? shareText(s.now / s.before - 1) : "new"))))));
}

export const viewHot = {
	id: "hot", title: "Hot spots", strip: true, finds: true,
	byTime: "cells", byPhase: true,
	about: "What functions, lines and loops took themselves, without what they " +
		"called. A click selects the call path with the most of it.",
	has: app => app.model.count > 1,
	make(app, element) {
		const tabs = el("div", { class: "options" });
		const body = el("div");

		element.append(tabs, body);
		return { update() {
			if (app.model.isDiff) {
				elReplace(body, changesTable(app));
				return;
			}

			const show = app.selection.show;
			const kind = kindsShown.map(k => k[0]).find(k => show.includes(k)) ||
				"function";

			elReplace(tabs, kindsShown.map(([id, title]) => el("a", {
				href: app.link({ show: [id] }), class: "tab",
				"aria-current": id === kind && "true" }, title)));
			elReplace(body, spotsTable(app, kind, spotsFew));
		} };
	},
};

function aroundList(app, title, entries, total) {
	return el("section", { class: "around" }, el("h3", {}, title),
		entries.length ? el("table", {}, el("tbody", {},
			entries.slice(0, spotsFew).map(e => el("tr", {},
				el("td", { class: "text" }, e.node
					? el("a", { href: app.link({ path: e.node }) },
						app.model.name(e.node)) : "(nothing)"),
				el("td", {}, valueText(e.value, app.unit)),
				el("td", {}, shareText(e.value / total || 0)),
				barCell(e.value / total, boxColour(app.model, e.node))))))
			: el("p", { class: "quiet" }, "none"));
}

// The function that takes the most itself.
function busiest(app) {
	return treeSpots(app.model, app.own, "function")[0]?.node || 0;
}

export const viewCallers = {
	id: "callers", title: "Callers", strip: true, byTime: "cells", byPhase: true,
	about: "The selected function wherever it was called: who called it, and " +
		"what it called, by the value with all below. Recursion counts once.",
	has: app => app.model.count > 1,
	make(app, element) {
		const body = el("div");

		element.append(body);
		return { update() {
			const node = app.selection.path || busiest(app);
			const tree = app.kept("tree around", () => treeBuild(app.model,
				{ inlined: true, loops: false, lines: false }));
			const values = treeValues(tree, app.own);
			const frame = tree.node[tree.boxOf[node]];
			const around = treeAround(app.model, tree, values.alone, values.all,
				frame);

			elReplace(body, el("div", { class: "sandwich" },
				aroundList(app, "called by", around.callers, around.total),
				el("section", { class: "middle" },
					el("h3", {}, app.model.name(frame)),
					el("p", {}, el("b", {}, valueText(around.total, app.unit)), " ",
						shareText(around.total / app.all[0] || 0), " of all"),
					el("p", {}, valueText(around.own, app.unit), " of it itself"),
					el("p", { class: "quiet" }, app.model.moduleName(frame))),
				aroundList(app, "calls", around.callees, around.total)));
		} };
	},
};
