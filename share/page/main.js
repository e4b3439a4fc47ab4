// SPDX-License-Identifier: BSD-3-Clause
// main.js - the page: one selection, kept in the address, and the view of it.
import { inksForget } from "./colour.js";
import { el, elReplace, textClean } from "./dom.js";
import { Live } from "./live.js";
import { kinds, Model } from "./model.js";
import { PathFinder } from "./paths.js";
import { selectionParse, selectionText } from "./selection.js";
import { streamUnpack } from "./stream.js";
import { spanText } from "./timeline.js";
import { timeGridOf } from "./time-grid.js";
import { isKeptByTime, TimeSlice } from "./time-slice.js";
import { stripMake } from "./view-ranks.js";
import { tabsOf, viewFind } from "./views.js";

const byId = id => document.getElementById(id);

class App {
	constructor(model) {
		this.model = model;
		this.cache = new Map();
		this.selection = selectionParse(location.hash);
		this.tabs = tabsOf(this);
		this.views = this.tabs.flatMap(t => t.views);
		model.ownModule = this.moduleOfProgram();
		if (model.page.live)
			model.live = new Live(() => this.update());
		this.strip = stripMake(this);
		this.change = {};
	}

	// The module in which most of the program's own code is: main's, or else
	// that of the outermost frame.
	moduleOfProgram() {
		const model = this.model;

		for (let n = 1; n < model.count; n++)
			if (model.functionName(n) === "main")
				return model.module[n];
		return model.count > 1 ? model.module[1] : -1;
	}

	hasView(id) {
		return this.views.some(v => v.id === id);
	}

	get view() {
		return viewFind(this.views, this.selection.view);
	}

	get metric() {
		const chosen = this.selection.metric;

		return this.model.treeMetrics.some(m => m.name === chosen) ? chosen
			: this.model.metricDefault;
	}

	get unit() {
		return this.model.metric(this.metric)?.unit || "count";
	}

	get timeGrid() {
		return this.kept("time grid", () => timeGridOf(this.model));
	}

	// What call paths have of the selected time; null: none is selected, or the
	// view or the metric have all of it.
	get slice() {
		const metric = this.model.metric(this.metric), { time } = this.selection;

		if (!time || this.view.byTime !== "cells" || !this.timeGrid ||
		    !isKeptByTime(metric))
			return null;

		const key = [metric.name, ...time].join();

		if (this.sliceKey !== key) {
			this.sliceKey = key;
			this.sliceLast = new TimeSlice(this.model, this.timeGrid, metric, time);
		}
		return this.sliceLast;
	}

	// What is shown, of the metric.
	get metricText() {
		return this.slice?.name || this.metric;
	}

	// The phase that call paths are of, or null.
	get phase() {
		const { phase } = this.selection;

		return this.view.byPhase && this.model.kind[phase] === kinds.phase
			? phase : null;
	}

	// Of each node alone, of these rows of ranks.
	ownOf(ranks) {
		return this.model.ownIn(this.slice ? this.slice.own(ranks)
			: this.model.own(this.metric, ranks), this.phase);
	}

	// Of each node alone, and with all below, for the selection.
	get own() {
		return this.ownOf(this.selection.ranks);
	}

	// The selected one, or all; of a phase one that is in it.
	get pathOfStrip() {
		const { path } = this.selection;

		return path && (this.phase === null || this.model.isIn(path, this.phase))
			? path : this.phase || 0;
	}

	// What ranks have of a call path, as Model.byRank().
	byRank(node) {
		return this.slice ? this.slice.byRank(node)
			: this.model.byRank(this.metric, node);
	}

	get all() {
		return this.model.inclusive(this.own);
	}

	get base() {
		return this.model.base(this.metric);
	}

	// What is made once.
	kept(key, make) {
		if (!this.cache.has(key))
			this.cache.set(key, make());
		return this.cache.get(key);
	}

	get finder() {
		return this.kept("finder", () => new PathFinder(this.model));
	}

	get allDefault() {
		return this.kept("all", () => this.model.metricDefault
			? Float64Array.from(this.model.inclusive(
				this.model.own(this.model.metricDefault, null)))
			: new Float64Array(this.model.count));
	}

	// The node that a report means; 0: none.
	nodeOf(text, line) {
		return this.finder.node(String(text).replace(/^\[not sampled\] ← /, ""),
			this.allDefault, line);
	}

	// To a call path, where it can be seen.
	linkPath(node) {
		return this.link({ path: node,
			...(this.view.id === "start" && { view: "flame", show: [] }) });
	}

