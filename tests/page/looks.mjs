// SPDX-License-Identifier: BSD-3-Clause
// looks.mjs - one page in headless Chromium: looks.mjs WHAT PAGE.html [FILE…]
// Exits 0, or 1 with what is wrong, or 77 where there is no browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Browser } from "./browser.mjs";

const [what, file, ...more] = process.argv.slice(2);
const json = name => JSON.parse(readFileSync(name, "utf8"));
const hash = page => page.value("location.hash");
const nextFrame = "new Promise(done => requestAnimationFrame(() => done(1)))";

// Where links of a list lead.
const linksOf = (page, list) => page.value(`[...document.querySelectorAll("${list
	} a")].map(a => a.getAttribute("href"))`);

// A click on a link, until its view is open.
async function openView(page, list, link) {
	await page.click(`${list} a[href="${link}"]`);
	await page.until(`document.querySelector("${list} a[aria-current]")` +
		`.getAttribute("href") === ${JSON.stringify(link)}`);
	await page.value(nextFrame);
}

// Six tabs at most, with every view in one of them.
async function linksAll(page) {
	const tabs = await linksOf(page, "#views"), links = [];

	assert.ok(tabs.length && tabs.length <= 6, "tabs: " + tabs.length);
	for (const tab of tabs) {
		await openView(page, "#views", tab);
		links.push(...await linksOf(page, "#parts"));
	}
	assert.deepEqual(links.length, await page.value("copse.views.length"));
	return links;
}

// Every view, light and dark, wide and narrow: it draws, and the console stays
// empty.
async function viewsAll(page) {
	const links = await linksAll(page);

	for (const [dark, width] of [[false, 1280], [true, 400]]) {
		await page.look({ dark, width });
		for (const link of links) {
			await page.value(`location.hash = ${JSON.stringify(link)}`);
			await page.until("document.querySelector('#parts a[aria-current]')" +
				`.getAttribute("href") === ${JSON.stringify(link)}`);
			await page.value(nextFrame);
			const text = await page.value(
				"document.getElementById('main').innerText");
			assert.ok(text.length > 40, link + " shows nothing");
			assert.doesNotMatch(text, /\b(null|undefined|NaN)\b/, link);
			assert.ok(await page.value(
				"document.documentElement.scrollWidth <= innerWidth"),
			link + " is wider than the window");
		}
	}
	await page.look({ dark: false });
	return links.map(l => /view=([a-z]+)/.exec(l)[1]);
}

// What a button saves: [name, type, text].
const saved = (page, button) => page.value(`(async () => {
	const make = URL.createObjectURL, click = HTMLAnchorElement.prototype.click;
	let blob, name;
	URL.createObjectURL = b => { blob = b; return "#"; };
	HTMLAnchorElement.prototype.click = function () { name = this.download; };
	document.querySelector(${JSON.stringify(button)}).click();
	URL.createObjectURL = make;
	HTMLAnchorElement.prototype.click = click;
	return [name, blob.type, await blob.text()];
})()`);

// Every picture and every table that a view shows is saved by its button.
async function savesAll(page) {
	const count = of => page.value(`document.querySelectorAll("main ${of}").length`);
	const buttons = await page.value("[...document.querySelectorAll(" +
		"'main .save')].map(b => [b.textContent, b.getAttribute('aria-label')])");
	const kinds = kind => buttons.filter(b => b[0] === kind).length;

	assert.ok(kinds("CSV") >= await count("table:not(.factors table)"));
	assert.ok(kinds("SVG") >= await count("canvas"));
	for (const [kind, label] of buttons) {
		const [name, type, text] = await saved(page, `main [aria-label="${label}"]`);

		assert.ok(name.endsWith(kind.toLowerCase()), name);
		assert.match(text, kind === "CSV" ? /\w.*\n/ : /^<svg [^]*<rect [^]*<\/svg>\n$/);
		assert.equal(type, kind === "CSV" ? "text/csv" : "image/svg+xml");
		if (kind === "SVG")
			assert.equal(await page.value(`new DOMParser().parseFromString(${
				JSON.stringify(text)}, "image/svg+xml").querySelectorAll(` +
				"'parsererror, script').length"), 0, label);
	}
	return buttons.length;
}

