// SPDX-License-Identifier: BSD-3-Clause
// selection.js - what is looked at, as the fragment of the address has it, so
// that a link can be mailed: view, path (node), phase (node), ranks (rows), time,
// metric, and what a view adds.

// "0-2,5" as [[0, 2], [5, 5]]; null: all.
export function rowsParse(text) {
	const ranges = [];

	for (const part of (text || "").split(",")) {
		const found = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part.trim());

		if (found && Number(found[2] ?? found[1]) >= Number(found[1]))
			ranges.push([Number(found[1]), Number(found[2] ?? found[1])]);
	}
	return ranges.length ? rowsUnite(ranges) : null;
}

export function rowsUnite(ranges) {
	const united = [];

	for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
		const last = united[united.length - 1];

		if (last && from <= last[1] + 1)
			last[1] = Math.max(last[1], to);
		else
			united.push([from, to]);
	}
	return united;
}

export function rowsText(ranges) {
	return ranges.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(",");
}

export function rowsHave(ranges, row) {
	return !ranges || ranges.some(([a, b]) => row >= a && row <= b);
}

export function rowsAdd(ranges, from, to) {
	return rowsUnite([...(ranges || []).map(r => [...r]), [from, to]]);
}

// "1000-2500": microseconds from the start of the run; null: all of it.
export function timeParse(text) {
	const found = /^(\d{1,15})-(\d{1,15})$/.exec(text || "");

	return found && Number(found[2]) > Number(found[1])
		? [Number(found[1]), Number(found[2])] : null;
}

export function selectionParse(fragment) {
	const words = new URLSearchParams(fragment.replace(/^#/, ""));
	const number = name => {
		const value = words.get(name);

		return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : null;
	};

	return {
		view: words.get("view") || "start",
		path: number("path"),
		ranks: rowsParse(words.get("ranks")),
		phase: number("phase"),
		metric: words.get("metric"),
		time: timeParse(words.get("time")),
		span: timeParse(words.get("span")),
		only: rowsParse(words.get("only")),
		zoom: number("zoom"),
		find: words.get("find") || "",
		show: (words.get("show") || "").split(",").filter(Boolean),
	};
}

export function selectionText(s) {
	const words = new URLSearchParams({ view: s.view });

	if (s.path !== null)
		words.set("path", s.path);
	if (s.phase !== null)
		words.set("phase", s.phase);
	if (s.ranks)
		words.set("ranks", rowsText(s.ranks));
	if (s.only)
		words.set("only", rowsText(s.only));
	for (const name of ["time", "span"])
		if (s[name])
			words.set(name, s[name].map(Math.round).join("-"));
	if (s.metric)
		words.set("metric", s.metric);
	if (s.zoom !== null)
		words.set("zoom", s.zoom);
	if (s.find)
		words.set("find", s.find);
	if (s.show.length)
		words.set("show", s.show.join(","));
	return "#" + words.toString().replaceAll("%2C", ",");
}