	// A sentence whose call paths are links.
	sentence(text) {
		const parts = [];
		let at = 0;

		for (const { from, to, node } of
			this.finder.inSentence(text, this.allDefault)) {
			parts.push(text.slice(at, from), el("a", { href:
				this.linkPath(node) }, text.slice(from, to)));
			at = to;
		}
		return [...parts, text.slice(at)];
	}

	link(changes) {
		const { box, zoomBox, ...rest } = changes;

		return selectionText({ ...this.selection, ...rest });
	}

	go(changes) {
		this.change = changes;

		const to = this.link(changes);

		if (to === location.hash)
			this.update();
		else
			location.hash = to;
		// The event comes later; what is seen changes now.
		this.followAddress();
	}

	followAddress() {
		if (location.hash === this.followed)
			return;
		this.followed = location.hash;
		this.selection = selectionParse(location.hash);
		this.update();
	}

	update() {
		const before = performance.now();

		if (this.shown !== this.view)
			this.viewOpen();
		this.navUpdate();
		this.toolbarUpdate();
		this.scope.textContent = this.scopeText();
		this.open.update(this.change);
		this.strip.element.hidden = !this.view.strip || this.model.rankCount < 2 ||
			this.model.isDiff;
		if (!this.strip.element.hidden)
			this.strip.update();
		this.change = {};
		this.redrawn = performance.now() - before;
	}

	// What of the selection this view has not, or how it has it.
	scopeText() {
		const { time, phase, ranks } = this.selection;

		return [time && (this.slice ? this.slice.sureText(ranks)
			: this.view.byTime === true ? ""
				: this.view.byTime ? `Whole run: ${this.metric} is not kept by time.`
					: "Whole run: what is here is not kept by time."),
		phase !== null && !this.view.byPhase &&
			"All phases: what is here is not kept by phase."]
			.filter(Boolean).join(" ");
	}

	viewOpen() {
		const view = this.shown = this.view;
		const element = el("div", { class: "view view-" + view.id });
		const sure = this.lossesText();

		this.drawn = null;
		this.open = view.make(this, element);
		this.scope = el("p", { class: "about scope" });
		byId("main").replaceChildren(...[
			view.about && el("p", { class: "about" }, view.about,
				sure ? " " + sure : ""), this.scope, ...(view.strip === "first" ? [this.strip.element, element]
				: [element, this.strip.element])].filter(Boolean));
	}

	// What every number of the page suffers from.
	lossesText() {
		const lost = (this.model.page.losses || [])
			.reduce((sum, l) => sum + l.count, 0);
		const samples = this.model.metric("samples")?.total || 0;
		const missing = (this.model.page.problems || []).length;

		return [lost > samples / 100 && "Samples or event records were lost: see " +
			`the end of the page (${lost}).`, missing && "Some profiles are missing or " +
			`damaged: see the end of the page (${missing}).`]
			.filter(Boolean).join(" ");
	}

	// The tabs, and the views of the one that is open.
	navUpdate() {
		const open = this.tabs.find(t => t.views.includes(this.view));
		const make = (v, title, isOpen) => el("a", { href: this.link({ view: v.id,
			find: "", zoom: null, show: v === this.view ? this.selection.show : [] }),
		"aria-current": isOpen && "page" }, title);

		elReplace(byId("views"), this.tabs.map(t =>
			make(t === open ? this.view : t.views[0], t.title, t === open)));
		elReplace(byId("parts"), open.views.map(v =>
			make(v, v.title, v === this.view)));
		byId("parts").hidden = open.views.length < 2;
	}

	toolbarUpdate() {
		const { model, selection } = this;

		if (!this.bar)
			this.bar = this.toolbarMake();
		this.bar.metric.value = this.metric;
		if (this.bar.phase)
			this.bar.phase.value = selection.phase ?? "";
		this.bar.metric.parentNode.hidden = !this.view.strip;
		if (document.activeElement !== this.bar.find)
			this.bar.find.value = selection.find;
		elReplace(this.bar.chosen, selection.path && this.crumbs(),
			selection.ranks && el("span", { class: "chip" },
				model.ranksText(selection.ranks),
				model.isOfRows(this.metric, selection.ranks) ||
					this.slice || this.view.byTime === true ? ""
					: " (call paths: of all)",
				el("a", { href: this.link({ ranks: null }), class: "x",
					"aria-label": "all ranks" }, "×")),
			selection.time && el("span", { class: "chip" },
				spanText(selection.time),
				el("a", { href: this.link({ time: null }), class: "x",
					"aria-label": "all of the time" }, "×")));
	}

