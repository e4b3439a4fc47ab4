/* SPDX-License-Identifier: BSD-3-Clause */
/* table-layout.c - choose units, format cells, share out the width. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "base/err.h"
#include "base/str.h"
#include "analyse/paths/brief.h"
#include "format/terminal/draw.h"
#include "format/terminal/table-layout.h"
#include "format/number-text.h"
#include "format/utf8.h"

#define BAR_WIDTH   12
#define MOST_SPARK  32
#define ROOM        36 /* of a name, before spare columns are shown */
#define STRIP       48 /* of letters, before spare columns are shown */
#define LEAST_FRAME 8  /* columns of a cut name that still say something */
#define MANY        10000000 /* counts above are told in thousands or more */

struct unit_scale {
	double factor;
	int digits;
	const char *unit;
};

static const struct unit_scale seconds[] = {
	{ 1, 0, "s" }, { 1e-3, 0, "ms" }, { 1e-6, 0, "µs" }, { 1e-9, 0, "ns" }
};
static const struct unit_scale counts[] = { { 1e15, 0, "P" },
					    { 1e12, 0, "T" },
					    { 1e9, 0, "G" },
					    { 1e6, 0, "M" },
					    { 1e3, 0, "k" } };
enum {
	COUNTS = sizeof(counts) / sizeof(*counts),
	MILLIONS = COUNTS - 1 /* the units of columns */
};
#define OWN_UNIT 0 /* the factor of counts that have one each */

static double largest_cell(const struct report_table *table, size_t column)
{
	double most = 0;

	for (size_t row = 0; row < table->row_count; row++) {
		const struct report_cell *cell =
			&table->cells[row * table->column_count + column];

		if (!cell->none && fabs(cell->number) > most)
			most = fabs(cell->number);
	}
	return most;
}

/* The least that is not 0, or 0. */
static double smallest_value(const struct report_table *table, size_t column)
{
	double least = 0;

	for (size_t row = 0; row < table->row_count; row++) {
		const struct report_cell *cell =
			&table->cells[row * table->column_count + column];
		double value = cell->none ? 0 : fabs(cell->number);

		if (value > 0 && (least <= 0 || value < least))
			least = value;
	}
	return least;
}

/* Four digits of the largest value say enough. */
static int digits_for(double scaled)
{
	return scaled >= 1000 ? 0 : scaled >= 100 ? 1 : scaled >= 10 ? 2 : 3;
}

static struct unit_scale pick_scale(const struct unit_scale *from, size_t count,
				    double most)
{
	struct unit_scale scale = from[0];

	if (most > 0)
		for (size_t i = 0; i < count; i++) {
			scale = from[i];
			if (most >= scale.factor)
				break;
		}
	scale.digits = digits_for(most / scale.factor);
	return scale;
}

static struct unit_scale scale_of_column(enum column_type type, double most)
{
	if (type == COLUMN_SECONDS)
		return pick_scale(seconds, sizeof(seconds) / sizeof(*seconds),
				  most);
	return (struct unit_scale){ 1, type == COLUMN_NUMBER ? 2 : 0, "" };
}

/* A few among very many would read as 0.00 M: then each has its own unit. */
static struct unit_scale count_scale(double least, double most)
{
	struct unit_scale scale = { 1, 0, "" };

	if (most < MANY)
		return scale;
	scale = pick_scale(counts, MILLIONS, most);
	if (least * pow(10, scale.digits) < 10 * scale.factor)
		return (struct unit_scale){ OWN_UNIT, 0, "" };
	return scale;
}

/*
 * The scale of a column.  Columns of times share that of the largest, so that
 * they compare at sight, unless they are much smaller.
 */
static struct unit_scale column_scale(const struct report_table *table,
				      size_t column)
{
	enum column_type type = table->columns[column].type;
	double own = largest_cell(table, column), most = own;
	struct unit_scale scale;

	if (type == COLUMN_COUNT)
		return count_scale(smallest_value(table, column), own);
	for (size_t c = 0; c < table->column_count; c++)
		if (type == COLUMN_SECONDS &&
		    table->columns[c].type == COLUMN_SECONDS &&
		    table->columns[c].title && largest_cell(table, c) > most)
			most = largest_cell(table, c);
	scale = scale_of_column(type,
				own >= most / 100 || own <= 0 ? most : own);
	if (type == COLUMN_SECONDS)
		scale.digits = digits_for(own / scale.factor);
	return scale;
}

