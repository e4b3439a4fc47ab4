// SPDX-License-Identifier: BSD-3-Clause
// colour.js - colours of what is drawn.  None is random: two pages of one
// program look alike.  Kinds of time have colours that colour-blind people can
// tell apart (Okabe and Ito); page.css has them, for light and dark.
import { python, unnamed } from "./model.js";

const inks = new Map(), heats = [];

// The value of --NAME in page.css.
export function ink(name) {
	if (!inks.has(name))
		inks.set(name, getComputedStyle(document.documentElement)
			.getPropertyValue("--" + name).trim());
	return inks.get(name);
}

export function inksForget() {
	inks.clear();
	heats.length = 0;
}

export function textHash(text) {
	let hash = 2166136261;

	for (let i = 0; i < text.length && i < 256; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return hash >>> 0;
}

function rgbOf(colour) {
	return [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16));
}

// From one "#rrggbb" to another, share 0 … 1.
export function colourMix(from, to, share) {
	const a = rgbOf(from), b = rgbOf(to);

	return "#" + a.map((v, i) => Math.round(v + (b[i] - v) * share)
		.toString(16).padStart(2, "0")).join("");
}

const system = /^(ld-linux|libc[.-]|libm[.-]|libpthread|\[|libstdc)/;

// MPI, GPUs and OpenMP as in every view; the program's code in one hue, code
// of libraries in another, that of packages in Python in a third.
export function boxHue(model, n) {
	if (!n)
		return "rest";

	const { group } = model.kinds[model.kind[n]];

	if (group !== "code")
		return group;
	if (model.flags[n] & unnamed || system.test(model.moduleName(n)))
		return "rest";
	return model.isOwn(n) ? "own"
		: model.flags[n] & python ? "python" : "library";
}

// Shades by name.
export function boxColour(model, n) {
	const base = ink(boxHue(model, n) + "-box");
	const shade = textHash(model.functionName(n)) % 8 / 8;

	return colourMix(base, ink("paper"), 0.35 * shade);
}

// Of a change: blue is faster, orange slower; share -1 … 1.
export function changeColour(share) {
	return colourMix(ink("same"), ink(share < 0 ? "faster" : "slower"),
		Math.min(Math.abs(share), 1));
}

// From nothing to the most, in as many steps as a screen has.
export function heatColour(share) {
	const step = Math.round(Math.min(share, 1) * 255);

	return heats[step] ??= step < 128
		? colourMix(ink("heat-0"), ink("heat-1"), step / 127.5)
		: colourMix(ink("heat-1"), ink("heat-2"), step / 127.5 - 1);
}