// The parts of the time are those of copse report split: the bar, and what a
// click on one shows.
async function partsEqual(page, { parts, paths }) {
	await page.value("copse.go({ view: 'start', show: [] })");

	const shown = parts.filter(p => p.share > 0), largest = paths.find(p =>
		p.call_path !== "(no call path)");

	assert.equal(await page.value("document.querySelectorAll('.split .times a')" +
		".length"), shown.length);
	(await page.value("[...document.querySelectorAll('.split .times a')].map(a => " +
		"Number.parseFloat(a.style.width))")).forEach((width, i) => assert.ok(
		Math.abs(width - 100 * shown[i].share) < 0.01, shown[i].part));
	await page.click(`.split .times a[href*="part-${largest.part}"]`);
	await page.until("document.querySelector('.part td')");
	assert.match(await hash(page), new RegExp("show=part-" + largest.part));

	const part = parts.find(p => p.part === largest.part);
	const rows = paths.filter(p => p.part === largest.part);

	assert.match(await page.value("document.querySelector('.part td.text').innerText"),
		new RegExp(rows[0].call_path.split(" ")[0].replace(/\W/g, ".")));
	assert.ok(await page.value("document.querySelectorAll('.part tbody tr').length")
		<= rows.length && part.seconds > 0);
	await isDrawn(page, ".part canvas");
	await savesAll(page);

	// By keys it closes and opens again: the focus stays where it was.
	await page.value("document.querySelector('.split a[aria-current]').focus()");
	await page.press("Enter");
	await page.until("!document.querySelector('.part')");
	await page.press("Enter");
	await page.until("document.querySelector('.part td')");
	await page.click(".part td a");
	await page.until("copse.view.id === 'flame' && copse.selection.path");
}

// What a canvas shows is not one colour.
async function isDrawn(page, selector) {
	assert.ok(await page.value(`(() => {
		const canvas = document.querySelector(${JSON.stringify(selector)});
		const data = canvas.getContext("2d").getImageData(0, 0, canvas.width,
			canvas.height).data;
		const colours = new Set();
		for (let i = 0; i < data.length; i += 4)
			colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
		return colours.size > 2;
	})()`), selector + " is empty");
}

// Sums of the page's arrays against copse report hotspots -f json.
async function totalsEqual(page, report) {
	const spots = await page.value(`(() => {
		const model = copse.model, own = model.own("cpu.time", null), sums = {};
		for (let n = 1; n < model.count; n++)
			if (own[n]) {
				const name = model.functionName(n);
				sums[name] = (sums[name] || 0) + own[n];
			}
		return { sums, total: model.metric("cpu.time").total,
			tree: model.inclusive(own)[0] };
	})()`);
	const wanted = {};

	for (const row of report.tables.hotspots)
		if (row.exclusive)
			wanted[row.function] = (wanted[row.function] || 0) +
				Math.round(row.exclusive * 1e9);
	assert.deepEqual(spots.sums, wanted);
	assert.equal(spots.tree, spots.total);
	assert.equal(spots.total, Object.values(wanted).reduce((a, b) => a + b, 0));
}

// Sums of lines, and of the cells that they have, against copse report timeline.
async function timesEqual(page, { cells }) {
	const parts = ["known", "busy", "mpi", "mpi_wait", "io", "gpu", "moments"];
	const shown = await page.value(`(() => {
		copse.go({ view: "time" });
		const g = copse.drawn.grid;
		return g.lines.map((_, l) => ${JSON.stringify(parts)}.map(part =>
			[g.sum(part, l, 0, g.columns),
				copse.model.stream.array("time.sum." + part)[l]]));
	})()`);
	const wanted = new Map();

	for (const cell of cells) {
		const key = [cell.rank, cell.kind, cell.number].join();

		if (!wanted.has(key))
			wanted.set(key, parts.map(() => 0));
		parts.forEach((part, i) => {
			wanted.get(key)[i] += part === "moments" ? cell[part]
				: Math.round(cell[part] * 255);
		});
	}

	// Helpers that did nearly nothing have no line.
	const bins = await page.value("copse.model.page.timeline.all");
	const worth = [...wanted].filter(([key, [, busy]]) =>
		!/others/.test(key) || busy >= 0.01 * 255 * bins);

	assert.deepEqual(shown, worth.map(([, line]) => line.map(v => [v, v])));
}

// What all hosts read and wrote in all columns, but for rounding.
async function bytesEqual(page, { hosts }) {
	const [read, written, columns] = await page.value("[copse.drawn.grid.read, " +
		"copse.drawn.grid.written].map(of => of.reduce((a, b) => a + b, 0))" +
		".concat(copse.drawn.grid.columns)");
	const all = part => hosts.reduce((sum, host) => sum + host[part], 0);

	assert.ok(all("read") > 1000);
	assert.ok(Math.abs(read - all("read")) <= columns);
	assert.ok(Math.abs(written - all("written")) <= columns);
	assert.ok(await page.value("copse.drawn.grid.hasBytes"));
}