/* Bytes carry their own unit: sizes differ too much for a common one. */
static char *format_bytes(double bytes)
{
	static const char *const units[] = { "B  ", "KiB", "MiB",
					     "GiB", "TiB", "PiB" };
	size_t unit = 0;

	if (bytes <= 0)
		return strdup("-");
	while (bytes >= 1024 && unit + 1 < sizeof(units) / sizeof(*units)) {
		bytes /= 1024;
		unit++;
	}
	return str_format("%.*f %s", unit ? bytes < 10 ? 2 : 1 : 0, bytes,
			  units[unit]);
}

/* "34.19 M" above "8": units below each other. */
static char *format_count(uint64_t count)
{
	struct unit_scale scale;

	if (count < 10000)
		return str_format("%" PRIu64 "  ", count);
	scale = pick_scale(counts, COUNTS, (double)count);
	return str_format("%.*f %s", scale.digits, (double)count / scale.factor,
			  scale.unit);
}

static char *format_share(const struct report_cell *cell, bool utf8)
{
	if (cell->margin <= 0)
		return str_format("%.1f %%", 100 * cell->number);
	return str_format("%.1f %s %.1f %%", 100 * cell->number,
			  utf8 ? "±" : "+-", 100 * cell->margin);
}

static const char *cell_text(const struct report_cell *cell)
{
	return cell->said ? cell->said : cell->text ? cell->text : "";
}

/* The database's name, which csv and json have, as its programmer wrote it. */
static char *format_name(const char *text, bool utf8)
{
	char *name = strchr(text, '<') ? std_name(text) : NULL;
	char *clean = utf8_clean(name ? name : text, utf8);

	free(name);
	return clean;
}

static char *format_cell(const struct report_cell *cell, enum column_type type,
			 const struct unit_scale *scale, bool utf8)
{
	if (cell->none)
		return strdup(number_text_is_text(type) ? "" : "-");
	switch (type) {
	case COLUMN_TEXT:
		return format_name(cell_text(cell), utf8);
	case COLUMN_LEFT_TEXT:
		return utf8_clean(cell_text(cell), utf8);
	case COLUMN_COUNT:
		if (scale->factor == 1)
			return str_format("%" PRIu64, cell->count);
		if (scale->factor == OWN_UNIT)
			return format_count(cell->count);
		break;
	case COLUMN_BYTES:
		return format_bytes((double)cell->count);
	case COLUMN_SHARE:
		return format_share(cell, utf8);
	case COLUMN_BAR:
		return draw_bar(cell->number, BAR_WIDTH, utf8);
	case COLUMN_HEAT:
		return draw_heat(cell->spark, cell->spark_count,
				 cell->spark_count, utf8);
	case COLUMN_LETTERS:
		return draw_letters(cell->spark, cell->spark_count,
				    cell->spark_count);
	case COLUMN_SPARK:
		return draw_spark(cell->spark, cell->spark_count, MOST_SPARK,
				  utf8);
	default:
		break;
	}
	return str_format("%.*f", scale->digits, cell->number / scale->factor);
}

ORDER_POINTERS_BY(by_words, struct report_cell,
		  strcmp(cell_text(a), cell_text(b)))

static const char *cell_hint(const struct report_cell *cell)
{
	return cell->apart ? cell->apart : cell_text(cell);
}

/* Of rows that read the same. */
static bool cells_differ(const struct report_cell *const *by, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (strcmp(cell_hint(by[0]), cell_hint(by[i])) != 0)
			return true;
	return false;
}

