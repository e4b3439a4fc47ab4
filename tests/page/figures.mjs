// SPDX-License-Identifier: BSD-3-Clause
// figures.mjs - how long a page takes, in milliseconds, for tests/bench/browser.sh:
//   node figures.mjs PAGE.html [ROUNDS]
// Prints one line: first paint, first whole view, the slowest and the median
// selection until it is drawn; and floors: the first paint of an empty page,
// and a frame of the browser in which nothing changes.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Browser } from "./browser.mjs";

const [file, rounds = "5"] = process.argv.slice(2);
const browser = await Browser.start();

if (!browser) {
	console.log("# no chromium-headless-shell here");
	process.exit(0);
}

const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];
const paint = "performance.getEntriesByName('first-contentful-paint')[0]" +
	"?.startTime ?? 0";

const empty = resolve(browser.folder, "empty.html");

writeFileSync(empty, "<!DOCTYPE html><title>x</title><p>x" +
	"<script>document.documentElement.dataset.ready='yes'</script>");

async function paints(path) {
	const first = [], whole = [];

	for (let i = 0; i < Number(rounds); i++) {
		const page = await browser.open("file://" + path);

		await page.until(paint + " > 0");
		first.push(await page.value(paint));
		whole.push(await page.value("globalThis.copse ? copse.readyAt : 0"));
		await page.close();
	}
	return [median(first), median(whole)];
}

const [floor] = await paints(empty);
const [first, whole] = await paints(resolve(file));
const page = await browser.open("file://" + resolve(file));

// From a selection to the frame that shows it: paths with the most, ranks.
const times = await page.value(`(async () => {
	const frame = () => new Promise(done => requestAnimationFrame(() => {
		const channel = new MessageChannel();
		channel.port1.onmessage = done;
		channel.port2.postMessage(0);
	}));
	const views = ["flame", "heat", "callers", "hot", "time", "steps"]
		.filter(v => copse.hasView(v));
	const of = { frame: [], ...Object.fromEntries(views.map(v => [v, []])) };
	const end = copse.model.stream.array("time.first")
		? copse.model.page.timeline.width / 1e3 * copse.model.page.timeline.all : 0;
	const model = copse.model;
	const nodes = [...model.members.values()].map(m => m[0])
		.sort((a, b) => copse.all[b] - copse.all[a]).slice(1, 16);

	for (let i = 0; i < 15; i++) {
		const begin = performance.now();
		await frame();
		of.frame.push(performance.now() - begin);
	}
	for (const view of views) {
		copse.go({ view });
		await frame();
		for (const [i, path] of nodes.entries()) {
			const begin = performance.now();
			copse.go({ path, ranks: i % 2 ? [[i, i + 3]] : null, time: end && i % 3
				? [end * i / 20, end * (i + 3) / 20] : null });
			await frame();
			of[view].push(performance.now() - begin);
		}
	}
	return of;
})()`);

const round = v => v.toFixed(0).padStart(5);
const parts = Object.keys(times).filter(v => v !== "frame").map(v =>
	`${v} ${round(median(times[v]))} (most ${Math.max(...times[v]).toFixed(0)})`);

console.log(`first paint ${round(first)} (empty page ${floor.toFixed(0)}), ` +
	`first view ${round(whole)}; selection: ${parts.join(", ")} (empty frame ${
		median(times.frame).toFixed(0)})`);
await browser.stop();
