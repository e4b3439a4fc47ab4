// SPDX-License-Identifier: BSD-3-Clause
// tree.js - call trees as they are drawn: a box stands for nodes of the run
// that read the same.  A parent stands before its children.
import { inlined, kinds } from "./model.js";

// Box 0 is the root.  `key` numbers the children of one parent.
class TreeBuilder {
	constructor() {
		this.parent = [0];
		this.node = [0];
		this.known = new Map();
		this.keys = new Map();
	}

	keyNumber(key) {
		if (!this.keys.has(key))
			this.keys.set(key, this.keys.size);
		return this.keys.get(key);
	}

	child(parent, key, node) {
		const id = parent * 67108864 + this.keyNumber(key);
		let box = this.known.get(id);

		if (box === undefined) {
			box = this.parent.length;
			this.parent.push(parent);
			this.node.push(node);
			this.known.set(id, box);
		}
		return box;
	}

	finish(boxOf) {
		return { parent: this.parent, node: this.node, boxOf };
	}
}

// What tells a node from its siblings; null: it is part of its parent's box.
function boxKey(model, n, show) {
	if (show.mine && model.mine[n] !== n)
		return null;
	switch (model.kind[n]) {
	case kinds.line:
		return show.lines ? `n${model.file[n]}:${model.line[n]}` : null;
	case kinds.loop:
		return show.loops ? `l${model.file[n]}:${model.line[n]}` : null;
	default:
		if (model.flags[n] & inlined && !show.inlined)
			return null;
		return model.path[n] ? "p" + model.path[n] : null;
	}
}

// From the outermost callers down; show: { lines, loops, inlined, mine }.
export function treeBuild(model, show) {
	const builder = new TreeBuilder();
	const boxOf = new Uint32Array(model.count);

	for (let n = 1; n < model.count; n++) {
		const key = boxKey(model, n, show);
		const up = boxOf[model.parent[n]];

		boxOf[n] = key === null ? up : builder.child(up, key, n);
	}
	return builder.finish(boxOf);
}

// Of each box alone, and with all below.
export function treeValues(tree, own) {
	const alone = new Float64Array(tree.parent.length);

	for (let n = 0; n < own.length; n++)
		alone[tree.boxOf[n]] += own[n];

	const all = Float64Array.from(alone);

	for (let b = all.length - 1; b > 0; b--)
		all[tree.parent[b]] += all[b];
	return { alone, all };
}

// What a frame is called and where it is: its callers may differ.
function frameKey(model, n) {
	return model.isPart(n)
		? `c${model.file[n]}:${model.line[n]}`
		: `f${model.function[n]}:${model.module[n]}`;
}

// From what was executed up to its callers, of the boxes of a tree; `alone`
// are values that decide where boxes are needed.  from[b] lists the inverted
// boxes, innermost first, to which box b gives its own value.
export function treeInvert(model, tree, alone) {
	const builder = new TreeBuilder();
	const steps = [], value = [alone[0]]; // of no path: the root has it

	for (let b = 1; b < tree.parent.length; b++) {
		if (!alone[b])
			continue;

		let up = 0;

		for (let a = b; a > 0; a = tree.parent[a]) {
			up = builder.child(up, frameKey(model, tree.node[a]),
				tree.node[b]);
			value[up] = (value[up] || 0) + alone[b];
			steps.push(up, a);
		}
		value[0] += alone[b];
	}

	const inverted = builder.finish(null);

	inverted.all = Float64Array.from(value);
	inverted.alone = new Float64Array(value.length);
	inverted.frame = inverted.parent.map(() => 0);
	for (let i = 0; i < steps.length; i += 2)
		inverted.frame[steps[i]] ||= tree.node[steps[i + 1]];
	return inverted;
}

// Children of each box, the largest first.
export function treeChildren(tree, all) {
	const children = tree.parent.map(() => []);

	for (let b = 1; b < tree.parent.length; b++)
		if (all[b])
			children[tree.parent[b]].push(b);
	for (const list of children)
		if (list.length > 1)
			list.sort((a, b) => all[b] - all[a] || a - b);
	return children;
}

// Callers and callees of a function, wherever it was called: what it has with
// all below, recursion counted once, by who called it and by what it called.
export function treeAround(model, tree, alone, all, node) {
	const wanted = frameKey(model, node);
	const callers = new Map(), callees = new Map();
	const within = new Uint8Array(tree.parent.length);
	let own = 0, total = 0;

	const add = (to, box, value) => {
		const key = box ? frameKey(model, tree.node[box]) : "";
		const at = to.get(key) || { node: tree.node[box], value: 0 };

		at.value += value;
		to.set(key, at);
	};

	for (let b = 1; b < tree.parent.length; b++) {
		const up = tree.parent[b];
		const here = frameKey(model, tree.node[b]) === wanted;

		within[b] = within[up] || here ? 1 : 0;
		if (here)
			own += alone[b];
		if (here && !within[up]) {
			total += all[b];
			add(callers, up, all[b]);
		}
		if (!here && up && frameKey(model, tree.node[up]) === wanted)
			add(callees, b, all[b]);
	}

	const sorted = m => [...m.values()].filter(e => e.value)
		.sort((a, b) => b.value - a.value);

	return { own, total, callers: sorted(callers), callees: sorted(callees) };
}

// Functions, lines or loops: what each has alone and with all below (recursion
// counted once), the largest first.
export function treeSpots(model, own, kind) {
	const spots = new Map();
	const all = Float64Array.from(own);
	const stack = []; // keys that are open, to count recursion once

	for (let n = model.count - 1; n > 0; n--)
		all[model.parent[n]] += all[n];
	for (let n = 1; n < model.count; n++) {
		while (stack.length && model.end[stack[stack.length - 1].n] <= n)
			stack.pop();

		const key = spotKey(model, n, kind);

		if (key === null)
			continue;

		const spot = spots.get(key) || { node: n, own: 0, all: 0, best: -1 };

		spot.own += own[n];
		if (!stack.some(s => s.key === key))
			spot.all += all[n];
		if (all[n] > spot.best) {
			spot.best = all[n];
			spot.node = n;
		}
		spots.set(key, spot);
		stack.push({ n, key });
	}
	return [...spots.values()].filter(s => s.all)
		.sort((a, b) => kind === "loop" ? b.all - a.all
			: b.own - a.own || b.all - a.all);
}

function spotKey(model, n, kind) {
	const at = model.kind[n];

	if (kind === "function")
		return at === kinds.loop ? null
			: `${model.function[n]}:${model.module[n]}`;
	if (kind === "line")
		return at === kinds.line ? `${model.file[n]}:${model.line[n]}` : null;
	return at === kinds.loop
		? `${model.function[n]}:${model.file[n]}:${model.line[n]}` : null;
}
