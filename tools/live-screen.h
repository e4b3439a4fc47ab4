/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-screen.h - a text that changes, on the whole terminal: what was there
 * before comes back in the end.
 *
 * The six sequences are those that all terminals since the VT100 and xterm
 * obey; ncurses would add a library to draw what a report has drawn already.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct screen_size {
	unsigned int rows, columns;
};

/* stdin and stdout are a terminal, that can do it. */
bool screen_is_possible(void);

/* From here on keys are read as they come; a signal ends that, too. */
void screen_begin(void);
void screen_end(void);

struct screen_size screen_size(void);

/* As much of both as there is room for, `foot` (ASCII) in the last line. */
void screen_show(const char *text, const char *foot);

/*
 * What is typed in the last line, until the end of line; false: Escape, or a
 * signal.
 */
bool screen_ask(const char *prompt, char *to, size_t size);

/*
 * A key within so many seconds; 0: none came, or the size of the terminal has
 * changed; 'q' also when a signal or the terminal says that it is over.
 */
int screen_key(double seconds);
