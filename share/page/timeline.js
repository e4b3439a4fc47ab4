// SPDX-License-Identifier: BSD-3-Clause
// timeline.js - lines over time on a canvas, a part of which can be selected.
import { canvasFit, el, textClean } from "./dom.js";
import { ink } from "./colour.js";
import { labelFit } from "./flame.js";
import { svgButton } from "./svg.js";
import { bytesText, timeText } from "./units.js";

const axisHeight = 18, bytesHeight = 40;

// Round steps of an axis: seconds, so many that labels have room.
export function axisSteps(from, to, most) {
	const least = (to - from) / Math.max(most, 1);
	const power = 10 ** Math.floor(Math.log10(least || 1));
	const step = [1, 2, 5, 10].map(n => n * power).find(s => s >= least) ||
		power * 10;
	const steps = [];

	for (let i = Math.ceil(from / step); i * step <= to; i++)
		steps.push(i * step);
	return steps;
}

// A label that tells neighbours apart.
export function stepText(at, steps) {
	const apart = steps.length > 1 ? steps[1] - steps[0] : 1;
	const digits = Math.max(0, -Math.floor(Math.log10(apart) + 1e-9));

	return `${at.toFixed(Math.min(digits, 9))} s`;
}

// what: { lines, label(line), colour(line, from, to), band(line, from, to): 0 … 1
// or nothing, arrows: [{ from, to: lines, column }], about(line, from, to),
// onselect(lines, times), onzoom(from, to) }.
// Times are microseconds; columns are those of the grid.
export class Timeline {
	constructor(what) {
		this.what = what;
		this.canvas = el("canvas", {
			class: "timeline", tabindex: 0, role: "application",
			"aria-label": "ranks over time: drag selects ranks and time, arrows " +
				"move the selection, Shift makes it larger, Enter zooms, " +
				"Escape zooms out",
			onmousedown: e => this.begin(e),
			onmousemove: e => this.move(e),
			onmouseup: e => this.finish(e),
			onmouseleave: () => this.leave(),
			ondblclick: () => this.what.onzoom(true),
			onkeydown: e => this.pressed(e),
		});
		this.said = el("p", { class: "said", "aria-live": "polite" });
		this.element = el("div", { class: "timeline-box" }, this.canvas,
			svgButton(this.canvas, "timeline"), this.said);
	}

	// grid: TimeGrid; span: [from, to]; chosen: { lines: [from, to], time } or null
	show(grid, span, chosen) {
		if (this.grid !== grid || this.span.join() !== span.join())
			this.over = null;
		Object.assign(this, { grid, span, chosen });
		this.draw();
	}

	get rowHeight() {
		const lines = this.grid.lines.length;

		return Math.max(2, Math.min(22, Math.floor(560 / lines)));
	}

	// The columns of the span, as few as have a pixel each: [from, to, x, width].
	pieces(width) {
		const first = this.grid.columnAt(this.span[0]);
		const end = Math.max(first + 1, Math.min(this.grid.columns,
			Math.ceil((this.span[1] - this.grid.begin) / this.grid.width - 1e-9)));
		const count = Math.min(end - first, Math.max(1, Math.floor(width)));
		const pieces = [];

		for (let i = 0; i < count; i++) {
			const from = first + Math.floor(i * (end - first) / count);
			const to = first + Math.floor((i + 1) * (end - first) / count);
			const x = this.xOf(this.grid.timeOf(from));

			pieces.push([from, to, x, this.xOf(this.grid.timeOf(to)) - x]);
		}
		return pieces;
	}

	xOf(us) {
		const [from, to] = this.span;

		return this.left + (Math.max(from, Math.min(to, us)) - from) /
			(to - from) * (this.width - this.left);
	}

	draw() {
		const lines = this.grid.lines.length * this.rowHeight;
		const height = lines + (this.grid.hasBytes ? bytesHeight : 0);

		canvasFit(this.canvas, height + axisHeight, (context, width) => {
			context.font = "12px " + ink("font");
			this.width = width;
			this.left = this.labelsWidth(context, width * 0.25);
			this.drawn = this.pieces(width - this.left);
			context.textBaseline = "middle";
			this.grid.lines.forEach((_, line) => this.lineDraw(context, line));
			if (this.grid.hasBytes)
				this.bytesDraw(context, lines);
			this.axisDraw(context, height);
			for (const arrow of this.what.arrows || [])
				this.arrowDraw(context, arrow);
			this.chosenDraw(context);
		});
		this.tell();
	}

