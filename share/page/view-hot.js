// SPDX-License-Identifier: BSD-3-Clause
// view-hot.js - functions, lines and loops by their value, and the callers and
// callees of one function.
import { boxColour } from "./colour.js";
import { el, elReplace } from "./dom.js";
import { csvOfTable, csvText, saveButton } from "./svg.js";
import { treeAround, treeBuild, treeSpots, treeValues } from "./tree.js";
import { shareText, sum, valueText } from "./units.js";

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
			model.isPart(spot.node)
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

// Libraries fold into the function that called them, until all code is asked for.
const isMineOnly = app => !app.selection.show.includes("all");

// Largest first, those that are shown, and small ones.
function spotsShown(app, kind, total) {
	const { model } = app, found = app.selection.find.toLowerCase();
	const mine = isMineOnly(app), size = s => (kind === "loop" ? s.all : s.own);
	const spots = treeSpots(model, mine && kind === "function"
		? model.folded(app.own) : app.own, kind)
		.filter(s => (kind === "loop" || s.own) && (!mine ||
			kind === "function" || model.isMine(s.node)));

	if (found)
		return { small: [], spots: spots.filter(s => (model.name(s.node) + " " +
			model.functionName(s.node)).toLowerCase().includes(found)) };

	// Of 0.0 %, or small and no more than chance may do.
	const isSmall = s => size(s) < total / 2000 || size(s) < total / 200 &&
		size(s) <= total * marginOf(app, size(s) / total);

	return { spots: spots.filter(s => !isSmall(s)), small: spots.filter(isSmall) };
}

function spotsCsv(app, kind, spots) {
	const { model } = app;

	return csvText([[kind, "in", "itself", "with all below"], ...spots.map(s =>
		[model.name(s.node), model.moduleName(s.node), s.own, s.all])]);
}

function spotsTable(app, kind, most) {
	const total = app.all[0], { spots, small } = spotsShown(app, kind, total);
	const body = el("tbody", {}, spots.slice(0, most).map(s =>
		spotRow(app, s, total)));
	const more = el("button", { type: "button", class: "more", onclick: () => {
		elReplace(body, [...spots, ...small].map(s => spotRow(app, s, total)));
		more.hidden = true;
	} }, `all ${spots.length + small.length} rows`, small.length > 0 && ` (${
		small.length} of 0.0 %, or that may be chance: ${valueText(sum(small.map(s => s.own)),
		app.unit)} together)`);

	more.hidden = spots.length <= most && !small.length;
	return [el("div", { class: "scroll" }, el("table", {},
		el("thead", {}, el("tr", {}, [kind, "in", "itself", "share", "",
			"with all below", "share"].map((t, i) =>
			el("th", { class: i < 2 ? "text" : "" }, t)))), body)), more,
	saveButton("CSV", kind + "s", () => spotsCsv(app, kind, [...spots, ...small]))];
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

	const table = el("table", {},
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
			el("td", {}, s.before ? shareText(s.now / s.before - 1) : "new")))));

	return [el("div", { class: "scroll" }, table),
		saveButton("CSV", "functions", () => csvOfTable(table))];
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

			// A page without source has its lines here.
			const { show, view } = app.selection;
			const kind = kindsShown.map(k => k[0]).find(k => show.includes(k)) ||
				(view === "source" ? "line" : "function");

			elReplace(tabs, kindsShown.map(([id, title]) => el("a", {
				href: app.link({ show: [...show.filter(w => w === "all"), id] }),
				class: "tab", "aria-current": id === kind && "true" }, title)),
			app.model.hasOthers && el("label", { title: "libraries are part of the function " +
				"that called them" }, el("input", { type: "checkbox", name: "mine",
				checked: isMineOnly(app), onchange: () => app.go({ show:
					isMineOnly(app) ? [...show, "all"]
						: show.filter(w => w !== "all") }) }), "my code"));
			elReplace(body, spotsTable(app, kind, spotsFew));
		} };
	},
};

function aroundList(app, title, entries, total) {
	const large = entries.filter(e => e.value >= total / 2000);
	const table = el("table", {}, el("tbody", {},
		large.slice(0, spotsFew).map(e => el("tr", {},
			el("td", { class: "text" }, e.node
				? el("a", { href: app.link({ path: e.node }) },
					app.model.name(e.node)) : "(nothing)"),
			el("td", {}, valueText(e.value, app.unit)),
			el("td", {}, shareText(e.value / total || 0)),
			barCell(e.value / total, boxColour(app.model, e.node))))));

	return el("section", { class: "around" }, el("h3", {}, title),
		entries.length ? [table, saveButton("CSV", title, () => csvOfTable(table)),
			large.length < entries.length && el("p", { class: "quiet" },
				`${entries.length - large.length} more of 0.0 %`)]
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
