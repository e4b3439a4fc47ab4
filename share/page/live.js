// SPDX-License-Identifier: BSD-3-Clause
// live.js - exact values that copse view has beyond what the page holds: asked
// for when they are first wanted, and drawn when they are there.
import { streamUnpack } from "./stream.js";

export class Live {
	// onanswer(): something that was asked for is there.
	constructor(onanswer, fetch = (...words) => globalThis.fetch(...words)) {
		this.onanswer = onanswer;
		this.fetch = fetch;
		this.answers = new Map();
	}

	// The answer, or null: there is none yet, or never.
	ask(question, take, read = answer => answer.json()) {
		if (!this.answers.has(question)) {
			this.answers.set(question, null);
			this.fetch(question).then(answer => {
				if (!answer.ok)
					throw new Error(`${question}: ${answer.status}`);
				return read(answer);
			}).then(read => {
				this.answers.set(question, take(read));
				this.onanswer();
			}).catch(error => console.warn(error.message));
		}
		return this.answers.get(question);
	}

	// What each process has of a node's call path, with what it calls.
	path(metric, node) {
		return this.ask(`tile?metric=${encodeURIComponent(metric)}&nodes=${node}`,
			tile => tile.values[0]);
	}

	// Bins of the timeline of some rows of ranks, as a stream.
	time(bin, bins, first, ranks, take) {
		return this.ask(`time?bin=${bin}&bins=${bins}&first=${first}&ranks=${
			ranks}`, take, answer => answer.text().then(streamUnpack));
	}

	// What one process has in each of `count` nodes alone.
	rank(metric, row, count) {
		return this.ask(`rank?metric=${encodeURIComponent(metric)}&row=${row}`,
			({ nodes, values }) => {
				const own = new Float64Array(count);

				nodes.forEach((node, i) => {
					own[node] = values[i];
				});
				return own;
			});
	}
}
