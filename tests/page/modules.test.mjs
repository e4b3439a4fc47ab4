// SPDX-License-Identifier: BSD-3-Clause
// modules.test.mjs - modules of the page on their own: share/page.
import assert from "node:assert/strict";
import test from "node:test";
import { boxHue } from "../../share/page/colour.js";
import { textClean } from "../../share/page/dom.js";
import { flameLayout } from "../../share/page/flame.js";
import { Live } from "../../share/page/live.js";
import { Model } from "../../share/page/model.js";
import { PathFinder } from "../../share/page/paths.js";
import { rowsAdd, rowsParse, rowsText, selectionParse, selectionText, timeParse }
	from "../../share/page/selection.js";
import { streamDecode, streamUnpack } from "../../share/page/stream.js";
import { roofPoints } from "../../share/page/roof.js";
import { outliersFind, stripColumns } from "../../share/page/strip.js";
import { timeGridOf } from "../../share/page/time-grid.js";
import { isKeptByTime, TimeSlice } from "../../share/page/time-slice.js";
import { axisSteps } from "../../share/page/timeline.js";
import { treeAround, treeBuild, treeChildren, treeInvert, treeSpots, treeValues }
	from "../../share/page/tree.js";
import { bytesText, countText, shareText, timeText }
	from "../../share/page/units.js";
import { busyShare, slicesBetween, slicesOf } from "../../share/page/slices.js";
import { splitOf } from "../../share/page/split.js";
import { csvText, SvgContext } from "../../share/page/svg.js";
import { columnsShown, rowsWorth, shortNames } from "../../share/page/table.js";
import { sentencesOf } from "../../share/page/view-start.js";
import { tabsExpand } from "../../share/page/view-source.js";
import { spotsChanged } from "../../share/page/view-hot.js";
import { barsOf, launcherOf } from "../../share/page/view-gpu.js";
import { treeShown } from "../../share/page/view-flame.js";
import { placeOfNode, threadLines } from "../../share/page/view-threads.js";
import { rowsWithout, StepGrid } from "../../share/page/view-steps.js";
import { arrowsOf, culpritsOf } from "../../share/page/view-time.js";
import { tabsOf, viewFind } from "../../share/page/views.js";
import { madeDiff, madeRun, madeTime, streamBytes, streamPack } from "./made-run.mjs";

const all = { lines: true, loops: true, inlined: true };
const functions = { lines: false, loops: false, inlined: true };

function modelMade(ranks) {
	const { page, arrays } = madeRun(ranks);

	return new Model(streamDecode(streamBytes(page, arrays)));
}

const names = (model, tree) => tree.node.slice(1).map(n => model.name(n));

test("a packed stream gives its numbers back", async () => {
	const numbers = [0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, 2 ** 53 - 1];
	const stream = await streamUnpack(streamPack(streamBytes({ page: 1 }, {
		u: ["u8", [0, 7, 255]], v: ["varint", numbers],
		d: ["delta", [5, 3, 3, 2 ** 40, 0]], none: ["varint", []],
	})));

	assert.deepEqual([...stream.array("u")], [0, 7, 255]);
	assert.deepEqual([...stream.array("v")], numbers);
	assert.deepEqual([...stream.array("d")], [5, 3, 3, 2 ** 40, 0]);
	assert.equal(stream.array("none").length, 0);
	assert.equal(stream.array("missing"), null);
});

// Two kernels on one stream that overlap, one on another; a call that began two.
test("a trace of GPUs: lines, lanes, and what a call began", () => {
	const { page, arrays } = madeRun(2);
	const put = (kind, columns) => Object.entries(columns).forEach(([name, of]) => {
		arrays[`slice.${kind}.${name}`] = [name === "start" ? "delta"
			: name === "kind" ? "u8" : "varint", of];
	});

	page.slices = { from: 0, work: 3 };
	put("work", { rank: [0, 0, 1], start: [1000, 3000, 2000],
		ns: [4000, 1000, 2000], node: [4, 5, 4], device: [0, 0, 0],
		stream: [7, 7, 9], kind: [0, 0, 2], bytes: [0, 0, 64], call: [1, 1, 0] });
	put("call", { rank: [0], start: [500], ns: [200], node: [2], thread: [3] });
	put("range", { rank: [0, 0], start: [0, 400], ns: [9000, 400],
		thread: [3, 3], name: [2, 3] });

	const slices = slicesOf(new Model(streamDecode(streamBytes(page, arrays))));

	assert.deepEqual(slices.lines.map(l => [l.rank, l.label, l.lanes]), [
		[0, "thread 3: ranges", 2], [0, "thread 3: CUDA", 1],
		[0, "GPU 0, stream 7", 2], [1, "GPU 0, stream 9", 1]]);

	const [, cuda, stream] = slices.lines;

	assert.deepEqual(cuda.slices[0].works, stream.slices);
	assert.equal(stream.slices[1].call, cuda.slices[0]);
	assert.equal(slices.lines[3].slices[0].call, null);
	assert.equal(slices.lines[0].slices[1].name, "dot");
	assert.deepEqual([slices.begin, slices.end], [0, 9]);
	assert.equal(busyShare(stream, 0, 8), 0.5);
	assert.equal(busyShare(stream, 3.5, 4.5), 1);
	assert.equal(slicesBetween(stream, 4, 6).length, 1);
	assert.equal(slicesOf(modelMade(2)), null);
});

