// SPDX-License-Identifier: BSD-3-Clause
// view-threads.js - threads that work together: what each did with its time, and
// the parallel regions, locks and waits of the report.
import { el, textClean } from "./dom.js";
import { Grid } from "./grid.js";
import { kinds } from "./model.js";
import { savedBars } from "./svg.js";
import { tableMake } from "./table.js";
import { shareText, sum, timeText } from "./units.js";
import { linesMake } from "./view-mpi.js";

// As enum thread_part of src/analyse/threads/thread-strips.h: [id, title, ink].
const threadParts = [
	["work", "work in parallel regions", "own"],
	["else", "outside of them", "own-box"],
	["end_wait", "waiting at the end of a region", "wait"],
	["barrier_wait", "in barriers and critical sections", "openmp"],
	["lock_wait", "waiting for locks", "io"],
	["gil_wait", "waiting for the GIL", "mpi"],
	["idle", "idle", "rest"],
];
const busyParts = new Set(["work", "else"]);
const threadBarsMost = 64;

// [{ first, count: rows of ranks, place, threads, name, us: [of each part] }]
export function threadLines(model) {
	const array = name => model.stream.array("thread." + name);
	const first = array("first"), parts = threadParts.map(p => array(p[0]));

	return Array.from(first || [], (row, i) => ({ first: row,
		count: array("count")[i], place: array("place")[i],
		threads: array("threads")[i], name: model.string(array("name")[i]),
		us: parts.map(p => p[i]) }));
}

const busyOfParts = us => sum(us.filter((_, p) => busyParts.has(threadParts[p][0])));
const rowsOfLine = line => [[line.first, line.first + line.count - 1]];

// Parts that some thread has.
function threadPartsShown(lines) {
	const regions = lines.some(l => l.us[0] > 0);

	return threadParts.map(([id, title, colour], p) => ({ id, p, colour,
		title: id === "else" && !regions ? "not known to wait" : title }))
		.filter(({ p }) => lines.some(l => l.us[p] > 0));
}

function threadText(app, line, shown) {
	const total = sum(line.us);

	return `${app.model.ranksText(rowsOfLine(line))}, thread ${line.place}` +
		(line.name ? ` (${textClean(line.name, 40)})` : "") + ": " +
		shown.filter(({ p }) => line.us[p] > 0).map(({ p, title }) =>
			`${title} ${shareText(line.us[p] / total)}`).join(", ");
}

// One bar for each thread, processes apart.
function threadBars(app, lines, shown) {
	const top = Math.max(...lines.map(l => sum(l.us) / l.threads), 1e-300);
	let before = -1;

	return el("div", { class: "ranks threads" }, lines.map(line => {
		const begins = line.first !== before;

		before = line.first;
		return el("a", { class: "rank" + (begins ? " begins" : ""),
			href: app.link({ ranks: rowsOfLine(line) }),
			title: threadText(app, line, shown) },
		el("span", { class: "name" }, `${begins ? app.model.ranksText(
			rowsOfLine(line)) + ", " : ""}thread ${line.place}`),
		el("span", { class: "times" }, shown.map(({ p, colour }) => el("span", {
			style: `width:${line.us[p] / line.threads / top * 100}%;` +
				`background:var(--${colour})` }))),
		el("span", { class: "total" },
			shareText(busyOfParts(line.us) / (sum(line.us) || 1)) + " busy"));
	}));
}

// Of many: a row for each thread of a process, a column for each group of ranks.
function threadGrid(app, lines, shown) {
	const firsts = [...new Set(lines.map(l => l.first))];
	const at = new Map(lines.map(l => [`${l.place} ${l.first}`, l]));
	const cell = (r, c) => at.get(`${r} ${firsts[c]}`);

	return new Grid({
		rowHeight: 17, labelWidth: 90, columns: firsts.length,
		rows: Math.max(...lines.map(l => l.place)) + 1,
		hint: "How much of its time a thread was busy. Click a cell to select " +
			"its ranks.", most: "all of its time",
		label: r => `thread ${r}`,
		columnLabel: c => app.model.ranksText(rowsOfLine(
			lines.find(l => l.first === firsts[c]))),
		value: (r, c) => (cell(r, c)
			? busyOfParts(cell(r, c).us) / (sum(cell(r, c).us) || 1) : null),
		about: (r, c) => (cell(r, c) ? threadText(app, cell(r, c), shown)
			: `thread ${r}`),
		onselect: (r, c) => cell(r, c) && app.go({ ranks: rowsOfLine(cell(r, c)) }),
	});
}

function threadLegend(lines, shown) {
	const total = sum(lines.map(l => sum(l.us)));

	return el("ul", { class: "legend" }, shown.map(({ p, title, colour }) => {
		const all = sum(lines.map(l => l.us[p]));

		return el("li", {}, el("i", { style: `background:var(--${colour})` }),
			title + " ", el("b", {}, shareText(all / total)), " ",
			el("span", { class: "quiet" }, timeText(all / 1e6)));
	}));
}

// The call path of that region, or lock, with the most time.
export function placeOfNode(model, kind, name, metric) {
	const own = model.sum(metric);
	let best = 0;

	for (let n = 1; n < model.count; n++)
		if (model.kind[n] === kind && model.functionName(n) === name &&
		    (!best || own[n] > own[best]))
			best = n;
	return best;
}

const threadLinks = {
	region: model => name => placeOfNode(model, kinds.parallel, name, "omp.time"),
	lock: model => name => placeOfNode(model, kinds.lock, name, "lock.wait"),
	what: model => name => placeOfNode(model, kinds.lock, name, "sync.wait"),
};

export const viewThreads = {
	id: "threads", title: "Threads", strip: true,
	about: "What threads did with their time, and what made them wait. Waits are " +
		"measured at their begin and end, not sampled.",
	// Of one thread alone there is nothing to tell apart.
	has: ({ model }) => model.report("threads") !== null && (
		!model.stream.array("rank.threads")?.every(n => n < 2) ||
		["regions", "locks", "waits"].some(t =>
			model.table("threads", t)?.rows.length)),
	make(app, element) {
		const { model } = app, report = model.report("threads");
		const lines = threadLines(model), shown = threadPartsShown(lines);
		const links = Object.fromEntries(Object.entries(threadLinks).map(
			([id, make]) => [id, make(model)]));
		const grid = lines.length > threadBarsMost ? threadGrid(app, lines, shown) : null;

		element.append(...linesMake(app, report));
		if (lines.length)
			element.append(el("section", { class: "table" },
				el("h3", {}, "Time of each thread"), threadLegend(lines, shown),
				grid ? grid.element : savedBars("time of threads",
					threadBars(app, lines, shown))));
		element.append(...report.tables.filter(t => t.rows.length &&
			t.id !== "strips").map(t => tableMake(app, t, 16, links)));
		app.drawn = grid;
		return { update() {
			grid?.draw();
		} };
	},
};
