// SPDX-License-Identifier: BSD-3-Clause
// stream.js - what is in the page: doc/page-format.md.

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
	const kept = new Map();

	textsPlace(page);

	function arrayDecode(name) {
		const how = page.arrays[name];

		if (!how)
			return null;

		const from = 4 + size + how.offset;
		const part = bytes.subarray(from, from + how.bytes);

		return how.type === "u8" ? part
			: varintsDecode(part, how.count, how.type === "delta");
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

export async function streamInflate(base64) {
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);

	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);

	const inflater = new DecompressionStream("deflate");
	const from = new Blob([bytes]).stream();

	return streamDecode(new Uint8Array(
		await new Response(from.pipeThrough(inflater)).arrayBuffer()));
}
