// SPDX-License-Identifier: BSD-3-Clause
// view-source.js - the hottest lines, with their source where it is in the
// page.
import { heatColour } from "./colour.js";
import { el, elReplace } from "./dom.js";
import { kinds } from "./model.js";
import { shareText, valueText } from "./units.js";

// Values of lines, by file and number.
function linesOf(model, own) {
	const lines = new Map();

	for (let n = 1; n < model.count; n++) {
		if (model.kind[n] !== kinds.line || !own[n] || !model.line[n])
			continue;

		const file = model.string(model.file[n]);

		if (!lines.has(file))
			lines.set(file, new Map());

		const of = lines.get(file);
		const at = of.get(model.line[n]) || { value: 0, node: n, best: 0 };

		at.value += own[n];
		if (own[n] > at.best)
			Object.assign(at, { best: own[n], node: n });
		of.set(model.line[n], at);
	}
	return lines;
}

// Tabs are eight columns wide.
export function tabsExpand(text) {
	let to = "";

	for (const c of text)
		to += c === "\t" ? " ".repeat(8 - to.length % 8) : c;
	return to;
}

function lineRow(app, number, text, line, top) {
	const chosen = line && app.selection.path !== null &&
		app.model.scope(app.selection.path).includes(line.node);

	return el("tr", { class: chosen && "chosen" },
		el("td", { style: line && `border-left:.4rem solid ${
			heatColour(Math.sqrt(line.value / top))}` },
		line ? valueText(line.value, app.unit) : ""),
		el("td", {}, line ? shareText(line.value / app.all[0] || 0) : ""),
		el("td", { class: "lineno" }, line ? el("a", { href: app.link(
			{ path: line.node }) }, `${number}`) : `${number}`),
		el("td", { class: "code" }, tabsExpand(text)));
}

function fileMake(app, file, lines, source) {
	const top = Math.max(...[...lines.values()].map(l => l.value), 1e-300);
	const known = new Map(source?.lines || []);
	const numbers = [...new Set([...lines.keys(), ...known.keys()])]
		.filter(n => known.size || lines.get(n).value > app.all[0] / 500)
		.sort((a, b) => a - b);
	const rows = [];
	let last = 0;

	for (const number of numbers) {
		if (last && number > last + 1 && known.size)
			rows.push(el("tr", { class: "gap" }, el("td", { colspan: 4 }, "⋯")));
		rows.push(lineRow(app, number, known.get(number) ?? "", lines.get(number),
			top));
		last = number;
	}
	return rows.length > 0 && el("section", { class: "source" }, el("h3", {}, file),
		source?.changed && el("p", { class: "problem" },
			"This file is younger than the run: lines may have moved."),
		el("div", { class: "scroll" }, el("table", {}, el("thead", {},
			el("tr", {}, [app.metric, "share", "line", ""].map(t =>
				el("th", { scope: "col" }, t)))), el("tbody", {}, rows))));
}

const linesSum = lines => [...lines.values()].reduce((s, l) => s + l.value, 0);

export const viewSource = {
	id: "source", title: "Source", strip: true, byPhase: true,
	about: "Lines that were sampled themselves, by file. A click on a number " +
		"selects the call path with the most of that line.",
	has: app => app.model.page.sources?.length > 0 &&
		app.model.kind.includes(kinds.line),
	make(app, element) {
		const note = el("p", { class: "about" }), body = el("div");
		const sources = new Map((app.model.page.sources || [])
			.map(s => [s.file, s]));

		element.append(note, body);
		return { update() {
			const lines = linesOf(app.model, app.own);
			const files = [...lines].sort((a, b) => linesSum(b[1]) - linesSum(a[1]));

			const why = app.model.page.sourcesWhy || "";

			note.textContent = "The source around the hottest lines is in this " +
				"page." + (why && ` Not in it: ${why}.`);
			elReplace(body, files.slice(0, 12).map(([file, of]) =>
				fileMake(app, file, of, sources.get(file))));
		} };
	},
};
