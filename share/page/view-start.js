// SPDX-License-Identifier: BSD-3-Clause
// view-start.js - the first screen: what the time of all ranks went into, a
// sentence for each large part, and how well the run went.
import { el, elReplace } from "./dom.js";
import { rowsParse } from "./selection.js";
import { partChosen, partLink, partMake, splitBar, splitColour, splitOf }
	from "./split.js";
import { savedBars } from "./svg.js";
import { shareText, timeText } from "./units.js";
import { tableMake } from "./table.js";

const severities = ["critical", "high", "serious", "warning", "medium", "low"];

function recordsOf(table) {
	return table ? table.rows.map(row => Object.fromEntries(
		table.columns.map((c, i) => [c.id || c.title, row[i]]))) : [];
}

// The view that shows best what a rule found.
function viewOf(finding, app) {
	const rule = String(finding.rule || "");

	if (/iteration|drift|unsteady|start-and-end/.test(rule) &&
	    app.hasView("steps"))
		return "steps";
	if (/threads|regions|lock|gil/.test(rule) && app.hasView("threads"))
		return "threads";
	if (/gpu|copies|bandwidth|synchronisation|launch/.test(rule) &&
	    app.hasView("gpu"))
		return "gpu";
	if (/sender|receiver|barrier|serial|chain|rotating|delay/.test(rule) &&
	    app.hasView("waits"))
		return "waits";
	return "flame";
}

function findingLink(app, finding) {
	return app.link({
		view: viewOf(finding, app),
		path: finding.node > 0 ? finding.node : null,
		ranks: rowsParse(finding.rows),
		zoom: null, find: "", show: [],
	});
}

const findingText = f => String([f.text].flat().pop());

// What a rule found, how to mend it, and what that gains; behind its part.
function findingMake(app, finding, part) {
	const known = severities.includes(finding.severity) ? finding.severity : "low";
	const gain = finding.gain ?? finding.gain_most;

	return el("li", { class: "finding " + known }, part,
		el("a", { href: findingLink(app, finding) },
			el("span", { class: "severity" }, finding.severity),
			el("span", { class: "sentence" }, findingText(finding))),
		gain !== null && gain !== undefined && el("p", { class: "gain" },
			"To gain: up to ", el("b", {}, timeText(gain)),
			finding.gain_share ? `, ${shareText(
				[finding.gain_share].flat()[0])} of the run` : ""),
		finding.advice && el("p", { class: "advice" }, finding.advice));
}

// The sentences of the summary below its head, which ends with what the time
// went into, then those of diagnose that it does not have: [{ text, part, label,
// finding }].  Lines that begin with spaces go on from the one before; a bullet
// without a label is of the part before.  That no rule found anything is no
// sentence where others are.
export function sentencesOf(model, findings) {
	const parts = splitOf(model), said = [];
	let open = null, part = null, below = false;

	for (const id of ["summary", "diagnose"]) {
		for (const line of model.report(id)?.lines || []) {
			const text = line.replace(/^([•–!]|  ) ?/, "");

			if (line.startsWith("  ")) {
				if (open)
					open.text += " " + text;
				continue;
			}
			open = null;

			const finding = findings.find(f => text.includes(findingText(f)));

			below ||= /^Of [\d.]+ \S+: /.test(line);
			if (!/^[•–!]/.test(line) && (id === "summary"
				? !below || /^Of /.test(line) : said.length) || said.some(s =>
				s.text.includes(text) || finding && s.finding === finding))
				continue;

			const [, label, rest] = /^(\d+ % [^:]+): ([^]*)$/.exec(text) || [];
			const found = label && parts.find(p => label.endsWith(" % " + p.title));

			part = found || (/^•/.test(line) && id === "summary" &&
				model.noun !== "process" ? part : null);
			said.push(open = { text: found ? rest : text, part, finding,
				label: found ? label : "", warns: line.startsWith("!") });
		}
		part = null;
	}
	return [...said, ...findings.filter(f => !said.some(s => s.finding === f))
		.map(finding => ({ text: "", part: null, label: "", finding }))];
}

function sentenceMake(app, { text, part, label, finding, warns }) {
	const mark = part && el("a", { class: "of-part", href: partLink(app, part.id),
		title: part.title }, el("i", { style: splitColour(part) }),
	label && label + ": ");

	return finding ? findingMake(app, finding, mark)
		: el("li", { class: warns ? "finding medium" : "plain" }, mark,
			app.sentence(text));
}

// The bar of all parts, what one of them was, and the sentences.
function splitMake(app, later) {
	const parts = splitOf(app.model);
	const findings = recordsOf(app.model.table("diagnose", "findings"));
	const bar = el("div"), panel = el("div"), sentences = el("ul");
	const all = sentencesOf(app.model, findings);

	if (!parts.length && !all.length)
		return null;
	later.push(() => {
		const part = parts.find(p => p.id === partChosen(app));
		const [element, draw] = part ? partMake(app, part) : [];

		elReplace(bar, parts.length > 0 && splitBar(app, parts));
		elReplace(panel, element);
		draw?.();
		elReplace(sentences, all.map(s => sentenceMake(app, s)));
	});
	return el("section", { class: "findings" },
		el("h2", {}, app.model.rankCount < 2 ? "Where the time went"
			: `Where the time of all ${app.model.noun === "process"
				? "processes" : "ranks"} went`), bar, panel, sentences);
}

// What each factor loses of the run, one behind the other, and why.
function factorsMake(app) {
	const losses = recordsOf(app.model.table("efficiency", "losses"));
	let left = 1;

	if (!losses.length)
		return null;

	const rows = losses.map(({ by, value, share, seconds, verdict }) => {
		left -= share;
		return [el("tr", {}, el("th", { scope: "row" }, by),
			el("td", { class: "number" }, shareText(value)),
			el("td", { class: "factor" }, el("span", { class: "left",
				style: `width:${Math.max(left, 0) * 100}%` }),
			el("span", { class: "lost", style: `width:${share * 100}%`,
				title: `${timeText(seconds)} of the run is lost` })),
			el("td", { class: "why" }, share < 0.005 ? "" : `−${shareText(share)}`)),
		el("tr", { class: "verdict-of" }, el("td", { colspan: 4 },
			[verdict].flat().pop().replace(/^[^:]*: /, "")))];
	});

	return el("section", { class: "factors" },
		el("h2", {}, "Parallel efficiency ", shareText(Math.max(left, 0))),
		savedBars("factors", el("table", {}, rows)),
		(app.model.report("summary")?.lines || []).filter(l => /^MPI \d/.test(l))
			.map(l => el("p", {}, `${l}.`)),
		el("p", { class: "about" }, "What each factor loses of the run is hatched: " +
			"together that is all that is missing to 100 %."));
}

function spotsMake(app) {
	const table = app.model.table("summary", "hot_paths");

	return table && el("section", { class: "spots" },
		el("h2", {}, el("a", { href: app.link({ view: "flame", show: [] }) },
			"Hot paths")),
		tableMake(app, { ...table, title: null, more: 0,
			rows: table.rows.slice(0, 8), columns: table.columns.map(c =>
				(["inclusive", null].includes(c.id)
					? { ...c, title: null } : c)) }, 8, {}, "hot paths"));
}

export const viewStart = {
	id: "start", title: "Overview",
	has: app => !app.model.isDiff && app.model.report("summary"),
	make(app, element) {
		const later = [];

		element.append(el("div", { class: "start" },
			[splitMake(app, later), factorsMake(app), spotsMake(app)]
				.filter(Boolean)));
		return { update() {
			for (const draw of later)
				draw();
		} };
	},
};
