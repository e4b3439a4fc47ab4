/* SPDX-License-Identifier: BSD-3-Clause */
/* draw.c - bars in eighths of a column, sparklines in eight heights. */
#include <stdio.h>
#include <stdlib.h>

#include "base/round.h"
#include "format/terminal/draw.h"

static const char *const bar_blocks[] = {
	"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"
};
static const char *const spark_blocks[] = { "▁", "▂", "▃", "▄",
					    "▅", "▆", "▇", "█" };
static const char *const heat_blocks[] = { " ", "·", "░", "▒", "▓", "█" };
static const char *const heat_ascii[] = { " ", ".", ":", "+", "*", "#" };
static const char *const spark_ascii[] = { "_", ".", ":", "-",
					   "=", "+", "*", "#" };

char *draw_bar(double share, size_t width, bool utf8)
{
	char *text = NULL;
	size_t size, eighths;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	share = share > 0 ? share < 1 ? share : 1 : 0;
	eighths = (size_t)(share * 8 * (double)width + 0.5);
	for (size_t i = 0; i < eighths / 8; i++)
		fputs(utf8 ? "█" : "#", to);
	if (utf8)
		fputs(bar_blocks[eighths % 8], to);
	else if (eighths % 8 >= 4)
		fputc('#', to);
	fclose(to);
	return text;
}

/* The largest of the values that column c of `columns` stands for. */
static double column_of(const double *values, size_t count, size_t c,
			size_t columns)
{
	double most = 0;

	for (size_t i = c * count / columns; i < (c + 1) * count / columns; i++)
		if (values[i] > most)
			most = values[i];
	return most;
}

char *draw_spark(const double *values, size_t count, size_t width, bool utf8)
{
	const char *const *blocks = utf8 ? spark_blocks : spark_ascii;
	size_t columns = count < width ? count : width;
	char *text = NULL;
	size_t size;
	double most = count ? column_of(values, count, 0, 1) : 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (size_t c = 0; c < columns; c++) {
		double value = column_of(values, count, c, columns);

		fputs(blocks[most > 0 ? round_to_count(7 * value / most) : 0],
		      to);
	}
	fclose(to);
	return text;
}

/* 0 and 1 are for (nearly) nothing, the others a quarter each. */
static size_t heat_of(double value)
{
	if (value < 0.01)
		return 0;
	if (value < 0.125)
		return 1;
	return 1 + (size_t)(4 * (value < 1 ? value : 1) + 0.5);
}

char *draw_heat(const double *values, size_t count, size_t width, bool utf8)
{
	const char *const *blocks = utf8 ? heat_blocks : heat_ascii;
	size_t columns = count < width ? count : width;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (size_t c = 0; c < columns; c++)
		fputs(blocks[heat_of(column_of(values, count, c, columns))],
		      to);
	fclose(to);
	return text;
}

static char drawn_letter(double value)
{
	return value > ' ' && value < 0x7f ? (char)value : ' ';
}

static char most_frequent(const double *values, size_t count)
{
	size_t seen[0x80] = { 0 };
	char best = ' ';

	for (size_t i = 0; i < count; i++)
		seen[(int)drawn_letter(values[i])]++;
	for (int c = 0; c < 0x80; c++)
		if (seen[c] > seen[(int)best])
			best = (char)c;
	return best;
}

char *draw_letters(const double *values, size_t count, size_t width)
{
	size_t columns = count < width ? count : width;
	char *text = calloc(columns + 1, 1);

	for (size_t c = 0; text && c < columns; c++) {
		size_t from = c * count / columns;

		text[c] = most_frequent(values + from,
					(c + 1) * count / columns - from);
	}
	return text;
}