/* Rows that would read the same say what differs. */
static int tell_rows(const struct grid *grid, char **cells,
		     const struct report_table *table, size_t from, bool utf8)
{
	const struct report_cell *first = table->cells + from;
	const struct report_cell **by;
	size_t count = table->row_count;

	by = calloc(count + 1, sizeof(*by));
	if (!by)
		return no_memory();
	for (size_t i = 0; i < count; i++)
		by[i] = first + i * table->column_count;
	if (count)
		qsort(by, count, sizeof(*by), by_words);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !by_words(&by[i], &by[end]);)
			end++;
		for (bool two = cells_differ(by + i, end - i); two && i < end;
		     i++) {
			size_t row =
				(size_t)(by[i] - first) / table->column_count;
			char **cell =
				&cells[(row + grid->heads) * grid->columns];

			free(*cell);
			*cell = utf8_clean(cell_hint(by[i]), utf8);
		}
	}
	free(by);
	return 0;
}

/* One column of the table becomes column `to` of the grid. */
static int fill_grid(struct grid *grid, size_t to,
		     const struct report_table *table, size_t from, bool utf8)
{
	const struct report_column *column = &table->columns[from];
	struct unit_scale scale = column_scale(table, from);
	char **cells = grid->cells + to;
	int err = 0;

	grid->letters[to] = column->type == COLUMN_LETTERS;
	grid->right[to] = !number_text_is_text(column->type) &&
			  !number_text_is_drawn(column->type);
	cells[0] = utf8_clean(column->title, utf8);
	if (grid->heads == 2)
		cells[grid->columns] = utf8_clean(scale.unit, utf8);
	for (size_t row = 0; row < table->row_count; row++)
		cells[(row + grid->heads) * grid->columns] = format_cell(
			&table->cells[row * table->column_count + from],
			column->type, &scale, utf8);
	if (number_text_is_text(column->type) && table->row_count)
		err = tell_rows(grid, cells, table, from, utf8);
	for (size_t row = 0; row < grid->rows && !err; row++) {
		const char *text = cells[row * grid->columns];

		if (!text)
			return no_memory();
		if (utf8_width(text) > grid->widths[to])
			grid->widths[to] = utf8_width(text);
	}
	return err;
}

/* Behind a name: "(no call path)" and "(anonymous namespace)" stay. */
static bool is_cut_arguments(const char *text, const char *at)
{
	return at > text && at[-1] != ' ' && strncmp(at, "(anonymous", 10) != 0;
}

/* "f(int, std::map<…>)" becomes "f()". */
static void drop_arguments(char *text)
{
	char *to = text;
	int open = 0;

	for (const char *from = text; *from; from++) {
		if (*from == ')' && open)
			open--;
		if (!open)
			*to++ = *from;
		if (*from == '(' && (open || is_cut_arguments(text, from)))
			open++;
	}
	*to = 0;
}

/* Where the last two parts of a qualified name begin: "Class::function". */
static const char *last_parts(const char *name, const char *end)
{
	const char *last = name, *before = name;
	int open = 0;

	for (const char *at = name; at < end; at++) {
		open += *at == '<' || *at == '(';
		open -= *at == '>' || *at == ')';
		if (open || at[0] != ':' || at[1] != ':')
			continue;
		before = last;
		last = at + 2;
	}
	return before;
}

/* Names, or the frames of a call path, without outer namespaces. */
static void drop_namespaces(char *text, const char *arrow)
{
	char *from = text + strspn(text, " "), *to = from;

	while (*from) {
		char *end = strstr(from, arrow);
		const char *keep;

		end = end ? end : from + strlen(from);
		keep = last_parts(from, end);
		from = end + (*end ? strlen(arrow) : 0);
		memmove(to, keep, (size_t)(from - keep));
		to += from - keep;
	}
	*to = 0;
}

/* Keep head and tail; an indent stays. */
static char *cut_middle(const char *text, size_t width, const char *dots)
{
	size_t room = width - utf8_width(dots);
	size_t indent = strspn(text, " ");
	size_t head = indent < room ? indent + (room - indent) * 3 / 5 : room;
	size_t bytes = utf8_head(text, head);

	return str_format("%.*s%s%s", (int)bytes, text, dots,
			  utf8_tail(text + bytes, room - head));
}

