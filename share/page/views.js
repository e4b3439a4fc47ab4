// SPDX-License-Identifier: BSD-3-Clause
// views.js - the tabs of the page, each with its views in the order of their
// links.  A new view is a file view-NAME.js, its word in PAGE_MODULES of
// share/local.mk, and its name here:
//
//   { id, title, about: a line on what it shows, strip: true with the strip of
//     the selected path beneath it, byTime: true when it heeds selection.time,
//     "cells" when app.slice has what it shows of it; byPhase: true when it heeds
//     selection.phase,
//     has(app): whether this page has what it shows,
//     make(app, element): fills the element, and returns { update(change) },
//     which draws it for app.selection }
import { viewFlame } from "./view-flame.js";
import { viewCallers, viewHot } from "./view-hot.js";
import { viewGpu } from "./view-gpu.js";
import { viewCalls, viewDiff, viewLoops, viewMessages, viewMore, viewReport,
	viewWaits } from "./view-mpi.js";
import { viewHeat, viewRanks } from "./view-ranks.js";
import { viewSource } from "./view-source.js";
import { viewStart } from "./view-start.js";
import { viewSteps } from "./view-steps.js";
import { viewStreams } from "./view-streams.js";
import { viewThreads } from "./view-threads.js";
import { viewTime } from "./view-time.js";

// Without a title: those of its views.
const tabs = [
	["Overview", viewDiff, viewStart, viewReport, viewMore],
	["Time", viewTime, viewSteps, viewStreams],
	["Code", viewFlame, viewCallers, viewHot, viewSource, viewLoops],
	["Ranks", viewRanks, viewHeat],
	["MPI", viewWaits, viewMessages, viewCalls],
	["", viewThreads, viewGpu],
];

// Of a view that a page lacks, the one that says most of it.
const instead = { source: "hot" };

// [{ title, views }] that this page has.
export function tabsOf(app) {
	return tabs.map(([title, ...all]) => ({ title, views: all.filter(v =>
		v.has(app)) })).filter(t => t.views.length).map(({ title, views }) => ({
		title: title || views.map(v => v.title).join(" and "), views }));
}

export const viewFind = (views, id) => views.find(v => v.id === id) ||
	views.find(v => v.id === instead[id]) || views[0];
