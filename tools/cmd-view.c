/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cmd-view.c - copse view: the page of a run, served, which then asks for exact
 * values of any process instead of the groups that a file has room for.
 *
 * Login nodes are shared: whoever has no token, or is not the owner of the
 * socket's other end, gets nothing.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "config.h"

#include "analyse/paths/idle-threads.h"
#include "base/err.h"
#include "base/str.h"
#include "format/format.h"
#include "format/page/page-tile.h"
#include "launch/host-lock.h"
#include "launch/preload.h"
#include "merge/merge.h"
#include "tools/command.h"
#include "tools/out.h"
#include "tools/pick.h"
#include "tools/show.h"
#include "tools/view/view-http.h"
#include "tools/progress.h"

enum {
	TOKEN_BYTES = 16,
	TOKEN = 2 * TOKEN_BYTES, /* characters */
	WAITING = 128,
	LOCK_MS = 2000,
};

/* Mutable: the command's options. */
static unsigned int port;
static const char *socket_path, *sources = "off";

/* Mutable: a signal sets it. */
static volatile sig_atomic_t stop;

static const struct option options[] = {
	{ 0, "port", "N", "of 127.0.0.1; 0: any that is free (0)", parse_count,
	  &port },
	{ 0, "socket", "FILE", "a Unix socket instead, for ssh -L",
	  parse_string, &socket_path },
	{ 0, "sources", "on|off", "the text of the lines that take most (off)",
	  parse_string, &sources },
	{ 0 },
};

struct viewing {
	struct run *run;
	struct paths paths;
	char *page;
	size_t page_size;
	char token[TOKEN + 1]; /* "": on a Unix socket */
};

/*
 * Who may ask.
 */

static int make_token(char to[TOKEN + 1])
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return fail(-EIO, "the system gives no random numbers");
	for (size_t i = 0; i < sizeof(bytes); i++)
		sprintf(to + 2 * i, "%02x", bytes[i]);
	return 0;
}

/* In the same time whatever it is. */
static bool is_token(const char *path, const char *token)
{
	unsigned char differs = 0;

	for (size_t i = 0; i < TOKEN; i++) {
		if (!path[i])
			return false;
		differs |= (unsigned char)(path[i] ^ token[i]);
	}
	return !differs && path[TOKEN] == '/';
}

/* The other end is of the same user. */
static bool is_own_peer(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
	       peer.uid == geteuid();
}

/* Behind what lets somebody in; NULL: he may not. */
static const char *path_behind_token(const struct viewing *v,
				     const struct view_request *request)
{
	const char *path = request->path + (*request->path == '/');

	if (!*v->token)
		return is_own_peer(request->socket) ? path : NULL;
	if (!is_token(path, v->token))
		return NULL;
	return path + TOKEN + 1;
}

/*
 * Answers.
 */

static void answer_text(struct view_answer *to, int status, const char *text)
{
	char *body = str_format("%s\n", text);

	*to = (struct view_answer){ .status = status,
				    .type = "text/plain; charset=utf-8",
				    .body = body ? body : "",
				    .size = body ? strlen(body) : 0,
				    .is_kept = !body };
}

static bool read_index(const char *text, size_t count, size_t *to)
{
	uint64_t number;

	if (!text || !str_to_uint(text, &number) || number >= count)
		return false;
	*to = number;
	return true;
}

/* "3,17,4" */
static bool read_nodes(struct page_tile *tile, const char *text, size_t count)
{
	char word[16];

	while (text && *text) {
		size_t length = strcspn(text, ","), node;

		if (length >= sizeof(word) || tile->node_count == TILE_NODES)
			return false;
		memcpy(word, text, length);
		word[length] = 0;
		if (!read_index(word, count, &node))
			return false;
		tile->nodes[tile->node_count++] = (uint32_t)node;
		text += length + (text[length] == ',');
	}
	return tile->node_count;
}