test("threads: what each did, and the call path of a region", () => {
	const { page, arrays } = madeRun(2);

	arrays["thread.first"] = ["delta", [0, 0, 1]];
	for (const [name, values] of Object.entries({ count: [1, 1, 1],
		place: [0, 1, 0], threads: [1, 1, 1], name: [1, 1, 1],
		work: [500, 300, 0], else: [400, 0, 7], end_wait: [0, 200, 0],
		barrier_wait: [0, 0, 0], lock_wait: [100, 0, 0], gil_wait: [0, 0, 0],
		idle: [0, 500, 0] }))
		arrays["thread." + name] = ["varint", values];

	const model = new Model(streamDecode(streamBytes(page, arrays)));
	const lines = threadLines(model);

	assert.deepEqual(lines.map(l => [l.first, l.place, [...l.us]]), [
		[0, 0, [500, 400, 0, 0, 100, 0, 0]],
		[0, 1, [300, 0, 200, 0, 0, 0, 500]], [1, 0, [0, 7, 0, 0, 0, 0, 0]]]);
	assert.equal(threadLines(modelMade(2)).length, 0);

	// Of two lines of solve the one that has 100 of each rank, not 7.
	assert.equal(placeOfNode(model, 2, "solve", "cpu.time"), 4);
	assert.equal(placeOfNode(model, 2, "no such", "cpu.time"), 0);
});

test("a stream that was cut says so", async () => {
	const bytes = streamBytes({}, { v: ["varint", [1, 2, 300]] });
	const stream = streamDecode(bytes.subarray(0, bytes.length - 1));

	assert.throws(() => stream.array("v"), /ends early/);
	await assert.rejects(streamUnpack("AAAA"));
});

test("the address keeps the selection", () => {
	const s = selectionParse(
		"#view=heat&path=12&phase=3&ranks=0-2,5&metric=mpi.time&find=a%26b" +
		"&show=loops");

	assert.deepEqual(s, { view: "heat", path: 12, phase: 3, ranks: [[0, 2], [5, 5]],
		metric: "mpi.time", time: null, span: null, only: null, zoom: null,
		find: "a&b", show: ["loops"] });
	assert.deepEqual(selectionParse(selectionText(s)), s);
	assert.equal(selectionParse("#path=-1&ranks=x,3-1").path, null);
	assert.equal(selectionParse("#path=1e9").path, null);
	assert.equal(selectionParse("").view, "start");
});

test("rows of ranks are united", () => {
	assert.deepEqual(rowsParse("5,0-2,3,4-4,9"), [[0, 5], [9, 9]]);
	assert.equal(rowsText([[0, 5], [9, 9]]), "0-5,9");
	assert.equal(rowsParse("3-1"), null);
	assert.deepEqual(rowsAdd([[0, 1]], 2, 4), [[0, 4]]);
	assert.deepEqual(rowsAdd(null, 2, 2), [[2, 2]]);
});

test("numbers read as in the text report", () => {
	assert.deepEqual([0, 2.5e-7, 1.5e-5, 0.1543, 1.5, 32.36, 321.4, -0.5]
		.map(timeText), ["0 s", "250 ns", "15.0 µs", "154 ms", "1.50 s", "32.4 s",
		"321 s", "−500 ms"]);
	assert.deepEqual([0, 8, 8192, 7372800].map(bytesText),
		["0 B", "8 B", "8.00 KiB", "7.03 MiB"]);
	assert.equal(countText(1234567), "1\u202f234\u202f567");
	assert.equal(shareText(0.412627, 0.0198), "41 ± 2.0 %");
	assert.equal(shareText(0.0499), "5.0 %");
});

test("what a browser would obey is shown", () => {
	assert.equal(textClean("a\u202eb\u0000c\u200bd\n"),
		"a\\u202eb\\u0000c\\u200bd\\u000a");
	assert.equal(textClean("x".repeat(1e6)).length, 2001);
	assert.equal(textClean("é世界 ← 🙂"), "é世界 ← 🙂");
	assert.equal(textClean("\ud800x"), "\\ud800x");
});

test("exclusive and inclusive sums of the made run", () => {
	const model = modelMade(4);
	const own = model.own("cpu.time", null);
	const inclusive = model.inclusive(own);

	// 4 × (100 + 7 + 1 + 1) + 10 × (0 + 1 + 2 + 3)
	assert.equal(inclusive[0], 496);
	assert.equal(model.metric("cpu.time").total, 496);
	assert.equal(inclusive[2], 488);
	assert.equal(model.own("cpu.time", [[2, 3]])[5], 50);
	assert.equal(model.inclusive(model.own("cpu.time", [[0, 0]]))[0], 109);
});

