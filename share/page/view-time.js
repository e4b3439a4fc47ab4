// SPDX-License-Identifier: BSD-3-Clause
// view-time.js - ranks over time: which call path each was in when, or how much
// of a cell was waiting, in MPI, off a core, in files, or busy on a GPU; and
// beneath it what the selected ranks did in the selected time.
import { boxColour, colourMix, heatColour, ink } from "./colour.js";
import { el, elReplace } from "./dom.js";
import { Flame } from "./flame.js";
import { kinds } from "./model.js";
import { rowsHave } from "./selection.js";
import { splitOf, splitWithin } from "./split.js";
import { savedBars } from "./svg.js";
import { gpuLine, helperLine, shareError, threadLine, TimeGrid } from "./time-grid.js";
import { spanText, Timeline } from "./timeline.js";
import { treeBuild, treeChildren, treeValues } from "./tree.js";
import { shareText, sum, timeText } from "./units.js";
import { waitsOf } from "./view-mpi.js";
import { StreamsBeneath } from "./view-streams.js";

// What may colour cells: a part of what is known of them.
const timeWays = [
	["path", "call path", "the call path that took most of the cell"],
	["mpi_wait", "waiting", "waiting in MPI"],
	["mpi", "MPI", "inside MPI, waiting or not"],
	["off", "off core", "not on a core: it slept, or others ran"],
	["io", "files", "in functions that read or write files"],
	["gpu", "GPU", "GPUs of the process were busy"],
];

const inksOwn = 10, inksMpi = 4;

// Colours of frames at a depth: the largest have one of their own, MPI's of
// their own kind; by the whole run, so that zooming changes none.
function coloursOf(model, grid, frames) {
	const sums = new Float64Array(grid.nodes.length), weight = new Map();
	const colours = new Map();
	let own = 0, mpi = 0;

	grid.lines.forEach((_, line) => grid.weigh(sums, line, 0, grid.columns));
	frames.forEach((n, i) => weight.set(n, (weight.get(n) || 0) + sums[i]));
	for (const [n] of [...weight].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
		if (!n)
			continue;
		if (model.kind[n] === kinds.mpi)
			colours.set(n, mpi < inksMpi ? ink("mpi-" + mpi++) : ink("mpi-box"));
		else
			colours.set(n, own < inksOwn ? ink("path-" + own++) : ink("rest-box"));
	}
	return { colours, weight };
}

function lineLabel(app, grid, line) {
	const { first, count, kind, number } = grid.lines[line];
	const ranks = app.model.ranksText([[first, first + count - 1]]);
	const beside = grid.lines[line - 1];
	// Beneath a line of the same ranks it goes without their name.
	const whose = beside?.first === first ? "\u2007\u2007" : ranks + " ";

	return kind === helperLine ? whose + "others"
		: kind === gpuLine ? `${whose}GPU${count > 1 ? "s" : " " + number}`
		: beside?.first === first && beside.kind === threadLine
			? `${whose}thread ${number}` : ranks;
}

// Of the time that is known, 0 … 1; null: nothing is.
function shareOf(grid, way, line, from, to) {
	const known = grid.sum("known", line, from, to);

	if (grid.lines[line].kind === gpuLine)
		return grid.sum("gpu", line, from, to) / (to - from) / 255;
	if (!known)
		return null;
	if (way === "off")
		return Math.max(1 - grid.sum("busy", line, from, to) / known, 0);
	return grid.sum(way, line, from, to) / known;
}

// The frame with most of some cells, and its weight.
function mostOf(state, line, from, to) {
	const { grid, frames, sums } = state;
	const first = grid.from[line * grid.columns + from];
	const end = grid.from[line * grid.columns + to];
	let best = 0, most = 0;

	for (let i = first; i < end; i++) {
		const frame = frames[grid.path[i]];

		sums[frame] += grid.weight[i];
		if (sums[frame] > most || sums[frame] === most && frame < best) {
			best = frame;
			most = sums[frame];
		}
	}
	for (let i = first; i < end; i++)
		sums[frames[grid.path[i]]] = 0;
	return { frame: best, weight: most };
}

