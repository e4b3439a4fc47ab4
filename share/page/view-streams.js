// SPDX-License-Identifier: BSD-3-Clause
// view-streams.js - a trace of GPUs: the work of each stream, with the calls that
// began it and the ranges around these, in a part of the time.
import { boxColour, colourMix, ink, textHash } from "./colour.js";
import { canvasFit, el, elReplace, textClean } from "./dom.js";
import { labelFit, textFit } from "./flame.js";
import { busyShare, slicesBetween, slicesOf } from "./slices.js";
import { svgButton } from "./svg.js";
import { axisSteps, spanText, stepText } from "./timeline.js";
import { bytesText, shareText, timeText } from "./units.js";

const laneHeight = 18, lineGap = 4, streamsAxis = 18, linesMost = 40;
const copyKind = 2; // of work, and above: copies and memsets

function sliceColour(app, s) {
	if (s.kind === "work")
		return s.work >= copyKind ? ink("wait") : boxColour(app.model, s.node);
	return colourMix(ink(s.kind === "call" ? "gpu" : "own-box"), ink("paper"),
		0.3 + textHash(s.name) % 8 / 20);
}

// Everything that is known of a slice.
function sliceText(app, s) {
	const words = [s.name, timeText((s.to - s.from) / 1e6),
		`from ${(s.from / 1e6).toFixed(6)} s on`];

	if (s.bytes)
		words.push(bytesText(s.bytes));
	if (s.call)
		words.push(`${timeText((s.from - s.call.from) / 1e6)} after its call`);
	if (s.kind === "work")
		words.push("launched by " + app.model.frames(s.node).slice(0, -1)
			.slice(-4).reverse().map(n => app.model.nameSite(n)).join(" ← "));
	return words.join(" · ");
}

class Streams {
	constructor(app) {
		this.app = app;
		this.canvas = el("canvas", { class: "timeline", tabindex: 0,
			role: "application", "aria-label": "work of GPUs over time: drag " +
				"or + zooms in, - and Escape zoom out, arrows move",
			onmousedown: e => this.press(e), onmousemove: e => this.move(e),
			onmouseup: e => this.release(e), onmouseleave: () => this.leave(),
			ondblclick: () => app.go({ span: null }),
			onkeydown: e => this.pressed(e) });
		this.said = el("p", { class: "said", "aria-live": "polite" });
		this.element = el("div", { class: "timeline-box" }, this.canvas,
			svgButton(this.canvas, "streams"), this.said);
	}

	show(lines, span) {
		let y = 0;

		this.over = null;
		this.span = span;
		this.lines = lines.map(line => {
			const placed = { line, y, tall: line.lanes * laneHeight };

			y += placed.tall + lineGap;
			return placed;
		});
		this.height = y;
		this.draw();
	}

	xOf(us) {
		const [from, to] = this.span;

		return this.left + (Math.max(from, Math.min(to, us)) - from) /
			(to - from) * (this.width - this.left);
	}

	timeAt(x) {
		const [from, to] = this.span;
		const share = (x - this.left) / Math.max(this.width - this.left, 1);

		return from + Math.max(0, Math.min(1, share)) * (to - from);
	}

	draw() {
		canvasFit(this.canvas, this.height + streamsAxis, (context, width) => {
			context.font = "12px " + ink("font");
			context.textBaseline = "middle";
			this.width = width;
			this.left = Math.min(width * 0.25, 12 + this.lines.reduce((w, l) =>
				Math.max(w, context.measureText(textClean(this.labelOf(l.line),
					60)).width), 60));
			for (const placed of this.lines)
				this.lineDraw(context, placed);
			this.axisDraw(context);
			if (this.over)
				this.arrowsDraw(context, this.over);
			if (this.dragged) {
				const [a, b] = this.dragged.map(us => this.xOf(us));

				context.lineWidth = 2;
				context.strokeStyle = ink("ink");
				context.strokeRect(Math.min(a, b), 1, Math.abs(b - a),
					this.height - 2);
			}
		});
		this.said.textContent = this.over
			? textClean(sliceText(this.app, this.over), 600) : "\u00a0";
	}