test("a selected path has its values of each rank", () => {
	const model = modelMade(4);
	const of = n => model.byRank("cpu.time", n).columns.map(c => c.mean);

	assert.deepEqual(of(2), [107, 117, 127, 137]);
	assert.deepEqual(of(6), [7, 7, 7, 7]);
	assert.deepEqual(of(5), [0, 10, 20, 30]);
	assert.deepEqual(of(0), [109, 119, 129, 139]);
	assert.deepEqual(of(4), [100, 100, 100, 100]);
	assert.equal(model.ranksText([[0, 2], [3, 3]]), "ranks 0–2, 3");
});

test("groups of ranks within what a byte can tell", () => {
	const { page, arrays } = madeRun(4);

	for (const part of ["first", "rank", "value"])
		delete arrays["cell.cpu.time." + part];
	page.heat = [{ metric: "cpu.time", top: 1000 }];
	Object.assign(arrays, {
		"group.first": ["delta", [0, 1]], "group.count": ["varint", [1, 3]],
		"heat.cpu.time.nodes": ["delta", [2]],
		"heat.cpu.time.mean": ["u8", [0, 255]],
		"heat.cpu.time.most": ["u8", [0, 239]],
		"exact.cpu.time.nodes": ["delta", [5]],
		"exact.cpu.time.values": ["varint", [0, 10, 20, 30]],
	});

	const model = new Model(streamDecode(streamBytes(page, arrays)));

	assert.deepEqual(model.byRank("cpu.time", 3 - 1), { exact: false, columns: [
		{ first: 0, count: 1, mean: 0, most: 0 },
		{ first: 1, count: 3, mean: 1000, most: 500 }] });
	assert.equal(model.byRank("cpu.time", 5).exact, true);
	assert.equal(model.byRank("cpu.time", 8), null);
});

test("a server is asked once, and its answer is exact", async () => {
	const { page, arrays } = madeRun(4);
	const asked = [];
	let answers = 0;

	for (const part of ["first", "rank", "value"])
		delete arrays["cell.cpu.time." + part];

	const model = new Model(streamDecode(streamBytes(page, arrays)));

	model.live = new Live(() => answers++, async question => {
		asked.push(question);
		return { ok: !question.includes("nodes=5"), status: 404,
			json: async () => (question.startsWith("tile")
				? { values: [[1, 2, 3, 4]] } : { nodes: [4, 5], values: [7, 9] }) };
	});
	console.warn = () => {};
	assert.equal(model.byRank("cpu.time", 2), null);
	assert.equal(model.byRank("cpu.time", 5), null);
	assert.equal(model.isOfRows("cpu.time", [[3, 3]]), false);
	await new Promise(later => setTimeout(later));
	assert.deepEqual(model.byRank("cpu.time", 2).columns.map(c => c.mean),
		[1, 2, 3, 4]);
	assert.equal(model.byRank("cpu.time", 5), null);
	assert.deepEqual([...model.own("cpu.time", [[3, 3]])],
		[0, 0, 0, 0, 7, 9, 0, 0, 0, 0]);
	assert.equal(answers, 2);
	assert.deepEqual(asked, ["tile?metric=cpu.time&nodes=2",
		"tile?metric=cpu.time&nodes=5", "rank?metric=cpu.time&row=3"]);
});

test("a tree of functions, and one with loops and lines", () => {
	const model = modelMade(2);
	const tree = treeBuild(model, functions);
	const values = treeValues(tree, model.own("cpu.time", null));

	assert.deepEqual(names(model, tree),
		["main", "solve", "dot", "solve", "MPI_Wait", "MPI_Wait"]);
	assert.deepEqual([...values.alone], [0, 0, 200, 10, 14, 2, 2]);
	assert.equal(values.all[0], 228);

	const fine = treeBuild(model, all);

	assert.deepEqual(names(model, fine), ["main", "solve", "loop at app.c:20–20",
		"app.c:21", "dot", "solve", "app.c:21", "MPI_Wait", "MPI_Wait"]
		.map(n => n.replace("–20", "")));
	assert.equal(treeValues(fine, model.own("cpu.time", null)).all[0], 228);
	assert.equal(treeValues(treeBuild(model, { ...functions, inlined: false }),
		model.own("cpu.time", null)).alone[2], 210);
});

test("an inverted tree has the same total, and callers below", () => {
	const model = modelMade(2);
	const tree = treeBuild(model, functions);
	const { alone } = treeValues(tree, model.own("cpu.time", null));
	const inverted = treeInvert(model, tree, alone);
	const children = treeChildren(inverted, inverted.all);
	const name = b => model.name(inverted.frame[b]);

	assert.equal(inverted.all[0], 228);
	assert.deepEqual(children[0].map(b => [name(b), inverted.all[b]]),
		[["solve", 214], ["dot", 10], ["MPI_Wait", 4]]);
	assert.deepEqual(children[children[0][0]].map(b =>
		[name(b), inverted.all[b]]), [["main", 200], ["solve", 14]]);

	// What no path has belongs to the whole.
	alone[0] = 5;
	assert.equal(treeInvert(model, tree, alone).all[0], 233);
});

