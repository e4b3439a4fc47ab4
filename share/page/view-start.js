// SPDX-License-Identifier: BSD-3-Clause
// view-start.js - the first screen: what is worth mending, how well the run
// went, and where the time of all ranks was.
import { el } from "./dom.js";
import { parts } from "./model.js";
import { canvasFit } from "./dom.js";
import { ink } from "./colour.js";
import { rowsParse } from "./selection.js";
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
		zoom: null, find: "",
	});
}

function findingMake(app, finding) {
	const text = Array.isArray(finding.text) ? finding.text[1] : finding.text;
	const known = severities.includes(finding.severity) ? finding.severity : "low";
	const gain = finding.gain ?? finding.gain_most;

	return el("li", { class: "finding " + known },
		el("a", { href: findingLink(app, finding) },
			el("span", { class: "severity" }, finding.severity),
			el("span", { class: "sentence" }, text)),
		gain !== null && gain !== undefined && el("p", { class: "gain" },
			"To gain: up to ", el("b", {}, timeText(gain)),
			finding.gain_share ? `, ${shareText(
				[finding.gain_share].flat()[0])} of the run` : ""),
		finding.advice && el("p", { class: "advice" }, finding.advice));
}

// Sentences of the text reports that are no finding of a rule: remarks and
// warnings.  Lines that begin with spaces go on from the one before.
function remarksOf(app, findings) {
	const told = findings.map(f => String([f.text].flat().pop()));
	const remarks = [];

	for (const id of ["summary", "diagnose"]) {
		let open = null;

		for (const line of app.model.report(id)?.lines || []) {
			const text = line.replace(/^([•–!]|  ) ?/, "");

			if (line.startsWith("  ")) {
				open?.push(text);
				continue;
			}
			open = null;
			if (!/^[•–!]/.test(line) && id === "summary" ||
			    told.some(t => t.includes(text) || text.includes(t)))
				continue;
			told.push(text);
			remarks.push(open = [text]);
		}
	}
	return remarks.map(r => r.join(" "));
}

function findingsMake(app) {
	const findings = recordsOf(app.model.table("diagnose", "findings"));
	const remarks = remarksOf(app, findings);

	if (!findings.length && !remarks.length)
		return null;
	return el("section", { class: "findings" },
		el("h2", {}, "What is worth mending"),
		findings.length > 0 && el("ol", {},
			findings.map(f => findingMake(app, f))),
		remarks.length > 0 && el("ul", { class: "remarks" },
			remarks.map(r => el("li", {}, app.sentence(r)))));
}

// A factor is a bar within the one before: what is left of it, and lost.
function factorsMake(app) {
	const run = recordsOf(app.model.table("efficiency", "factors"))[0] ||
		recordsOf(app.model.table("summary", "run"))[0];

	if (!run || !run.parallel_efficiency)
		return null;

	const value = name => [run[name]].flat()[0];
	const factors = [
		["load balance", "load_balance", "uneven work"],
		["serialisation", "serialisation_efficiency", "waiting in turn"],
		["transfer", "transfer_efficiency", "data on its way"],
	];
	let left = 1;
	const rows = factors.filter(f => value(f[1]) > 0).map(([title, name, why]) => {
		const before = left;

		left *= value(name);
		return el("tr", {}, el("th", { scope: "row" }, title),
			el("td", { class: "number" }, shareText(value(name))),
			el("td", { class: "factor" }, el("span", { class: "left",
				style: `width:${left * 100}%` }), el("span", { class: "lost",
				style: `width:${(before - left) * 100}%`,
				title: `${shareText(before - left)} of the time lost: ${why}` })),
			el("td", { class: "why" }, value(name) > 0.995 ? ""
				: `−${shareText(before - left)}: ${why}`));
	});

	return el("section", { class: "factors" },
		el("h2", {}, "Parallel efficiency ",
			shareText(value("parallel_efficiency"))),
		el("table", {}, rows),
		(app.model.report("summary")?.lines || []).filter(l => /^MPI \d/.test(l))
			.map(l => el("p", {}, `${l}.`)),
		el("p", { class: "about" }, "Of the ranks' time, so much was spent outside " +
			"MPI. The factors multiply to it; each bar is what the one above has " +
			"left, hatched what this factor loses."));
}

// Seconds by row of ranks, exactly of few, of many as the drawn shares of the
// longest rank's elapsed time tell; null: not known.
function partOfRanks(model, table, id) {
	const c = table.columns.findIndex(k => k.id === id);
	const title = table.columns[c]?.title;
	const drawn = recordsOf(model.table("ranks", "parts")).find(p =>
		p.part === title || p.part.toLowerCase().replaceAll(" ", "_") === id);
	const strip = drawn && Object.values(drawn).find(v =>
		typeof v === "string" && model.stream.array(v));

	if (strip) {
		const longest = longestElapsed(model);

		// What is drawn is the share of the most; the table has what that is.
		return model.drawn(strip).map(v => v * longest);
	}
	return c >= 0 && table.rows.length >= Math.min(model.rankCount, 2)
		? table.rows.map(row => [row[c]].flat()[0] || 0) : null;
}

function longestElapsed(model) {
	const elapsed = model.stream.array("rank.elapsed") || [1e6];

	return elapsed.reduce((m, v) => Math.max(m, v), 0) / 1e6;
}

// [{ id, title, ink, values: by row of ranks }] of what is not 0.
export function timesOf(model) {
	const table = model.table("ranks", "ranks");
	const times = [];

	for (const [id, title, colour] of parts) {
		const values = table ? partOfRanks(model, table, id) : null;

		// Files are part of the time outside MPI that "compute" tells.
		if (id !== "files" && values && values.some(v => v > 0))
			times.push({ id, title, colour, values });
	}
	return times.length ? timesOfGpus(model, times) : timesInMpi(model);
}