	labelOf(line) {
		return this.app.model.rankCount > 1
			? `${this.app.model.rankLabel(line.rank)} · ${line.label}` : line.label;
	}

	lineDraw(context, { line, y, tall }) {
		let ends = [];

		context.fillStyle = ink("ink");
		context.fillText(labelFit(context, textClean(this.labelOf(line), 60),
			this.left - 8), 0, y + laneHeight / 2);
		context.fillStyle = ink("sheet");
		context.fillRect(this.left, y, this.width - this.left, tall);
		for (const s of slicesBetween(line, ...this.span)) {
			const x = this.xOf(s.from), wide = Math.max(this.xOf(s.to) - x, 0.5);

			// What a pixel has already needs no second rectangle.
			if (x + wide <= (ends[s.lane] ?? -1))
				continue;
			ends[s.lane] = Math.ceil((x + wide) * 2) / 2;
			this.sliceDraw(context, s, x, y + s.lane * laneHeight, wide);
		}
	}

	sliceDraw(context, s, x, y, wide) {
		const gap = wide > 3 ? 0.5 : 0;

		context.fillStyle = sliceColour(this.app, s);
		context.fillRect(x, y + 1, wide - gap, laneHeight - 2);
		if (s === this.over) {
			context.strokeStyle = ink("ink");
			context.lineWidth = 2;
			context.strokeRect(x, y + 1, wide - gap, laneHeight - 2);
		}
		if (wide < 30)
			return;
		context.fillStyle = ink("ink");
		context.fillText(textFit(context, textClean(s.name, 100), wide - 6), x + 3,
			y + laneHeight / 2);
	}

	axisDraw(context) {
		const [from, to] = this.span.map(us => us / 1e6);
		const steps = axisSteps(from, to, (this.width - this.left) / 110);

		context.fillStyle = ink("quiet");
		for (const at of steps) {
			const x = this.xOf(at * 1e6), text = stepText(at, steps);
			const wide = context.measureText(text).width;

			context.fillRect(x, this.height, 1, 4);
			context.fillText(text, Math.max(this.left, Math.min(
				this.width - wide, x - wide / 2)), this.height + 11);
		}
	}

	placeOf(s) {
		const placed = this.lines.find(l => l.line.slices.includes(s));

		return placed ? placed.y + (s.lane + 0.5) * laneHeight : null;
	}

	// From a call to what it began.
	arrowsDraw(context, over) {
		const call = over.kind === "call" ? over : over.call;
		const begin = call && this.placeOf(call);

		for (const s of begin === null || !call ? [] : over.kind === "call"
			? over.works.slice(0, 64) : [over]) {
			const end = this.placeOf(s);

			if (end === null)
				continue;
			context.strokeStyle = ink("ink");
			context.lineWidth = 1.5;
			context.beginPath();
			context.moveTo(this.xOf(call.from), begin);
			context.lineTo(this.xOf(s.from), end);
			context.stroke();
			context.beginPath();
			context.arc(this.xOf(s.from), end, 2.5, 0, 7);
			context.fillStyle = ink("ink");
			context.fill();
		}
	}

	// The slice under the pointer, or the nearest one of its lane within 4 pixels.
	at(event) {
		const placed = this.lines.find(l => event.offsetY >= l.y &&
			event.offsetY < l.y + l.tall);

		if (!placed || event.offsetX < this.left)
			return null;

		const lane = Math.floor((event.offsetY - placed.y) / laneHeight);
		const us = this.timeAt(event.offsetX);
		const off = s => Math.max(s.from - us, us - s.to, 0);
		const near = slicesBetween(placed.line, this.timeAt(event.offsetX - 4),
			this.timeAt(event.offsetX + 4)).filter(s => s.lane === lane);

		return near.reduce((a, b) => (!a || off(b) < off(a) ? b : a), null);
	}

	press(event) {
		this.from = event.offsetX;
		event.preventDefault();
		this.canvas.focus({ preventScroll: true });
	}