test("callers and callees, recursion counted once", () => {
	const model = modelMade(2);
	const tree = treeBuild(model, functions);
	const { alone, all: sums } = treeValues(tree, model.own("cpu.time", null));
	const around = treeAround(model, tree, alone, sums, 2);

	assert.equal(around.total, 224);
	assert.equal(around.own, 214);
	assert.deepEqual(around.callers.map(e => [model.name(e.node), e.value]),
		[["main", 224]]);
	assert.deepEqual(around.callees.map(e => [model.name(e.node), e.value]),
		[["dot", 10]]);
});

test("hot spots by function, line and loop", () => {
	const model = modelMade(2);
	const own = model.own("cpu.time", null);
	const of = kind => treeSpots(model, own, kind)
		.map(s => [model.name(s.node), s.own, s.all]);

	assert.deepEqual(of("function").filter(s => s[1]),
		[["solve", 214, 224], ["dot", 10, 10], ["MPI_Wait", 4, 4]]);
	assert.deepEqual(of("line"), [["app.c:21", 214, 214]]);
	assert.deepEqual(of("loop"), [["loop at app.c:20", 0, 210]]);
});

test("boxes that are too narrow are one, as wide as they are together", () => {
	const parent = [0], sizes = [0];

	for (let i = 0; i < 1000; i++) {
		parent.push(0);
		sizes.push(i ? 1 : 1000);
	}
	sizes[0] = 1999;

	const tree = { parent, all: Float64Array.from(sizes) };

	tree.children = treeChildren(tree, tree.all);

	const boxes = flameLayout(tree, 0, 1000);
	const rest = boxes.find(b => b.rest);

	assert.equal(rest.rest, 999);
	assert.ok(Math.abs(rest.width - 999 / 1999 * 1000) < 1e-6);
	assert.equal(boxes.length, 3);
	assert.equal(flameLayout(tree, 1, 1000)[1].width, 1000);
});

test("a strip keeps the one rank that is late", () => {
	const columns = Array.from({ length: 10240 }, (_, first) =>
		({ first, count: 1, mean: first === 7777 ? 9 : 1,
			most: first === 7777 ? 9 : 1 }));
	const { bins, count } = stripColumns(columns, 1200);

	assert.equal(count, 10240);
	assert.equal(bins.length, 600);
	assert.equal(bins.reduce((n, b) => n + b.count, 0), 10240);
	assert.equal(bins.reduce((n, b) => n + b.sum, 0), 10248);
	assert.equal(bins.filter(b => b.most === 9).length, 1);
	assert.equal(columns.filter(c =>
		outliersFind(columns).isOut(c.most)).length, 1);
});

test("a report's words lead to their node", () => {
	const model = modelMade(2);
	const finder = new PathFinder(model);
	const sums = model.inclusive(model.own("cpu.time", null));
	const text = "Rank 1 waited in MPI_Wait ← main, while rank 0 was in " +
		"dot ← solve ← main.";

	assert.equal(finder.node("dot ← solve ← main", sums), 5);
	assert.equal(finder.node("dot ← main", sums), 5);
	assert.equal(finder.node("dot ← nothing", sums), 0);
	assert.equal(finder.node("MPI_Wait ← main", sums, 41), 9);
	assert.deepEqual(finder.inSentence(text, sums).map(f =>
		[text.slice(f.from, f.to), f.node]),
	[["MPI_Wait ← main", 8], ["dot ← solve ← main", 5]]);
	assert.deepEqual(finder.inSentence("no path here", sums), []);
});

// What views get of the page, without a browser.
function appMade(model, show = []) {
	const cache = new Map(), metric = "cpu.time";

	return { model, metric, own: model.own(metric, null),
		base: model.base(metric), selection: { show },
		kept: (key, make) => cache.get(key) ??
			cache.set(key, make()).get(key) };
}

test("a diff knows both sides, and is as wide as the larger", () => {
	const { page, arrays } = madeDiff(2);
	const model = new Model(streamDecode(streamBytes(page, arrays)));

	for (const show of [[], ["inverted"]]) {
		const shown = treeShown(appMade(model, show));
		const value = (of, name) => shown.parent.reduce((sum, _, b) =>
			sum + (b && model.name(shown.frame ? shown.frame[b]
				: shown.node[b]) === name && !(shown.frame && shown.parent[b])
				? of[b] : 0), 0);

		assert.equal(shown.after[0], 214);
		assert.equal(shown.before[0], 222);
		assert.deepEqual([value(shown.before, "dot"), value(shown.after, "dot")],
			[0, 10]);
		assert.ok(shown.parent.some((_, b) => shown.before[b] === 14 &&
			!shown.after[b]));
		assert.deepEqual([value(shown.before, "MPI_Wait"),
			value(shown.after, "MPI_Wait")], [8, 4]);
		for (let b = 0; b < shown.parent.length; b++)
			assert.ok(shown.all[b] >= Math.max(shown.before[b], shown.after[b]) &&
				shown.all[b] >= shown.children[b].reduce((s, c) =>
					s + shown.all[c], 0));
	}
});

