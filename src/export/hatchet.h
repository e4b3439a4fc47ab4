/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hatchet.h - the tree as Hatchet's literal reader takes it: GraphFrame.
 * from_literal(json.load(file)).
 *
 * Each node is {"frame": {"name", "type", ...}, "metrics": {...}, "children":
 * [...]}.  Metrics are sums over ranks; a name that ends in " (inc)" holds what
 * is below as well, which is how that reader tells them.  "time", which Hatchet
 * shows when it is not told otherwise, is the first metric once more.
 */
#ifndef EXPORT_HATCHET_H
#define EXPORT_HATCHET_H

#include <stdio.h>

#include "export/export.h"

int hatchet_write(FILE *to, const struct run *run,
		  const struct export_choice *choice);

#endif
