/* SPDX-License-Identifier: BSD-3-Clause */
/* live-screen.c - see live-screen.h. */
#include "tools/live-screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tools/out.h"

#define OTHER_SCREEN "\033[?1049h\033[?25l" /* and no cursor */
#define SAME_SCREEN  "\033[?25h\033[?1049l"
#define FIRST_PLACE  "\033[H"
#define END_OF_LINE  "\033[K\r\n"
#define END_OF_ALL   "\033[J"

enum {
	ESCAPE = 27,
	DELETE = 127,
	WAIT_FOR_KEY = 3600 /* seconds */
};

/* Mutable: the terminal as it was, and what signals have said. */
static struct termios terminal_before;
static volatile sig_atomic_t told_to_end;

static void on_end(int signum)
{
	(void)signum;
	told_to_end = 1;
}

static void on_resize(int signum)
{
	(void)signum;
}

bool screen_is_possible(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && terminal &&
	       *terminal && strcmp(terminal, "dumb") != 0;
}

/* Not with SA_RESTART: poll() is to end. */
static void handle_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction end = { .sa_handler = on_end };
	struct sigaction resize = { .sa_handler = on_resize };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigaction(ends[i], &end, NULL);
	sigaction(SIGWINCH, &resize, NULL);
	signal(SIGTSTP, SIG_IGN); /* the shell would get this screen */
}

void screen_begin(void)
{
	struct termios raw;
	FILE *to = out_below(stdout);

	handle_signals();
	tcgetattr(STDIN_FILENO, &terminal_before);
	raw = terminal_before;
	raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	fputs(OTHER_SCREEN, to);
	fflush(to);
}

void screen_end(void)
{
	FILE *to = out_below(stdout);

	fputs(SAME_SCREEN, to);
	fflush(to);
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
}

struct screen_size screen_size(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row ||
	    !size.ws_col)
		return (struct screen_size){ 24, 80 };
	return (struct screen_size){ size.ws_row, size.ws_col };
}

void screen_show(const char *text, const char *foot)
{
	struct screen_size size = screen_size();
	unsigned int rows = size.rows, row = 1;
	FILE *to = out_below(stdout);

	fputs(FIRST_PLACE, to);
	for (; row < rows && *text; row++) {
		size_t length = strcspn(text, "\n");

		fwrite(text, 1, length, to);
		fputs(END_OF_LINE, to);
		text += length + (text[length] == '\n');
	}
	fputs(END_OF_ALL, to);
	fprintf(to, "\033[%u;1H%.*s", rows, (int)size.columns, foot);
	fflush(to);
}

int screen_key(double seconds)
{
	struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned char key;

	if (told_to_end)
		return 'q';
	if (poll(&keys, 1, (int)(seconds * 1000)) <= 0)
		return told_to_end ? 'q' : 0;
	if (read(STDIN_FILENO, &key, 1) == 1)
		return key;
	told_to_end = 1; /* the terminal has gone */
	return 'q';
}

bool screen_ask(const char *prompt, char *to, size_t size)
{
	FILE *screen = out_below(stdout);
	size_t length = 0;

	for (;;) {
		int key;

		to[length] = 0;
		fprintf(screen, "\033[%u;1H\033[K%s%s_", screen_size().rows,
			prompt, to);
		fflush(screen);
		key = screen_key(WAIT_FOR_KEY);
		if (key == ESCAPE || told_to_end)
			return false;
		if (key == '\n' || key == '\r')
			return true;
		if (key == DELETE || key == '\b')
			length -= length > 0;
		else if (key >= ' ' && length + 1 < size &&
			 strlen(prompt) + length + 2 < screen_size().columns)
			to[length++] = (char)key;
	}
}