test("functions of a diff, the largest change first", () => {
	const { page, arrays } = madeDiff(2);
	const model = new Model(streamDecode(streamBytes(page, arrays)));

	assert.deepEqual(spotsChanged(model, model.own("cpu.time", null),
		model.base("cpu.time")).map(s =>
		[model.functionName(s.node), s.before, s.now]),
	[["solve", 214, 200], ["dot", 0, 10], ["MPI_Wait", 8, 4]]);
});

test("of a wait, the program's own function is told", () => {
	const model = modelMade(2);

	model.ownModule = model.module[1];
	assert.equal(model.functionName(model.ownFrame(7)), "solve");
	assert.equal(model.functionName(model.ownFrame(8)), "main");

	// And that of its library, where reports name it.
	model.ownModule = -1;
	model.flags = Uint8Array.from(model.flags, (f, n) => (n === 2 ? f | 128 : f));
	assert.equal(model.ownFrame(7), 7);
	assert.equal(model.functionName(model.ownFrame(7, n => model.isSaid(n))),
		"solve");
});

// A run with the tables of report split: rank 1 works, the others wait for it.
function modelSplit(pictures, lines = []) {
	const { page, arrays } = madeRun(4);
	const column = (id, title, type) => ({ id, title, type });
	const report = (id, tables) => ({ id, lines: [], notes: [], tables });

	page.reports.split = report("split", [{ id: "parts", columns: [
		column("part", null, "text"), column(null, "part", "text"),
		column("share", "of all", "share"), column("seconds", "time", "seconds"),
		column("low", "at least", "seconds"), column("high", "at most", "seconds"),
		column("max", null, "seconds"), column(null, "over ranks", "spark")],
	rows: [["work", "work", 0.25, 10, 9, 11, 10, pictures[0]],
		["wait", "waiting in MPI", 0.75, 30, 30, 30, 10, pictures[1]]] }]);
	page.reports.summary = { ...report("summary", []), lines };
	page.reports.diagnose = report("diagnose", []);
	arrays["drawn.0"] = ["u8", [0, 255, 0, 0]];
	return new Model(streamDecode(streamBytes(page, arrays)));
}

test("parts of the time: numbers of few ranks, of many shares of the most", () => {
	const parts = splitOf(modelSplit(["drawn.0", [10, 0, 10, 10]]));

	assert.deepEqual(parts.map(p => [p.id, p.title, p.seconds, p.low, p.values]), [
		["work", "work", 10, 9, [0, 10, 0, 0]],
		["wait", "waiting in MPI", 30, 30, [10, 0, 10, 10]]]);
	assert.deepEqual(splitOf(modelMade(2)), []);
});

test("a sentence has its part, its finding, and the lines that go on", () => {
	const model = modelSplit([[], []], ["4 ranks on host0", "Of 40 s: 75 % waiting",
		"• Crowded.", "  Go on.", "• 75 % waiting in MPI: Ranks 0, 2 waited. To gain: 1 s.",
		"• Rank 3 waited.", "• 25 % work: 10 s in dot.", "– A remark.",
		"• 9 % of: no part.", "GPUs: 3 s of kernels; 1 GPU busy for 25 % of the run."]);
	const finding = { text: "Ranks 0, 2 waited" }, other = { text: "Not said" };

	assert.deepEqual(sentencesOf(model, [finding, other]).map(s =>
		[s.part?.id, s.label, s.text, s.finding]), [
		[undefined, "", "Crowded. Go on.", undefined],
		["wait", "75 % waiting in MPI", "Ranks 0, 2 waited. To gain: 1 s.", finding],
		["wait", "", "Rank 3 waited.", undefined],
		["work", "25 % work", "10 s in dot.", undefined],
		[undefined, "", "A remark.", undefined],
		[undefined, "", "9 % of: no part.", undefined],
		[undefined, "", "GPUs: 3 s of kernels; 1 GPU busy for 25 % of the run.",
			undefined],
		[undefined, "", "", other]]);
});

test("libraries fold into the function of the program that called them", () => {
	// dot is in a library now.
	const made = ownModule => {
		const model = modelMade(2);

		model.ownModule = ownModule ?? model.module[1];
		model.module = Uint32Array.from(model.module, (m, n) =>
			(n === 5 ? m + 1 : m));
		return model;
	};
	const model = made();
	const own = model.own("cpu.time", null), folded = model.folded(own);

	assert.equal(folded[5], 0);
	assert.equal(folded[3] + folded[2], own[3] + own[2] + own[5]);
	assert.equal(folded[8], own[8], "MPI stays");
	assert.equal(folded.reduce((a, b) => a + b), own.reduce((a, b) => a + b));

	// So they do in the flame graph: its boxes, and what is in them.
	const all = treeBuild(model, functions);
	const mine = treeBuild(model, { ...functions, mine: true });

	assert.notEqual(all.boxOf[5], all.boxOf[3]);
	assert.equal(mine.boxOf[5], mine.boxOf[3]);
	assert.equal(mine.parent.length, all.parent.length - 1);
	assert.deepEqual(treeValues(mine, own).all[0], treeValues(all, own).all[0]);

	// Under no function of the program they stay.
	assert.equal(made(-1).folded(own)[5], own[5]);
	assert.equal(made(-1).hasOthers, false);
});

