/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-check.c - copse check: what works on this machine, and what would. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

#include "analyse/base/report.h"
#include "base/err.h"
#include "check/check.h"
#include "format/format.h"
#include "tools/command.h"
#include "tools/out.h"
#include "tools/show.h"
#include "tools/help.h"

/* Where a line's text begins: after the state and the name. */
enum {
	INDENT = 26
};

/* Mutable: the command's options. */
static const char *format = "text";
static const char *output = ".";

static const struct option options[] = {
	{ 'f', "format", "NAME", "text, csv or json", parse_string, &format,
	  show_table_format },
	{ 'o', "output", "DIR", "where profiles would go, default .",
	  parse_string, &output },
	{ 0 },
};

static const char *const states[FINDING_STATES] = {
	[FINDING_YES] = "yes",
	[FINDING_LIMITED] = "limited",
	[FINDING_ABSENT] = "absent",
	[FINDING_NO] = "no",
};

static void print_finding(const struct probe *probe, const struct finding *f,
			  size_t width)
{
	printf("  %-7s  %-14s ",
	       f->state == FINDING_NO ? "NO" : states[f->state], probe->name);
	wrap_text(stdout, f->found, INDENT, width);
	if (*f->instead) {
		printf("%*sso: ", INDENT, "");
		wrap_text(stdout, f->instead, INDENT + 4, width);
	}
	if (*f->mend) {
		printf("%*s-> ", INDENT, "");
		wrap_text(stdout, f->mend, INDENT + 3, width);
	}
}

static void print_head(void)
{
	const struct passwd *user = getpwuid(geteuid());
	char host[64] = "";

	gethostname(host, sizeof(host) - 1);
	printf("copse %s on %s, as %s\n", PACKAGE_VERSION, host,
	       user ? user->pw_name : "a user without a name");
}

/* As it is found: some questions take a moment. */
static bool print_all(const struct doctor *d)
{
	struct format_style page;
	const char *group = "";
	bool good = true;

	page_init(&page, stdout);
	print_head();
	for (size_t i = 0; i < doctor_probe_count; i++) {
		const struct probe *probe = &doctor_probes[i];
		struct finding f;

		fflush(out_below(stdout));
		check_ask(probe, d, &f);
		good &= f.state != FINDING_NO;
		if (strcmp(group, probe->group) != 0)
			printf("\n%s\n", probe->group);
		group = probe->group;
		print_finding(probe, &f, page.width);
	}
	printf("\n%s\n", good ? "Programs can be measured here."
			      : "Programs cannot be measured here: see NO.");
	return good;
}

static void check_columns(struct report *report)
{
	static const char *const ids[] = { "group", "probe",   "state",
					   "found", "instead", "mend" };

	report_table(report, "probes", "probes");
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		report_column(report, ids[i], ids[i], COLUMN_TEXT);
}

static struct report *make_report(const struct doctor *d, bool *good)
{
	struct report *report = report_new("check", "check");

	if (!report)
		return NULL;
	check_columns(report);
	for (size_t i = 0; i < doctor_probe_count; i++) {
		const struct probe *probe = &doctor_probes[i];
		struct finding f;

		check_ask(probe, d, &f);
		*good &= f.state != FINDING_NO;
		report_text(report, probe->group);
		report_text(report, probe->name);
		report_text(report, states[f.state]);
		report_text(report, f.found);
		report_text(report, *f.instead ? f.instead : NULL);
		report_text(report, *f.mend ? f.mend : NULL);
	}
	return report;
}

/* For programs. */
static int export_all(const struct doctor *d, const struct format *exporter,
		      bool *good)
{
	struct report *report = make_report(d, good);
	struct format_style style;
	int err = report ? report_error(report) : no_memory();

	page_init(&style, stdout);
	if (!err)
		err = exporter->write_report(out_data(), report, &style);
	report_free(report);
	return err;
}

static int check_system(int argc, char **argv)
{
	const struct format *exporter = format_find(format);
	struct settings s;
	struct doctor d = { &s, output };
	bool good = true;
	int err;

	if (argc)
		return fail(-EINVAL, "no argument is expected, not '%s'",
			    argv[0]);
	if (!exporter || !exporter->tables)
		return fail(-EINVAL,
			    "no format '%s'; text, csv and json are "
			    "known",
			    format);
	err = settings_from_environment(&s);
	if (err)
		return err;
	if (exporter == formats[0])
		good = print_all(&d);
	else
		err = export_all(&d, exporter, &good);
	if (err)
		return err;
	return good ? 0 : 1;
}

const struct command command_check = {
	.name = "check",
	.synopsis = "[options]",
	.help = "say what works on this machine, and what would help",
	.options = options,
	.run = check_system,
};