// What is selected of all ranks has the parts that copse report split has of it.
async function spanEqual(page, { bins }) {
	const [lines, third] = await page.value("(copse.go({ view: 'time', path: null," +
		" ranks: null, time: null }), [copse.drawn.grid.lines.length * " +
		"copse.drawn.rowHeight, (copse.drawn.width - copse.drawn.left) / 3])");
	const left = await page.value("copse.drawn.left");

	await page.drag("canvas.timeline", left + third, 2, left + 2 * third, lines - 2);

	const [from, to] = await page.value("copse.selection.time.map(t => t / 1e6)");
	const seconds = new Map();
	let all = 0;

	for (const b of bins.filter(b => b.begin > from - 1e-6 && b.end < to + 1e-6)) {
		seconds.set(b.part, (seconds.get(b.part) || 0) + b.seconds);
		all += b.seconds;
	}
	const widths = [...seconds.values()].map(s => 100 * s / all);
	const shown = await page.value("[...document.querySelectorAll('.area .times " +
		"span')].map(s => Number.parseFloat(s.style.width))");

	assert.equal(shown.length, widths.length);
	assert.ok(shown.length > 1 && to - from < 0.5 * bins.at(-1).end);
	shown.forEach((width, i) => assert.ok(Math.abs(width - widths[i]) < 0.01,
		`${shown} ${widths}`));
}

async function stepsEqual(page, { cells, iterations }) {
	const shown = await page.value(`(() => {
		const s = name => [...copse.model.stream.array("step." + name)];
		return { us: s("us"), mpi: s("mpi"), number: s("number"),
			median: s("median"), outlier: s("outlier") };
	})()`);

	assert.deepEqual(shown.us, cells.map(c => Math.round(c.seconds * 1e6)));
	assert.deepEqual(shown.mpi, cells.map(c => Math.round(c.mpi * 1e6)));
	assert.deepEqual(shown.number, iterations.map(i => i.iteration));
	assert.deepEqual(shown.outlier, iterations.map(i => i.outlier));
	// Of an even number of ranks half a microsecond is rounded twice.
	iterations.forEach((i, c) => assert.ok(
		Math.abs(shown.median[c] - i.median * 1e6) <= 1, i.iteration));
}

