/* SPDX-License-Identifier: BSD-3-Clause */
/* Radiometric correction and mosaicking of satellite tiles. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TILE   96
#define BANDS  6
#define ORBITS 12

typedef struct {
	double gain, offset, curve[40];
} calib;

typedef struct {
	int row, col, orbit;
	unsigned short px[BANDS][TILE * TILE];
} scene;

static const char *const roots[] = { "mosaic_aux/local", "mosaic_aux/site",
				     "mosaic_aux/archive" };
static const char *const level[] = { "rev3", "rev2", "rev1" };

static void cal_name(char *buf, size_t n, const char *root, const char *rev,
		     int orbit, int band)
{
	snprintf(buf, n, "%s/%s/orb%03d_b%d.cal", root, rev, orbit, band);
}

static void make_dirs(int remove)
{
	char p[128];
	if (!remove)
		mkdir("mosaic_aux", 0755);
	for (int r = 0; r < 3; r++) {
		if (!remove)
			mkdir(roots[r], 0755);
		for (int v = 0; v < 3; v++) {
			snprintf(p, sizeof p, "%s/%s", roots[r], level[v]);
			if (remove)
				rmdir(p);
			else
				mkdir(p, 0755);
		}
		if (remove)
			rmdir(roots[r]);
	}
	if (remove)
		rmdir("mosaic_aux");
}

static void auxiliary(int remove)
{
	char p[128];
	if (!remove)
		make_dirs(0);
	for (int o = 0; o < ORBITS; o++)
		for (int b = 0; b < BANDS; b++) {
			cal_name(p, sizeof p, roots[2], level[o % 2 + 1], o, b);
			if (remove) {
				unlink(p);
				continue;
			}
			FILE *f = fopen(p, "w");
			if (!f)
				exit(1);
			fprintf(f, "gain %.9f\noffset %.9f\n",
				1.0 + 0.01 * o - 0.02 * b, 3.0 + b);
			for (int k = 0; k < 40; k++)
				fprintf(f, "curve %d %.12f\n", k,
					1.0 + 0.002 * sin(k * 0.3 + o + b));
			fclose(f);
		}
	if (remove)
		make_dirs(1);
}

static int newest(char *buf, size_t n, int orbit, int band)
{
	struct stat st;
	for (int r = 0; r < 3; r++)
		for (int v = 0; v < 3; v++) {
			cal_name(buf, n, roots[r], level[v], orbit, band);
			if (stat(buf, &st) == 0 && S_ISREG(st.st_mode))
				return 1;
		}
	return 0;
}

static void cal_read(calib *c, int orbit, int band)
{
	char p[128], key[16];
	FILE *f;
	if (!newest(p, sizeof p, orbit, band) || !(f = fopen(p, "r"))) {
		fprintf(stderr, "no calibration for orbit %d band %d\n", orbit,
			band);
		exit(2);
	}
	while (fscanf(f, "%15s", key) == 1) {
		int k;
		if (!strcmp(key, "gain"))
			k = fscanf(f, "%lf", &c->gain);
		else if (!strcmp(key, "offset"))
			k = fscanf(f, "%lf", &c->offset);
		else if (fscanf(f, "%d", &k) == 1 && k >= 0 && k < 40)
			k = fscanf(f, "%lf", &c->curve[k]);
	}
	fclose(f);
}

static double response(int orbit, int band, double sun)
{
	calib c;
	int k = (int)(sun * 39.0);
	cal_read(&c, orbit, band);
	return c.gain * c.curve[k] + 1e-3 * c.offset;
}

static void scene_load(scene *s, int row, int col)
{
	unsigned seed = (unsigned)(row * 5003 + col * 97 + 1);
	s->row = row;
	s->col = col;
	s->orbit = (row / 3 + col) % ORBITS;
	for (int b = 0; b < BANDS; b++)
		for (int i = 0; i < TILE * TILE; i++) {
			seed = seed * 1664525u + 1013904223u;
			s->px[b][i] =
				(unsigned short)(300 + 40 * b + (seed >> 22));
		}
}

static double correct_band(scene *s, int b, float *out)
{
	double sun = fabs(sin(0.01 * s->row)) * 0.99,
	       r = response(s->orbit, b, sun), sum = 0;
	for (int j = 0; j < TILE; j++)
		for (int i = 0; i < TILE; i++) {
			float haze = 0.02f * (float)(j + i) / TILE;
			float v = (float)(s->px[b][j * TILE + i] * r) -
				  haze * 100.0f;
			out[j * TILE + i] = sqrtf(v > 0 ? v : 0);
			sum += out[j * TILE + i];
		}
	return sum / (TILE * TILE);
}

static double vegetation(const float *red, const float *nir)
{
	double sum = 0;
	for (int i = 0; i < TILE * TILE; i++)
		sum += (nir[i] - red[i]) / (nir[i] + red[i] + 1e-3f);
	return sum / (TILE * TILE);
}

int main(int argc, char **argv)
{
	int rows = argc > 1 ? atoi(argv[1]) : 160, cols = 60;
	static float plane[BANDS][TILE * TILE];
	scene *s = malloc(sizeof *s);
	double mean = 0, veg = 0;
	auxiliary(0);
	for (int r = 0; r < rows; r++)
		for (int c = 0; c < cols; c++) {
			scene_load(s, r, c);
			for (int b = 0; b < BANDS; b++)
				mean += correct_band(s, b, plane[b]);
			veg += vegetation(plane[2], plane[3]);
		}
	printf("mean radiance %.6f vegetation %.8f over %d tiles\n",
	       mean / (rows * cols * BANDS), veg / (rows * cols), rows * cols);
	auxiliary(1);
	free(s);
	return 0;
}