static const struct run_metric *asked_metric(const struct viewing *v,
					     const struct view_request *r)
{
	const char *name = r->value(r, "metric");
	const struct run_metric *m = name ? run_metric(v->run, name) : NULL;

	return m && m->merge == MERGE_SUM ? m : NULL;
}

/* tile?metric=M&nodes=3,17[&first=R&ranks=N][&own=1] */
static int write_tile(FILE *to, const struct viewing *v,
		      const struct view_request *r)
{
	const char *first = r->value(r, "first"), *ranks = r->value(r, "ranks");
	const char *own = r->value(r, "own");
	struct page_tile tile = { .metric = asked_metric(v, r),
				  .ranks = v->run->rank_count,
				  .own = own && !strcmp(own, "1") };

	if (!tile.metric ||
	    !read_nodes(&tile, r->value(r, "nodes"), v->run->node_count))
		return fail(-EINVAL, "tile?metric=NAME&nodes=N,N,...");
	if (first && !read_index(first, v->run->rank_count, &tile.first))
		return fail(-EINVAL, "no process %s", first);
	tile.ranks -= tile.first;
	if (ranks && !read_index(ranks, tile.ranks + 1, &tile.ranks))
		return fail(-EINVAL, "there are not %s processes", ranks);
	return page_tile_write(to, &v->paths, &tile);
}

/* rank?metric=M&row=R */
static int write_rank(FILE *to, const struct viewing *v,
		      const struct view_request *r)
{
	const struct run_metric *metric = asked_metric(v, r);
	size_t row;

	if (!metric ||
	    !read_index(r->value(r, "row"), v->run->rank_count, &row))
		return fail(-EINVAL, "rank?metric=NAME&row=N");
	return page_tile_rank(to, v->run, metric, row);
}

/* time?bin=B&bins=N&first=R&ranks=N */
static int write_time(FILE *to, const struct viewing *v,
		      const struct view_request *r)
{
	const struct run_timeline *t = &v->run->timeline;
	size_t first, ranks, bin, bins;

	if (!t->axis_count)
		return fail(-EINVAL, "this run has no timeline");
	if (!read_index(r->value(r, "bin"), t->axes->bins, &bin) ||
	    !read_index(r->value(r, "bins"), t->axes->bins - bin + 1, &bins) ||
	    !read_index(r->value(r, "first"), v->run->rank_count, &first) ||
	    !read_index(r->value(r, "ranks"), v->run->rank_count - first + 1,
			&ranks) ||
	    !bins || !ranks)
		return fail(-EINVAL, "time?bin=N&bins=N&first=N&ranks=N");
	return page_tile_time(to, &v->paths, first, ranks, (uint32_t)bin,
			      (uint32_t)bins);
}

static void answer_values(const struct viewing *v,
			  const struct view_request *request,
			  struct view_answer *to,
			  int (*write)(FILE *, const struct viewing *,
				       const struct view_request *))
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	int err = stream ? write(stream, v, request) : no_memory();

	if (stream && fclose(stream))
		err = no_memory();
	if (err) {
		free(text);
		answer_text(to, err == -EINVAL ? 400 : 500, fail_reason());
		return;
	}
	*to = (struct view_answer){ .status = 200,
				    .type = "application/json",
				    .body = text,
				    .size = size };
}

static void answer_view(void *of, const struct view_request *request,
			struct view_answer *to)
{
	const struct viewing *v = of;
	const char *path = path_behind_token(v, request);

	if (!path)
		answer_text(to, 403, "this is another user's");
	else if (!*path)
		*to = (struct view_answer){ .status = 200,
					    .type = "text/html; charset=utf-8",
					    .body = v->page,
					    .size = v->page_size,
					    .is_kept = 1 };
	else if (!strcmp(path, "tile"))
		answer_values(v, request, to, write_tile);
	else if (!strcmp(path, "rank"))
		answer_values(v, request, to, write_rank);
	else if (!strcmp(path, "time"))
		answer_values(v, request, to, write_time);
	else
		answer_text(to, 404,
			    "there is a page here, tile, rank and time");
}

