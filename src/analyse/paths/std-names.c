/* SPDX-License-Identifier: BSD-3-Clause */
/* std-names.c - class templates as their programmer wrote them. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/brief.h"

enum {
	DEPTH = 64,    /* of nested templates; deeper ones stay as they are */
	ARGUMENTS = 16 /* of one template that are looked at */
};

/* Class templates that are known without their namespace. */
static const char *const known[] = {
	"array",         "basic_ios",     "basic_istream",
	"basic_ostream", "basic_string",  "deque",
	"forward_list",  "function",      "list",
	"map",           "multimap",      "multiset",
	"optional",      "pair",          "set",
	"shared_ptr",    "tuple",         "unique_ptr",
	"unordered_map", "unordered_set", "variant",
	"vector",        "__shared_ptr",  "_Vector_base",
	"_Rb_tree",      "_Hashtable",    "__detail::_Map_base",
};

/* How containers are made inside: of a key, and of a pair or the key again. */
static const struct tree_name {
	const char *inside, *of_pairs, *of_keys;
} tree_names[] = {
	{ "_Rb_tree", "map", "set" },
	{ "_Hashtable", "unordered_map", "unordered_set" },
	{ "__detail::_Map_base", "unordered_map", "unordered_map" },
};

/* Arguments that nobody writes. */
static const char *const defaults[] = {
	"std::allocator<", "std::char_traits<", "std::default_delete<",
	"std::equal_to<",  "std::hash<",        "std::less<",
};

/* Namespaces of versions, which nobody writes either. */
static const char *const versions[] = { "__cxx11::", "__1::", "_V2::" };

struct type_reader {
	const char *name, *at;
	unsigned int depth;
};

struct template_arguments {
	char *at[ARGUMENTS];
	size_t count;
};

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '~';
}

size_t std_operator_size(const char *name, const char *at)
{
	size_t size = strlen("operator");

	if (strncmp(at, "operator", size) != 0 || is_name_char(at[size]) ||
	    (at > name && is_name_char(at[-1])))
		return 0;
	if (!strncmp(at + size, "()", 2) || !strncmp(at + size, "[]", 2))
		return size + 2;
	return size + strspn(at + size, "<>=-!*+/&|^~,%");
}

static void put_type_until(FILE *to, struct type_reader *r, const char *stops);

static bool is_default_argument(const char *argument)
{
	argument += strspn(argument, " ");
	for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++)
		if (!strncmp(argument, defaults[i], strlen(defaults[i])))
			return true;
	return false;
}

/* Reads one argument, and keeps it unless it is one that nobody writes. */
static bool read_argument(struct type_reader *r,
			  struct template_arguments *list)
{
	const char *from = r->at;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return false;
	put_type_until(to, r, ",>");
	fclose(to);
	while (text && size && text[size - 1] == ' ')
		text[--size] = 0;
	if (text && list->count < ARGUMENTS &&
	    !(list->count && is_default_argument(from)))
		list->at[list->count++] = text;
	else
		free(text);
	return true;
}

/* What stands between the brackets at r->at; false: they do not close. */
static bool read_arguments(struct type_reader *r,
			   struct template_arguments *list)
{
	do {
		r->at++;
		r->at += strspn(r->at, " ");
		if (!read_argument(r, list))
			return false;
	} while (*r->at == ',');
	if (*r->at != '>')
		return false;
	r->at++;
	return true;
}

/* The V of "pair<K const, V>"; 0 bytes: it is none. */
static size_t mapped_type(const struct template_arguments *list,
			  const char **to)
{
	const char *pair = list->count > 1 ? list->at[1] : "";
	size_t key = strlen(list->at[0]), size = strlen(pair);
	static const char begin[] = "pair<", constant[] = " const, ";
	size_t before = strlen(begin) + key + strlen(constant);

	if (size <= before + 1 || strncmp(pair, begin, strlen(begin)) != 0 ||
	    strncmp(pair + strlen(begin), list->at[0], key) != 0 ||
	    strncmp(pair + strlen(begin) + key, constant, strlen(constant)))
		return 0;
	*to = pair + before;
	return size - before - 1;
}

