// SPDX-License-Identifier: BSD-3-Clause
// pictures.mjs - pictures of a page, to be looked at:
//   node pictures.mjs PAGE.html FOLDER [WIDTH] [dark|print] [#fragment …]
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Browser } from "./browser.mjs";

const [file, folder, width = "1280", how = "light", ...wanted] =
	process.argv.slice(2);
const browser = await Browser.start();
const url = "file://" + resolve(file);
const page = await browser.open(url, { width: Number(width), height: 860,
	dark: how === "dark", print: how === "print" });
const views = wanted.length ? wanted : await page.value(
	"copse.views.map(v => `#view=${v.id}`)");

for (const view of views) {
	await page.value(`location.hash = ${JSON.stringify(view)}`);
	await new Promise(later => setTimeout(later, 250));
	writeFileSync(`${folder}/${view.replace(/[^a-z0-9=]+/gi, "-")
		.slice(0, 60)}-${width}-${how}.png`, await page.picture(false));
}
if (how === "print")
	writeFileSync(`${folder}/page.pdf`, await page.pdf());
console.log(page.errors.join("\n"), page.requests.length, "requests");
await browser.stop();