test("what is saved: CSV is quoted, SVG has no markup of others", () => {
	assert.equal(csvText([["a", 'b"c', 1.5], [["short", "full"], null, "x,y"]]),
		'a,"b""c",1.5\nshort,,"x,y"\n');

	const context = new SvgContext({ measureText: t => ({ width: t.length }) });

	Object.assign(context, { fillStyle: "#123456", font: '12px "A B"',
		globalAlpha: 0.5 });
	context.fillRect(1, 2, 3.456, 4);
	context.fillText('<script>"&', 5, 6);
	assert.equal(context.measureText("abc").width, 3);
	assert.deepEqual(context.tags, [
		'<rect x="1" y="2" width="3.46" height="4" fill="#123456" opacity="0.5">' +
			"</rect>",
		'<text x="5" y="6" fill="#123456" style="font: 12px &quot;A B&quot;" ' +
			'opacity="0.5">&lt;script&gt;&quot;&amp;</text>']);
});

test("rows of 0.0 % at the end of a table are not shown at first", () => {
	const columns = [{ c: 0, type: "share" }, { c: 1, type: "count" }];
	const of = (...shares) => rowsWorth({ rows: shares.map(v => [v, 9]) }, columns);

	assert.equal(of([0.5, 0.1], [0.0004, 0.1], 0.001, 0.0002, 0), 3);
	assert.equal(of(0, 0), 2);
	assert.equal(rowsWorth({ rows: [[0, 9]] }, columns.slice(1)), 1);
});

test("old addresses lead to a view, of six tabs at most", () => {
	const empty = new Model(streamDecode(streamBytes({ page: 1, reports: {} }, {})));
	const views = ["start", "hot", "time"].map(id => ({ id }));

	assert.deepEqual(["time", "source", "more", "no such"].map(id =>
		viewFind(views, id).id), ["time", "hot", "start", "start"]);
	assert.deepEqual(tabsOf({ model: empty }).map(t => t.title), []);
	assert.deepEqual(tabsOf({ model: modelSplit([[], []]) }).map(t =>
		[t.title, t.views.map(v => v.id)]), [["Overview", ["start"]],
		["Code", ["flame", "callers", "hot"]], ["Ranks", ["ranks", "heat"]]]);
});

test("source keeps its columns", () => {
	assert.equal(tabsExpand("\tif\tx"), "        if      x");
});

test("readers do not see columns of programs", () => {
	const long = ["a ← b ← c ← d ← e ← main", "a ← b ← c ← x ← e ← main",
		"z ← b ← c ← d ← e ← main", "z ← main"];
	const names = shortNames({ rows: long.map(path => [path]) }, 0);

	assert.deepEqual(long.map(names), [long[0], long[1], "z ← b ← c ← … ← main",
		long[3]]);
	assert.deepEqual(columnsShown({ columns: [{ id: "a", title: null },
		{ id: null, title: "" }, { id: "b", title: "B" }] }).map(c => c.c), [1, 2]);
});

test("time in the address", () => {
	assert.deepEqual(timeParse("1000-2500"), [1000, 2500]);
	for (const text of ["5-5", "9-1", "-3", "a-b", "", null, "1-2-3"])
		assert.equal(timeParse(text), null);
	assert.match(selectionText({ ...selectionParse(""), time: [0.4, 2500.6],
		span: [1, 2] }), /time=0-2501&span=1-2/);
});

function timeMade(ranks) {
	const { page, arrays } = madeTime(madeRun(ranks), ranks);

	return new Model(streamDecode(streamBytes(page, arrays)));
}

