// SPDX-License-Identifier: BSD-3-Clause
// paths.js - the node that a report means by "work ← solve ← main".
import { kinds } from "./model.js";

const arrow = " ← ";

// Nodes by the name of their function; lines and loops are in theirs.
export class PathFinder {
	constructor(model) {
		this.model = model;
		this.byName = new Map();
		this.found = new Map();
		for (let n = 1; n < model.count; n++) {
			if (model.isPart(n))
				continue;

			const name = model.functionName(n);

			if (!this.byName.has(name))
				this.byName.set(name, []);
			this.byName.get(name).push(n);
		}
	}

	// Its callers have these names, in this order, others between them.
	calledBy(n, names) {
		const model = this.model;
		let i = 1;

		for (let m = model.parent[n]; m > 0 && i < names.length;
			m = model.parent[m])
			if (model.functionName(m) === names[i])
				i++;
		return i === names.length;
	}

	// The one with the largest value of the default metric, or 0; of several
	// calls of an MPI function, that of the line.
	node(text, all, line = 0) {
		const key = line + " " + text;

		if (!this.found.has(key))
			this.found.set(key, this.search(text, all, line));
		return this.found.get(key);
	}

	search(text, all, line) {
		const names = text.split(arrow);
		const model = this.model;
		let best = 0;

		for (const n of this.byName.get(names[0]) || [])
			if (this.calledBy(n, names) && (!best || all[n] > all[best]) &&
			    (!line || model.kind[n] !== kinds.mpi || model.line[n] === line))
				best = n;
		return best;
	}

	// The function of that name; sentences leave out the namespace that one
	// before it in the path has, too.  Null: there is none.
	nameIn(space, name) {
		return [name, space + name].find(n => this.byName.has(n)) || null;
	}

	// The call paths in a sentence: [{ from, to, node }].
	inSentence(sentence, all) {
		const pieces = sentence.split(arrow);
		const found = [];
		let names = [], from = 0, at = pieces[0].length;

		for (let i = 1; i < pieces.length; i++) {
			if (!names.length) {
				names = [longestName(pieces[i - 1], this.byName, true)];
				from = at - (names[0] || "").length;
			}
			at += arrow.length;

			const space = names.map(spaceOf).find(Boolean) || "";

			if (i < pieces.length - 1 && this.nameIn(space, pieces[i])) {
				names.push(this.nameIn(space, pieces[i]));
				at += pieces[i].length;
				continue;
			}

			const last = longestName(pieces[i],
				{ has: name => this.nameIn(space, name) }, false);
			const node = names[0] && last ? this.node([...names,
				this.nameIn(space, last)].join(arrow), all) : 0;

			if (node)
				found.push({ from, to: at + last.length, node });
			names = [];
			at += pieces[i].length;
		}
		return found;
	}
}

// "a::" of "a::b::c<d::e>".
const spaceOf = name => /^[\w]+::(?=.)/.exec(name || "")?.[0] || "";

// The longest known name that text ends, or begins, with.
function longestName(text, names, atEnd) {
	const words = text.split(" ");

	for (let n = words.length; n > 0; n--) {
		const part = (atEnd ? words.slice(words.length - n)
			: words.slice(0, n)).join(" ");

		for (const end of [part, part.replace(/[,.:;]+$/, "")])
			if (names.has(end))
				return end;
	}
	return null;
}
