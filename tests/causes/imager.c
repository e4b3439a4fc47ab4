/* SPDX-License-Identifier: BSD-3-Clause */
/* Exposures of a camera are brought to one dark level and one scale. */
#include "options.h"
#include <math.h>

#define PIXELS (1 << 20)

struct camera {
	unsigned short raw[PIXELS];
	float *frame;
	double level;
};

static void camera_expose(struct camera *c, int rank, int shot)
{
	for (int i = 0; i < PIXELS; i += 16)
		c->raw[i] =
			(unsigned short)(1000 + (i / 16 + rank + shot) % 509);
}

static float *frame_open(struct camera *c, const struct options *o)
{
	if (!o->mended || !c->frame)
		c->frame = malloc(sizeof(float) * PIXELS * 10);
	return c->frame;
}

static void frame_close(struct camera *c, const struct options *o)
{
	if (o->mended)
		return;
	free(c->frame);
	c->frame = NULL;
}

/* A frame has ten planes, of which each is thinned out. */
static double frame_planes(float *frame, const struct camera *c)
{
	double sum = 0.0;

	for (int plane = 0; plane < 10; plane++) {
		float *to = frame + (size_t)plane * PIXELS;

		for (int i = 0; i < PIXELS; i += 16384) {
			to[i] = (float)(plane + 1) * c->raw[i] - 900.0f;
			sum += to[i];
		}
	}
	return sum / PIXELS;
}

static double shot_reduce(struct camera *c, const struct options *o)
{
	float *frame = frame_open(c, o);
	double sum = frame_planes(frame, c);

	frame_close(c, o);
	return sum;
}

/* Stars are where the light falls off as the lens makes it. */
static double stars_find(const struct camera *c)
{
	double sum = 0.0;

	for (int i = 16; i < PIXELS - 16; i += 16) {
		double slope =
			c->raw[i] - 0.5 * (c->raw[i - 16] + c->raw[i + 16]);

		sum += exp(-0.01 * fabs(slope)) * sqrt(c->raw[i]);
	}
	return sum / PIXELS;
}

static double level_agree(struct camera *c, double own)
{
	double all;

	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	c->level = 0.9 * c->level + 0.1 * all;
	return c->level;
}

int main(int argc, char **argv)
{
	static struct camera c;
	struct options o;
	double result = 0.0;
	int shots;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	shots = options_times(&o, 500);
	for (int shot = 0; shot < shots; shot++) {
		camera_expose(&c, o.rank, shot);
		result += shot_reduce(&c, &o) + stars_find(&c);
		if (shot % 10 == 0)
			result += level_agree(&c, result);
	}
	options_report(&o, result);
	MPI_Finalize();
	return 0;
}
