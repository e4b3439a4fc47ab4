// SPDX-License-Identifier: BSD-3-Clause
// make-page.mjs - a page of a made run: make-page.mjs TEMPLATE RANKS [NAMES.json]
// NAMES.json: names of functions, instead of those of madeRun(); more than four
// stand in the tree one below the other.
import { readFileSync } from "node:fs";
import { madeRun, streamBytes, streamPack } from "./made-run.mjs";

const [template, ranks, names] = process.argv.slice(2);
const { page, arrays } = madeRun(Number(ranks));

// Hostile names are also the program's, hosts', and a report's.
if (names) {
	const all = JSON.parse(readFileSync(names, "utf8"));
	const column = name => arrays["node." + name][1];

	page.title = all[0];
	page.problems = all.map(text => ({ source: text, text }));
	page.reports.summary = { id: "summary", title: all[1], metric: null,
		lines: all, notes: all, tables: [{ id: "hotspots", title: all[2],
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
