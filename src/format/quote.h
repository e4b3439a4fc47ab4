/* SPDX-License-Identifier: BSD-3-Clause */
/* quote.h - any text, as formats for programs write it. */
#pragma once

#include <stdio.h>

/* A field as RFC 4180 says, quoted where it has to be; NULL: nothing. */
void quote_csv(FILE *to, const char *text);

/* A string with its quotes, in valid UTF-8 whatever text is; NULL: null. */
void quote_json(FILE *to, const char *text);

/*
 * For an attribute of XML, or between its tags.  Characters that XML cannot
 * have are replaced; NULL: nothing.
 */
void quote_xml(FILE *to, const char *text);
