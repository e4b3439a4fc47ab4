/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * junit.c - the checks of a report as JUnit's XML, which CI systems show: a
 * test case each, with its group as the class.
 */

#include "format/format.h"
#include "format/quote.h"

static void write_attribute(FILE *to, const char *name, const char *text)
{
	fprintf(to, " %s=\"", name);
	quote_xml(to, text);
	fputc('"', to);
}

static void write_check(FILE *to, const struct report_check *check)
{
	fputs("    <testcase", to);
	write_attribute(to, "classname", check->group);
	write_attribute(to, "name", check->name);
	fputc('>', to);
	if (check->failed) {
		fputs("<failure", to);
		write_attribute(to, "message", check->message);
		fputs("/>", to);
	} else {
		fputs("<system-out>", to);
		quote_xml(to, check->message);
		fputs("</system-out>", to);
	}
	fputs("</testcase>\n", to);
}

static void write_suite(FILE *to, const struct report *report, size_t failed)
{
	fputs("  <testsuite", to);
	write_attribute(to, "name", report->title);
	fprintf(to, " tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n",
		report->check_count, failed);
	for (size_t i = 0; i < report->check_count; i++)
		write_check(to, &report->checks[i]);
	fputs("  </testsuite>\n", to);
}

static int write_junit(FILE *to, const struct report *report,
		       const struct format_style *style)
{
	size_t failed = 0;

	(void)style;
	for (size_t i = 0; i < report->check_count; i++)
		failed += report->checks[i].failed;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", to);
	write_attribute(to, "name", "copse");
	fprintf(to, " tests=\"%zu\" failures=\"%zu\">\n", report->check_count,
		failed);
	write_suite(to, report, failed);
	fputs("</testsuites>\n", to);
	return 0;
}

const struct format format_junit = {
	.name = "junit",
	.help = "the verdict of copse gate, for CI systems",
	.tables = true,
	.checks = true,
	.write_report = write_junit,
};
