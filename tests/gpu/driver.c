/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver.c SPIN.PTX - no CUDA runtime at all: the driver's own functions, from
 * a library that is opened while the program runs.
 */
#include "driver.h"

#define BYTES ((size_t)1 << 20)

static STAYS void launch_by_driver(struct spinner *s)
{
	for (int i = 0; i < 12; i++)
		SPINNER_LAUNCH(s, 2 * MS);
	DRIVER(cuCtxSynchronize);
}

static STAYS void copy_by_driver(void)
{
	static char data[BYTES];
	CUdeviceptr device;

	DRIVER(cuMemAlloc_v2, &device, BYTES);
	for (int i = 0; i < 4; i++)
		DRIVER(cuMemcpyHtoD_v2, device, data, BYTES);
	DRIVER(cuMemFree_v2, device);
}

int main(int argc, char **argv)
{
	struct spinner s;

	if (argc != 2)
		broken(argv[0], "wants the path of spin.ptx");
	driver_open();
	spinner_make(&s, text_of(argv[1]));
	launch_by_driver(&s);
	copy_by_driver();
	truth("kernel", "spin", "launch_by_driver", "launches", s.launches);
	measured("kernel", "spin", "launch_by_driver", "time",
		 (double)*s.spent * 1e-9);
	truth("transfer", "HtoD", "copy_by_driver", "bytes", 4.0 * BYTES);
	truth("api", "cuLaunchKernel", "*", "calls", s.launches);
	truth("api", "cuMemcpyHtoD", "*", "calls", 4);
	return 0;
}
