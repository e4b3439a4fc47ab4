/* SPDX-License-Identifier: BSD-3-Clause */
/* brief.c - leave out of a demangled name what a sentence has no room for. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/brief.h"
#include "base/str.h"

#define MOST         60 /* bytes of a name */
#define DOTS         "…"
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Behind the bracket that closes the one at `at`. */
static const char *group_end(const char *name, const char *at)
{
	int open = 0;

	while (*at) {
		size_t skip = std_operator_size(name, at);

		if (skip) {
			at += skip;
			continue;
		}
		open += strchr("(<{[", *at) != NULL;
		if (strchr(")>}]", *at) && (at == name || at[-1] != '-'))
			open--;
		at++;
		if (open <= 0)
			break;
	}
	return at;
}

/* Of a function: not "(anonymous namespace)", nor "(*T)" of Go. */
static bool is_brief_arguments(const char *name, const char *at)
{
	return at > name && *at == '(' &&
	       (is_word_char(at[-1]) || strchr(">)]", at[-1]));
}

/* A scope around the name; the name itself may be needed to distinguish it. */
static bool is_scope(const char *name, const char *at, const char *end)
{
	return at > name && *at == '<' && is_word_char(at[-1]) &&
	       !strncmp(end, "::", 2);
}

static const char nameless[] = "(anonymous namespace)::";

static void put_brief(FILE *to, const char *name, bool scopes)
{
	const char *end;

	for (const char *at = name; *at; at = end) {
		size_t size = std_operator_size(name, at);

		end = at + strlen(nameless);
		if (!strncmp(at, nameless, strlen(nameless)))
			continue;
		end = at + (size ? size : 1);
		if (!size && strchr("(<", *at))
			end = group_end(name, at);
		if (!size && is_brief_arguments(name, at))
			continue;
		if (!size && !scopes && is_scope(name, at, end))
			fputs("<" DOTS ">", to);
		else
			fwrite(at, 1, (size_t)(end - at), to);
	}
}

static char *name_without(const char *name, bool scopes)
{
	static const char call[] = "}::operator()";
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	put_brief(to, name, scopes);
	fclose(to);
	/* What else is a lambda for? */
	if (size >= sizeof(call) && !strcmp(text + size - strlen(call), call))
		text[size - strlen(call) + 1] = 0;
	return text;
}

/* No byte of a character without its others. */
static const char *whole_character(const char *at)
{
	while (((unsigned char)*at & 0xc0) == 0x80)
		at++;
	return at;
}

/* Its beginning and, unless that is of its arguments, its end. */
static char *cut_arguments(const char *name)
{
	size_t size = strlen(name), tail = MOST / 2;
	const char *end = whole_character(name + size - tail);
	const char *from;

	if (name[size - 1] == '>')
		end = name + size - 1;
	from = whole_character(name + MOST - 1 - strlen(end));
	return str_format("%.*s" DOTS "%s", (int)(from - name), name, end);
}

/* "zgemm_", as a linker has it: Fortran, but for what C names so. */
static bool is_linkers_fortran(const char *name)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t size = strlen(name);

	return size > 2 && name[size - 1] == '_' && name[size - 2] != '_' &&
	       *name != '_' && strspn(name, chars) == size;
}

/* Behind the namespace that this one ends, or NULL. */
static const char *next_part(const char *name)
{
	while (is_word_char(*name))
		name++;
	return strncmp(name, "::", 2) ? NULL : name + 2;
}

const char *brief_beside(const char *name, const char *other)
{
	const char *from = name, *next;

	while ((next = next_part(from)) && next_part(next) &&
	       !strncmp(name, other, (size_t)(next - name)))
		from = next;
	return from;
}

char *brief_name(const char *name)
{
	char *full = is_linkers_fortran(name) ? strndup(name, strlen(name) - 1)
					      : std_name(name);
	char *text = full ? name_without(full, true) : NULL, *shorter;

	if (text && strlen(text) > MOST) {
		free(text);
		text = name_without(full, false);
	}
	free(full);
	if (!text || strlen(text) <= MOST)
		return text;
	shorter = cut_arguments(text);
	free(text);
	return shorter;
}

/* What follows the name of a function in one made for some processors. */
static const char *const variants[] = { "_avx",      "_evex",     "_erms",
					"_fma",      "_sse",      "_ssse",
					"_internal", "_unaligned" };

char *brief_c_name(const char *name)
{
	static const char precise[] = "ieee754_";
	const char *from = strncmp(name, "__", 2) ? name : name + 2;
	size_t size;

	if (!strncmp(from, "GI_", 3))
		from += 3 + strspn(from + 3, "_");
	if (from > name && !strncmp(from, precise, strlen(precise)))
		from += strlen(precise);
	size = strlen(from);
	for (size_t i = 0; from > name && i < COUNT(variants); i++) {
		const char *at = strstr(from, variants[i]);

		if (at && at > from && (size_t)(at - from) < size)
			size = (size_t)(at - from);
	}
	return size ? str_format("%.*s", (int)size, from) : strdup(name);
}
