// SPDX-License-Identifier: BSD-3-Clause
// make-page.mjs - a page of a made run: make-page.mjs TEMPLATE RANKS [NAMES.json]
// RANKS may be diff: of two made runs of 2 ranks; or finding: of 4 ranks, with
// what a rule found of dot, on ranks 2 and 3.
// NAMES.json: names of functions, instead of those of madeRun(); more than four
// stand in the tree one below the other.
import { readFileSync } from "node:fs";
import { madeDiff, madeRun, madeTime, streamBytes, streamPack } from "./made-run.mjs";

const [template, ranks, names] = process.argv.slice(2);
const { page, arrays } = ranks === "diff" ? madeDiff(2)
	: madeTime(madeRun(ranks === "finding" ? 4 : Number(ranks)),
		ranks === "finding" ? 4 : Number(ranks));

if (ranks === "finding") {
	const row = { rule: "uneven-load", severity: "high", gain: 1.5, gain_most: 1.5,
		gain_share: 0.2, rank_seconds: 3, ranks: "2, 3", node: 5, rows: "2-3",
		call_path: "dot ← solve ← main", text: "Ranks 2, 3 were in dot",
		advice: "Share it." };

	page.reports = {
		summary: { id: "summary", lines: [], notes: [], tables: [] },
		diagnose: { id: "diagnose", notes: [], lines: [`• ${row.text}.`], tables: [{
			id: "findings", title: "findings", rows: [Object.values(row)],
			columns: Object.keys(row).map(id => ({ id, title: null,
				type: "text" })) }] },
	};
}

// Hostile names are also the program's, hosts', and a report's.
if (names) {
	const all = [...JSON.parse(readFileSync(names, "utf8")), "M".repeat(1 << 20)];
	const column = name => arrays["node." + name][1];

	page.title = all[0];
	page.problems = all.map(text => ({ source: text, text }));
	page.reports.summary = { id: "summary", title: all[1], metric: null,
		lines: all, notes: all, tables: [{ id: "hot_paths", title: all[2],
			columns: [{ id: "function", title: all[3], type: "text" }],
			rows: all.map(n => [n]) }] };
	page.strings[7] = all[4];
	for (const text of all) {
		column("parent").push(column("parent").length - 1);
		column("function").push(page.strings.push(text) - 1);
		column("module").push(column("function").at(-1));
		column("file").push(column("function").at(-1));
		column("path").push(column("path").at(-1) + 1);
		for (const [name, value] of [["kind", 1], ["flags", 0], ["line", 1],
			["detail", 0]])
			column(name).push(value);
		arrays["sum.cpu.time"][1].push(1);
		arrays["cell.cpu.time.first"][1].push(1);
		arrays["cell.cpu.time.rank"][1].push(0);
		arrays["cell.cpu.time.value"][1].push(1);
		page.metrics[0].total++;
	}
}
process.stdout.write(readFileSync(template, "utf8").replace(
	"<!--COPSE-DATA-->\n", () => "<script type=\"application/octet-stream\" " +
	`id="copse-data">${streamPack(streamBytes(page, arrays))}</script>\n`));