	lineDraw(context, line) {
		const y = line * this.rowHeight;
		const tall = this.rowHeight - (this.rowHeight > 8 ? 1 : 0);
		let colour = null, begin = 0;
		const finish = x => {
			if (colour) {
				context.fillStyle = colour;
				context.fillRect(begin, y, x - begin, tall);
			}
		};

		this.labelDraw(context, line, y);
		context.fillStyle = ink("sheet");
		context.fillRect(this.left, y, this.width - this.left, tall);
		for (const [from, to, x] of this.drawn) {
			const next = this.what.colour(line, from, to);

			if (next === colour)
				continue;
			finish(x);
			colour = next;
			begin = x;
		}
		finish(this.width);
		if (this.rowHeight > 5)
			this.bandsDraw(context, line, y + tall);
	}

	// How much of a cell was waiting, as high as that at its foot.
	bandsDraw(context, line, foot) {
		const most = (this.rowHeight - 1) * 0.4;

		context.fillStyle = ink("wait");
		for (const [from, to, x, width] of this.drawn) {
			const share = this.what.band?.(line, from, to);

			if (share)
				context.fillRect(x, foot - share * most, width, share * most);
		}
	}

	// Lines that are too narrow for a name each: of some of them.
	isLabelled(line) {
		return line % Math.ceil(13 / this.rowHeight) === 0;
	}

	labelsWidth(context, most) {
		return Math.min(most, 12 + this.grid.lines.reduce((wide, _, line) =>
			(this.isLabelled(line) ? Math.max(wide, context.measureText(
				textClean(this.what.label(line), 100)).width) : wide),
		this.grid.hasBytes ? 80 : 60));
	}

	labelDraw(context, line, y) {
		if (!this.isLabelled(line))
			return;
		context.fillStyle = ink("ink");
		context.fillText(labelFit(context, textClean(this.what.label(line), 100),
			this.left - 8), 0, y + Math.max(this.rowHeight, 11) / 2);
	}

	// How fast files were read and, on top of that, written, by all hosts.
	bytesDraw(context, y) {
		const rates = this.drawn.map(([from, to]) => this.grid.byteRates(from, to));
		const most = Math.max(...rates.map(([r, w]) => r + w)) || 1;
		const foot = y + bytesHeight - 2, tall = bytesHeight - 6;

		context.fillStyle = ink("ink");
		context.fillText(labelFit(context, "files", this.left - 8), 0, y + 12);
		context.fillStyle = ink("quiet");
		context.fillText(labelFit(context, `${bytesText(most)}/s`, this.left - 8), 0,
			y + 28);
		this.drawn.forEach(([, , x, width], i) => {
			const [read, written] = rates[i].map(rate => rate / most * tall);

			context.fillStyle = ink("io-box");
			context.fillRect(x, foot - read, width, read);
			context.fillStyle = ink("io");
			context.fillRect(x, foot - read - written, width, written);
		});
	}

	axisDraw(context, y) {
		const [from, to] = this.span.map(us => us / 1e6);
		const steps = axisSteps(from, to, (this.width - this.left) / 90);

		context.fillStyle = ink("quiet");
		for (const at of steps) {
			const x = this.xOf(at * 1e6), text = stepText(at, steps);
			const wide = context.measureText(text).width;

			context.fillRect(x, y, 1, 4);
			context.fillText(text, Math.max(this.left, Math.min(
				this.width - wide, x - wide / 2)), y + 11);
		}
	}

	// From the middle of a line to the edge of another, at a column.
	arrowDraw(context, { from, to, column }) {
		const us = (this.grid.timeOf(column) + this.grid.timeOf(column + 1)) / 2;

		if (us < this.span[0] || us > this.span[1])
			return;

		const x = this.xOf(us), tall = this.rowHeight, down = to > from ? 1 : -1;
		const begin = (from + 0.5) * tall, end = (to + 0.5) * tall;

		for (const [colour, width] of [["paper", 4], ["ink", 1.5]]) {
			context.strokeStyle = context.fillStyle = ink(colour);
			context.lineWidth = width;
			context.beginPath();
			context.moveTo(x, begin);
			context.lineTo(x, end - 4 * down);
			context.stroke();
			context.beginPath();
			context.arc(x, begin, width === 4 ? 3.5 : 2.5, 0, 7);
			context.fill();
			context.beginPath();
			context.moveTo(x, end + (width === 4 ? 2 : 0) * down);
			context.lineTo(x - width - 2.5, end - 7 * down);
			context.lineTo(x + width + 2.5, end - 7 * down);
			context.fill();
		}
	}

