// SPDX-License-Identifier: BSD-3-Clause
// chains-cxx.cc - destructors that run while an exception is on its way, and
// code in a handler.
#include "chains.h"

struct t_guard {
	const char *chain;

	explicit t_guard(const char *c) : chain(c)
	{
	}
	__attribute__((noinline)) ~t_guard()
	{
		enter("t_guard");
		work();
		go(chain);
		leave();
	}
};

__attribute__((noinline)) static void t_throw(const char *chain)
{
	t_guard guard(chain);

	enter("t_throw");
	work();
	throw 1;
}

void t_destroy(const char *chain)
{
	enter("t_destroy");
	try {
		t_throw(chain);
	} catch (int) {
		leave();
		work();
	}
	leave();
}

void t_catch(const char *chain)
{
	enter("t_catch");
	try {
		work();
		throw chain;
	} catch (const char *rest) {
		go(rest);
	}
	leave();
}