// What of "compute" was waiting for GPUs.  Threads that wait at the same time
// would count twice; where their sum is no more than there is, few do.
function timesOfGpus(model, times) {
	const compute = times.find(t => t.id === "compute");
	const waited = model.metric("gpu.sync.time") &&
		model.byRank("gpu.sync.time", 0)?.columns;
	const threads = model.stream.array("rank.threads") || [];
	const most = r => Math.min(waited[r].mean / 1e9, compute.values[r]);

	if (!compute || waited?.length !== compute.values.length ||
	    threads.some(t => t !== 1) &&
	    waited.some((c, r) => most(r) < c.mean / 1e9))
		return times;

	const gpu = waited.map((c, r) => most(r));

	return [{ ...compute, values: compute.values.map((v, r) => v - gpu[r]) },
		...times.filter(t => t !== compute),
		{ id: "gpu_wait", title: "waiting for GPUs", colour: "gpu", values: gpu }];
}

// Of a page without the report on ranks: inside MPI, and outside.
function timesInMpi(model) {
	const elapsed = model.stream.array("rank.elapsed") || [];
	const inside = model.stream.array("rank.mpi") || [];
	const of = value => Array.from(elapsed, (v, r) => value(v, inside[r]) / 1e6);
	const times = [
		{ title: "outside MPI", colour: "own", values: of((v, mpi) => v - mpi) },
		{ title: "in MPI", colour: "mpi", values: of((v, mpi) => mpi) },
	];

	return inside.some(v => v > 0) ? times : [];
}

export const sum = values => values.reduce((a, b) => a + b, 0);

function barOfAll(times) {
	const total = sum(times.map(t => sum(t.values)));

	return [el("div", { class: "times", role: "img", "aria-label":
			times.map(t => `${t.title} ${shareText(sum(t.values) / total)}`)
				.join(", ") },
	times.map(t => el("span", { class: t.colour,
		style: `width:${sum(t.values) / total * 100}%`,
		title: `${t.title}: ${timeText(sum(t.values))}` }))),
	el("ul", { class: "legend" }, times.map(t => el("li", {},
		el("i", { class: t.colour }), t.title + " ",
		el("b", {}, shareText(sum(t.values) / total)), " ",
		el("span", { class: "quiet" }, timeText(sum(t.values))))))];
}

function barOfRank(app, times, row, top) {
	const total = sum(times.map(t => t.values[row]));
	const label = app.model.rankLabel(row);

	return el("a", { class: "rank", href: app.link({ view: "ranks",
		ranks: [[row, row]] }), title: `${label} on ${app.model.rankHost(row)}` },
	el("span", { class: "name" }, label),
	el("span", { class: "times" }, times.map(t => el("span", {
		class: t.colour, style: `width:${t.values[row] / top * 100}%`,
		title: `${label}: ${t.title} ${timeText(t.values[row])}` }))),
	el("span", { class: "total" }, timeText(total)));
}

const manyRanks = 32;

// A stack for each rank, or for as many as one pixel has to show (their mean).
function stacksDraw(canvas, times, count) {
	canvasFit(canvas, 110, (context, width, height) => {
		const columns = Math.min(count, Math.floor(width));
		const top = timesTop(times, count);

		for (let c = 0; c < columns; c++) {
			const from = Math.floor(c * count / columns);
			const to = Math.max(Math.floor((c + 1) * count / columns), from + 1);
			let y = height;

			for (const t of times) {
				const mean = sum(t.values.slice(from, to)) / (to - from);
				const tall = mean / top * height;

				context.fillStyle = ink(t.colour);
				context.fillRect(c * width / columns, y - tall,
					width / columns + 0.3, tall);
				y -= tall;
			}
		}
	});
}

function timesTop(times, count) {
	let top = 1e-12;

	for (let r = 0; r < count; r++)
		top = Math.max(top, sum(times.map(t => t.values[r])));
	return top;
}

function timesMake(app, later) {
	const times = timesOf(app.model);

	if (!times.length)
		return null;

	const count = times[0].values.length;
	const top = timesTop(times, count);
	const section = el("section", { class: "where" },
		el("h2", {}, `Where the time of all ${app.model.noun === "process"
			? "processes" : "ranks"} went`), barOfAll(times));

	if (count > manyRanks) {
		const canvas = el("canvas", { class: "stacks", role: "img",
			"aria-label": "time of each rank, stacked" });

		section.append(el("p", { class: "about" }, "Each column is one of " +
			`${count} ranks, from rank 0, or the mean of as many as stand in ` +
			"one pixel. The view Ranks names those that stand out."), canvas);
		later.push(() => stacksDraw(canvas, times, count));
	} else if (count > 1)
		section.append(el("div", { class: "ranks" },
			times[0].values.map((_, r) => barOfRank(app, times, r, top))));
	return section;
}

function spotsMake(app) {
	const table = app.model.table("summary", "hot_paths");

	return table && el("section", { class: "spots" },
		el("h2", {}, el("a", { href: app.link({ view: "flame" }) }, "Hot paths")),
		tableMake(app, { ...table, title: null, more: 0,
			rows: table.rows.slice(0, 8), columns: table.columns.map(c =>
				(["inclusive", null].includes(c.id)
					? { ...c, title: null } : c)) }, 8));
}

export const viewStart = {
	id: "start", title: "Overview",
	has: app => !app.model.isDiff && app.model.report("summary"),
	make(app, element) {
		const later = [];

		element.append(el("div", { class: "start" },
			[findingsMake(app), factorsMake(app), spotsMake(app),
				timesMake(app, later)].filter(Boolean)));
		return { update() {
			for (const draw of later)
				draw();
		} };
	},
};