// Pale where it has less of the cell; of another path than the selected one,
// paler still.
function pathColour(state, line, from, to) {
	const { grid, shades } = state;
	const known = grid.sum(grid.lines[line].kind === helperLine ? "busy" : "known",
		line, from, to);
	const { frame, weight } = mostOf(state, line, from, to);

	if (!known)
		return null;

	const share = Math.min(Math.ceil(weight / known * 8), 8);
	const key = frame * 9 + share;

	if (!shades.has(key)) {
		const colour = state.colours.get(frame) || ink("rest-box");
		const isOther = state.within && !state.within.has(frame);

		shades.set(key, colourMix(ink("paper"), colour,
			(0.4 + 0.6 * share / 8) * (isOther ? 0.3 : 1)));
	}
	return shades.get(key);
}

const gpuColour = share =>
	colourMix(ink("sheet"), ink("gpu"), share ? 0.25 + 0.75 * share : 0);

function cellColour(state, line, from, to) {
	const isGpu = state.grid.lines[line].kind === gpuLine;

	if (!isGpu && state.way === "path")
		return pathColour(state, line, from, to);

	const share = shareOf(state.grid, state.way, line, from, to);
	const key = share === null ? null
		: (isGpu ? "g" : "h") + Math.ceil(Math.min(share, 1) * 32);

	if (key === null || isGpu && !share)
		return null;
	if (!state.shades.has(key))
		state.shades.set(key, isGpu
			? gpuColour(Math.min(share, 1))
			: heatColour(share));
	return state.shades.get(key);
}

const framesText = (model, n) => model.frames(n).slice(-3).reverse()
	.map(m => model.nameSite(m)).join(" ← ");

// What is known of some cells, in words.
function momentText(app, state, line, from, to) {
	const { grid } = state;
	const words = [lineLabel(app, grid, line).trim(), spanText([grid.timeOf(from),
		grid.timeOf(to)])];
	const share = way => shareOf(grid, way, line, from, to);

	if (grid.lines[line].kind === gpuLine)
		return `${words.join(", ")}: busy ${shareText(share("gpu"))}`;
	if (share("mpi") === null)
		return `${words.join(", ")}: nothing is known`;

	const { frame, weight } = mostOf(state, line, from, to);
	const known = grid.sum("known", line, from, to);

	words.push(`${frame ? `${framesText(app.model, frame)} ` : "no path with half "}${
		frame ? shareText(Math.min(weight / known, 1)) : ""}`);
	for (const [way, title] of [["mpi", "MPI"], ["mpi_wait", "waiting"],
		["off", "off core"], ["io", "files"]])
		if (share(way) >= 0.005)
			words.push(`${title} ${shareText(share(way))}`);
	words.push(momentsText(grid.sum("moments", line, from, to)));
	return words.join(" · ");
}

function momentsText(moments) {
	return moments ? `${moments} samples: a share is known to ± ${
		(shareError(moments) * 100).toFixed(0)} %`
		: "no sample in it: the next one tells";
}

// How fine the cells are, and how sure.
function sureText(app, grid) {
	const moments = Array.from(grid.moments).filter((n, i) => n &&
		grid.lines[Math.floor(i / grid.columns)].kind === threadLine)
		.sort((a, b) => a - b);
	const { all, each, level } = app.model.page.timeline;
	const median = moments[moments.length >> 1];

	return [`A cell is ${timeText(grid.width / 1e6)}` + (each > 1
		? `, ${each} of the ${all} bins of the database.` : "."),
	median && `Cells rest on about ${median} samples: their shares are right within ± ${
		(shareError(median) * 100).toFixed(0)} points.`,
	level && `What of MPI was waiting is known of one of ${2 ** level} calls.`]
		.filter(Boolean).join(" ");
}

// How long its GPUs were busy: [seconds, of so many]; null: it has none.
function areaGpus(grid, lines, from, to) {
	const gpus = lines.filter(l => grid.lines[l].kind === gpuLine);

	return gpus.length ? [gpus.reduce((s, l) =>
		s + grid.seconds("gpu", l, from, to), 0), gpus.reduce((s, l) =>
		s + (grid.timeOf(to) - grid.timeOf(from)) / 1e6 *
			grid.lines[l].threads, 0)] : null;
}