/*
 * The page and the run.
 */

static int open_view_run(struct run **run, const char *path)
{
	struct run *runs[2] = { NULL, NULL };
	struct progress bar;
	struct merge_progress progress = progress_start(&bar, NULL);
	int err = merge_open(run, path, &progress);

	progress_end(&bar);
	if (err)
		return err == -EINVAL ? -EIO : err;
	runs[0] = *run;
	return idle_threads_leave_out(runs);
}

static int make_view_page(struct viewing *v)
{
	const struct run *runs[] = { v->run, NULL };
	const struct overview_choice choice = { .sources =
							!strcmp(sources, "on"),
						.live = true };
	const struct analysis_options how = { 0 };
	struct overview overview;
	FILE *to;
	int err = overview_init(&overview, runs, &choice, &how);

	if (err)
		return err;
	show_sources("view", &overview);
	to = open_memstream(&v->page, &v->page_size);
	err = to ? format_find("html")->write_overview(to, &overview)
		 : no_memory();
	if (to && fclose(to))
		err = no_memory();
	overview_fini(&overview);
	return err;
}

/* What the page was made from is given back: tiles need little of it. */
static int viewing_init(struct viewing *v, const char *path)
{
	int err = open_view_run(&v->run, path);

	if (!err)
		err = make_view_page(v);
	run_free(v->run);
	v->run = NULL;
	malloc_trim(0);
	if (!err)
		err = open_view_run(&v->run, path);
	return err ? err : paths_init(&v->paths, v->run);
}

static void viewing_fini(struct viewing *v)
{
	paths_fini(&v->paths);
	run_free(v->run);
	free(v->page);
}

/*
 * Where it listens.
 */

static int listen_here(const struct sockaddr *at, socklen_t size,
		       const char *name)
{
	int fd = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	mode_t mask = umask(0177); /* of a Unix socket: its owner's alone */
	int err = 0;

	if (fd < 0 || bind(fd, at, size) || listen(fd, WAITING))
		err = -errno;
	umask(mask);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return fail(err, "cannot listen on %s: %s", name, strerror(-err));
}

/* The process that listens there; 0: none, as where one was killed. */
static int find_listener(const struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred peer = { .pid = 0 };
	socklen_t size = sizeof(peer);

	if (fd < 0)
		return -errno;
	if (!connect(fd, (const struct sockaddr *)at, sizeof(*at)))
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
	else if (errno == EAGAIN) /* there is a queue */
		peer.pid = -1;
	close(fd);
	return peer.pid;
}

/* Of ours alone, and only where nobody listens. */
static int remove_left_socket(const struct sockaddr_un *at)
{
	struct stat st;
	int pid;

	if (lstat(at->sun_path, &st) || !S_ISSOCK(st.st_mode) ||
	    st.st_uid != geteuid())
		return 0;
	pid = find_listener(at);
	if (pid > 0)
		return fail(-EADDRINUSE,
			    "process %d listens on %s already: end it, or give "
			    "--socket another name",
			    pid, at->sun_path);
	if (pid < 0)
		return fail(-EADDRINUSE, "a process listens on %s already",
			    at->sun_path);
	unlink(at->sun_path);
	return 0;
}

static int listen_on_file(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct host_lock lock;
	int fd;

	if (strlen(path) >= sizeof(at.sun_path))
		return fail(-ENAMETOOLONG,
			    "%s is too long for a socket: %zu bytes are the "
			    "most",
			    path, sizeof(at.sun_path) - 1);
	strcpy(at.sun_path, path);
	/* Of two that begin at once, one. */
	if (host_lock_take(&lock, LOCK_MS))
		lock.fd = -1;
	fd = remove_left_socket(&at);
	if (!fd)
		fd = listen_here((struct sockaddr *)&at, sizeof(at), path);
	if (lock.fd >= 0)
		host_lock_release(&lock);
	return fd;
}

