/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * old-loader.c - hides from copse what only newer C libraries have: it has to
 * find libraries by its own table, as on glibc before 2.35.  All others find
 * what they look for.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE /* else this is such a C library */
typedef int look(void *pc, struct dl_find_object *to);

int _dl_find_object(void *pc, struct dl_find_object *to)
{
	static look *real;
	struct dl_find_object caller;

	if (!real)
		real = (look *)dlsym(RTLD_NEXT, "_dl_find_object");
	if (!real(__builtin_return_address(0), &caller) &&
	    strstr(caller.dlfo_link_map->l_name, "/libcopse.so"))
		return -1;
	return real(pc, to);
}
#endif
