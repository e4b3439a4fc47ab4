/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of digitised microscope slides: decoded, filtered and reduced to
 * features. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE  256
#define DEPTH 8

typedef struct {
	int id;
	uint8_t pix[SIDE * SIDE];
} tile;

typedef struct {
	tile *slot[DEPTH];
	int head, count, closed;
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
} tray;

typedef struct {
	uint8_t *bytes;
	size_t len;
} packed;

static tray belt = { .lock = PTHREAD_MUTEX_INITIALIZER,
		     .filled = PTHREAD_COND_INITIALIZER,
		     .freed = PTHREAD_COND_INITIALIZER };
static double features[64];
static pthread_mutex_t features_lock = PTHREAD_MUTEX_INITIALIZER;

static void tray_put(tray *t, tile *x)
{
	pthread_mutex_lock(&t->lock);
	while (t->count == DEPTH)
		pthread_cond_wait(&t->freed, &t->lock);
	t->slot[(t->head + t->count++) % DEPTH] = x;
	pthread_cond_signal(&t->filled);
	pthread_mutex_unlock(&t->lock);
}

static tile *tray_get(tray *t)
{
	tile *x = NULL;
	pthread_mutex_lock(&t->lock);
	while (t->count == 0 && !t->closed)
		pthread_cond_wait(&t->filled, &t->lock);
	if (t->count > 0) {
		x = t->slot[t->head];
		t->head = (t->head + 1) % DEPTH;
		t->count--;
		pthread_cond_signal(&t->freed);
	}
	pthread_mutex_unlock(&t->lock);
	return x;
}

static void tray_close(tray *t)
{
	pthread_mutex_lock(&t->lock);
	t->closed = 1;
	pthread_cond_broadcast(&t->filled);
	pthread_mutex_unlock(&t->lock);
}

/* Elias-gamma coded differences, most significant bit first. */
static void bit_put(packed *p, size_t *pos, unsigned b)
{
	if (b)
		p->bytes[*pos >> 3] |= (uint8_t)(0x80u >> (*pos & 7));
	(*pos)++;
}

static packed scan_encode(unsigned seed)
{
	packed p = { calloc(SIDE * SIDE, 3), 0 };
	size_t pos = 0;
	int prev = 0;
	for (int i = 0; i < SIDE * SIDE; i++) {
		seed = seed * 1664525u + 1013904223u;
		int v = (int)(128 + 90 * sin((i % SIDE) * 0.06 + seed % 3) *
					    cos(i / SIDE * 0.045)) +
			(int)(seed >> 28);
		int d = v - prev;
		unsigned u = (unsigned)(d >= 0 ? 2 * d : -2 * d - 1) + 1u;
		int n = 0;
		while (u >> (n + 1))
			n++;
		for (int k = 0; k < n; k++)
			bit_put(&p, &pos, 0);
		for (int k = n; k >= 0; k--)
			bit_put(&p, &pos, u >> k & 1u);
		prev = v;
	}
	p.len = (pos + 7) / 8;
	return p;
}

static unsigned bit_get(const packed *p, size_t *pos)
{
	unsigned b = p->bytes[*pos >> 3] >> (7 - (*pos & 7)) & 1u;
	(*pos)++;
	return b;
}

static uint32_t digest(const uint8_t *b, size_t n)
{
	uint32_t crc = ~0u;
	for (size_t i = 0; i < n; i++) {
		crc ^= b[i];
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1u)));
	}
	return ~crc;
}

static tile *tile_open(const packed *p, int id, uint32_t *sum)
{
	tile *t = malloc(sizeof *t);
	size_t pos = 0;
	int v = 0;
	t->id = id;
	for (int i = 0; i < SIDE * SIDE; i++) {
		int n = 0;
		unsigned u = 1;
		while (!bit_get(p, &pos))
			n++;
		while (n--)
			u = u << 1 | bit_get(p, &pos);
		u -= 1;
		v += u & 1u ? -(int)((u + 1) / 2) : (int)(u / 2);
		t->pix[i] = (uint8_t)v;
	}
	*sum ^= digest(t->pix, sizeof t->pix);
	return t;
}

static double tile_energy(const tile *t)
{
	double e = 0;
	for (int j = 1; j < SIDE - 1; j++)
		for (int i = 1; i < SIDE - 1; i++) {
			const uint8_t *c = &t->pix[j * SIDE + i];
			float gx = (float)(c[1] - c[-1]),
			      gy = (float)(c[SIDE] - c[-SIDE]);
			e += sqrtf(gx * gx + gy * gy);
		}
	return e / (SIDE * SIDE);
}

static void *analyse(void *arg)
{
	tile *t;
	(void)arg;
	while ((t = tray_get(&belt)) != NULL) {
		double e = tile_energy(t);
		pthread_mutex_lock(&features_lock);
		features[t->id % 64] += e;
		pthread_mutex_unlock(&features_lock);
		free(t);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int workers = argc > 1 ? atoi(argv[1]) : 3,
	    tiles = argc > 2 ? atoi(argv[2]) : 2000;
	pthread_t crew[64];
	packed scans[16];
	uint32_t sum = 0;
	double total = 0;
	if (workers > 64)
		workers = 64;
	for (int k = 0; k < 16; k++)
		scans[k] = scan_encode(17u * (unsigned)k + 5u);
	for (int k = 0; k < workers; k++)
		pthread_create(&crew[k], NULL, analyse, NULL);
	for (int n = 0; n < tiles; n++)
		tray_put(&belt, tile_open(&scans[n % 16], n, &sum));
	tray_close(&belt);
	for (int k = 0; k < workers; k++)
		pthread_join(crew[k], NULL);
	for (int k = 0; k < 64; k++)
		total += features[k];
	printf("mean edge energy %.6f digest %08x\n", total / tiles, sum);
	for (int k = 0; k < 16; k++)
		free(scans[k].bytes);
	return 0;
}
