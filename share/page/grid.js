// SPDX-License-Identifier: BSD-3-Clause
// grid.js - a matrix of values as colours: heat map, messages, who waited.
import { canvasFit, el, textClean } from "./dom.js";
import { heatColour, ink } from "./colour.js";
import { labelFit } from "./flame.js";
import { svgButton } from "./svg.js";

// what: { rows, columns: counts, value(row, column) 0 … 1 (null: nothing),
// label(row), columnLabel(column), about(row, column), onselect(row, column),
// isRow(row), isMarked(column): with a mark beneath, rowHeight, labelWidth,
// most: what the strongest colour is,
// frame: { rows, columns } that are chosen, each [from, to] }
export class Grid {
	constructor(what) {
		this.what = what;
		this.at = { row: 0, column: 0 };
		this.canvas = el("canvas", {
			class: "grid", tabindex: 0, role: "application",
			"aria-label": "matrix: arrows move, Enter selects",
			onmousemove: e => this.pointed(e),
			onmouseleave: () => this.tell(null),
			onclick: e => this.clicked(e),
			onkeydown: e => this.pressed(e),
			onblur: () => this.cursorShow(false),
		});
		this.said = el("p", { class: "said", "aria-live": "polite" });
		this.element = el("div", { class: "grid-box" }, this.canvas,
			svgButton(this.canvas, "matrix"), this.said);
		this.tell(null);
	}

	show(what) {
		Object.assign(this.what, what);
		this.draw();
	}

	// Labels of columns stand beneath their marks, if there can be any.
	draw() {
		const { rows, rowHeight, isMarked } = this.what;
		const height = rows * rowHeight + (isMarked ? 24 : 16);

		canvasFit(this.canvas, height, (context, width) => {
			context.font = "12px " + ink("font");
			this.left = this.labelsWidth(context, width);
			this.width = (width - this.left) / this.what.columns;
			context.textBaseline = "middle";
			for (let r = 0; r < rows; r++)
				this.rowDraw(context, r);
			this.axisDraw(context, width, rows * rowHeight);
			this.frameDraw(context, this.what.frame);
			if (this.cursor)
				this.frameDraw(context, { rows: [this.at.row, this.at.row],
					columns: [this.at.column, this.at.column] });
		});
	}

	// The cell that arrows have come to.
	cursorShow(cursor) {
		if (this.cursor || cursor) {
			this.cursor = cursor;
			this.draw();
		}
	}

	// As wide as the longest one, on wide screens up to 30 %.
	labelsWidth(context, width) {
		const { rows, label, labelWidth } = this.what;
		let wide = 40;

		for (let r = 0; r < Math.min(rows, 100); r++)
			wide = Math.max(wide, context.measureText(
				textClean(label(r), 200)).width + 10);
		return Math.min(wide, Math.max(labelWidth, width * 0.3), width * 0.45);
	}

	rowDraw(context, r) {
		const { columns, rowHeight } = this.what;
		const gap = rowHeight > 8 ? 1 : 0, side = this.width > 8 ? 1 : 0;

		if (rowHeight > 9) {
			context.fillStyle = ink("ink");
			context.fillText(labelFit(context, textClean(this.what.label(r), 200),
				this.left - 8), 0, (r + 0.5) * rowHeight);
		}
		for (let c = 0; c < columns; c++) {
			const value = this.what.value(r, c);

			if (value === null)
				continue;
			context.fillStyle = heatColour(value);
			context.fillRect(this.left + c * this.width, r * rowHeight,
				Math.max(this.width - side, 0.6), rowHeight - gap);
		}
		if (this.what.isRow?.(r)) {
			context.strokeStyle = ink("ink");
			context.lineWidth = 1.5;
			context.strokeRect(this.left, r * rowHeight + 0.5,
				columns * this.width - 1, rowHeight - 1);
		}
	}

	// Which colour is the most; none is nothing.
	scaleDraw(context, y) {
		const words = ["little", this.what.most || "the most"];
		const [little, most] = words.map(w => context.measureText(w).width);
		const bar = 64, all = little + most + bar + 12;
		const x = this.left + (this.width * this.what.columns - all) / 2;

		if (this.width * this.what.columns < all + 240)
			return;
		context.fillText(words[0], x, y);
		context.fillText(words[1], x + little + bar + 12, y);
		for (let i = 0; i < bar; i++) {
			context.fillStyle = heatColour(i / (bar - 1));
			context.fillRect(x + little + 6 + i, y - 5, 1.2, 9);
		}
	}

	axisDraw(context, width, foot) {
		const { columns, columnLabel, isMarked } = this.what;
		const y = foot + (isMarked ? 17 : 9);

		context.fillStyle = ink("outlier");
		for (let c = 0; isMarked && c < columns; c++)
			if (isMarked(c))
				this.markDraw(context, this.left + (c + 0.5) * this.width,
					foot + 9);
		context.fillStyle = ink("quiet");
		context.fillText(columnLabel(0), this.left, y);
		if (columns > 1) {
			const last = columnLabel(columns - 1);

			context.fillText(last,
				width - context.measureText(last).width - 2, y);
		}
		this.scaleDraw(context, y);
	}

	markDraw(context, x, y) {
		context.beginPath();
		context.moveTo(x, y - 8);
		context.lineTo(x - 4, y - 1);
		context.lineTo(x + 4, y - 1);
		context.fill();
	}

	frameDraw(context, frame) {
		const { rowHeight } = this.what;

		if (!frame)
			return;
		for (const colour of ["paper", "ink"]) {
			context.strokeStyle = ink(colour);
			context.lineWidth = colour === "paper" ? 4 : 2;
			context.strokeRect(this.left + frame.columns[0] * this.width,
				frame.rows[0] * rowHeight - 0.5,
				(frame.columns[1] - frame.columns[0] + 1) * this.width,
				(frame.rows[1] - frame.rows[0] + 1) * rowHeight);
		}
	}

	hit(event) {
		const row = Math.floor(event.offsetY / this.what.rowHeight);
		const column = Math.floor((event.offsetX - this.left) / this.width);

		if (row < 0 || row >= this.what.rows || column >= this.what.columns)
			return null;
		return { row, column: Math.max(column, -1) };
	}

	pointed(event) {
		this.tell(this.hit(event));
	}

	clicked(event) {
		const at = this.hit(event);

		if (!at)
			return;
		this.at = at;
		this.what.onselect?.(at.row, at.column);
	}

	pressed(event) {
		const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0],
			ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];

		if (event.key === "Enter")
			this.what.onselect?.(this.at.row, this.at.column);
		else if (!step)
			return;
		else {
			this.at = {
				row: Math.max(0, Math.min(this.what.rows - 1,
					this.at.row + step[0])),
				column: Math.max(0, Math.min(this.what.columns - 1,
					this.at.column + step[1])),
			};
			this.cursorShow(true);
			this.tell(this.at);
		}
		event.preventDefault();
	}

	tell(at) {
		this.said.textContent = at ? textClean(this.what.about(at.row, at.column))
			: this.what.hint || "\u00a0";
	}
}
