/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * html.c - a page for a browser: share/page/page.html with the data of an
 * overview in it, so that one file is all there is.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyse/base/processes.h"
#include "analyse/base/python-words.h"
#include "base/err.h"
#include "base/share-file.h"
#include "format/format.h"
#include "format/page/page-parts.h"
#include "format/quote.h"

#define PLACE "<!--COPSE-DATA-->\n" /* a line of the template */

/* "2026-11-25 08:08:49 UTC"; null: not known. */
static void put_date(FILE *to, const struct run *run)
{
	time_t start =
		run->rank_count
			? (time_t)(run->ranks[0].start_real_ns / 1000000000)
			: 0;
	struct tm tm;
	char date[32];
	bool known = start && gmtime_r(&start, &tm) &&
		     strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &tm);

	fputs("\"date\": ", to);
	quote_json(to, known ? date : NULL);
	fputs(",\n", to);
}

static void put_head(struct page_stream *s, const struct overview *o)
{
	const struct run *run =
		o->diff ? compare_sides_new(&o->diff->sides) : o->run;

	fputs("\"page\": 1,\n\"copse\": ", s->json);
	quote_json(s->json, PACKAGE_VERSION);
	fprintf(s->json, ",\n\"kind\": \"%s\",\n\"live\": %s,\n\"title\": ",
		o->diff ? "diff" : "run", o->live ? "true" : "false");
	quote_json(s->json, python_program(processes_command(run)));
	fputs(",\n", s->json);
	put_date(s->json, run);
}

static int write_data(FILE *to, const struct overview *o)
{
	struct page_stream s;
	int err = page_stream_init(&s);

	if (!err) {
		put_head(&s, o);
		page_put_reports(&s, o);
		err = o->diff ? page_put_sides(&s, o->diff)
			      : page_put_run(&s, o);
	}
	if (!err)
		err = page_stream_end(&s, to, "copse-data");
	page_stream_fini(&s);
	return err;
}

static FILE *open_template(void)
{
	static const struct share_kind pages = {
		.folder = "page",
		.installed = PAGEDIR,
		.suffix = ".html",
	};
	FILE *from = share_open(&pages, "page");

	if (!from)
		fail(-ENOENT,
		     "page.html is neither beside this copse nor in %s: "
		     "install copse again",
		     PAGEDIR);
	return from;
}

/* A page that is served may ask its server; one in a file may ask nobody. */
static void write_template_line(FILE *to, const char *line, bool live)
{
	static const char none[] = "default-src 'none';";
	const char *at = live ? strstr(line, none) : NULL;
	size_t size = at ? (size_t)(at - line) + strlen(none) : 0;

	fprintf(to, "%.*s%s%s", (int)size, line,
		at ? " connect-src 'self';" : "", line + size);
}

/*
 * What unpacks style and script, which are most of a page of few ranks, and
 * makes the browser take them as if they had stood here.
 */
static const char loader[] =
	"<script>\n"
	"textUnpack(document.getElementById(\"copse-page\").textContent)\n"
	".then(bytes => document.body.append(document.createRange()\n"
	".createContextualFragment(new TextDecoder().decode(bytes))));\n"
	"</script>\n";

/* The lines of the template from its style, `line`, to its script's end. */
static int pack_script(FILE *to, FILE *from, char **line, size_t *room)
{
	char *text = NULL;
	size_t size;
	FILE *script = open_memstream(&text, &size);
	int err;

	if (!script)
		return no_memory();
	do
		fputs(*line, script);
	while (strcmp(*line, "</script>\n") != 0 &&
	       getline(line, room, from) > 0);
	err = fclose(script) ? no_memory()
			     : page_block(to, "copse-page", text, size);
	fputs(loader, to);
	free(text);
	return err;
}

static int write_html(FILE *to, const struct overview *o)
{
	FILE *from = open_template();
	bool placed = false;
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	if (!from)
		return -ENOENT;
	while (!err && getline(&line, &room, from) > 0) {
		if (!strcmp(line, PLACE)) {
			placed = true;
			err = write_data(to, o);
		} else if (placed && !strcmp(line, "<style>\n")) {
			err = pack_script(to, from, &line, &room);
		} else {
			write_template_line(to, line, o->live);
		}
	}
	if (!err && !placed)
		err = fail(-EINVAL, "page.html is not this copse's: it has no "
				    "place for data");
	free(line);
	fclose(from);
	return err;
}

const struct format format_html = {
	.name = "html",
	.help = "a page for a browser, in one file",
	.tables = true,
	.tree = true,
	.write_overview = write_html,
};