	move(event) {
		const over = this.at(event);

		this.dragged = this.from !== undefined &&
			Math.abs(event.offsetX - this.from) > 3
			? [this.timeAt(this.from), this.timeAt(event.offsetX)] : null;
		if (over !== this.over || this.dragged) {
			this.over = over;
			this.draw();
		}
	}

	release(event) {
		const { dragged } = this;

		this.from = undefined;
		this.dragged = null;
		if (dragged)
			this.zoom(Math.min(...dragged), Math.max(...dragged));
		else if (this.at(event)?.node)
			this.app.go({ path: this.at(event).node });
	}

	leave() {
		this.from = undefined;
		this.dragged = this.over = null;
		this.draw();
	}

	zoom(from, to) {
		if (to - from >= 1)
			this.app.go({ span: [Math.floor(from), Math.ceil(to)] });
	}

	pressed(event) {
		const [from, to] = this.span, long = to - from;
		const step = { ArrowLeft: -0.25, ArrowRight: 0.25 }[event.key];

		if (event.key === "+" || event.key === "Enter")
			this.zoom(from + long / 4, to - long / 4);
		else if (event.key === "-")
			this.zoom(Math.max(from - long / 2, 0), to + long / 2);
		else if (event.key === "Escape")
			this.app.go({ span: null });
		else if (step)
			this.zoom(Math.max(from + step * long, 0), to + step * long);
		else
			return;
		event.preventDefault();
	}
}

// Of the processes that were zoomed to, as many as can be read: what has
// something there.
function linesShown(app, slices, part) {
	const { ranks, only } = app.selection, of = only || ranks;
	const lines = slices.lines.filter(l => (!of ||
		of.some(([a, b]) => l.rank >= a && l.rank <= b)) &&
		slicesBetween(l, ...part).length);

	return { lines: lines.slice(0, linesMost), left: lines.length - linesMost };
}

const slicesKept = app => app.kept("slices", () => slicesOf(app.model));

// Beneath the timeline, where it was zoomed to a time that was traced.
export class StreamsBeneath {
	constructor(app) {
		this.app = app;
		this.streams = app.model.page.slices ? new Streams(app) : null;
		this.element = this.streams?.element ?? el("div");
		this.element.hidden = true;
	}

	show(span) {
		const slices = this.streams && span ? slicesKept(this.app) : null;
		const shown = slices ? linesShown(this.app, slices, span).lines : [];

		this.element.hidden = !shown.length;
		if (shown.length)
			this.streams.show(shown, span);
	}
}

function aboutMake(slices, { left }, span) {
	const words = [slices.from > 0 &&
		`The page has the last ${slices.shown} of ${slices.all} pieces of work; ` +
		"copse report gpu-trace and copse export perfetto have all.",
	left > 0 && `${left} lines more: select fewer processes.`,
	`Shown: ${spanText(span)}.`];

	return words.filter(Boolean).join(" ");
}

export const viewStreams = {
	id: "streams", title: "GPU streams",
	about: "What GPUs did, piece by piece, with the calls of CUDA and the ranges " +
		"of each thread. Drag to zoom in, double click to see all; an arrow leads " +
		"from a call to its work, a click selects the call path.",
	has: app => app.model.page.slices && !app.model.isDiff,
	make(app, element) {
		const slices = slicesKept(app);
		const streams = new Streams(app), about = el("p", { class: "about" });
		const busy = el("ul", { class: "legend" });

		element.append(streams.element, busy, about);
		app.drawn = streams;
		return { update() {
			const { span, time } = app.selection;
			const wanted = span || time;
			const isThere = wanted && wanted[1] > slices.begin &&
				wanted[0] < slices.end;
			const part = isThere ? wanted : [slices.begin, slices.end];
			const shown = linesShown(app, slices, part);

			streams.show(shown.lines, part);
			elReplace(busy, shown.lines.filter(l => l.key[1]).map(l =>
				el("li", {}, `${streams.labelOf(l)} `, el("b", {},
					shareText(busyShare(l, ...part))))));
			elReplace(about, aboutMake(slices, shown, part));
		} };
	},
};