test("a selected time, by path and by rank", () => {
	const model = timeMade(4), grid = timeGridOf(model);
	const slice = new TimeSlice(model, grid, model.metric("cpu.time"), [8e6, 24e6]);
	const own = slice.own(null), s = of => Array.from(of, v => Math.round(v / 1e6));

	// 8 s in the line of solve, 8 in MPI_Wait, a quarter of rank 3 in dot.
	assert.deepEqual(s([own[0], own[4], own[5], own[8]]), [0,
		24000 + Math.round(8000 * 191 / 255), Math.round(16000 * 64 / 255),
		24000 + Math.round(8000 * 191 / 255)]);
	assert.equal(s([model.inclusive(own)[0]])[0], 64000);
	assert.deepEqual(s(slice.own([[0, 0]]).filter(v => v)), [8000, 8000]);

	const by = n => s(slice.byRank(n).columns.map(c => c.mean));

	assert.deepEqual(by(0), [16000, 16000, 16000, 16000]);
	assert.deepEqual(by(2), [8000, 8000, 8000, Math.round(8000 * 191 / 255) +
		Math.round(16000 * 64 / 255)]);
	assert.equal(by(8)[0], 8000);
	assert.equal(slice.moments(null), 4 * 16 * 4);
	assert.match(slice.sureText([[1, 2]]), /^Instead of cpu.time: time \(8.* to 24.* 1.00 s of ranks 1–2: .* 128 samples/);

	// Of a metric that is MPI's alone, only that.
	const mpi = new TimeSlice(model, grid, { name: "mpi.time" }, [8e6, 24e6]);

	assert.deepEqual(s(mpi.own([[0, 0]]).filter(v => v)), [8000]);
	assert.deepEqual(s([mpi.byRank(0).columns[0].mean]), [8000]);
	assert.deepEqual([{ unit: "ns", sampled: true }, { unit: "ns",
		name: "mpi.time" }, { unit: "bytes", sampled: true }, { unit: "ns",
		name: "gpu.time" }].map(isKeptByTime), [true, true, false, false]);
});

test("phases", () => {
	const { page, arrays } = madeRun(4);

	// The second solve is one.
	arrays["node.kind"][1][6] = 4;

	const model = new Model(streamDecode(streamBytes(page, arrays)));
	const [phase] = model.phases, own = model.own("cpu.time", null);

	assert.deepEqual(model.phases, [{ node: 6, name: "main › solve › solve" }]);
	assert.equal(model.ownIn(own, null), own);
	assert.deepEqual([...model.ownIn(own, phase.node)], [...own].map((v, n) =>
		(n === 6 || n === 7 ? v : 0)));
	assert.deepEqual([5, 6, 7].map(n => model.isIn(n, 6)), [false, true, true]);
});

test("sums of cells of time, by path", () => {
	const model = timeMade(256), grid = timeGridOf(model);

	assert.equal(grid.lines.length, 128);
	assert.deepEqual(grid.lines[1], { first: 2, count: 2, kind: 0, number: 0,
		threads: 2 });
	assert.equal(grid.seconds("known", 1, 0, 32), 64);
	assert.ok(Math.abs(grid.seconds("mpi", 1, 10, 20) - 8) < 1e-9);
	assert.equal(grid.sum("moments", 0, 0, 2), 4);
	assert.deepEqual(grid.byteRates(10, 20), [14.5, 7]);

	// solve, or MPI_Wait, and of the last line a quarter of dot.
	const held = grid.held([0, 127], 15, 17);

	assert.equal(Math.round(held.reduce((a, b) => a + b) / 1e6), 8000);
	assert.equal(Math.round(held[4] / 1e6), Math.round(2000 * (1 + 191 / 255)));
	assert.equal(held[5], 4e9 * 64 / 255);
	assert.equal(held[0], 0);
	assert.deepEqual(grid.framesAt(1), [1, 1, 1]);
	assert.deepEqual(grid.framesAt(9), [2, 8, 5]);
	assert.deepEqual(grid.framesAt(0), [2, 8, 2]);
	assert.deepEqual([0, 1e6 - 2, 1e6, 40e6].map(t => grid.columnAt(t)),
		[0, 0, 1, 32]);
	assert.equal(timeGridOf(modelMade(2)), null);

	const part = grid.part([2, 127]);

	assert.equal(part.lines[1].first, 254);
	assert.equal(part.seconds("known", 1, 0, 32), 64);
	assert.deepEqual([...part.held([0, 1], 15, 17)], [...grid.held([2, 127], 15, 17)]);
});

test("steps of a time axis are round and have room", () => {
	assert.deepEqual(axisSteps(0, 10, 5), [0, 2, 4, 6, 8, 10]);
	assert.deepEqual(axisSteps(1.21, 1.39, 4).map(v => v.toFixed(2)),
		["1.25", "1.30", "1.35"]);
	assert.ok(axisSteps(0, 3.22, 12).length <= 13);
});

test("iterations: what a cell is, and which a time holds", () => {
	const model = timeMade(4), steps = new StepGrid(model);

	assert.equal(rowsWithout(steps, 4), null);
	assert.deepEqual(rowsWithout({ lines: [{ first: 1, count: 2 }] }, 6),
		[[0, 0], [3, 5]]);

	assert.equal(steps.mean(0, 5), 4e6);
	assert.equal(steps.own(0, 5), 3.5e6);
	assert.equal(steps.own(3, 5), 4e6);
	assert.equal(steps.value("us", 0, 0), 0.5);
	assert.equal(steps.value("us", 0, 5), 1);
	assert.equal(steps.value("mpi", 0, 0), 0.25);
	assert.deepEqual(steps.times[5], [26e6, 30e6]);
	assert.deepEqual(steps.times[7], [32e6, 34e6]);
	assert.deepEqual(steps.columnsIn([26e6, 30e6]), [5, 5]);
	assert.deepEqual(steps.columnsIn([0, 50e6]), [0, 7]);
	assert.equal(steps.columnsIn([0, 1e6]), null);
	assert.equal(steps.numbersText(5), "iteration 5");
});

// [[text of a path, node]] in a sentence of a run with these names.
function pathsFound(text, names) {
	const { page, arrays } = madeRun(2, [...names, "MPI_Wait"]);
	const model = new Model(streamDecode(streamBytes(page, arrays)));

	return new PathFinder(model).inSentence(text, model.inclusive(
		model.own("cpu.time", null))).map(f => [text.slice(f.from, f.to), f.node]);
}

test("a path is found though its namespace is left out", () => {
	const names = ["main", "lib::solve", "lib::dot"];

	assert.deepEqual(pathsFound("Much in lib::dot ← solve ← main, so", names),
		[["lib::dot ← solve ← main", 5]]);
	assert.deepEqual(pathsFound("in lib::dot ← solve.", names),
		[["lib::dot ← solve", 5]]);
	assert.deepEqual(pathsFound("in exp ← lib::solve ← main, 9 %",
		["lib::main", "lib::solve", "exp"]), [["exp ← lib::solve ← main", 5]]);
});

test("of a program in Python its own scripts are the program", () => {
	const { page, arrays } = madeRun(2);

	page.strings.push("/home/me/train.py", "/usr/lib/python3.11/json/decoder.py");
	arrays["node.flags"] = ["u8", [0, 0, 4, 0, 0, 4, 0, 0, 0, 0]];
	arrays["node.module"][1][2] = page.strings.length - 2;
	arrays["node.module"][1][5] = page.strings.length - 1;

	const model = new Model(streamDecode(streamBytes(page, arrays)));

	model.ownModule = model.module[1];
	assert.deepEqual([1, 2, 5].map(n => model.isOwn(n)), [false, true, false]);
	assert.deepEqual([1, 2, 5].map(n => boxHue(model, n)),
		["library", "own", "python"]);
	assert.equal(model.ownFrame(5), 2);
});

test("idle time and kernels by the function of the program", () => {
	const bars = barsOf([{ name: "k", path: "a", seconds: 1 },
		{ name: "l", path: null, seconds: 5 }, { name: "k", path: "b", seconds: 2 },
		{ name: "k", path: "a", seconds: 3 }, { name: "m", path: "a", seconds: 0 }],
	path => ({ a: 7, b: 8 })[path]);

	assert.deepEqual(bars, [
		{ name: "k", seconds: 6, parts: [{ node: 7, seconds: 4 },
			{ node: 8, seconds: 2 }] },
		{ name: "l", seconds: 5, parts: [{ node: 0, seconds: 5 }] }]);

	const model = modelMade(2);

	model.ownModule = model.module[1];
	assert.equal(launcherOf(model, 8), 1);
	model.ownModule = -1;
	assert.equal(launcherOf(model, 8), 1);
	assert.equal(launcherOf(model, 0), 0);
});

test("an arrow stands where the victim waited most", () => {
	const model = timeMade(4), grid = timeGridOf(model);
	const waits = { ns: [20, 9, 5], culprit: [1, 4, 2], victim: [8, 8, 8],
		of: [0, 0, 1, 2], rank: [0, 3, 1, 2], waited: [5, 15, 9, 5] };

	grid.mpi_wait[3 * 32 + 20] = 200;
	// The second culprit is no rank, the third waited for itself.
	assert.deepEqual(arrowsOf(model, grid, waits, 9),
		[{ from: 1, to: 3, column: 20, ns: 20 }]);
	waits.victim[0] = 9;
	assert.deepEqual(arrowsOf(model, grid, waits, 9), []);
});

test("whom the selected ranks waited for", () => {
	const waits = { of: [0, 0, 1], culprit: [3, 2], rank: [0, 1, 1],
		waited: [5, 7, 9] };

	assert.deepEqual(culpritsOf(null, waits, null), [[3, 12], [2, 9]]);
	assert.deepEqual(culpritsOf(null, waits, [[1, 1]]), [[2, 9], [3, 7]]);
	assert.deepEqual(culpritsOf(null, waits, [[3, 3]]), []);
});

test("kernels between memory and the busiest pipe", () => {
	const row = cells => name => (name in cells ? cells[name] : null);
	const known = { sm_active: 1, tensor: 0.1, fp32: 0.6, fp64: 0, issued: 0.5,
		memory: 0.3, bound: "FP32" };
	const points = roofPoints([row({ kernel: "short", seconds: 1, ...known }),
		row({ kernel: "long", seconds: 2, ...known, tensor: 0.9 }),
		row({ kernel: "a copy", seconds: 5, ...known, sm_active: 0 }),
		row({ kernel: "not known", seconds: 9 })]);

	assert.deepEqual(points.map(p => [p.name, p.of, p.pipe, p.memory]),
		[["long", "tensor cores", 0.9, 0.3], ["short", "FP32", 0.6, 0.3]]);
});
