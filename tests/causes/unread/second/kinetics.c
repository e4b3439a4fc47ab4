/* SPDX-License-Identifier: BSD-3-Clause */
/* Implicit chemistry in the cells of a combustion mesh: one small linear system
 * a cell. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NSPEC 80

typedef struct {
	double jac[NSPEC][NSPEC];
	double y[NSPEC], rhs[NSPEC], temp;
} cell;

typedef struct {
	double x[NSPEC], r[NSPEC], rt[NSPEC], p[NSPEC], v[NSPEC], s[NSPEC],
		t[NSPEC];
} krylov;

static double dot(const double *a, const double *b, int n)
{
	double sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void axpy(double *y, double a, const double *x, int n)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		y[i] += a * x[i];
}

static void combine(double *p, const double *r, double beta, double omega,
		    const double *v, int n)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		p[i] = r[i] + beta * (p[i] - omega * v[i]);
}

static void apply(const cell *c, const double *x, double *y)
{
#pragma omp parallel for
	for (int i = 0; i < NSPEC; i++) {
		double sum = 0;
		for (int j = 0; j < NSPEC; j++)
			sum += c->jac[i][j] * x[j];
		y[i] = sum;
	}
}

static double rate(double temp, int i, int j)
{
	double e = 1.0 + 0.3 * ((i * 7 + j * 3) % 11);
	return 0.02 * exp(-e / temp) / (1.0 + fabs((double)(i - j)));
}

static void linearise(cell *c, double dt)
{
	for (int i = 0; i < NSPEC; i++) {
		double loss = 0;
		for (int j = 0; j < NSPEC; j++) {
			if (i == j)
				continue;
			double k =
				(i + j) % 5 == 0 ? rate(c->temp, i, j) : 0.004;
			c->jac[i][j] = -dt * k;
			loss += k * (1.0 + 0.1 * (j % 3));
		}
		c->jac[i][i] = 1.0 + dt * loss;
	}
	memcpy(c->rhs, c->y, sizeof c->rhs);
}

static int solve(const cell *c, krylov *w, double tol)
{
	double rho = 1, alpha = 1, omega = 1, norm;
	memset(w->x, 0, sizeof w->x);
	memcpy(w->r, c->rhs, sizeof w->r);
	memcpy(w->rt, w->r, sizeof w->rt);
	memset(w->p, 0, sizeof w->p);
	memset(w->v, 0, sizeof w->v);
	norm = sqrt(dot(c->rhs, c->rhs, NSPEC));
	for (int it = 1; it <= 60; it++) {
		double rho1 = dot(w->rt, w->r, NSPEC);
		double beta = rho1 / rho * alpha / omega;
		combine(w->p, w->r, beta, omega, w->v, NSPEC);
		apply(c, w->p, w->v);
		alpha = rho1 / dot(w->rt, w->v, NSPEC);
		memcpy(w->s, w->r, sizeof w->s);
		axpy(w->s, -alpha, w->v, NSPEC);
		apply(c, w->s, w->t);
		omega = dot(w->t, w->s, NSPEC) / dot(w->t, w->t, NSPEC);
		axpy(w->x, alpha, w->p, NSPEC);
		axpy(w->x, omega, w->s, NSPEC);
		memcpy(w->r, w->s, sizeof w->r);
		axpy(w->r, -omega, w->t, NSPEC);
		if (sqrt(dot(w->r, w->r, NSPEC)) < tol * norm)
			return it;
		rho = rho1;
	}
	return 60;
}

static int react(cell *c, krylov *w, double dt, int step)
{
	int it;
	linearise(c, dt);
	it = solve(c, w, 1e-11);
	memcpy(c->y, w->x, sizeof c->y);
	for (int i = step % 13; i < NSPEC; i += 13)
		c->y[i] += 0.4;
	c->temp += 1e-4 * (c->y[0] - c->y[NSPEC - 1]);
	return it;
}

int main(int argc, char **argv)
{
	int ncell = 100, steps = argc > 1 ? atoi(argv[1]) : 250;
	long iterations = 0;
	cell *mesh = calloc((size_t)ncell, sizeof *mesh);
	krylov *w = malloc(sizeof *w);
	if (!mesh || !w)
		return 1;
	for (int k = 0; k < ncell; k++) {
		mesh[k].temp = 0.8 + 0.004 * k;
		for (int i = 0; i < NSPEC; i++)
			mesh[k].y[i] = 1.0 / (1 + (i + k) % 17);
	}
	for (int n = 0; n < steps; n++)
		for (int k = 0; k < ncell; k++)
			iterations += react(&mesh[k], w, 2.0, n);
	double sum = 0;
	for (int k = 0; k < ncell; k++)
		for (int i = 0; i < NSPEC; i++)
			sum += mesh[k].y[i] * (1 + i % 3);
	printf("species sum %.10f, %ld iterations, %d threads\n", sum,
	       iterations, omp_get_max_threads());
	free(w);
	free(mesh);
	return 0;
}
