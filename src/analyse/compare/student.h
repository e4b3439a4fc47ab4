/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * student.h - Student's t distribution (Biometrika 6, 1908): what chance does
 * to the mean of a few values whose spread is not known but from themselves.
 */
#pragma once

/*
 * The probability of a value above t, by so many degrees of freedom, which may
 * be INFINITY: then it is the normal distribution's.
 */
double student_above(double t, double freedom);

/* The t whose student_above() is p, 0 < p <= 0.5. */
double student_limit(double p, double freedom);