static int listen_on_port(unsigned int *number)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(at);
	int fd;

	if (*number > 65535)
		return fail(-EINVAL, "there is no port %u", *number);
	at.sin_port = htons((uint16_t)*number);
	fd = listen_here((struct sockaddr *)&at, sizeof(at), "127.0.0.1");
	if (fd >= 0 && !getsockname(fd, (struct sockaddr *)&at, &size))
		*number = ntohs(at.sin_port);
	return fd;
}

static void say_address(const struct viewing *v)
{
	if (socket_path)
		printf("copse view: listens on %s; from your computer: ssh -L "
		       "8080:%s HOST, then http://127.0.0.1:8080/\n",
		       socket_path, socket_path);
	else
		printf("copse view: http://127.0.0.1:%u/%s/ (who has this "
		       "address sees the run; from your computer: ssh -L "
		       "%u:127.0.0.1:%u HOST first)\n",
		       port, v->token, port, port);
	printf("copse view: serves until Ctrl-C\n");
	fflush(out_below(stdout));
}

static void end_view(int signo)
{
	(void)signo;
	stop = 1;
}

static int serve_view(struct viewing *v, const struct view_http *http)
{
	int fd = socket_path ? listen_on_file(socket_path)
			     : listen_on_port(&port);
	int err = fd < 0 ? fd : 0;
	struct stat ours, there;

	if (!err && socket_path && lstat(socket_path, &ours))
		err = fail(-errno, "%s: %s", socket_path, strerror(errno));

	if (!err && !socket_path)
		err = make_token(v->token);
	if (!err) {
		signal(SIGINT, end_view);
		signal(SIGTERM, end_view);
		signal(SIGHUP, end_view);
		signal(SIGPIPE, SIG_IGN);
		say_address(v);
		err = http->serve(fd, answer_view, v, &stop);
		if (err)
			fail(err, "cannot serve: %s", strerror(-err));
	}
	/* Not another's, who has the name now. */
	if (socket_path && fd >= 0 && !lstat(socket_path, &there) &&
	    there.st_dev == ours.st_dev && there.st_ino == ours.st_ino)
		unlink(socket_path);
	return err;
}

static const struct view_http *open_http(void)
{
	const struct view_http *http = NULL;
	char path[PATH_MAX];
	void *library;

	if (preload_find("libcopse-view.so", path)) {
		fail(-ENOEXEC,
		     "this copse was built without libmicrohttpd; copse report "
		     "-f html makes a page without a server");
		return NULL;
	}
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library)
		http = dlsym(library, "copse_view_http");
	if (!http)
		fail(-ENOEXEC, "%s", dlerror());
	else if (strcmp(http->version, PACKAGE_VERSION) != 0)
		fail(-ENOEXEC, "%s is of version %s, this command of %s", path,
		     http->version, PACKAGE_VERSION);
	else
		return http;
	return NULL;
}

static int view_run(int argc, char **argv)
{
	const struct view_http *http;
	struct viewing v = { 0 };
	char *path;
	int err;

	if (argc != 1)
		return fail(-EINVAL, "which profile? copse view APP.copse");
	if (strcmp(sources, "on") != 0 && strcmp(sources, "off") != 0)
		return fail(-EINVAL, "--sources is on or off, not '%s'",
			    sources);
	http = open_http();
	if (!http)
		return -ENOEXEC;
	path = pick_run(argv[0], "view");
	err = path ? viewing_init(&v, path) : -ENOMEM;
	free(path);
	if (!err)
		err = serve_view(&v, http);
	viewing_fini(&v);
	return err;
}

const struct command command_view = {
	.name = "view",
	.synopsis = "[options] DIR|run.h5",
	.help = "the page of a run, served here: with exact values of any rank",
	.options = options,
	.run = view_run,
};
