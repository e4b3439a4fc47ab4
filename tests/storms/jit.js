// SPDX-License-Identifier: BSD-3-Clause
// jit.js - code that is compiled, optimised, given up and compiled again while
// it runs, in the main thread and in the engine's own; for node.
'use strict';

const end = process.hrtime.bigint() +
	BigInt(Math.round(Number(process.argv.at(-1)) * 1e9));

// A new function each time, hot enough to be optimised.
function fresh(i) {
	return new Function('n', `let s = ${i};
		for (let k = 0; k < n; k++) s = (s * 31 + k) % 65521;
		return s;`);
}

// Other shapes and types than it was optimised for.
function shifting(x) {
	return typeof x === 'string' ? x.length : x.a === undefined ? x.b : x.a;
}

let rounds = 0;
let wrong = 0;
do {
	const f = fresh(rounds);
	let expected = rounds;
	for (let k = 0; k < 2000; k++)
		expected = (expected * 31 + k) % 65521;
	for (let again = 0; again < 50; again++)
		wrong += f(2000) !== expected;
	for (const x of [{ a: 1 }, 'x', { b: 1 }])
		wrong += shifting(x) !== 1;
	try {
		JSON.parse('{');
		wrong++;
	} catch (e) {
		wrong += e instanceof SyntaxError ? 0 : 1;
	}
	rounds++;
} while (process.hrtime.bigint() < end);
console.log(wrong ? 'wrong' : 'through');