static bool put_ordered_container(FILE *to, const char *class_name,
				  const struct template_arguments *list)
{
	for (size_t i = 0; i < sizeof(tree_names) / sizeof(*tree_names); i++) {
		const struct tree_name *tree = &tree_names[i];
		const char *value = NULL;
		size_t size;

		if (strcmp(class_name, tree->inside) != 0)
			continue;
		size = mapped_type(list, &value);
		if (size)
			fprintf(to, "%s<%s, %.*s>", tree->of_pairs, list->at[0],
				(int)size, value);
		else
			fprintf(to, "%s<%s>", tree->of_keys, list->at[0]);
		return true;
	}
	return false;
}

/*
 * `class_name` without std::, which debug information leaves out, where it is
 * known; NULL: it stays.
 */
static const char *known_class(const char *class_name)
{
	if (!strncmp(class_name, "std::", 5))
		class_name += 5;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(class_name, known[i]))
			return class_name;
	return NULL;
}

static void put_template(FILE *to, const char *class_name,
			 const struct template_arguments *list)
{
	const char *short_name = known_class(class_name);

	if (short_name) {
		class_name = short_name;
		if (put_ordered_container(to, class_name, list))
			return;
		if (!strncmp(class_name, "basic_", 6) && list->count == 1 &&
		    !strcmp(list->at[0], "char")) {
			fputs(class_name + 6, to);
			return;
		}
	}
	fprintf(to, "%s<", class_name);
	for (size_t i = 0; i < list->count; i++)
		fprintf(to, "%s%s", i ? ", " : "", list->at[i]);
	fputs(">", to);
}

/* The bytes of a qualified name, from r->at on. */
static size_t qualified_size(const struct type_reader *r)
{
	const char *end = r->at;

	while (is_name_char(*end) || (end[0] == ':' && end[1] == ':')) {
		if (end > r->at && std_operator_size(r->name, end))
			break;
		end += *end == ':' ? 2 : 1;
	}
	return (size_t)(end - r->at);
}

/* The name, to be freed, without namespaces of versions. */
static char *read_qualified(struct type_reader *r)
{
	size_t size = qualified_size(r);
	char *text = strndup(r->at, size);

	r->at += size;
	for (size_t i = 0; text && i < sizeof(versions) / sizeof(*versions);
	     i++) {
		char *found = strstr(text, versions[i]);
		size_t skip = strlen(versions[i]);

		if (found && (found == text || found[-1] == ':'))
			memmove(found, found + skip, strlen(found + skip) + 1);
	}
	return text;
}

static void put_qualified(FILE *to, struct type_reader *r)
{
	struct template_arguments list = { .count = 0 };
	char *text = read_qualified(r);
	const char *from = r->at;

	if (!text)
		return;
	if (*r->at == '<' && r->depth < DEPTH) {
		r->depth++;
		if (read_arguments(r, &list) && list.count)
			put_template(to, text, &list);
		else {
			fprintf(to, "%s", text);
			fwrite(from, 1, (size_t)(r->at - from), to);
		}
		r->depth--;
	} else {
		fputs(text, to);
	}
	for (size_t i = 0; i < list.count; i++)
		free(list.at[i]);
	free(text);
}

static void put_type_bracket(FILE *to, struct type_reader *r, const char *stop)
{
	fputc(*r->at++, to);
	if (r->depth >= DEPTH)
		return;
	r->depth++;
	put_type_until(to, r, stop);
	r->depth--;
	if (*r->at)
		fputc(*r->at++, to);
}

/* Up to one of `stops` that stands outside of brackets. */
static void put_type_until(FILE *to, struct type_reader *r, const char *stops)
{
	while (*r->at && !strchr(stops, *r->at)) {
		size_t size = std_operator_size(r->name, r->at);

		if (!size && r->at[0] == '-' && r->at[1] == '>')
			size = 2;
		if (size) {
			fwrite(r->at, 1, size, to);
			r->at += size;
		} else if (*r->at == '(' || *r->at == '{') {
			put_type_bracket(to, r, *r->at == '(' ? ")" : "}");
		} else if (*r->at == '<') {
			put_type_bracket(to, r, ">");
		} else if (is_name_char(*r->at)) {
			put_qualified(to, r);
		} else {
			fputc(*r->at++, to);
		}
	}
}

char *std_name(const char *name)
{
	struct type_reader r = { name, name, 0 };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	while (*r.at) {
		put_type_until(to, &r, "");
		if (*r.at)
			fputc(*r.at++, to);
	}
	fclose(to);
	return text;
}
