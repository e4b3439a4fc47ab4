/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * contexts.c SPIN.PTX - three contexts on one device, in turn; one of them is
 * destroyed right after its kernels, and made again.
 */
#include "driver.h"

static int launches;
static double spent;

static STAYS void work_in(struct spinner *s, int count)
{
	DRIVER(cuCtxSetCurrent, s->context);
	for (int i = 0; i < count; i++)
		SPINNER_LAUNCH(s, MS / 2);
	DRIVER(cuCtxSynchronize);
}

static STAYS void work_and_destroy(struct spinner *s)
{
	work_in(s, 10);
	launches += s->launches;
	spent += (double)*s->spent * 1e-9;
	DRIVER(cuCtxDestroy_v2, s->context);
}

int main(int argc, char **argv)
{
	struct spinner s[3];
	char *ptx;

	if (argc != 2)
		broken(argv[0], "wants the path of spin.ptx");
	driver_open();
	ptx = text_of(argv[1]);
	for (int i = 0; i < 3; i++)
		spinner_make(&s[i], ptx);
	for (int turn = 0; turn < 4; turn++)
		for (int i = 0; i < 3; i++)
			work_in(&s[i], 5 * (i + 1));
	work_and_destroy(&s[1]);
	spinner_make(&s[1], ptx);
	for (int i = 0; i < 3; i++)
		work_and_destroy(&s[i]);
	truth("kernel", "spin", "work_in", "launches", launches);
	measured("kernel", "spin", "work_in", "time", spent);
	truth("kernel", "spin", "work_and_destroy", "launches", 4 * 10);
	truth("api", "cuCtxDestroy", "*", "calls", 4);
	return 0;
}