// What the area's time was, of threads that call MPI: seconds.
function areaParts(grid, lines, from, to) {
	const of = part => lines.filter(l => grid.lines[l].kind === threadLine)
		.reduce((s, l) => s + grid.seconds(part, l, from, to), 0);
	const known = of("known"), mpi = of("mpi"), wait = of("mpi_wait");
	const io = Math.min(of("io"), known - mpi);

	return { known, off: Math.max(known - of("busy"), 0), moments: lines.reduce(
		(s, l) => s + grid.sum("moments", l, from, to), 0), parts: [
		["own", "outside MPI", Math.max(known - mpi - io, 0)], ["wait",
			"MPI, waiting", wait], ["mpi", "MPI, transfer",
			Math.max(mpi - wait, 0)], ["io", "files", Math.max(io, 0)]] };
}

// The same as every report has it: of the whole run, or of all ranks in a part
// of the time.
function splitParts(app, grid, ranks, time) {
	const isAll = !ranks || ranks[0][1] - ranks[0][0] + 1 === app.model.rankCount;
	const parts = !time ? splitOf(app.model)
		: isAll ? splitWithin(app.model, grid, ...grid.columnsOf(time)) : [];

	return parts.map(p => [p.ink, p.title, time || isAll ? p.seconds : sum(
		p.values.filter((_, row) => rowsHave(ranks, row)))]);
}

function barOfParts(parts) {
	const shown = parts.filter(p => p[2] > 0), all = sum(shown.map(p => p[2]));
	const bars = el("div", {}, el("div", { class: "times", role: "img",
		"aria-label": shown.map(([, title, s]) => `${title} ${
			shareText(s / all)}`).join(", ") },
	shown.map(([ink, title, s]) => el("span", { style: `width:${s / all * 100}%;` +
		`background:var(--${ink})`, title: `${title}: ${timeText(s)}` }))),
	el("ul", { class: "legend" }, shown.map(([ink, title, s]) => el("li", {},
		el("i", { style: `background:var(--${ink})` }),
		title + " ", el("b", {}, shareText(s / all)), " ",
		el("span", { class: "quiet" }, timeText(s))))));

	return savedBars("area", bars);
}