/*
 * The innermost frames of a call path, and of the next one what there is room
 * for if that says something.
 */
static char *cut_path(const char *text, size_t width, const char *arrow,
		      const char *dots)
{
	size_t room = width - utf8_width(dots);
	const char *full = text + utf8_head(text, room), *from = text;
	const char *next = strstr(text, arrow);

	while (next && next + strlen(arrow) <= full) {
		from = next + strlen(arrow);
		next = strstr(from, arrow);
	}
	if (next && next < full) /* the frame fits, the arrow does not */
		return str_format("%.*s %s", (int)(next - text), text, dots);
	if (from == text || full - from >= LEAST_FRAME)
		from = full;
	return str_format("%.*s%s", (int)(from - text), text, dots);
}

static char *cut_text(char *text, size_t width, enum column_type type,
		      bool utf8)
{
	const char *dots = utf8 ? "…" : "..";
	const char *arrow = utf8 ? " ← " : " <- ";
	char *shorter;

	if (utf8_width(text) > width && type == COLUMN_TEXT)
		drop_arguments(text);
	if (utf8_width(text) > width && type == COLUMN_TEXT)
		drop_namespaces(text, arrow);
	if (utf8_width(text) <= width)
		return text;
	if (type == COLUMN_LEFT_TEXT)
		shorter = str_format("%s%s", dots,
				     utf8_tail(text, width - utf8_width(dots)));
	else if (strstr(text, arrow))
		shorter = cut_path(text, width, arrow, dots);
	else
		shorter = cut_middle(text, width, dots);
	free(text);
	return shorter;
}

static size_t total_width(const struct grid *grid)
{
	size_t width = 0;

	for (size_t c = 0; c < grid->columns; c++)
		width += 2 + grid->widths[c];
	return width;
}

/* One column less, of the widest of that type above `narrow`; or false. */
static bool narrow_widest(struct grid *grid, const enum column_type *types,
			  enum column_type type, size_t narrow)
{
	size_t widest = grid->columns;

	for (size_t c = 0; c < grid->columns; c++)
		if (types[c] == type && grid->widths[c] > narrow &&
		    (widest == grid->columns ||
		     grid->widths[c] > grid->widths[widest]))
			widest = c;
	if (widest == grid->columns)
		return false;
	grid->widths[widest]--;
	return true;
}

/* Strips give way first, places before names; numbers never do. */
static void share_out_width(struct grid *grid, const enum column_type *types,
			    const struct format_style *style)
{
	static const struct {
		enum column_type type;
		size_t narrow;
	} steps[] = { { COLUMN_HEAT, 32 },      { COLUMN_LETTERS, STRIP },
		      { COLUMN_LEFT_TEXT, 20 }, { COLUMN_TEXT, 28 },
		      { COLUMN_LEFT_TEXT, 12 }, { COLUMN_TEXT, 12 },
		      { COLUMN_HEAT, 12 },      { COLUMN_LETTERS, 12 } };

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		size_t narrow = steps[i].narrow;

		if (steps[i].type == COLUMN_TEXT && narrow < style->names)
			narrow = style->names;
		while (total_width(grid) > style->width)
			if (!narrow_widest(grid, types, steps[i].type, narrow))
				break;
	}
}

/* "over ranks, 9–10 each": what one column of a strip stands for. */
static char *strip_title(const char *title, size_t count, size_t width,
			 bool utf8)
{
	size_t least = count / width, most = (count + width - 1) / width;
	char *each = least == most ? str_format("%zu each", most)
				   : str_format("%zu%s%zu each", least,
						utf8 ? "–" : "-", most);
	char *full = each ? str_format("%s, %s", title, each) : NULL;

	if (full && utf8_width(full) <= width) {
		free(each);
		return full;
	}
	free(full);
	return each;
}