// What one iteration alone was spent on, in the other views.
async function timeEverywhere(page) {
	const time = await page.value("copse.selection.time");
	const said = () => page.value("document.querySelector('.scope').innerText");
	const first = "document.querySelector('.view-hot tbody tr').innerText";
	const sums = { held: await page.value("copse.drawn.held") };

	for (const view of ["flame", "heat", "callers", "hot"]) {
		await page.value(`copse.go({ view: "${view}" })`);
		sums[view] = await page.value("copse.all[0]");
		assert.match(await said(), /^Instead of .*: time \(.* from the timeline's cells of .*± /);
		assert.match(await page.value("document.querySelector('.strip-of')" +
			".innerText"), /^time \(.*\) of (.*write_restart|all)/);
	}
	assert.match(await page.value(first), /^write_restart\b/);
	for (const view of ["heat", "callers", "hot"])
		assert.equal(sums[view], sums.flame);

	// As in the timeline, and as its ranks together.
	assert.ok(Math.abs(sums.flame / sums.held - 1) < 1e-9, JSON.stringify(sums));
	assert.ok(Math.abs(await page.value("copse.byRank(0).columns.reduce((s, c) =>" +
		" s + c.mean, 0)") / sums.held - 1) < 1e-9);
	assert.match(await page.value("(copse.go({ metric: 'samples' }), " +
		"document.querySelector('.scope').innerText)"),
	/^Whole run: samples is not kept by time/);
	await page.value("copse.go({ metric: null })");

	for (const view of ["messages", "calls", "ranks"]) {
		await page.value(`copse.go({ view: "${view}" })`);
		assert.match(await said(), /^Whole run: what is here is not kept by time/);
	}

	// All of the time: what takes one iteration is far down.
	await page.value("copse.go({ view: 'hot', time: null, path: null })");
	assert.equal(await said(), "");
	assert.doesNotMatch(await page.value(first), /^write_restart\b/);
	await page.value(`copse.go({ view: "time", time: ${JSON.stringify(time)} })`);
}

// What factors lose is all that is missing to 100 %.
async function lossesEqual(page) {
	await page.value("copse.go({ view: 'start', show: [] })");

	const { lost, left } = await page.value(`({
		lost: [...document.querySelectorAll(".factor .lost")].reduce((s, e) =>
			s + Number.parseFloat(e.style.width), 0),
		left: Number.parseFloat([...document.querySelectorAll(".factor .left")]
			.pop().style.width) })`);

	assert.ok(Math.abs(lost + left - 100) < 0.01, `${lost} ${left}`);
	assert.equal(await page.value("document.querySelectorAll('.verdict-of').length"),
		await page.value("document.querySelectorAll('.factor').length"));
	assert.equal(Math.round(left), Math.round(100 * await page.value("[copse.model" +
		".table('efficiency', 'factors')].map(t => [t.rows[0][t.columns.findIndex(" +
		"c => c.id === 'parallel_efficiency')]].flat()[0])[0]")));
}

// Libraries have rows only when they are asked for; the total is the same.
async function myCode(page) {
	const rows = () => page.value("[...document.querySelectorAll(" +
		"'.view-hot tbody tr')].map(r => r.cells[1].innerText)");

	await page.value("copse.go({ view: 'hot', show: [] })");
	await page.value("document.querySelector('.view-hot .more')?.click()");
	const mine = await rows();

	await page.click("input[name=mine]");
	assert.match(await hash(page), /show=all/);
	await page.value("document.querySelector('.view-hot .more')?.click()");
	const all = await rows(), libraries = list => list.filter(m =>
		/^lib/.test(m)).length;

	assert.ok(libraries(all) > libraries(mine), `${mine} ${all}`);

	// In the flame graph, too; a search finds libraries.
	await page.value("copse.go({ view: 'flame', show: [] })");

	const boxes = () => page.value("[copse.drawn.tree.parent.length, " +
		"copse.drawn.tree.all[0]]");
	const [few, sum] = await boxes();

	await page.click("input[name=mine]");
	assert.match(await hash(page), /show=all/);
	const [most, sumAll] = await boxes();

	assert.ok(few < most && sum === sumAll, `${few} ${most} ${sum} ${sumAll}`);
	await page.value("copse.go({ show: [], find: 'MPI' })");
	assert.deepEqual(await boxes(), [most, sum]);
	await page.value("copse.go({ find: '' })");

	// The address of what the page has not leads to what says most of it.
	await page.value("location.hash = '#view=source'");
	await page.until("copse.view.id === 'hot'");
	assert.match(await page.value("document.querySelector('.tab[aria-current]')" +
		".innerText"), /lines/);
}

const checks = {
	// Of a run with several ranks: every way to move about.
	async run(page, [hotspots, split]) {
		const views = await viewsAll(page);

		for (const view of ["start", "more", "flame", "callers", "hot", "ranks",
			"heat", "waits", "messages", "calls"])
			assert.ok(views.includes(view), "no view " + view);
		assert.ok(!views.includes("source"), "no source is in the page");
		await totalsEqual(page, json(hotspots));
		await partsEqual(page, json(split).tables);
		for (const view of views) {
			await page.value(`copse.go({ view: "${view}", show: [] })`);
			assert.ok(await savesAll(page) || view === "more", view);
		}
		await lossesEqual(page);
		await myCode(page);
	},

	// Times of threads are those of copse report threads; a click on a region
	// selects its call path.
	async threads(page, [report]) {
		const { tables } = json(report);
		const parts = ["work", "else", "end_wait", "barrier_wait", "lock_wait",
			"gil_wait", "idle"];

		assert.ok((await viewsAll(page)).includes("threads"));
		await page.value("copse.go({ view: 'threads' })");

		const shown = await page.value(`${JSON.stringify(parts)}.map(part =>
			[...copse.model.stream.array("thread." + part)])`);

		assert.equal(shown[0].length, tables.threads.length);
		parts.forEach((part, p) => tables.threads.forEach((t, i) => assert.ok(
			Math.abs(shown[p][i] - t[part] * 1e6) <= 1, `${part} of ${i}`)));
		assert.equal(await page.value("document.querySelectorAll(" +
			"'.threads .rank').length"), tables.threads.length);

		const { region } = tables.regions[0];

		await page.click(`.view-threads td a[title="${region}"]`);
		await page.until("copse.selection.path");
		assert.equal(await page.value(
			"copse.model.functionName(copse.selection.path)"), region);
	},

	async flame(page) {
		const label = () => page.value("document.querySelector('.said').textContent");
		const named = name => page.value(`copse.model.function.findIndex(
			(f, n) => copse.model.name(n) === ${JSON.stringify(name)})`);

		await page.value("copse.go({ view: 'flame' })");
		await isDrawn(page, "canvas.flame");
		await isDrawn(page, "canvas.strip");

		// Two rows down, at the left: what main called and took the most.
		await page.click("canvas.flame", 30, 19 * 2 + 9);
		const first = await page.value("copse.selection.path");

		assert.ok(first > 0);
		assert.match(await label(), /of it itself|of all/);

		// By keys: up to main, down again, zoom, out.
		await page.press("ArrowUp");
		assert.equal(await page.value(
			"copse.model.name(copse.selection.path)"), "main");
		await page.press("ArrowDown");
		assert.equal(await page.value("copse.selection.path"), first);
		await page.press("Enter");
		assert.equal(await page.value("copse.selection.zoom"), first);
		assert.equal(await page.value(
			"Math.round(copse.drawn.boxes.find(b => b.box === copse.drawn.zoom)" +
			".width)"), await page.value("copse.drawn.canvas.clientWidth"));
		await page.press("Escape");
		assert.equal(await page.value("copse.selection.zoom"), null);

		// Search by key, from anywhere.
		await page.press("/");
		await page.write("burn_fuel");
		assert.equal(await page.value("copse.selection.find"), "burn_fuel");
		assert.equal(await page.value("copse.drawn.found.size"), 1);
		assert.match(await page.value("document.querySelector('.hits').textContent"),
			/burn_fuel.*1 box/);
		await page.press("Escape");
		assert.equal(await page.value("copse.selection.find"), "");

		// Inverted: the same total, and burnt has its caller below.
		const before = await page.value("copse.drawn.tree.all[0]");

		await page.click("input[name=inverted]");
		assert.match(await hash(page), /show=inverted/);
		assert.equal(await page.value("copse.drawn.tree.all[0]"), before);
		assert.deepEqual(await page.value(`(() => {
			const t = copse.drawn.tree, m = copse.model;
			const name = b => m.name(t.frame[b]);
			const burnt = t.children[0].find(b => name(b) === "burnt");
			return t.children[burnt].map(name);
		})()`), ["burn_fuel"]);
		await page.click("canvas.flame", 30, 19 + 9);
		assert.ok(await page.value("copse.selection.path") > 0);

		// One rank: only its time.
		const burnt = await named("burnt");

		await page.value(`copse.go({ path: ${burnt}, show: [], ranks: null })`);
		await page.click("canvas.strip", 20, 40);
		assert.deepEqual(await page.value("copse.selection.ranks"), [[0, 0]]);
		const rank0 = await page.value(
			`copse.model.byRank("cpu.time", ${burnt}).columns[0].mean`);

		assert.ok(rank0 > 0);
		assert.equal(await page.value(
			`copse.model.value(${burnt}, copse.all)`), rank0);
	},

	// Ranks over time, and iterations: their sums, and what selects.
	async time(page, [timeline, iterations, split, io], address) {
		const views = await viewsAll(page);

		assert.ok(views.includes("time") && views.includes("steps"));
		await page.look({ dark: false });
		await timesEqual(page, json(timeline).tables);
		await bytesEqual(page, json(io).tables);
		await stepsEqual(page, json(iterations).tables);

		// The whole run is that of the first screen: same parts, same figures.
		const figures = "[...document.querySelectorAll('main .legend li')]" +
			".filter(li => li.querySelector('b')).map(li => li.innerText.trim())";

		await page.value("copse.go({ view: 'start', show: [], time: null, ranks: null })");
		const first = (await page.value(figures)).filter(t => !/ 0 s$/.test(t));

		await page.value("copse.go({ view: 'time', path: null, ranks: null })");
		assert.deepEqual(await page.value(figures), first);
		assert.ok(first.length > 1);
		await spanEqual(page, json(split).tables);

		// A drag over two ranks and the middle third.
		await page.value("copse.go({ view: 'time', path: null, ranks: null, " +
			"time: null })");
		await isDrawn(page, "canvas.timeline");

		const { left, width, tall } = await page.value("({ left: copse.drawn.left, " +
			"width: copse.drawn.width - copse.drawn.left, tall: copse.drawn.rowHeight })");
		const x = share => left + share * width;

		await page.drag("canvas.timeline", x(1 / 3), tall * 1.5, x(2 / 3),
			tall * 2.5);
		assert.deepEqual(await page.value("copse.selection.ranks"), [[1, 2]]);
		const [from, to] = await page.value(`copse.selection.time.map(t => t /
			copse.drawn.grid.end)`);

		assert.ok(Math.abs(from - 1 / 3) < 0.02 && Math.abs(to - 2 / 3) < 0.02);

		// What is beneath it is of that area: its flame graph, its bar.
		const held = await page.value(`(() => {
			const g = copse.drawn.grid, t = copse.selection.time;
			const a = Math.round(t[0] / g.width), b = Math.round(t[1] / g.width);
			return [1, 2].reduce((s, l) => s + g.seconds("known", l, a, b), 0);
		})()`);
		const label = await page.value(
			"document.querySelector('.area .legend b').textContent");

		assert.ok(Math.abs(await page.value("copse.drawn.held") / 1e9 - held) <
			1e-6);
		assert.match(label, /%/);

		// Enter zooms to ranks and time, Escape comes back, an arrow moves by a
		// cell.
		await page.press("Enter");
		assert.deepEqual(await page.value("copse.selection.span"),
			await page.value("copse.selection.time"));
		await page.press("ArrowDown");
		assert.deepEqual(await page.value("copse.selection.ranks"), [[2, 2]]);
		await page.press("Escape");
		assert.deepEqual(await page.value("[copse.selection.span, " +
			"copse.selection.only, copse.drawn.grid.lines.length]"),
		[null, null, 4]);

		// Colours are those of functions of the program, none of the C library.
		const modules = await page.value("[...document.querySelectorAll(" +
			"'.view-time .legend a')].map(a => copse.model.moduleName(Number(" +
			"new URLSearchParams(a.hash.slice(1)).get('path'))))");

		assert.ok(modules.length && !modules.some(m => /^(libc|libm|ld)[.-]/.test(
			m)), modules.join());

		// The depth: at 1 all is main, or at no path.
		await page.value("document.querySelector('#depth').value = 1;" +
			"document.querySelector('#depth').dispatchEvent(new Event('input'))");
		assert.match(await hash(page), /show=depth-1/);
		assert.deepEqual(await page.value("[...document.querySelectorAll(" +
			"'.view-time .legend a')].map(a => a.textContent)"), ["main"]);

		// The slow iteration opens the time that it took, in which its path is.
		await page.value("copse.go({ view: 'steps', show: [], ranks: null, " +
			"time: null })");
		await page.click(".outliers a");
		await page.until("copse.view.id === 'time'");
		assert.equal(await page.value(
			"copse.model.functionName(copse.selection.path)"), "write_restart");

		await timeEverywhere(page);

		// So does the address, and that of what was zoomed to.
		const state = "[copse.view.id, copse.selection, copse.drawn.span, " +
			"copse.drawn.grid.lines.length, document.querySelector(" +
			"'#chosen').innerText, document.querySelector('.area').innerText]";

		await page.value("copse.go({ span: copse.selection.time, only: [[1, 2]] })");
		assert.match(await hash(page), /time=\d+-\d+&span=\d+-\d+/);
		assert.equal((await page.value(state))[3], 2);

		const other = await page.browser.open(address + await hash(page));

		assert.deepEqual(await other.value(state), await page.value(state));
		assert.deepEqual(other.errors, []);
	},

	// A phase that the program names, in the views that know it.
	async phase(page, [tree]) {
		const { inclusive } = json(tree).tree.find(row =>
			row.name === "step" && !row.depth);
		const names = "[...document.querySelectorAll('.view-hot tbody td:first-child" +
			"')].map(td => td.innerText)";
		const outside = ["setup", "assemble", "finish"];

		await page.value("copse.go({ view: 'hot' })");
		for (const name of [...outside, "compute"])
			assert.ok((await page.value(names)).includes(name), name);
		await page.value("document.querySelector('#phase').value = " +
			"document.querySelector('#phase').options[1].value;" +
			"document.querySelector('#phase').dispatchEvent(new Event('change'))");
		assert.match(await hash(page), /&phase=\d+/);
		assert.equal(await page.value("copse.all[0]"), Math.round(inclusive * 1e9));
		assert.equal(await page.value("copse.byRank(copse.pathOfStrip).columns" +
			".reduce((s, c) => s + c.mean, 0)"), Math.round(inclusive * 1e9));
		assert.ok((await page.value(names)).includes("compute"));
		for (const name of outside)
			assert.ok(!(await page.value(names)).includes(name), name);
		for (const view of ["flame", "heat", "callers", "time"]) {
			await page.value(`copse.go({ view: "${view}" })`);
			assert.equal(await page.value(
				"document.querySelector('.scope').innerText"), "");
		}
		const held = await page.value("copse.drawn.held");

		await page.value("copse.go({ view: 'calls' })");
		assert.match(await page.value("document.querySelector('.scope').innerText"),
			/^All phases: what is here is not kept by phase/);
		await page.value("copse.go({ view: 'time', phase: null })");
		assert.ok(held > 0 && held < await page.value("copse.drawn.held"));
	},

	// An address that was mailed shows the same to somebody else.
	async link(page, more, address) {
		await page.value("copse.go({ view: 'heat', metric: 'mpi.time', ranks: " +
			"[[1, 2]], path: copse.finder.byName.get('exchange_edges')[0] })");

		const state = "[copse.view.id, copse.metric, copse.selection, " +
			"document.querySelector('#chosen').innerText]";
		const sent = await page.value(state);
		const other = await page.browser.open(address + await hash(page));

		assert.deepEqual(await other.value(state), sent);
		assert.match(sent[3], /exchange_edges[^]*ranks 1–2/);
		assert.deepEqual(other.errors, []);
	},

	// Of two runs: every view; both sides are those of copse report -f json.
	async diff(page, [report]) {
		const views = await viewsAll(page);

		assert.deepEqual(views, ["start", "flame", "callers", "hot"]);
		await page.value("copse.go({ view: 'start' })");
		assert.doesNotMatch(await page.value(
			"document.querySelector('main').innerText"), /gate|failed/i);

		const total = json(report).tables.metrics.find(m =>
			m.metric === "cpu.time");

		await page.value("copse.go({ view: 'flame' })");
		assert.deepEqual(await page.value("[copse.drawn.tree.before[0], " +
			"copse.drawn.tree.after[0]]"),
		[total.base, total.new].map(v => Math.round(v * 1e9)));
		await isDrawn(page, "canvas.flame");
	},

	// Served by copse view: what the page only has a picture of is asked for.
	async live(page) {
		const node = await page.value("[...copse.model.members.values()]" +
			".map(m => m[0]).filter(n => n && copse.all[n] && " +
			"!copse.model.exactByRank('cpu.time', n)).pop()");

		assert.ok(node > 0, "the page has all");
		await page.value(`copse.go({ view: "flame", path: ${node} })`);
		await page.until(`copse.model.byRank("cpu.time", ${node})?.exact`);

		const sum = await page.value(`copse.model.byRank("cpu.time", ${node})` +
			".columns.reduce((s, c) => s + c.mean, 0)");

		assert.equal(sum, await page.value(`copse.model.value(${node}, copse.all)`));
		await page.value("copse.go({ path: null, ranks: [[3, 3]] })");
		await page.until("copse.model.isOfRows('cpu.time', [[3, 3]])");
		assert.equal(await page.value("copse.all[0]"), await page.value(
			"copse.model.byRank('cpu.time', 0).columns[3].mean"));
		// A part of the timeline, with each of its ranks.
		await page.value("copse.go({ view: 'time', ranks: [[8, 15]], time: null })");
		await page.value("copse.drawn.canvas.focus()");
		await page.press("Enter");
		assert.deepEqual(await page.value("[copse.selection.only, " +
			"copse.drawn.grid.lines.length]"), [[[8, 15]], 8]);
		await page.value("copse.model.live.time(3, 5, 8, 2, s => s)");
		await page.until("copse.model.live.time(3, 5, 8, 2)");
		assert.deepEqual(await page.value(`(() => {
			const s = copse.model.live.time(3, 5, 8, 2);
			const whole = copse.model.stream, columns =
				copse.model.page.timeline.columns;
			const lines = [...whole.array("time.first")];
			return [8, 9].map((row, i) => ["known", "mpi", "busy"].map(part => {
				const at = lines.indexOf(row) * columns;
				const mine = [...s.array("time." + part)].slice(i * 5, i * 5 + 5);
				const theirs = [...whole.array("time." + part)]
					.slice(at + 3, at + 8);
				return mine.join() === theirs.join() && mine.length === 5;
			}));
		})()`), [[true, true, true], [true, true, true]]);
		await viewsAll(page);
	},

	// A finding opens its view, with its path and its ranks.
	async finding(page, [name, ranks]) {
		assert.equal(await page.value(
			"document.querySelectorAll('.findings li').length"), 1);
		await page.click(".finding a");
		await page.until("copse.view.id !== 'start'");
		assert.equal(await page.value(
			"copse.model.functionName(copse.selection.path)"),
		name);
		assert.equal(await page.value(
			"copse.model.ranksText(copse.selection.ranks)"), ranks);

		const chosen = await page.value("document.querySelector('#chosen').innerText");

		assert.ok(chosen.includes(name) && chosen.includes(ranks), chosen);
		await page.value("history.back()");
		await page.until("copse.view.id === 'start'");
	},

	async views(page, wanted) {
		const views = await viewsAll(page);

		for (const view of wanted)
			assert.ok(views.includes(view), "no view " + view);
	},

	// Names of others do nothing.
	async hostile(page, [names]) {
		await page.value("window.hurt = 0");
		await viewsAll(page);
		assert.equal(await page.value("window.hurt"), 0);
		assert.equal(await page.value("document.querySelectorAll(" +
			"'img, iframe, object, embed, svg, main script, main style').length"), 0);
		assert.equal(await page.value("[...document.scripts].filter(s => " +
			"s.closest('main, header, footer, nav')).length"), 0);
		await page.value("copse.go({ view: 'hot', show: ['all'] })");
		await page.click(".view-hot .more");
		const text = await page.value("document.getElementById('main').textContent");

		for (const name of json(names).filter(n => /^[\x20-\x7e]{1,200}$/.test(n)))
			assert.ok(text.includes(name), "not shown: " + name);
		assert.doesNotMatch(text, /[\u0000-\u0008\u202a-\u202e\u2066-\u2069]/);
	},

	// One sheet of paper, light whatever the screen is.
	async print(page) {
		await page.look({ dark: true });
		const pages = (await page.pdf()).toString("latin1")
			.match(/\/Type\s*\/Page[^s]/g).length;

		assert.equal(pages, 1);
		await page.look({ dark: true, print: true });
		await page.until("getComputedStyle(document.body)" +
			".backgroundColor === 'rgb(255, 255, 255)'");
	},

	// Streams of GPUs: all work is there; a zoom shows a part, in the timeline,
	// too; an arrow leads from a call to its work; keys go back.
	async streams(page, [work]) {
		const rows = JSON.parse(readFileSync(work, "utf8")).tables.work;
		const step = rows.find(r => r.seconds === 0.06);
		const [from, to] = [step.at * 1e6 - 1000, (step.at + 0.06) * 1e6 + 1000];
		const shown = async () => page.value("copse.drawn.lines.filter(l => " +
			"l.line.key[1]).flatMap(l => l.line.slices.filter(s => " +
			"s.to > copse.drawn.span[0] && s.from < copse.drawn.span[1])" +
			".map(s => s.name))");

		await page.value("copse.go({ view: 'streams' })");
		assert.equal((await shown()).length, rows.length);
		await page.value(`copse.go({ span: [${from}, ${to}] })`);
		assert.deepEqual([...new Set(await shown())].sort(), ["alpha", "beta",
			"ncclDevKernel_AllReduce_Sumv"]);
		await page.value("(copse.drawn.over = copse.drawn.lines.at(-1).line" +
			".slices.find(s => s.from > copse.drawn.span[0]), copse.drawn.draw())");
		assert.match(await page.value("document.querySelector('.said')" +
			".textContent"), /^nccl.*4\.00 ms.* after its call .* step/);
		await page.value("copse.go({ view: 'time' })");
		assert.equal(await page.value("[...document.querySelectorAll(" +
			"'.view-time canvas.timeline')].filter(c => c.clientHeight > 20)" +
			".length"), 2);
		await page.value("copse.go({ view: 'streams' })");
		await page.value("document.querySelector('.view-streams canvas').focus()");
		await page.press("Escape");
		assert.equal((await shown()).length, rows.length);
	},

	// Light and dark, by the system and by the button.
	async theme(page) {
		const paper = () => page.value(
			"getComputedStyle(document.body).backgroundColor");
		const light = await paper();

		await page.look({ dark: true });
		await page.until("document.documentElement.dataset.theme === 'dark'");
		assert.notEqual(await paper(), light);
		await page.click("#theme");
		assert.equal(await paper(), light);
	},
};

const browser = await Browser.start();

if (!browser) {
	console.log("no chromium-headless-shell here");
	process.exit(77);
}
try {
	const served = file.startsWith("http:");
	const address = served ? file : "file://" + resolve(file);
	const page = await browser.open(address);

	await checks[what](page, more, address);
	assert.deepEqual(page.errors, []);
	assert.deepEqual(page.requests.filter(r => (served
		? !r.startsWith(address) : r !== address)), []);
} catch (error) {
	console.log(error.stack);
	process.exitCode = 1;
}
await browser.stop();
