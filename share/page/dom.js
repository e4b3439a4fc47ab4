// SPDX-License-Identifier: BSD-3-Clause
// dom.js - elements of the page.  Names of functions, hosts and programs are
// anybody's text: they become text nodes and attributes, never markup.

// What a terminal or a browser would obey instead of show: control characters,
// marks that turn the direction of text, characters without a width.
const obeyed = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c" +
	"\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff" +
	"\\ufff9-\\ufffb]|[\\ud800-\\udbff](?![\\udc00-\\udfff])|" +
	"(?<![\\ud800-\\udbff])[\\udc00-\\udfff]", "g");

const longest = 2000;

// As it is shown: nothing that is obeyed, and no longer than can be read.
export function textClean(text, most = longest) {
	let shown = String(text);

	if (shown.length > most)
		shown = shown.slice(0, most) + "…";
	return shown.replace(obeyed, c =>
		"\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

function childrenAdd(to, children) {
	for (const child of children) {
		if (Array.isArray(child))
			childrenAdd(to, child);
		else if (child instanceof Node)
			to.append(child);
		else if (child !== null && child !== undefined && child !== false)
			to.append(textClean(child));
	}
	return to;
}

// el("a", { href: "#…", onclick: f }, "text", element, …)
export function el(tag, attributes, ...children) {
	const made = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes || {})) {
		if (typeof value === "function")
			made.addEventListener(name.slice(2), value);
		else if (value === true)
			made.setAttribute(name, "");
		else if (value !== false && value !== null && value !== undefined)
			made.setAttribute(name, textClean(value));
	}
	return childrenAdd(made, children);
}

// What had the focus gives it to what is in its place.
export function elReplace(parent, ...children) {
	const links = () => [...parent.querySelectorAll("a, button, input")];
	const at = parent.contains(document.activeElement)
		? links().indexOf(document.activeElement) : -1;

	parent.textContent = "";
	childrenAdd(parent, children);
	links()[at]?.focus({ preventScroll: true });
	return parent;
}

// A canvas as large as its box, in the pixels of the screen; draw(context,
// width, height) uses those of CSS.
export function canvasFit(canvas, height, draw) {
	const ratio = globalThis.devicePixelRatio || 1;
	const width = Math.max(canvas.clientWidth, 1);

	canvas.style.height = height + "px";
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);

	const context = canvas.getContext("2d");

	canvas.draw = draw;
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	draw(context, width, height);
}