	crumbs() {
		const frames = this.model.frames(this.selection.path);
		const shown = frames.length > 5
			? [frames[0], null, ...frames.slice(-3)] : frames;

		return el("span", { class: "chip path" }, shown.map((n, i) => [
			i > 0 && " › ", n === null ? "…" : el("a", { href: this.link(
				{ path: n }), title: this.model.name(n) },
			textClean(this.model.name(n), 60))]),
		el("a", { href: this.link({ path: null }), class: "x",
			"aria-label": "all call paths" }, "×"));
	}

	// Where a view has nothing to find, the flame graph shows it.
	find(text) {
		this.go({ find: text, ...(text && !this.view.finds &&
			this.hasView("flame") && { view: "flame", zoom: null, show: [] }) });
	}

	toolbarMake() {
		const metric = el("select", { id: "metric", "aria-label": "metric",
			onchange: e => this.go({ metric: e.target.value }) },
		this.model.treeMetrics.map(m => el("option", { value: m.name }, m.name)));
		const { phases } = this.model;
		const phase = phases.length > 0 && el("select", { id: "phase",
			"aria-label": "phase", onchange: e => this.go({ phase: e.target.value
				? Number(e.target.value) : null, zoom: null }) },
		el("option", { value: "" }, "all"), phases.map(p =>
			el("option", { value: p.node }, p.name)));
		const find = el("input", { id: "find", type: "search", placeholder:
			"search functions ( / )", "aria-label": "search functions",
			oninput: e => this.find(e.target.value) });
		const chosen = el("span", { id: "chosen" });

		elReplace(byId("selection"), el("label", {}, "metric ", metric),
			phase && el("label", {}, "phase ", phase), find, chosen);
		byId("selection").hidden = this.model.count < 2;
		return { metric, phase, find, chosen };
	}
}

// Light or dark: the system's, until the button was pressed.
function themeButton(app) {
	const dark = matchMedia("(prefers-color-scheme: dark)");
	const paper = matchMedia("print");
	let chosen = null;
	const follow = () => {
		document.documentElement.dataset.theme = paper.matches ? "light"
			: chosen || (dark.matches ? "dark" : "light");
		inksForget();
		app.shown = null;
		app.update();
	};

	dark.addEventListener("change", follow);
	paper.addEventListener("change", follow);
	follow();
	return el("button", { type: "button", id: "theme", title: "light or dark",
		"aria-label": "light or dark", onclick: () => {
			chosen = document.documentElement.dataset.theme === "dark"
				? "light" : "dark";
			follow();
		} }, "◐");
}

function headMake(app) {
	const page = app.model.page;
	const summary = app.model.report("summary");
	const title = textClean(page.title || "copse", 300);

	document.title = `${title.split(" ")[0].split("/").pop()} · copse`;
	byId("title").textContent = title;
	elReplace(byId("what"), [page.date, summary?.lines[0], page.runs &&
		`runs before: ${page.runs[0]}, now: ${page.runs[1]}`].filter(Boolean)
		.join(" · "));
	elReplace(byId("tools"), themeButton(app));
	elReplace(byId("foot"), (summary?.notes || []).map(n => el("p", {}, n)),
		(page.problems || []).slice(0, 20).map(p =>
			el("p", { class: "problem" }, `${p.source}: ${p.text}`)),
		el("p", {}, `Made by copse ${page.copse || ""}. One file; nothing is ` +
			"loaded from anywhere."));
}

function keysFollow(app) {
	addEventListener("keydown", event => {
		const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);

		if (event.key === "/" && !isTyping) {
			event.preventDefault();
			app.bar.find.focus();
		} else if (event.key === "Escape" && event.target === app.bar.find) {
			app.bar.find.value = "";
			app.bar.find.blur();
			app.go({ find: "" });
		}
	});
}

async function pageStart() {
	const data = byId("copse-data");

	if (!data)
		throw new Error("this page has no profile in it");

	const app = new App(new Model(await streamUnpack(data.textContent)));

	data.remove();
	app.followed = location.hash;
	headMake(app);
	keysFollow(app);
	addEventListener("hashchange", () => app.followAddress());
	addEventListener("resize", () => app.update());
	globalThis.copse = app;
	app.readyAt = performance.now();
	document.documentElement.dataset.ready = "yes";
}

if (typeof document !== "undefined")
	pageStart().catch(error => {
		byId("main").textContent = "The profile cannot be shown: " +
			error.message + ". A browser of 2023 or later is needed.";
		console.error(error);
	});
