// SPDX-License-Identifier: BSD-3-Clause
// stream.js - what is in the page: doc/page-format.md.
import { textUnpack } from "./unpack.js";

// Numbers of seven bits a byte; those of 2^53 and more are rounded.
function varintsDecode(bytes, count, isDelta) {
	const to = new Float64Array(count);
	let at = 0, last = 0;

	for (let i = 0; i < count; i++) {
		let value = 0, scale = 1, byte;

		do {
			if (at >= bytes.length)
				throw new Error("an array ends early");
			byte = bytes[at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte & 128);
		if (isDelta)
			value = last += value % 2 ? -(value + 1) / 2 : value / 2;
		to[i] = value;
	}
	return to;
}

// Cells of columns of text become their texts: numbers in `texts` until then.
function textsPlace(page) {
	const text = cell => (Array.isArray(cell) ? cell.map(text)
		: typeof cell === "number" ? page.texts[cell] : cell);

	for (const { columns, rows } of Object.values(page.reports || {})
		.flatMap(report => report.tables))
		columns.forEach(({ type }, c) => {
			if (page.texts && (type === "text" || type === "left"))
				for (const row of rows)
					row[c] = text(row[c]);
		});
}

// { page: the JSON, array(name): its numbers, or null when there is none }.
export function streamDecode(bytes) {
	const size = new DataView(bytes.buffer, bytes.byteOffset)
		.getUint32(0, true);
	const page = JSON.parse(new TextDecoder().decode(
		bytes.subarray(4, 4 + size)));
	const kept = new Map(), places = new Map();
	let end = 4 + size;

	textsPlace(page);
	for (const [name, [type, count, length]] of Object.entries(page.arrays)) {
		places.set(name, { type, count, part: bytes.subarray(end, end + length) });
		end += length;
	}

	function arrayDecode(name) {
		const { type, count, part } = places.get(name) || { part: null };

		return !part || type === "u8" ? part
			: varintsDecode(part, count, type === "delta");
	}

	return {
		page,
		array(name) {
			if (!kept.has(name))
				kept.set(name, arrayDecode(name));
			return kept.get(name);
		},
	};
}

export const streamUnpack = async text => streamDecode(await textUnpack(text));
