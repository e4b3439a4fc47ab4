/* SPDX-License-Identifier: BSD-3-Clause */
/* view-http.c - libmicrohttpd, one thread, GET alone. */
#include <errno.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "config.h"

#include "tools/view/view-http.h"

enum {
	TIMEOUT = 60,   /* seconds, of a connection that does nothing */
	MOST_HOLD = 32, /* connections; then the oldest stranger's ends */
	STRANGER = 10,  /* seconds until one has asked for what it may have */
	TURN = 200      /* ms between looks at *stop */
};

/*
 * A connection.  Until it was let in it is a stranger's: any user of the host
 * can hold such ones, and send a byte now and then.
 */
struct visitor {
	struct visitor *next; /* an older one */
	int socket;
	time_t since;
	bool is_in, is_out; /* let in; being ended */
};

struct serving {
	struct visitor *newest;
	void (*answer)(void *of, const struct view_request *request,
		       struct view_answer *to);
	void *of;
};

static const char *request_value(const struct view_request *request,
				 const char *name)
{
	return MHD_lookup_connection_value(request->connection,
					   MHD_GET_ARGUMENT_KIND, name);
}

static int connection_socket(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static time_t visit_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* The library sees the end of it, and closes. */
static void visit_end(struct visitor *v)
{
	v->is_out = true;
	shutdown(v->socket, SHUT_RDWR);
}

/* Strangers who took too long, and where there are too many the oldest. */
static void visits_limit(struct serving *s)
{
	time_t now = visit_clock();
	struct visitor *oldest = NULL;
	size_t count = 0;

	for (struct visitor *v = s->newest; v; v = v->next) {
		if (!v->is_in && !v->is_out && now - v->since > STRANGER)
			visit_end(v);
		count += !v->is_out;
		if (!v->is_in && !v->is_out)
			oldest = v;
	}
	if (count > MOST_HOLD && oldest)
		visit_end(oldest);
}

static void visit_begin(struct serving *s, struct MHD_Connection *c, void **of)
{
	struct visitor *v = calloc(1, sizeof(*v));

	*of = v;
	if (!v) { /* it cannot be let in */
		shutdown(connection_socket(c), SHUT_RDWR);
		return;
	}
	*v = (struct visitor){ .next = s->newest,
			       .socket = connection_socket(c),
			       .since = visit_clock() };
	s->newest = v;
	visits_limit(s);
}

static void note_visit(void *of, struct MHD_Connection *c, void **its,
		       enum MHD_ConnectionNotificationCode what)
{
	struct serving *s = of;
	struct visitor **at = &s->newest;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		visit_begin(s, c, its);
		return;
	}
	while (*at && *at != *its)
		at = &(*at)->next;
	if (*at)
		*at = (*at)->next;
	free(*its);
	*its = NULL;
}

static void visit_let_in(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct visitor *v = info ? info->socket_context : NULL;

	if (v)
		v->is_in = true;
}

/* The page runs scripts: nobody else may frame it, or learn its address. */
static void add_headers(struct MHD_Response *response, const char *type)
{
	MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "Cache-Control", "no-store");
	MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "X-Frame-Options", "DENY");
	MHD_add_response_header(response, "Cross-Origin-Resource-Policy",
				"same-origin");
}

static enum MHD_Result send_answer(struct MHD_Connection *c,
				   const struct view_answer *a)
{
	enum MHD_ResponseMemoryMode mode =
		a->is_kept ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE;
	struct MHD_Response *response =
		MHD_create_response_from_buffer(a->size, (void *)a->body, mode);
	enum MHD_Result result;

	if (!response) {
		if (!a->is_kept)
			free((void *)a->body);
		return MHD_NO;
	}
	add_headers(response, a->type);
	result = MHD_queue_response(c, (unsigned int)a->status, response);
	MHD_destroy_response(response);
	return result;
}

/*
 * A web page may have a name of its own lead to the browser's computer, and so
 * read what a forwarded socket gives without a token: that name has a dot.
 */
static bool is_foreign_name(struct MHD_Connection *c)
{
	const char *host =
		MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");

	return host && strchr(host, '.') &&
	       host[strspn(host, "0123456789.:[]")];
}

static enum MHD_Result handle_request(void *of, struct MHD_Connection *c,
				      const char *url, const char *method,
				      const char *version, const char *upload,
				      size_t *upload_size, void **state)
{
	const struct serving *s = of;
	struct view_request request = { .path = url,
					.socket = connection_socket(c),
					.connection = c,
					.value = request_value };
	struct view_answer answer = { .status = 405,
				      .type = "text/plain",
				      .body = "GET is all there is\n",
				      .size = strlen("GET is all there is\n"),
				      .is_kept = 1 };

	(void)version, (void)upload, (void)state;
	*upload_size = 0;
	if (is_foreign_name(c))
		answer = (struct view_answer){
			.status = 403,
			.type = "text/plain",
			.body = "call it 127.0.0.1 or localhost\n",
			.size = strlen("call it 127.0.0.1 or localhost\n"),
			.is_kept = 1
		};
	else if (!strcmp(method, "GET"))
		s->answer(s->of, &request, &answer);
	if (answer.status != 403 && answer.status != 405)
		visit_let_in(c);
	return send_answer(c, &answer);
}

/* As MHD_run_wait(), which libmicrohttpd has since 0.9.73. */
static void run_turn(struct MHD_Daemon *daemon)
{
	struct timeval turn = { .tv_usec = TURN * 1000 };
	fd_set reads, writes, excepts;
	int most = 0;

	FD_ZERO(&reads);
	FD_ZERO(&writes);
	FD_ZERO(&excepts);
	MHD_get_fdset(daemon, &reads, &writes, &excepts, &most);
	select(most + 1, &reads, &writes, &excepts, &turn);
	MHD_run(daemon);
}

static int view_serve(int socket,
		      void (*answer)(void *of,
				     const struct view_request *request,
				     struct view_answer *to),
		      void *of, const volatile sig_atomic_t *stop)
{
	struct serving s = { .answer = answer, .of = of };
	struct MHD_Daemon *daemon = MHD_start_daemon(
		0, 0, NULL, NULL, handle_request, &s, MHD_OPTION_LISTEN_SOCKET,
		socket, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)TIMEOUT,
		MHD_OPTION_CONNECTION_LIMIT, 2 * (unsigned int)MOST_HOLD,
		MHD_OPTION_NOTIFY_CONNECTION, note_visit, &s, MHD_OPTION_END);

	if (!daemon)
		return -EIO;
	while (!*stop) {
		run_turn(daemon);
		visits_limit(&s);
	}
	MHD_stop_daemon(daemon);
	return 0;
}

extern const struct view_http copse_view_http;

/* All that leaves the library. */
__attribute__((visibility("default")))
const struct view_http copse_view_http = {
	.version = PACKAGE_VERSION,
	.serve = view_serve,
};