	chosenDraw(context) {
		const area = this.dragged || this.chosen;

		if (!area)
			return;

		const [a, b] = area.lines, time = area.time || this.span;
		const x = this.xOf(time[0]), width = Math.max(this.xOf(time[1]) - x, 2);

		context.lineWidth = 3;
		context.strokeStyle = ink("paper");
		for (const colour of ["paper", "ink"]) {
			context.strokeStyle = ink(colour);
			context.lineWidth = colour === "paper" ? 4 : 2;
			context.strokeRect(x, a * this.rowHeight - 0.5, width,
				(b - a + 1) * this.rowHeight);
		}
	}

	// { line, piece } under the pointer, the nearest one.
	at(event) {
		const line = Math.floor(event.offsetY / this.rowHeight);
		let piece = this.drawn.findIndex(p => event.offsetX < p[2] + p[3]);

		if (piece < 0)
			piece = this.drawn.length - 1;
		return { piece, line: Math.max(0, Math.min(this.grid.lines.length - 1,
			line)), onLabel: event.offsetX < this.left,
		onBytes: this.grid.hasBytes && line >= this.grid.lines.length };
	}

	area(a, b) {
		const lines = a.onBytes ? [0, this.grid.lines.length - 1]
			: [Math.min(a.line, b.line), Math.max(a.line, b.line)];
		const first = this.drawn[Math.min(a.piece, b.piece)];
		const last = this.drawn[Math.max(a.piece, b.piece)];

		return { lines, time: a.onLabel ? null
			: [this.grid.timeOf(first[0]), this.grid.timeOf(last[1])] };
	}

	begin(event) {
		this.from = this.at(event);
		event.preventDefault();
		this.canvas.focus({ preventScroll: true });
	}

	move(event) {
		this.over = this.at(event);
		if (this.from) {
			this.dragged = this.area(this.from, this.over);
			this.draw();
		} else
			this.tell();
	}

	finish(event) {
		if (!this.from)
			return;

		const { lines, time } = this.area(this.from, this.at(event));

		this.from = this.dragged = null;
		this.what.onselect(lines, time);
	}

	leave() {
		this.from = this.dragged = this.over = null;
		this.draw();
	}

	pressed(event) {
		const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1],
			ArrowRight: [0, 1] }[event.key];

		if (event.key === "Enter")
			this.what.onzoom(true);
		else if (event.key === "Escape")
			this.what.onzoom(false);
		else if (step)
			this.step(step, event.shiftKey);
		else
			return;
		event.preventDefault();
	}

	// By one line, or one piece of time.
	step([down, right], isLarger) {
		const clip = (v, most) => Math.max(0, Math.min(most, v));
		const most = [this.grid.lines.length - 1, this.drawn.length - 1];
		const pieceOf = us => clip(this.drawn.findIndex(p =>
			this.grid.timeOf(p[1]) > us + 1), most[1]);
		let [a, b] = this.chosen?.lines || [0, 0];
		let [from, to] = this.chosen?.time
			? [pieceOf(this.chosen.time[0]), pieceOf(this.chosen.time[1] - 2)]
			: [0, 0];

		if (this.chosen) {
			b = clip(b + down, most[0]);
			to = clip(to + right, most[1]);
			a = isLarger ? Math.min(a, b) : clip(a + down, b);
			from = isLarger ? Math.min(from, to) : clip(from + right, to);
		}

		const area = this.area({ line: a, piece: from }, { line: b, piece: to });

		this.what.onselect(area.lines, area.time);
	}

	bytesSay([from, to]) {
		const [read, written] = this.grid.byteRates(from, to);

		return `files of all hosts, ${spanText([this.grid.timeOf(from),
			this.grid.timeOf(to)])}: read ${bytesText(read)}/s, written ${
			bytesText(written)}/s`;
	}

	tell() {
		const over = this.over;

		this.said.textContent = over?.onBytes
			? this.bytesSay(this.drawn[over.piece])
			: over && !over.onLabel
			? textClean(this.what.about(over.line, ...this.drawn[over.piece]), 600)
			: this.what.hint || "\u00a0";
	}
}

export const spanText = ([from, to]) =>
	`${timeText(from / 1e6)} to ${timeText(to / 1e6)}`;
