// SPDX-License-Identifier: BSD-3-Clause
// view-gpu.js - GPUs: how busy each was, why they were idle, and kernels by the
// functions of the program that launched them; then the tables of the reports.
import { el, textClean } from "./dom.js";
import { unnamed } from "./model.js";
import { roofMake } from "./roof.js";
import { shareText, timeText } from "./units.js";
import { savedBars } from "./svg.js";
import { reportView } from "./view-mpi.js";

const barsFew = 16, launchInks = 10;

function gpuRows(model, report, id) {
	const table = model.table(report, id);
	const column = name => table.columns.findIndex(c => c.id === name);

	return table ? table.rows.map(row => name =>
		(column(name) < 0 ? null : row[column(name)])) : [];
}

const fullText = cell => (Array.isArray(cell) ? cell[1] : cell);
const shortText = cell => (Array.isArray(cell) ? cell[0] : cell);

// Rows with one name become a bar, with a part for each function of the program
// that they are in: [{ name, seconds, parts: [{ node, seconds }] }], the longest
// first.
export function barsOf(rows, frameOf) {
	const bars = new Map();

	for (const { name, path, seconds } of rows) {
		const bar = bars.get(name) || { name, seconds: 0, parts: new Map() };
		const node = path ? frameOf(path) : 0;

		bar.seconds += seconds;
		bar.parts.set(node, (bar.parts.get(node) || 0) + seconds);
		bars.set(name, bar);
	}
	return [...bars.values()].filter(b => b.seconds > 0)
		.sort((a, b) => b.seconds - a.seconds).map(b => ({ ...b, parts:
			[...b.parts].map(([node, seconds]) => ({ node, seconds }))
				.sort((x, y) => y.seconds - x.seconds || x.node - y.node) }));
}

// The functions that all bars together have most of, with their colours.
function launchColours(bars) {
	const sums = new Map();

	for (const { parts } of bars)
		for (const { node, seconds } of parts)
			sums.set(node, (sums.get(node) || 0) + seconds);

	return new Map([...sums].filter(s => s[0]).sort((a, b) => b[1] - a[1] ||
		a[0] - b[0]).slice(0, launchInks).map(([node], i) =>
		[node, `var(--path-${i})`]));
}

function gpuBar(app, bar, top, colours) {
	const { model } = app;
	const colour = node => colours.get(node) || "var(--rest-box)";

	return el("div", { class: "rank gpu-bar" },
		el("span", { class: "name", title: bar.name }, textClean(bar.name, 200)),
		el("span", { class: "times" }, bar.parts.map(({ node, seconds }) =>
			el(node ? "a" : "span", { ...(node && { href: app.linkPath(node) }),
				style: `width:${seconds / top * 100}%;` +
					`background:${colour(node)}`,
				title: `${node ? model.name(node) : "no call path"}: ${
					timeText(seconds)}` }))),
		el("span", { class: "total" }, timeText(bar.seconds)));
}

// Parts of bars are links to call paths; the legend names the largest.
function barsMake(app, title, about, bars) {
	if (!bars.length)
		return null;

	const colours = launchColours(bars), top = bars[0].seconds;
	const left = bars.slice(barsFew).reduce((s, b) => s + b.seconds, 0);

	return el("section", { class: "report" }, el("h2", {}, title),
		el("p", { class: "about" }, about),
		savedBars(title, el("div", { class: "ranks" },
			bars.slice(0, barsFew).map(b => gpuBar(app, b, top, colours)))),
		left > 0 && el("p", { class: "about" }, `${bars.length - barsFew} more: ${
			timeText(left)} together.`),
		el("ul", { class: "legend" }, [...colours].map(([node, colour]) =>
			el("li", {}, el("i", { style: `background:${colour}` }),
				el("a", { href: app.linkPath(node) }, textClean(app.model.name(node), 60))))));
}

// Each device: busy, idle between its first and last work, before and after.
function devicesMake(app) {
	const devices = gpuRows(app.model, "gpu-devices", "devices")
		.filter(d => d("elapsed") > 0);

	if (!devices.length)
		return null;

	const top = Math.max(...devices.map(d => d("elapsed")));
	const kinds = d => [["gpu", "busy", d("busy")], ["wait",
		"idle between its work", d("idle")], ["rest", "before the first and " +
		"after the last", Math.max(d("elapsed") - d("busy") - d("idle"), 0)]];

	return el("section", { class: "report" }, el("h2", {}, "How busy GPUs were"),
		savedBars("GPUs", el("div", { class: "ranks" }, devices.map(d => el("div",
			{ class: "rank gpu-bar" }, el("span", { class: "name" },
				`GPU ${d("device")} of ${textClean(d("host"), 40)}`),
			el("span", { class: "times" }, kinds(d).map(([colour, title, s]) =>
				el("span", { class: colour, style: `width:${s / top * 100}%`,
					title: `${title}: ${timeText(s)}` }))),
			el("span", { class: "total" },
				shareText(d("busy") / d("elapsed")) + " busy"))))),
		el("ul", { class: "legend" }, kinds(devices[0]).map(([colour, title]) =>
			el("li", {}, el("i", { class: colour }), title))));
}

// The innermost function of the program, or, where a library's thread has none,
// the outermost one that has a name.
export function launcherOf(model, n) {
	const own = model.ownFrame(n);

	return model.isOwn(own) || !n ? own
		: model.frames(n).find(f => !(model.flags[f] & unnamed)) ?? n;
}

// What a call path ends in.
const kernelOf = row => String(shortText(row("call_path"))).split(" \u2190 ")[0];

function picturesOfGpus(app) {
	const { model } = app;
	const frameOf = path => launcherOf(model, app.nodeOf(fullText(path)));
	const rows = (report, id, nameOf) => gpuRows(model, report, id).map(r =>
		({ name: nameOf(r), path: r("call_path"), seconds: r("seconds") || 0 }));

	return [devicesMake(app),
		barsMake(app, "Why they were idle", "What processes were in while their " +
			"GPUs had nothing to do, by the functions of the program that it " +
			"was called from.", barsOf(rows("gpu-idle", "idle", r => r("cause")), frameOf)),
		barsMake(app, "Kernels, and who launched them", "The time of each kernel, " +
			"by the functions of the program that it was launched from. A click " +
			"on a part selects its call path.",
		barsOf(rows("gpu-kernels", "paths", kernelOf), frameOf)),
		roofMake(gpuRows(model, "gpu-counters", "kernels"))].filter(Boolean);
}

const gpuTables = reportView("gpu", "GPU",
	"What GPUs did, the call paths that launched it, and why they were idle. " +
	"Times are what the driver reports.",
	app => Object.keys(app.model.page.reports || {})
		.filter(r => r.startsWith("gpu-")));

export const viewGpu = { ...gpuTables, make(app, element) {
	element.append(...picturesOfGpus(app));
	return gpuTables.make(app, element);
} };
