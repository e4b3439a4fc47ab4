// SPDX-License-Identifier: BSD-3-Clause
// svg.js - what is shown as a file, made in the browser: pictures as SVG, tables
// as CSV.
import { ink } from "./colour.js";
import { el, textClean } from "./dom.js";

const marks = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const svgText = text => textClean(text).replace(/[&<>"]/g, c => marks[c]);

const round = v => Math.round(v * 100) / 100;

function svgTag(name, attributes, text = "") {
	return `<${name}${Object.entries(attributes).filter(a => a[1] !== null)
		.map(([key, v]) => ` ${key}="${svgText(typeof v === "number" ? round(v)
			: v)}"`).join("")}>${svgText(text)}</${name}>`;
}

// What a canvas's context does, kept as elements; real measures texts.
export class SvgContext {
	constructor(real) {
		Object.assign(this, { real, tags: [], points: "", globalAlpha: 1,
			lineWidth: 1, dash: null });
	}

	setTransform() {}

	setLineDash(dash) {
		this.dash = dash.length ? dash.join(" ") : null;
	}

	measureText(text) {
		this.real.font = this.font;
		return this.real.measureText(text);
	}

	tag(name, attributes, text) {
		this.tags.push(svgTag(name, { ...attributes, opacity:
			this.globalAlpha < 1 ? this.globalAlpha : null }, text));
	}

	line() {
		return { fill: "none", stroke: this.strokeStyle,
			"stroke-width": this.lineWidth, "stroke-dasharray": this.dash };
	}

	fillRect(x, y, width, height) {
		this.tag("rect", { x, y, width, height, fill: this.fillStyle });
	}

	strokeRect(x, y, width, height) {
		this.tag("rect", { x, y, width, height, ...this.line() });
	}

	fillText(text, x, y) {
		this.tag("text", { x, y, fill: this.fillStyle, style: "font: " + this.font,
			"dominant-baseline": this.textBaseline === "middle" ? "central" : null },
		text);
	}

	beginPath() {
		this.points = "";
	}

	moveTo(x, y) {
		this.points += `M${round(x)} ${round(y)}`;
	}

	lineTo(x, y) {
		this.points += `L${round(x)} ${round(y)}`;
	}

	// Whole circles are all that is drawn.
	arc(x, y, r) {
		this.moveTo(x - r, y);
		this.points += `a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
	}

	fill() {
		this.tag("path", { d: this.points, fill: this.fillStyle });
	}

	stroke() {
		this.tag("path", { d: this.points, ...this.line() });
	}
}

const svgFile = (width, height, tags) => "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
	` width="${Math.ceil(width)}" height="${Math.ceil(height)}">\n` +
	[svgTag("rect", { width: "100%", height: "100%", fill: ink("paper") }), ...tags]
		.join("\n") + "\n</svg>\n";

// The canvas is drawn once more, by what canvasFit() kept of it.
export function svgOfCanvas(canvas) {
	const context = new SvgContext(canvas.getContext("2d"));
	const { clientWidth, clientHeight } = canvas;

	canvas.draw(context, clientWidth, clientHeight);
	return svgFile(clientWidth, clientHeight, context.tags);
}

// The words of a text by the lines in which they stand: [[left, middle, text]].
function linesOfText(node) {
	const lines = new Map(), range = document.createRange();

	for (const { index, 0: word } of node.data.matchAll(/\S+/g)) {
		range.setStart(node, index);
		range.setEnd(node, index + word.length);

		const box = range.getBoundingClientRect();
		const line = lines.get(box.y) || [box.x, box.y + box.height / 2, ""];

		line[2] += (line[2] && " ") + word;
		lines.set(box.y, line);
	}
	return [...lines.values()];
}

function textTags(element, left, top) {
	const { color, font } = getComputedStyle(element);

	return [...element.childNodes].filter(n => n.nodeType === Node.TEXT_NODE)
		.flatMap(linesOfText).map(([x, y, text]) => svgTag("text", { x: x - left,
			y: y - top, fill: color, style: "font: " + font,
			"dominant-baseline": "central" }, text));
}

// Boxes with a colour, and texts, of elements that are bars.
export function svgOfBoxes(root) {
	const all = root.getBoundingClientRect();
	const tags = [...root.querySelectorAll("*")].flatMap(e => {
		const box = e.getBoundingClientRect();
		const { backgroundColor, backgroundImage } = getComputedStyle(e);
		const fill = backgroundImage !== "none" ? ink("wait")
			: backgroundColor === "rgba(0, 0, 0, 0)" ? null : backgroundColor;

		return box.width && box.height && !e.closest(".save, .said")
			? [fill && svgTag("rect", { x: box.x - all.x, y: box.y - all.y,
				width: box.width, height: box.height, fill }),
			...textTags(e, all.x, all.y)].filter(Boolean) : [];
	});

	return svgFile(all.width, all.height, tags);
}

export function csvText(rows) {
	return rows.map(row => row.map(cell => {
		const text = String([cell ?? ""].flat()[0]);

		return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	}).join(",") + "\n").join("");
}

// What a table says, row by row.
export const csvOfTable = table => csvText([...table.rows].map(row =>
	[...row.cells].map(c => c.innerText)));

const programName = () => document.title.split(" ")[0].replace(/[^\w.-]+/g, "_");

export function saveButton(kind, name, make) {
	return el("button", { type: "button", class: "save",
		"aria-label": `save ${name} as ${kind}`, onclick: () => {
			const url = URL.createObjectURL(new Blob([make()], { type:
				kind === "SVG" ? "image/svg+xml" : "text/csv" }));

			el("a", { href: url, download: `${programName()}-${name
				.replace(/\W+/g, "-")}.${kind.toLowerCase()}` }).click();
			setTimeout(() => URL.revokeObjectURL(url), 1000);
		} }, kind);
}

export const svgButton = (canvas, name) =>
	saveButton("SVG", name, () => svgOfCanvas(canvas));

// Bars with their button.
export const savedBars = (name, bars) =>
	[bars, saveButton("SVG", name, () => svgOfBoxes(bars))];