/* A strip that did not get the width that it would like. */
static int narrow_strip(struct grid *grid, size_t to,
			const struct report_table *table, size_t from,
			const struct format_style *style)
{
	size_t width = grid->widths[to], count = 0;
	char **cells = grid->cells + to;
	char **title = &cells[(grid->titles - 1) * grid->columns], *shorter;

	for (size_t row = 0; row < table->row_count; row++) {
		const struct report_cell *cell =
			&table->cells[row * table->column_count + from];
		char **text = &cells[(row + grid->heads) * grid->columns];

		if (cell->spark_count <= width)
			continue;
		count = cell->spark_count;
		free(*text);
		*text = grid->letters[to]
				? draw_letters(cell->spark, count, width)
				: draw_heat(cell->spark, count, width,
					    style->utf8);
		if (!*text)
			return no_memory();
	}
	if (!count || grid->letters[to])
		return 0;
	shorter = strip_title(*title, count, width, style->utf8);
	free(*title);
	*title = shorter;
	return shorter ? 0 : no_memory();
}

/* Cut the column, and again what looks alike then. */
static int fit_names(struct grid *grid, size_t column,
		     const struct format_style *style)
{
	struct alike_text *texts = calloc(grid->rows + 1, sizeof(*texts));
	size_t width = grid->widths[column], count = 0;
	int err = texts ? 0 : no_memory();

	for (size_t row = 0; row < grid->rows && !err; row++) {
		char **cell = &grid->cells[row * grid->columns + column];
		char *full;

		if (utf8_width(*cell) <= width)
			continue;
		full = strdup(*cell);
		texts[count++] = (struct alike_text){ cell, full };
		*cell = cut_text(*cell, width, COLUMN_TEXT, style->utf8);
		if (!full || !*cell)
			err = no_memory();
	}
	if (!err)
		err = disambiguate_texts(texts, count, width, style->utf8);
	while (count)
		free((char *)texts[--count].full);
	free(texts);
	return err;
}

static int fit_columns(struct grid *grid, const enum column_type *types,
		       const struct format_style *style)
{
	for (size_t c = 0; c < grid->columns; c++) {
		int err =
			types[c] == COLUMN_TEXT ? fit_names(grid, c, style) : 0;

		if (err)
			return err;
	}
	for (size_t i = 0; i < grid->rows * grid->columns; i++) {
		size_t c = i % grid->columns;

		if (types[c] == COLUMN_LEFT_TEXT)
			grid->cells[i] =
				cut_text(grid->cells[i], grid->widths[c],
					 types[c], style->utf8);
		if (!grid->cells[i])
			return no_memory();
	}
	return 0;
}

/* Text that no row has takes no column. */
static bool is_filled(const struct report_table *table, size_t column)
{
	if (!table->columns[column].title)
		return false;
	if (!number_text_is_text(table->columns[column].type))
		return true;
	for (size_t row = 0; row < table->row_count; row++) {
		const char *text =
			table->cells[row * table->column_count + column].text;

		if (text && *text)
			return true;
	}
	return false;
}

/* What is left out first, next, and last.  The first column says of what the
   others are, and stays, and so does the one by which rows are sorted. */
enum leave_out {
	LEAVE_SPARE,
	LEAVE_NUMBERS,
	LEAVE_NAMES,
	LEAVE_STEPS
};

static bool may_leave_out(const struct report_table *table, size_t column,
			  enum leave_out step)
{
	const struct report_column *c = &table->columns[column];
	enum leave_out own = c->spare                       ? LEAVE_SPARE
			     : number_text_is_text(c->type) ? LEAVE_NAMES
							    : LEAVE_NUMBERS;

	return column && !c->key && own == step && is_filled(table, column);
}

/* Of each column, whether it is shown; `less` are not, of each step the last.
 */
static void choose_columns(const struct report_table *table, size_t less,
			   bool *shown)
{
	for (size_t c = 0; c < table->column_count; c++)
		shown[c] = is_filled(table, c);
	for (int step = 0; step < LEAVE_STEPS; step++)
		for (size_t c = table->column_count; less && c-- > 0;)
			if (may_leave_out(table, c, step)) {
				shown[c] = false;
				less--;
			}
}

static size_t count_spare(const struct report_table *table)
{
	size_t count = 0;

	for (size_t c = 0; c < table->column_count; c++)
		count += may_leave_out(table, c, LEAVE_SPARE);
	return count;
}

