/* SPDX-License-Identifier: BSD-3-Clause */
/* number-text.c - nanoseconds and shares to the last digit that means
 * something. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/number-text.h"

bool number_text_is_text(enum column_type type)
{
	return type == COLUMN_TEXT || type == COLUMN_LEFT_TEXT;
}

bool number_text_is_drawn(enum column_type type)
{
	return type == COLUMN_BAR || type == COLUMN_SPARK ||
	       type == COLUMN_HEAT || type == COLUMN_LETTERS;
}

static void fixed_digits(char *to, int digits, double value)
{
	char *end;

	*to = 0;
	if (!isfinite(value) || fabs(value) > 1e40)
		return;
	snprintf(to, PLAIN_SIZE, "%.*f", digits, value);
	end = to + strlen(to);
	while (end[-1] == '0')
		*--end = 0;
	if (end[-1] == '.')
		end[-1] = 0;
	if (!strcmp(to, "-0"))
		strcpy(to, "0");
}

void number_text_cell(char *to, enum column_type type,
		      const struct report_cell *cell)
{
	*to = 0;
	if (cell->none)
		return;
	if (type == COLUMN_COUNT || type == COLUMN_BYTES)
		snprintf(to, PLAIN_SIZE, "%" PRIu64, cell->count);
	else
		fixed_digits(to, type == COLUMN_SECONDS ? 9 : 6, cell->number);
}

void number_text_value(char *to, enum column_type type, double value)
{
	if (type == COLUMN_COUNT || type == COLUMN_BYTES)
		snprintf(to, PLAIN_SIZE, "%.0f", value);
	else
		fixed_digits(to, type == COLUMN_SECONDS ? 9 : 6, value);
}
