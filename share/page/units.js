// SPDX-License-Identifier: BSD-3-Clause
// units.js - numbers as reports print them: src/analyse/base/phrase.c.

export const sum = values => values.reduce((a, b) => a + b, 0);

const places = v => (v < 10 ? 2 : v < 100 ? 1 : 0);

export function timeText(seconds) {
	const v = Math.abs(seconds), sign = seconds < 0 ? "−" : "";

	if (v === 0)
		return "0 s";
	if (v < 1e-6)
		return sign + (v * 1e9).toFixed(0) + " ns";
	if (v < 1e-3)
		return sign + (v * 1e6).toFixed(places(v * 1e6)) + " µs";
	if (v < 1)
		return sign + (v * 1e3).toFixed(places(v * 1e3)) + " ms";
	return sign + v.toFixed(places(v)) + " s";
}

export function bytesText(bytes) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
	let v = Math.abs(bytes), unit = 0;

	for (; v >= 1024 && unit < units.length - 1; unit++)
		v /= 1024;
	return (bytes < 0 ? "−" : "") + v.toFixed(unit ? places(v) : 0) + " " +
		units[unit];
}

export function countText(count) {
	return Math.round(count).toString().replace("-", "−")
		.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

export function numberText(v) {
	return Number(v.toPrecision(4)).toString().replace("-", "−");
}

export function shareText(share, margin) {
	const percent = v => (v * 100).toFixed(v < 0.0995 && v > -0.0995 ? 1 : 0);

	return percent(share).replace("-", "−") +
		(margin ? " ± " + (margin * 100).toFixed(1) : "") + " %";
}

// A value of a metric, in the metric's unit.
export function valueText(value, unit) {
	if (unit === "ns")
		return timeText(value / 1e9);
	return unit === "bytes" ? bytesText(value) : countText(value);
}