static int make_grid_room(struct grid *grid, const struct report_table *table,
			  const bool *shown)
{
	*grid = (struct grid){ .heads = 1, .titles = 1 };
	for (size_t c = 0; c < table->column_count; c++) {
		if (!shown[c])
			continue;
		grid->columns++;
		if (*column_scale(table, c).unit)
			grid->heads = 2;
	}
	grid->rows = table->row_count + grid->heads;
	grid->cells =
		calloc(grid->rows * grid->columns + 1, sizeof(*grid->cells));
	grid->widths = calloc(grid->columns + 1, sizeof(*grid->widths));
	grid->right = calloc(grid->columns + 1, sizeof(*grid->right));
	grid->letters = calloc(grid->columns + 1, sizeof(*grid->letters));
	if (!grid->cells || !grid->widths || !grid->right || !grid->letters)
		return no_memory();
	return 0;
}

/* Names that lost what tells them apart, or strips. */
static bool is_tight(const struct grid *grid, const enum column_type *types,
		     const size_t *wanted)
{
	for (size_t c = 0; c < grid->columns; c++)
		if (grid->widths[c] < wanted[c] &&
		    ((types[c] == COLUMN_TEXT && grid->widths[c] < ROOM) ||
		     (types[c] == COLUMN_LETTERS && grid->widths[c] <= STRIP)))
			return true;
	return false;
}

/* Of a title what stands in a line of that width: whole words.  (Of the few
   signs in titles bytes are counted: a line is never too long.) */
static size_t title_line(const char *title, size_t width)
{
	size_t end = strcspn(title, " ");

	while (title[end]) {
		size_t next = end + 1 + strcspn(title + end + 1, " ");

		if (next > width)
			break;
		end = next;
	}
	return end;
}

static size_t count_title_lines(const char *title, size_t width)
{
	size_t count = 0;

	for (; *title || !count; count++) {
		title += title_line(title, width);
		title += *title == ' ';
	}
	return count;
}

/* What the values need, and the longest word of the title. */
static size_t least_width(const struct grid *grid, size_t column)
{
	const char *title = grid->cells[column];
	size_t width = 0;

	for (size_t row = 1; row < grid->rows; row++) {
		size_t cell =
			utf8_width(grid->cells[row * grid->columns + column]);

		width = cell > width ? cell : width;
	}
	while (*title) {
		size_t word = strcspn(title, " ");

		width = word > width ? word : width;
		title += word + (title[word] == ' ');
	}
	return width;
}

/* Its title in the lines above the others, ending in the last of them. */
static int put_title(struct grid *grid, size_t column, char *title)
{
	size_t width = grid->widths[column];
	size_t row = grid->titles - count_title_lines(title, width);
	const char *at = title;
	bool failed = false;

	for (size_t r = 0; r < grid->titles; r++) {
		size_t length = r < row ? 0 : title_line(at, width);
		char *line = strndup(at, length);

		grid->cells[r * grid->columns + column] = line;
		failed |= !line;
		at += length;
		at += r >= row && *at == ' ';
	}
	free(title);
	return failed ? no_memory() : 0;
}

/* Titles of several words are on several lines, where values are shorter. */
static int wrap_titles(struct grid *grid)
{
	size_t more = 0, old = grid->rows * grid->columns;
	char **cells;
	int err = 0;

	for (size_t c = 0; c < grid->columns; c++) {
		size_t lines;

		grid->widths[c] = least_width(grid, c);
		lines = count_title_lines(grid->cells[c], grid->widths[c]);
		more = lines - 1 > more ? lines - 1 : more;
	}
	cells = calloc(old + more * grid->columns + 1, sizeof(*cells));
	if (!cells)
		return no_memory();
	memcpy(cells + more * grid->columns, grid->cells, old * sizeof(*cells));
	free(grid->cells);
	grid->cells = cells;
	grid->titles += more;
	grid->heads += more;
	grid->rows += more;
	for (size_t c = 0; c < grid->columns; c++) {
		char **last = &cells[more * grid->columns + c], *title = *last;

		*last = NULL;
		err |= put_title(grid, c, title);
	}
	return err;
}

