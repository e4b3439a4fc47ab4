// SPDX-License-Identifier: BSD-3-Clause
// unpack.js - bytes that stand in a page as text: 13 bits are two of 91
// characters (doc/page-format.md).  It stays as it is in a page, since all else
// is packed so.
export async function textUnpack(text) {
	const pairs = text.length >> 1;
	const bytes = new Uint8Array(13 * pairs + 6 * (text.length & 1) >> 3);
	const digit = i => (text[i] === "!" ? 25 : text.charCodeAt(i) - 35);
	let bits = 0, have = 0, at = 0;

	for (let i = 0; i < text.length; i += 2) {
		bits |= digit(i) + (i >> 1 < pairs && 91 * digit(i + 1)) << have;
		for (have += 13; have >= 8 && at < bytes.length; have -= 8) {
			bytes[at++] = bits;
			bits >>>= 8;
		}
	}
	return new Uint8Array(await new Response(new Blob([bytes]).stream()
		.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
}
