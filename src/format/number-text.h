/* SPDX-License-Identifier: BSD-3-Clause */
/* number-text.h - numbers for programs: no unit, no exponent, a decimal point.
 */
#pragma once

#include <stdbool.h>

#include "analyse/base/report.h"

#define PLAIN_SIZE 64

/* Text, or a drawing that only text shows. */
bool number_text_is_text(enum column_type type);
bool number_text_is_drawn(enum column_type type);

/* The number of a cell; "" for one without a value or without a number. */
void number_text_cell(char *to, enum column_type type,
		      const struct report_cell *cell);

/* A value of the tree. */
void number_text_value(char *to, enum column_type type, double value);