// Whom the selected ranks waited for, of all the run: [[row, ns]], the longest
// first.
export function culpritsOf(model, waits, ranks) {
	const sums = new Map();

	for (let i = 0; i < waits.of.length; i++) {
		const culprit = waits.culprit[waits.of[i]];

		if (rowsHave(ranks, waits.rank[i]))
			sums.set(culprit, (sums.get(culprit) || 0) + waits.waited[i]);
	}
	return [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

function culpritsMake(app, waits, arrows) {
	const culprits = culpritsOf(app.model, waits, app.selection.ranks).slice(0, 6);

	return culprits.length > 0 && el("p", { class: "culprits" },
		`In the whole run ${app.selection.ranks
			? app.model.ranksText(app.selection.ranks) : "ranks"} waited for `,
		culprits.map(([row, ns], i) => [
			i > 0 && ", ", row < app.model.rankCount
				? el("a", { href: app.link({ view: "waits", ranks: [[row, row]] }) },
					app.model.rankLabel(row)) : "many, each little",
			` (${timeText(ns / 1e9)})`]), ". ", arrows > 0 &&
			el("span", { class: "quiet" }, "An arrow leads from a late rank to " +
				"the one that waited most for it, where that waited most: each " +
				"wait on its own is not kept."));
}

// Who of a cause waited most: a row; -1: nobody is known.
function victimOf(waits, cause) {
	let best = -1, most = 0;

	for (let i = 0; i < waits.of.length; i++)
		if (waits.of[i] === cause && waits.waited[i] > most) {
			most = waits.waited[i];
			best = waits.rank[i];
		}
	return best;
}

// The column of a line in which most was waited in a call path; -1: in none.
function waitColumn(model, grid, line, node) {
	const isThere = grid.frames.map(f => f.some(n =>
		model.path[n] === model.path[node]));
	let best = -1, most = 0;

	for (let c = 0; c < grid.columns; c++) {
		const at = line * grid.columns + c;

		if (grid.mpi_wait[at] <= most)
			continue;
		for (let i = grid.from[at]; i < grid.from[at + 1]; i++)
			if (isThere[grid.path[i]]) {
				most = grid.mpi_wait[at];
				best = c;
			}
	}
	return best;
}

// Of the largest causes of waiting: [{ from, to: lines, column, ns }].
export function arrowsOf(model, grid, waits, most) {
	const lineOf = row => grid.lines.findIndex(l => l.kind === threadLine &&
		row >= l.first && row < l.first + l.count);
	const arrows = [];

	for (let i = 0; i < Math.min(waits.ns.length, most); i++) {
		const from = lineOf(waits.culprit[i]), to = lineOf(victimOf(waits, i));
		const column = from >= 0 && to >= 0 && from !== to
			? waitColumn(model, grid, to, waits.victim[i]) : -1;

		if (column >= 0)
			arrows.push({ from, to, column, ns: waits.ns[i] });
	}
	return arrows;
}

// A flame graph of the area, coloured as the cells are.
class AreaFlame {
	constructor(app) {
		this.app = app;
		this.flame = new Flame({
			label: box => (box ? app.model.name(this.tree.node[box])
				: `${timeText(this.tree.all[0] / 1e9)} of the selected area`),
			colour: box => this.colour(this.tree.node[box]),
			about: box => this.about(box || 0),
			onselect: box => app.go({ path: box ? this.tree.node[box] : null }),
			onzoom: box => app.go({ zoom: box ? this.tree.node[box] : null }),
		});
	}

	colour(n) {
		const frame = this.state.frameOf(n);

		return this.state.colours.get(frame) || boxColour(this.app.model, n);
	}

	about(box) {
		const { all, alone, node } = this.tree;

		return `${box ? framesText(this.app.model, node[box]) : "all"} · ${
			timeText(all[box] / 1e9)}, ${shareText(all[box] / all[0] || 0)}` +
			(box ? "" : ` · ${timeText(alone[0] / 1e9)} is at none of these paths`);
	}

	show(state, own) {
		const { app } = this;
		const tree = app.kept("tree of time", () => treeBuild(app.model,
			{ inlined: true, loops: false, lines: false }));
		const values = treeValues(tree, own);
		const boxOf = n => (n === null ? 0 : tree.boxOf[n] || 0);

		this.state = state;
		this.tree = { ...tree, ...values,
			children: treeChildren(tree, values.all) };

		const zoom = boxOf(app.selection.zoom);

		this.flame.show(this.tree, values.all[zoom] ? zoom : 0,
			boxOf(app.selection.path) || null, null);
	}
}

const word = (show, start) => show.find(w => w.startsWith(start))
	?.slice(start.length);

// How cells are coloured, for the selection.
function stateOf(app, grid, whole) {
	const { show } = app.selection, path = app.selection.path || app.phase;
	const asked = word(show, "by-");
	const way = !whole.nodes.length ? "gpu"
		: timeWays.some(w => w[0] === asked) ? asked : "path";
	const depth = Math.min(Number(word(show, "depth-")) || 0, whole.deepest);
	const state = stateOfRun(app, whole, way, depth, path);

	// The same colours, for what these cells have.
	return grid === whole ? state : { ...state, grid,
		frames: grid.framesAt(depth === whole.deepest ? grid.deepest : depth) };
}

// Of all the run, so that zooming changes no colour.
function stateOfRun(app, grid, way, depth, path) {
	return app.kept(["time", way, depth, path,
		document.documentElement.dataset.theme].join(), () => {
		const frames = grid.framesAt(depth);
		const state = { grid, way, depth, frames, shades: new Map(),
			sums: new Float64Array(app.model.count),
			...coloursOf(app.model, grid, frames) };
		const wanted = path && app.model.path[path];

		state.frameOf = n => frameOfNode(app.model, state, n);
		if (wanted)
			state.within = new Set(grid.frames.flatMap((f, i) => (f.some(n =>
				app.model.path[n] === wanted) ? [frames[i]] : [])));
		return state;
	});
}

// What a node's colour is that of: its frame at the depth, or, of the program's
// functions, the innermost one with a colour.
function frameOfNode(model, { depth, colours }, n) {
	const all = model.frames(n).map(m =>
		model.members.get(model.path[m])?.[0] ?? m);

	return (depth ? all[Math.min(depth, all.length) - 1]
		: all.findLast(m => colours.has(m))) || 0;
}

const depthText = (grid, { depth }) => (!depth ? "the program's functions"
	: depth === grid.deepest ? "innermost" : `${depth} of ${grid.deepest}`);

function waysMake(app, grid, state) {
	const has = way => (way === "path" || way === "off" ? grid.nodes.length > 0
		: grid[way].some(v => v > 0));
	const others = start => app.selection.show.filter(w => !w.startsWith(start));
	const slider = el("input", { type: "range", id: "depth", min: 0,
		max: grid.deepest, value: state.depth, "aria-label": "depth of call paths",
		oninput: e => app.go({ show: Number(e.target.value)
			? [...others("depth-"), "depth-" + e.target.value]
			: others("depth-") }) });

	return [el("span", { class: "quiet" }, "colour by"),
		timeWays.filter(w => has(w[0])).map(([id, title, why]) => el("a", {
			href: app.link({ show: id === "path" ? others("by-")
				: [...others("by-"), "by-" + id] }), class: "tab", title: why,
			"data-way": id, "aria-current": id === state.way && "true" }, title)),
		state.way === "path" && el("label", {}, "depth ", slider, " ",
			el("output", { for: "depth" }, depthText(grid, state)))];
}

// With its caller where another one reads the same.
function nameAmong(model, n, shown) {
	const name = m => model.nameSite(m), frames = model.frames(n);

	return shown.some(([m]) => m !== n && name(m) === name(n)) && frames.length > 1
		? `${name(n)} ← ${model.name(frames.at(-2))}` : name(n);
}

function legendOfPaths(app, state) {
	if (state.way !== "path")
		return el("ul", { class: "legend" }, [0, 0.5, 1].map(share => el("li", {},
			el("i", { style: `background:${state.frames.length
				? heatColour(share) : gpuColour(share)}` }),
			shareText(share))), el("li", { class: "quiet" },
			timeWays.find(w => w[0] === state.way)[2]));

	const total = [...state.weight.values()].reduce((a, b) => a + b, 0);
	const shown = [...state.weight].filter(([n, w]) => n && w > total / 200)
		.sort((a, b) => b[1] - a[1]).slice(0, inksOwn + inksMpi);

	return el("ul", { class: "legend" }, shown.map(([n, w]) => el("li", {},
		el("i", { style: `background:${state.colours.get(n)}` }),
		el("a", { href: app.link({ path: n }), title: framesText(app.model, n) },
			nameAmong(app.model, n, shown)), " ",
		el("span", { class: "quiet" }, shareText(w / total)))),
	el("li", {}, el("i", { class: "wait" }), "foot: waiting"));
}

// The lines of the selection that stand together: what is framed.
function framed(grid, selection) {
	if (!selection.ranks && !selection.time)
		return null;

	const lines = grid.linesOf(selection.ranks);

	return lines.length ? { lines: [lines[0], lines.at(-1)], time: selection.time }
		: null;
}

// The selected time larger, and back.
function zoomOf(app, isIn) {
	const { ranks, time, span, only } = app.selection;

	if (isIn && (time || ranks))
		app.go({ span: time || span, only: ranks || only });
	else if (!isIn && (span || only))
		app.go({ span: null, only: null });
	else if (!isIn)
		app.go({ time: null, ranks: null });
}

// What a server knows of what is shown, finer than the page has it; or null.
function gridLive(app, grid) {
	const { span, only } = app.selection;
	const { width, all, each } = app.model.page.timeline;
	const [a, b] = only ? [only[0][0], only.at(-1)[1]]
		: [0, app.model.rankCount - 1];

	if (!app.model.live || !(span && each > 1) && !(only &&
		grid.lines.some(l => l.count > 1)))
		return null;

	const bin = Math.min(Math.floor((span ? span[0] : 0) * 1e3 / width), all - 1);
	const end = span ? Math.min(Math.ceil(span[1] * 1e3 / width), all) : all;

	return app.model.live.time(bin, Math.max(end - bin, 1), a, b - a + 1,
		stream => new TimeGrid(app.model, stream.page.timeline,
			name => stream.array("time." + name)));
}

// The cells that are shown: of the ranks that were zoomed to.
function gridShown(app, grid) {
	const { only } = app.selection;
	const live = gridLive(app, grid);

	if (live?.lines.length)
		return live;

	const lines = only ? grid.linesOf(only) : [];

	return lines.length ? app.kept("time part " + lines.join(), () =>
		grid.part(lines)) : grid;
}

// What is selected, or else what was zoomed to.
const areaOf = s => ({ ranks: s.ranks || s.only, time: s.time || s.span });

function areaMake(app, grid) {
	const { ranks, time } = areaOf(app.selection);
	const lines = grid.linesOf(ranks);
	const columns = grid.columnsOf(time);
	const area = areaParts(grid, lines, ...columns);
	const gpus = areaGpus(grid, lines, ...columns);
	const split = splitParts(app, grid, ranks, time);

	return [el("h3", {}, ranks ? app.model.ranksText(ranks)
		: `all ${app.model.noun === "process" ? "processes" : "ranks"}`, ", ",
	time ? spanText(time) : "the whole run"),
	area.known > 0 ? barOfParts(split.length ? split : area.parts)
		: !gpus && el("p", {}, "Nothing is known of it."),
	el("p", { class: "about" }, area.known > 0 && !split.length &&
		"Of all ranks together, all parts are shown. ",
	area.known > 0 && `${shareText(area.off / area.known)} of it off a core` +
		(app.model.page.timeline.level && area.off > 0.25 * area.known
			? ", which counts where the rank came back. " : ". "),
	area.moments > 0 && momentsText(area.moments) + ". ",
	gpus && `GPUs were busy ${timeText(gpus[0])}, ${shareText(gpus[0] / gpus[1])
	} of the time.`)];
}

const arrowsMost = 12;

// Where waiting is what is drawn; kept, since few redraws change them.
function arrowsKept(app, state, waits) {
	if (!waits || !["path", "mpi_wait"].includes(state.way))
		return [];

	const kept = app.kept("arrows", () => new WeakMap());

	if (!kept.has(state.grid))
		kept.set(state.grid, arrowsOf(app.model, state.grid, waits, arrowsMost));
	return kept.get(state.grid);
}

export const viewTime = {
	id: "time", title: "Timeline", byTime: true, byPhase: true,
	about: "Ranks from top to bottom, time from left to right. Drag to select " +
		"ranks and time, for all views that keep it by time; double " +
		"click or Enter zooms, Escape zooms out, arrows move. Cells are sums of " +
		"all that is in them.",
	has: app => app.model.page.timeline && !app.model.isDiff,
	make(app, element) {
		const whole = app.timeGrid;
		let grid = whole;
		const waits = waitsOf(app.model);
		const bar = el("div", { class: "options" }), legend = el("div");
		const area = el("section", { class: "area" });
		const held = new AreaFlame(app);
		let state;
		const timeline = new Timeline({
			label: line => lineLabel(app, grid, line),
			colour: (...cells) => cellColour(state, ...cells),
			band: (line, from, to) => (state.way === "path" &&
				grid.lines[line].kind !== gpuLine
				? shareOf(grid, "mpi_wait", line, from, to) : 0),
			about: (...cells) => momentText(app, state, ...cells),
			onselect: ([a, b], time) => app.go({ time, ranks: [[
				grid.lines[a].first, grid.lines[b].first + grid.lines[b].count - 1]],
			...(app.selection.zoom !== null && { zoom: null }) }),
			onzoom: isIn => zoomOf(app, isIn),
		});

		const streams = new StreamsBeneath(app);

		element.append(bar, timeline.element, streams.element, legend, area, held.flame.element,
			el("p", { class: "about" }, sureText(app, grid)));
		app.drawn = timeline;
		return { update() {
			const isSliding = document.activeElement?.id === "depth";
			const { span } = app.selection;
			const { ranks, time } = areaOf(app.selection);

			grid = gridShown(app, whole);
			state = stateOf(app, grid, whole);

			const made = waysMake(app, whole, state);

			// Whoever holds the slider keeps it.
			if (isSliding && bar.contains(document.activeElement))
				bar.querySelector("output").textContent =
					depthText(whole, state);
			else
				elReplace(bar, made);
			timeline.what.arrows = arrowsKept(app, state, waits);
			timeline.what.hint = state.way === "path"
				? "Paler: the path has a smaller share of the cell." : "";
			timeline.show(grid, span ? [Math.max(span[0], grid.begin),
				Math.min(span[1], grid.end)] : [grid.begin, grid.end],
			framed(grid, app.selection));
			streams.show(span);
			elReplace(legend, legendOfPaths(app, state));
			elReplace(area, areaMake(app, grid),
				waits && culpritsMake(app, waits, timeline.what.arrows.length));
			held.show(state, app.model.ownIn(grid.held(grid.linesOf(ranks)
				.filter(l => grid.lines[l].kind !== gpuLine),
			...grid.columnsOf(time)), app.phase));
			held.flame.element.hidden = !held.tree.all[0];
			timeline.held = held.tree.all[0];
		} };
	},
};
