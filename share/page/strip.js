// SPDX-License-Identifier: BSD-3-Clause
// strip.js - one value over all ranks: a column for each rank, or for as many
// as a pixel has to show: their least, mean and most.  Nothing is left out.
import { canvasFit, el } from "./dom.js";
import { ink } from "./colour.js";
import { svgButton } from "./svg.js";
import { axisSteps } from "./timeline.js";

// So many columns for `count` ranks in `width` pixels.
export function stripColumns(columns, width) {
	const count = columns.reduce((n, c) => n + c.count, 0);
	const wanted = Math.max(1, Math.min(count, Math.floor(width / 2)));
	const bins = [];

	for (const c of columns) {
		const at = Math.floor(c.first * wanted / count);
		const last = bins[bins.length - 1];

		if (last && last.at === at)
			binAdd(last, c);
		else
			bins.push({ at, first: c.first, count: c.count, sum: c.mean * c.count,
				most: c.most, least: c.least ?? c.mean });
	}
	return { bins, count };
}

function binAdd(bin, c) {
	bin.count += c.count;
	bin.sum += c.mean * c.count;
	bin.most = Math.max(bin.most, c.most);
	bin.least = Math.min(bin.least, c.least ?? c.mean);
}

// Far from the rest: more than 4 deviations, as quartiles tell them, and a
// tenth of the mean, from the median.
export function outliersFind(columns) {
	const values = columns.map(c => c.most).sort((a, b) => a - b);
	const at = share => values[Math.floor((values.length - 1) * share)];

	if (values.length < 4)
		return { median: at(0.5) || 0, isOut: () => false };

	const median = at(0.5);
	const reach = Math.max(4 * (at(0.75) - at(0.25)) / 1.349,
		0.1 * Math.abs(median), 1e-12);

	return { median, isOut: v => Math.abs(v - median) > reach };
}

const bandHeight = 14;

// what: { hostOf(row), label(row): its number, isChosen(row), about(first, count, bin), onselect(from,
// to, add) }
export class Strip {
	constructor(what, height = 84, name = "ranks") {
		this.what = what;
		this.height = height;
		this.canvas = el("canvas", {
			class: "strip", tabindex: 0, role: "application",
			"aria-label": "value over ranks: arrows choose a rank, Escape all",
			onmousedown: e => this.begin(e),
			onmousemove: e => this.move(e),
			onmouseup: e => this.finish(e),
			onmouseleave: () => this.leave(),
			onkeydown: e => this.pressed(e),
		});
		this.said = el("p", { class: "said", "aria-live": "polite" });
		this.element = el("div", { class: "strip-box" }, this.canvas,
			svgButton(this.canvas, name), this.said);
	}

	show(columns, chosen) {
		this.columns = columns;
		this.chosen = chosen;
		this.draw();
	}

	draw() {
		canvasFit(this.canvas, this.height, (context, width, height) => {
			const { bins, count } = stripColumns(this.columns, width);
			const top = bins.reduce((m, b) => Math.max(m, b.most), 0) || 1;

			Object.assign(this, { bins, count, width });
			this.hostsDraw(context, height);
			this.ranksDraw(context, height);
			this.binsDraw(context, height - bandHeight - 3, top);
		});
		this.tell(this.over);
	}

	xOf(row) {
		return row * this.width / this.count;
	}

	binsDraw(context, height, top) {
		const outliers = outliersFind(this.columns);
		const tall = v => Math.max(v / top * (height - 8), v ? 1 : 0);
		const gap = this.width / this.count > 6 ? 1 : 0;

		for (const b of this.bins) {
			const x = this.xOf(b.first);
			const width = Math.max(this.xOf(b.first + b.count) - x - gap, 1);
			const mean = b.sum / b.count;
			const isOut = outliers.isOut(b.most) || outliers.isOut(b.least);

			context.globalAlpha = this.dimmed(b) ? 0.25 : 1;
			context.fillStyle = ink("most");
			context.fillRect(x, height - tall(b.most), width, tall(b.most));
			context.fillStyle = ink(isOut ? "outlier" : "own");
			context.fillRect(x, height - tall(mean), width, tall(mean));
			context.globalAlpha = 1;
			if (isOut)
				this.markDraw(context, x + width / 2, height - tall(b.most));
		}
		this.lineDraw(context, height - tall(outliers.median));
	}

