// SPDX-License-Identifier: BSD-3-Clause
// flame.js - a tree as boxes on a canvas, callers above callees, as wide as
// their value.  Siblings too narrow to be seen are one box, so that nothing
// vanishes.
import { canvasFit, el, textClean } from "./dom.js";
import { ink } from "./colour.js";
import { svgButton } from "./svg.js";

const rowHeight = 19, narrow = 1;

// The boxes that `width` pixels can show when `zoom` fills them:
// [{ box, x, width, depth, rest }]; rest: so many boxes that are too narrow.
export function flameLayout(tree, zoom, width) {
	const boxes = [], above = [];

	for (let b = zoom; b !== 0; b = tree.parent[b])
		above.unshift(tree.parent[b]);
	above.forEach((box, depth) =>
		boxes.push({ box, x: 0, width, depth, rest: 0 }));
	if (tree.all[zoom] > 0)
		boxPlace(tree, boxes, zoom, 0, width, above.length);
	return boxes;
}

function boxPlace(tree, boxes, top, left, room, start) {
	const scale = room / tree.all[top];
	const open = [[top, left, start]];

	while (open.length) {
		const [box, x, depth] = open.pop();
		let at = x, rest = 0, restWidth = 0;

		boxes.push({ box, x, width: tree.all[box] * scale, depth, rest: 0 });
		for (const child of tree.children[box]) {
			const width = tree.all[child] * scale;

			if (width >= narrow) {
				open.push([child, at, depth + 1]);
				at += width;
			} else {
				rest++;
				restWidth += width;
			}
		}
		if (restWidth >= narrow / 2)
			boxes.push({ box, x: at, width: restWidth, depth: depth + 1,
				rest });
	}
}

const textWidths = new Map();

function textWidth(context, text) {
	let width = textWidths.get(text);

	if (width === undefined) {
		width = context.measureText(text).width;
		if (textWidths.size > 20000)
			textWidths.clear();
		textWidths.set(text, width);
	}
	return width;
}

// As much of it as fits.
// Of ranks their numbers stay.
export function labelFit(context, text, width) {
	return textFit(context, context.measureText(text).width > width
		? text.replace(/^(ranks?|process(es)?) /, "") : text, width);
}

export function textFit(context, text, room) {
	const width = textWidth(context, text);

	if (width <= room)
		return text;

	let most = Math.floor(text.length * room / width) - 1;

	while (most > 1 && context.measureText(text.slice(0, most) + "…").width > room)
		most--;
	return most < 2 ? "" : text.slice(0, most) + "…";
}

// what: { label(box), colour(box), about(box), onselect(box), onzoom(box) }
export class Flame {
	constructor(what) {
		this.what = what;
		this.hover = null;
		this.canvas = el("canvas", {
			tabindex: 0, role: "application", class: "flame",
			"aria-label": "flame graph: arrows move, Enter zooms, Escape zooms out",
			onmousemove: e => this.pointed(e),
			onmouseleave: () => this.pointed(null),
			onclick: e => this.clicked(e),
			ondblclick: e => this.zoomed(this.hit(e)),
			onkeydown: e => this.pressed(e),
		});
		this.said = el("p", { class: "said", "aria-live": "polite" });
		this.element = el("div", { class: "flame-box" }, this.canvas,
			svgButton(this.canvas, "flame graph"), this.said);
	}

	// tree: { parent, node, all, children }
	show(tree, zoom, selected, found) {
		Object.assign(this, { tree, zoom, selected, found });
		this.draw();
	}

	draw() {
		const width = Math.max(this.canvas.clientWidth, 1);

		this.boxes = flameLayout(this.tree, this.zoom, width);

		const depth = this.boxes.reduce((d, b) => Math.max(d, b.depth), 0);

		canvasFit(this.canvas, Math.max((depth + 1) * rowHeight, 3 * rowHeight),
			context => {
				context.font = "12px " + ink("font");
				context.textBaseline = "middle";
				for (const b of this.boxes)
					this.boxDraw(context, b);
			});
		this.tell(this.hover?.box ?? this.selected ?? this.zoom, this.hover?.rest);
	}

	boxDraw(context, b) {
		const y = b.depth * rowHeight;
		const width = Math.max(b.width - (b.width > 3 ? 1 : 0), 0.5);
		const isAbove = b.depth < this.depthOf(this.zoom);

		context.globalAlpha = isAbove ? 0.45
			: this.found && !b.rest && !this.found.has(b.box) ? 0.3 : 1;
		context.fillStyle = b.rest ? ink("rest-box") : this.what.colour(b.box);
		context.fillRect(b.x, y, width, rowHeight - 1);
		context.globalAlpha = 1;
		if (b.width > 22)
			this.labelDraw(context, b, y);
		if (b.box === this.selected && !b.rest)
			this.frameDraw(context, b.x, y, width, 2);
		else if (this.hover && b.box === this.hover.box && b.rest === this.hover.rest)
			this.frameDraw(context, b.x, y, width, 1);
	}

	labelDraw(context, b, y) {
		const label = b.rest ? `${b.rest} more`
			: textClean(this.what.label(b.box), 300);

		context.fillStyle = ink(b.rest ? "ink" : this.what.ink || "box-ink");
		context.fillText(textFit(context, label, b.width - 7), b.x + 3,
			y + rowHeight / 2);
	}

	frameDraw(context, x, y, width, line) {
		context.strokeStyle = ink("ink");
		context.lineWidth = line;
		context.strokeRect(x + line / 2, y + line / 2,
			Math.max(width - line, 1), rowHeight - 1 - line);
	}

	depthOf(box) {
		let depth = 0;

		for (; box !== 0; box = this.tree.parent[box])
			depth++;
		return depth;
	}

	hit(event) {
		const depth = Math.floor(event.offsetY / rowHeight);

		return this.boxes.find(b => b.depth === depth && event.offsetX >= b.x &&
			event.offsetX < b.x + b.width) || null;
	}

	pointed(event) {
		const over = event && this.hit(event);

		if (over?.box === this.hover?.box && over?.rest === this.hover?.rest)
			return;
		this.hover = over;
		this.canvas.style.cursor = over ? "pointer" : "";
		this.draw();
	}

	clicked(event) {
		const over = this.hit(event);

		this.canvas.focus({ preventScroll: true });
		if (over)
			this.what.onselect(over.box);
	}

	zoomed(over) {
		if (over)
			this.what.onzoom(over.box);
	}

	pressed(event) {
		const to = this.neighbour(event.key);

		if (event.key === "Enter")
			this.what.onzoom(this.selected || 0);
		else if (event.key === "Escape")
			this.what.onzoom(0);
		else if (to === undefined)
			return;
		else
			this.what.onselect(to);
		event.preventDefault();
	}

	// undefined: the key moves nowhere.
	neighbour(key) {
		const box = this.selected || 0;
		const beside = this.tree.children[this.tree.parent[box]];
		const at = beside.indexOf(box);

		switch (key) {
		case "ArrowUp":
			return this.tree.parent[box];
		case "ArrowDown":
			return this.tree.children[box][0] ?? box;
		case "ArrowLeft":
			return beside[Math.max(at - 1, 0)] ?? box;
		case "ArrowRight":
			return beside[at + 1] ?? box;
		default:
			return undefined;
		}
	}

	tell(box, rest) {
		this.said.textContent = rest
			? `${rest} boxes that are too narrow to be drawn`
			: textClean(this.what.about(box), 1000);
	}
}
