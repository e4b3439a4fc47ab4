// SPDX-License-Identifier: BSD-3-Clause
// browser.mjs - headless Chromium for tests of the page, by the DevTools protocol
// over a pipe: no library, no port that another user could reach.
// doc/decisions/page-browser.md has the reasons.
//
//   const browser = await Browser.start();   // null: there is none here
//   const page = await browser.open(url, { width, height, dark });
//   await page.click("#theme"); await page.value("document.title");
//   page.errors, page.requests               // what must be empty
//   await browser.stop();
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const known = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const flags = ["--headless", "--no-sandbox", "--disable-gpu",
	"--disable-dev-shm-usage", "--no-first-run",
	"--disable-background-networking", "--disable-component-update",
	"--disable-sync", "--remote-debugging-pipe"];

export function browserFind() {
	return [process.env.CHROMIUM, ...known].find(p => p && existsSync(p)) || null;
}

export class Browser {
	static async start() {
		const program = browserFind();

		return program ? new Browser(program) : null;
	}

	constructor(program) {
		this.folder = mkdtempSync(join(tmpdir(), "copse-browser."));
		this.process = spawn(program, [...flags,
			"--user-data-dir=" + this.folder, "about:blank"],
		{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.number = 0;
		this.waiting = new Map();
		this.pages = new Map();
		this.rest = "";
		this.ended = new Promise(end => this.process.on("exit", code => {
			for (const { fail } of this.waiting.values())
				fail(new Error("the browser has ended: " + code));
			end();
		}));
		this.process.stdio[4].setEncoding("utf8");
		this.process.stdio[4].on("data", text => this.read(text));
	}

	read(text) {
		const parts = (this.rest + text).split("\0");

		this.rest = parts.pop();
		for (const part of parts)
			this.take(JSON.parse(part));
	}

	take(message) {
		const waiting = this.waiting.get(message.id);

		if (!waiting) {
			this.pages.get(message.sessionId)?.event(message.method,
				message.params);
			return;
		}
		this.waiting.delete(message.id);
		if (message.error)
			waiting.fail(new Error(message.error.message));
		else
			waiting.done(message.result);
	}

	call(method, params = {}, sessionId = undefined) {
		const id = ++this.number;

		return new Promise((done, fail) => {
			this.waiting.set(id, { done, fail });
			this.process.stdio[3].write(JSON.stringify(
				{ id, method, params, sessionId }) + "\0");
		});
	}

	// When the page says that it is ready.
	async open(url, how = {}) {
		const { targetId } = await this.call("Target.createTarget",
			{ url: "about:blank" });
		const { sessionId } = await this.call("Target.attachToTarget",
			{ targetId, flatten: true });
		const page = new Page(this, sessionId, targetId);

		this.pages.set(sessionId, page);
		for (const domain of ["Page", "Runtime", "Network", "Log"])
			await page.call(domain + ".enable");
		await page.look(how);
		await page.go(url);
		return page;
	}

	async stop() {
		this.call("Browser.close").catch(() => {});
		await this.ended;
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

const keys = { Enter: [13, "\r"], Escape: [27], Tab: [9], ArrowUp: [38],
	ArrowDown: [40], ArrowLeft: [37], ArrowRight: [39] };

export class Page {
	constructor(browser, session, target) {
		Object.assign(this, { browser, session, target });
		this.errors = [];
		this.requests = [];
	}

	call(method, params) {
		return this.browser.call(method, params, this.session);
	}

	event(method, params) {
		if (method === "Runtime.exceptionThrown")
			this.errors.push(params.exceptionDetails.exception?.description ||
				params.exceptionDetails.text);
		else if (method === "Runtime.consoleAPICalled" &&
			["error", "warning", "assert"].includes(params.type))
			this.errors.push(params.args.map(a => a.value ||
				a.description).join(" "));
		else if (method === "Log.entryAdded" && params.entry.level !== "verbose")
			this.errors.push(params.entry.text);
		else if (method === "Network.requestWillBeSent")
			this.requests.push(params.request.url);
	}

	async look({ width = 1280, height = 900, dark = false, print = false }) {
		await this.call("Emulation.setDeviceMetricsOverride",
			{ width, height, deviceScaleFactor: 1, mobile: false });
		await this.call("Emulation.setEmulatedMedia", {
			media: print ? "print" : "", features: [{
				name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
	}

	async go(url) {
		await this.call("Page.navigate", { url });
		await this.until(
			"document.documentElement.dataset.ready === 'yes' || " +
			"/cannot be shown/.test(document.body?.innerText)");
	}

	async value(expression) {
		const { result, exceptionDetails } = await this.call("Runtime.evaluate",
			{ expression, returnByValue: true, awaitPromise: true });

		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description ||
				exceptionDetails.text);
		return result.value;
	}

	// How long it takes is not what is tested: a minute.
	async until(expression) {
		for (let i = 0; i < 1200; i++) {
			if (await this.value(`!!(${expression})`).catch(() => false))
				return;
			await new Promise(later => setTimeout(later, 50));
		}
		throw new Error(`waited in vain: ${expression}\n` +
			this.errors.join("\n"));
	}

	// The middle of an element, or a point within it.
	async click(selector, x, y, count = 1) {
		const at = await this.value(`(() => {
			const e = document.querySelector(${JSON.stringify(selector)});
			e.scrollIntoView({ block: "center" });
			const r = e.getBoundingClientRect();
			return [r.x + (${x ?? "r.width / 2"}), r.y + (${y ?? "r.height / 2"})];
		})()`);
		const mouse = (type, clickCount) => this.call("Input.dispatchMouseEvent",
			{ type, x: at[0], y: at[1], button: "left", clickCount });

		await mouse("mouseMoved", 0);
		for (let i = 1; i <= count; i++) {
			await mouse("mousePressed", i);
			await mouse("mouseReleased", i);
		}
	}

	// From one point of an element to another.
	async drag(selector, x, y, toX, toY) {
		const [left, top] = await this.value(`(() => {
			const e = document.querySelector(${JSON.stringify(selector)});
			e.scrollIntoView({ block: "center" });
			const r = e.getBoundingClientRect();
			return [r.x, r.y];
		})()`);
		const mouse = (type, dx, dy) => this.call("Input.dispatchMouseEvent",
			{ type, x: left + dx, y: top + dy, button: "left", buttons: 1,
				clickCount: type === "mouseMoved" ? 0 : 1 });

		await mouse("mousePressed", x, y);
		await mouse("mouseMoved", (x + toX) / 2, (y + toY) / 2);
		await mouse("mouseMoved", toX, toY);
		await mouse("mouseReleased", toX, toY);
	}

	async press(key) {
		const [code, text] = keys[key] || [key.toUpperCase().charCodeAt(0), key];

		await this.call("Input.dispatchKeyEvent", { type: "keyDown", key, text,
			windowsVirtualKeyCode: code });
		await this.call("Input.dispatchKeyEvent", { type: "keyUp", key,
			windowsVirtualKeyCode: code });
	}

	write(text) {
		return this.call("Input.insertText", { text });
	}

	async picture(whole = false) {
		const { data } = await this.call("Page.captureScreenshot",
			{ format: "png", captureBeyondViewport: whole });

		return Buffer.from(data, "base64");
	}

	async pdf() {
		const { data } = await this.call("Page.printToPDF",
			{ printBackground: true, preferCSSPageSize: true });

		return Buffer.from(data, "base64");
	}

	close() {
		return this.browser.call("Target.closeTarget", { targetId: this.target });
	}
}
