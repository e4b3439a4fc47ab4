/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * combine.h - how two rows of one key become one.  The last word of a row
 * COLUMN(type, name, help, how) of src/live's tables says it for that column:
 * KEY, SUM, LEAST or MOST.
 */
#pragma once

#define COMBINE_KEY(to, from)
#define COMBINE_SUM(to, from)   ((to) += (from))
#define COMBINE_LEAST(to, from) ((to) = (to) < (from) ? (to) : (from))
#define COMBINE_MOST(to, from)  ((to) = (to) > (from) ? (to) : (from))
