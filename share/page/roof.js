// SPDX-License-Identifier: BSD-3-Clause
// roof.js - how near kernels are to what the GPU can do: memory's bandwidth to
// the right, the busiest pipe upwards, the area a kernel's time.
import { ink } from "./colour.js";
import { canvasFit, el, textClean } from "./dom.js";
import { svgButton } from "./svg.js";
import { shareText, timeText } from "./units.js";

const roofHeight = 340, roofLeft = 52, roofBottom = 40, kernelsFew = 12;
const pipes = [["tensor", "tensor cores"], ["fp32", "FP32"], ["fp64", "FP64"],
	["issued", "instructions"]];

// Kernels whose counters are known, the longest first: { name, seconds, memory,
// pipe, of, bound }; a copy has no pipe, and is none.
export function roofPoints(rows) {
	return rows.filter(r => r("tensor") !== null && r("sm_active") > 0)
		.map(r => {
			const [id, of] = pipes.reduce((a, b) => (r(b[0]) > r(a[0]) ? b : a));

			return { name: r("kernel"), seconds: r("seconds"), of,
				memory: r("memory"), pipe: r(id), bound: r("bound") };
		}).sort((a, b) => b.seconds - a.seconds).slice(0, kernelsFew);
}

function roofAxes(context, xOf, yOf) {
	context.strokeStyle = context.fillStyle = ink("quiet");
	context.font = "12px sans-serif";
	context.strokeRect(xOf(0), yOf(1), xOf(1) - xOf(0), yOf(0) - yOf(1));
	context.setLineDash([3, 3]);
	context.beginPath();
	context.moveTo(xOf(0.5), yOf(0));
	context.lineTo(xOf(0.5), yOf(0.5));
	context.lineTo(xOf(0), yOf(0.5));
	context.stroke();
	context.setLineDash([]);
	for (const share of [0, 0.5, 1]) {
		const text = shareText(share);

		context.fillText(text, xOf(share) - context.measureText(text).width / 2,
			yOf(0) + 16);
		context.fillText(text, xOf(0) - context.measureText(text).width - 6,
			yOf(share) + 4);
	}
	context.fillText("of the memory's bandwidth", xOf(0), yOf(0) + 34);
	context.fillText("of the busiest pipe", xOf(0), yOf(1) - 8);
}

function roofDraw(context, width, height, points) {
	const all = points.reduce((s, p) => s + p.seconds, 0);
	const xOf = v => roofLeft + v * (width - roofLeft - 24);
	const yOf = v => height - roofBottom - v * (height - roofBottom - 24);

	roofAxes(context, xOf, yOf);
	points.forEach((p, i) => {
		const x = xOf(p.memory), y = yOf(p.pipe), text = String(i + 1);

		context.globalAlpha = 0.75;
		context.fillStyle = ink("path-" + i % 10);
		context.beginPath();
		context.arc(x, y, 6 + 26 * Math.sqrt(p.seconds / all), 0, 2 * Math.PI);
		context.fill();
		context.globalAlpha = 1;
		context.fillStyle = ink("ink");
		context.fillText(text, x - context.measureText(text).width / 2, y + 4);
	});
}

// Nothing where no counters are known.
export function roofMake(rows) {
	const points = roofPoints(rows);

	if (!points.length)
		return null;

	const canvas = el("canvas", { class: "roof", role: "img",
		"aria-label": "kernels by memory and pipe, as listed below" });

	new ResizeObserver(() => canvasFit(canvas, roofHeight, (context, width,
		height) => roofDraw(context, width, height, points))).observe(canvas);
	return el("section", { class: "report" },
		el("h2", {}, "How near kernels are to what the GPU can do"),
		el("p", { class: "about" }, "Hardware counters: memory to the right, the " +
			"busiest pipe upwards, areas are times. Near an edge a kernel is at " +
			"its roof; within the dashed corner nothing is used by half."),
		el("div", { class: "roof-box" }, canvas, svgButton(canvas, "roof")),
		el("ol", { class: "roof-names" }, points.map(p => el("li", {},
			`${textClean(p.name, 100)}: ${timeText(p.seconds)}, memory ${
				shareText(p.memory)}, ${p.of} ${shareText(p.pipe)}${
				p.bound ? `; bound by ${p.bound}` : ""}`))));
}