/* All but the cutting; *tight: with fewer columns it would be better. */
static int lay_out(struct grid *grid, const struct report_table *table,
		   const struct format_style *style, const bool *shown,
		   enum column_type *types, bool wrap, bool *tight)
{
	size_t *wanted = calloc(table->column_count + 1, sizeof(*wanted));
	size_t to = 0;
	int err = make_grid_room(grid, table, shown);

	if (!wanted)
		err = no_memory();
	for (size_t c = 0; !err && c < table->column_count; c++) {
		if (!shown[c])
			continue;
		types[to] = table->columns[c].type;
		err = fill_grid(grid, to++, table, c, style->utf8);
	}
	if (!err && wrap)
		err = wrap_titles(grid);
	if (!err) {
		memcpy(wanted, grid->widths, grid->columns * sizeof(*wanted));
		share_out_width(grid, types, style);
		*tight = is_tight(grid, types, wanted);
	}
	free(wanted);
	return err;
}

static int cut_to_fit(struct grid *grid, const struct report_table *table,
		      const struct format_style *style, const bool *shown,
		      const enum column_type *types)
{
	int err = 0;

	for (size_t c = 0, at = 0; !err && c < table->column_count; c++)
		if (shown[c] && (types[at++] == COLUMN_HEAT ||
				 types[at - 1] == COLUMN_LETTERS))
			err = narrow_strip(grid, at - 1, table, c, style);
	return err ? err : fit_columns(grid, types, style);
}

/* A drawing without a title says what numbers say, and is not missed. */
static int name_left_out(struct grid *grid, const struct report_table *table,
			 const bool *shown, bool utf8)
{
	char *text = NULL;
	size_t size, count = 0;
	FILE *to = open_memstream(&text, &size);

	for (size_t c = 0; to && c < table->column_count; c++) {
		char *title;

		if (shown[c] || !is_filled(table, c) ||
		    !*table->columns[c].title)
			continue;
		title = utf8_clean(table->columns[c].title, utf8);
		fprintf(to, "%s%s", count++ ? ", " : "  (no room for: ",
			title ? title : "");
		free(title);
	}
	if (to && count)
		fputc(')', to);
	if (!to || fclose(to)) {
		free(text);
		return no_memory();
	}
	if (count)
		grid->left_out = text;
	else
		free(text);
	return 0;
}

/*
 * Columns that can be spared give way to names; where that is not enough,
 * titles are wrapped, and in the end the last columns are left out and named.
 */
int table_grid_init(struct grid *grid, const struct report_table *table,
		    const struct format_style *style)
{
	enum column_type *types =
		calloc(table->column_count + 1, sizeof(*types));
	bool *shown = calloc(table->column_count + 1, sizeof(*shown));
	size_t spare = count_spare(table), all = table->column_count;
	bool tight = true, wide = true;
	int err = types && shown ? 0 : no_memory();

	*grid = (struct grid){ 0 };
	for (int wrap = 0; !err && wide && wrap < 2; wrap++)
		for (size_t less = 0; !err && less <= (wrap ? all : spare) &&
				      (less <= spare ? tight : wide);
		     less++) {
			table_grid_fini(grid);
			choose_columns(table, less, shown);
			err = lay_out(grid, table, style, shown, types, wrap,
				      &tight);
			wide = total_width(grid) > style->width;
			tight |= wide;
		}
	if (!err)
		err = cut_to_fit(grid, table, style, shown, types);
	if (!err)
		err = name_left_out(grid, table, shown, style->utf8);
	free(types);
	free(shown);
	return err;
}

void table_grid_fini(struct grid *grid)
{
	for (size_t i = 0; grid->cells && i < grid->rows * grid->columns; i++)
		free(grid->cells[i]);
	free(grid->cells);
	free(grid->widths);
	free(grid->right);
	free(grid->letters);
	free(grid->left_out);
	*grid = (struct grid){ 0 };
}
