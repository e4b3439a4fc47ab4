// SPDX-License-Identifier: BSD-3-Clause
// views.js - the views of the page, in the order of their links.  A new one is
// a file view-NAME.js, its word in PAGE_MODULES of share/local.mk, and its name
// here:
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
import { viewCalls, viewDiff, viewMessages, viewMore, viewReport, viewWaits }
	from "./view-mpi.js";
import { viewHeat, viewRanks } from "./view-ranks.js";
import { viewSource } from "./view-source.js";
import { viewStart } from "./view-start.js";
import { viewSteps } from "./view-steps.js";
import { viewThreads } from "./view-threads.js";
import { viewTime } from "./view-time.js";

export const views = [viewDiff, viewStart, viewReport, viewTime, viewFlame,
	viewCallers, viewHot, viewSource, viewRanks, viewHeat, viewSteps, viewWaits,
	viewMessages, viewCalls, viewThreads, viewGpu, viewMore];
