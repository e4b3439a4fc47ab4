/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loaded.h - symbols of libraries that are loaded, however they were: those
 * that somebody opened for himself only (python does) are in no scope that
 * dlsym() would search for us.
 *
 * What is found is never what whoever asks for the symbol finds without us: a
 * tool that comes before us leads back to us.
 *
 * Threads   Any.  The loader's locks are taken.
 */
#pragma once

#include <stdbool.h>

/*
 * In the first of the libraries of a kind, by the names of their files, that
 * has it; NULL: in none.  One that is kept open keeps valid what was found.
 */
void *copse_loaded(bool (*are)(const char *file), bool keep,
		   const char *symbol);

/*
 * In the library that this code is of, or one that it is linked with; good as
 * long as that is loaded.  NULL: in none.
 */
void *loaded_beside(const void *code, const char *symbol);