	dimmed(bin) {
		return this.chosen && !this.chosen.some(([a, b]) =>
			a < bin.first + bin.count && b >= bin.first);
	}

	markDraw(context, x, y) {
		context.fillStyle = ink("outlier");
		context.beginPath();
		context.moveTo(x, y - 2);
		context.lineTo(x - 3.5, y - 8);
		context.lineTo(x + 3.5, y - 8);
		context.fill();
	}

	lineDraw(context, y) {
		context.strokeStyle = ink("quiet");
		context.setLineDash([3, 3]);
		context.beginPath();
		context.moveTo(0, y);
		context.lineTo(this.width, y);
		context.stroke();
		context.setLineDash([]);
	}

	// Bands beneath tell hosts apart.
	hostsDraw(context, height) {
		let band = 0, host = null, from = 0;
		const finish = row => {
			context.fillStyle = ink(band++ % 2 ? "band-1" : "band-0");
			context.fillRect(this.xOf(from), height - bandHeight,
				this.xOf(row) - this.xOf(from), bandHeight);
			from = row;
		};

		for (const c of this.columns) {
			const at = this.what.hostOf(c.first);

			if (host !== null && at !== host)
				finish(c.first);
			host = at;
		}
		finish(this.count);
	}

	// Numbers of ranks: as many round ones as there is room for.
	ranksDraw(context, height) {
		context.font = "11px " + ink("font");
		context.textBaseline = "middle";
		context.fillStyle = ink("ink");

		const wide = context.measureText(this.what.label(this.count - 1)).width;
		const most = this.width / (wide + 16);

		for (const row of axisSteps(0, this.count - 1, most)) {
			const text = this.what.label(row);
			const x = (this.xOf(row) + this.xOf(row + 1) -
				context.measureText(text).width) / 2;

			if (Number.isInteger(row) && x + wide < this.width)
				context.fillText(text, Math.max(x, 1),
					height - bandHeight / 2 + 0.5);
		}
	}

	rowAt(event) {
		return Math.max(0, Math.min(this.count - 1,
			Math.floor(event.offsetX * this.count / this.width)));
	}

	binAt(row) {
		return this.bins.find(b => row >= b.first && row < b.first + b.count);
	}

	begin(event) {
		this.from = this.rowAt(event);
		event.preventDefault();
		this.canvas.focus({ preventScroll: true });
	}

	move(event) {
		this.over = this.binAt(this.rowAt(event));
		this.tell(this.over);
	}

	finish(event) {
		if (this.from === undefined)
			return;

		const a = this.binAt(this.from), b = this.binAt(this.rowAt(event));

		this.from = undefined;
		if (a && b)
			this.what.onselect(Math.min(a.first, b.first),
				Math.max(a.first + a.count, b.first + b.count) - 1,
				event.shiftKey || event.ctrlKey);
	}

	leave() {
		this.from = this.over = undefined;
		this.tell();
	}

	pressed(event) {
		const row = this.chosen ? this.chosen[0][0] : -1;
		const at = this.bins.findIndex(b => row >= b.first &&
			row < b.first + b.count);
		const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];

		if (event.key === "Escape")
			this.what.onselect(null);
		else if (step) {
			const to = this.bins[Math.max(0, Math.min(this.bins.length - 1,
				row < 0 ? 0 : at + step))];

			this.what.onselect(to.first, to.first + to.count - 1, false);
		} else
			return;
		event.preventDefault();
	}

	tell(bin) {
		this.said.textContent = this.what.about(bin);
	}
}
