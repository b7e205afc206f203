/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/visit.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "worker/deliver/deliver_inner.h"
#include "worker/deliver/door.h"
#include "worker/deliver/hls.h"
#include "worker/deliver/hls_index.h"
#include "worker/deliver/hls_reload.h"
#include "worker/deliver/hls_sessions.h"
#include "worker/deliver/listener.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/pictures.h"
#include "worker/deliver/scheme_location.h"
#include "worker/deliver/tls_link.h"
#include "worker/deliver/viewer_session.h"
#include "worker/deliver/viewer_conn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	/* places that each mount reserves for its own viewers: 1/OWN_SHARE of
	 * all places, divided by the number of mounts, at most OWN_MAX */
	OWN_SHARE = 4,
	OWN_MAX = 64,
};

/* Is there a place that is not reserved for viewers of other mounts? */
static bool has_place(const struct deliver *d, const struct mount *m)
{
	unsigned n = (unsigned)d->mounts.n, kept = 0;
	unsigned own = MIN(d->max_conns / OWN_SHARE / n, (unsigned)OWN_MAX);

	if (m->n_viewers < own || d->n_viewers + n * own < d->max_conns)
		return true;
	for (unsigned i = 0; i < n; i++) {
		unsigned has = d->mounts.mounts[i]->n_viewers;

		kept += has < own ? own - has : 0;
	}
	return d->n_viewers + kept < d->max_conns;
}

static bool is_get(const struct http_request *request)
{
	return strcmp(http_request_method(request), "GET") == 0;
}

static bool is_head(const struct http_request *request)
{
	return strcmp(http_request_method(request), "HEAD") == 0;
}

/* True for OPTIONS, which pages of other origins send before HLS requests. */
static bool is_options(const struct http_request *request)
{
	return strcmp(http_request_method(request), "OPTIONS") == 0;
}

/* True if the play paths are served in this connection, too: if the control
 * port passed it on, or its listener serves them, or did when it came. */
static bool serves_play(const struct deliver *d, const struct viewer_conn *c)
{
	const struct listener *l;

	if (c->play || strcmp(c->address, MSG_PLAY_ADDRESS) == 0)
		return true;
	LIST_FOREACH(l, &d->listeners, entry)
		if (strcmp(l->address, c->address) == 0)
			return l->play;
	return false;
}

/* The mount of this path, for clients with TLS or without; NULL: none. */
static struct mount *find_any(const struct deliver *d,
			      const struct viewer_conn *c, const char *path)
{
	struct mount *m = mount_table_find(&d->mounts, c->address, path);

	if (m == NULL && serves_play(d, c))
		m = mount_table_find(&d->mounts, MSG_PLAY_ADDRESS, path);
	return m;
}

static struct mount *find_path(const struct deliver *d,
			       const struct viewer_conn *c, const char *path)
{
	struct mount *m = find_any(d, c, path);

	return m != NULL && mount_accepts(m, c->secure) ? m : NULL;
}

typedef struct mount *find_fn(const struct deliver *,
			      const struct viewer_conn *, const char *path);

/* The mount of a path; for the path of an HLS segment or of the playlist of a
 * session, the mount of its playlist.  NULL: none.  *ret: what is wanted. */
static struct mount *find_beside(const struct deliver *d,
				 const struct viewer_conn *c, const char *path,
				 find_fn *find, struct hls_wanted *ret)
{
	struct mount *m = find(d, c, path);
	char playlist[IO_PATH_MAX];

	if (m != NULL || strlen(path) >= sizeof playlist)
		return m;
	if (!hls_segment_path(path, playlist, ret))
		(void)snprintf(playlist, sizeof playlist, "%s", path);
	else
		m = find(d, c, playlist);
	if (m == NULL && hls_session_path(playlist, &ret->session))
		m = find(d, c, playlist);
	return m != NULL && m->hls > 0 ? m : NULL;
}

/* The mount for a request of this connection; NULL: none.  *ret: which HLS
 * segment, part or playlist the request wants. */
static struct mount *find_mount(const struct deliver *d,
				const struct viewer_conn *c,
				const struct http_request *request,
				struct hls_wanted *ret)
{
	*ret = (struct hls_wanted){ .empty_missing = d->empty_missing,
				    .hash_names = d->hash_names };
	return find_beside(d, c, http_request_path(request), find_path, ret);
}

/* The mount of a path, also if it requires TLS and the connection has none, or
 * the reverse. */
static struct mount *find_asked(const struct deliver *d,
				const struct viewer_conn *c, const char *path)
{
	struct hls_wanted wanted;

	return find_beside(d, c, path, find_any, &wanted);
}

static void refuse(struct viewer_conn *c, int status)
{
	session_free(&c->session);
	viewer_conn_reject(c, status);
}

/* Makes the connection a viewer of the mount, or rejects it with 503. */
void deliver_admit(struct deliver *d, struct viewer_conn *c, struct mount *m)
{
	struct viewer_socket socket = { .copied = viewer_conn_is_copied(c),
					.local = c->local && !c->secure,
					.kernel = c->kernel,
					.peer = c->peer };
	struct ip_address address = ip_of(&c->peer);

	if (!has_place(d, m)) {
		deliver_log_full(d, c->address, "the free places are reserved "
				 "for other streams");
		refuse(c, 503);
		return;
	}
	if (c->peer.len > 0 &&
	    peers_enter(d->peers, &address, &socket.from) < 0) {
		deliver_log_full(d, c->address, "too many viewers from this "
				 "address (viewers_per_address)");
		refuse(c, 503);
		return;
	}
	if (viewer_conn_accept(c) < 0) {
		peer_leave(&socket.from);
		deliver_remove_conn(d, c);
		return;
	}
	socket.fd = viewer_conn_take_fd(c);
	socket.session = c->session;
	c->session = NULL;
	deliver_remove_conn(d, c);
	mount_add_viewer(m, &socket, mono_ms());
	d->n_viewers++;
	deliver_start_tick(d);
	deliver_report_demand(d, m);
}

static void redirect(struct viewer_conn *c, const char *location)
{
	char *header = xasprintf("Location: %s\r\n"
				 "Cache-Control: no-store\r\n", location);

	viewer_conn_answer(c, &(struct viewer_answer){
		.status = 302, .headers = header, .body = "",
	});
	free(header);
}

/* True if a proxy in front of this server ended the TLS of the client. */
static bool came_by_https(const struct http_request *request)
{
	const char *scheme = http_request_header(request, "x-forwarded-proto");

	return scheme != NULL && strcasecmp(scheme, "https") == 0;
}

/* Redirects a client to the same path of an https output, or of an http output
 * for a client with TLS, as after a change of the output.  The query may hold a
 * token that must not be sent in the clear, so a redirect to http has no query.
 * False: there is no such output, and the request has no answer yet. */
static bool visit_scheme(const struct deliver *d, struct viewer_conn *c,
			 const struct http_request *request)
{
	const char *path = http_request_path(request);
	const char *host = http_request_header(request, "host");
	const struct mount *m = find_asked(d, c, path);
	char *location;

	if (m == NULL || mount_accepts(m, c->secure) ||
	    (m->tls && came_by_https(request)) ||
	    strlen(http_request_query(request)) > SESSION_QUERY_MAX)
		return false;
	/* the output has just become https: the tls worker is not ready yet */
	if (m->tls && !tls_link_is_up(d->tls)) {
		viewer_conn_reject(c, 503);
		return true;
	}
	location = scheme_location(m->tls, host, path,
				   m->tls ? http_request_query(request) : "");
	if (location == NULL)
		return false;
	redirect(c, location);
	free(location);
	return true;
}

/* Redirects the client to the other scheme, or rejects the request with 404. */
static void answer_missing(const struct deliver *d, struct viewer_conn *c,
			   const struct http_request *request)
{
	if (!visit_scheme(d, c, request))
		viewer_conn_reject(c, 404);
}

/* Takes the answer to a request that waited for a permission; meanwhile its
 * mount may be gone, or have another stream.  A request that has its permission
 * and waits for packets keeps its place. */
static void on_verdict(struct session *s, const struct msg_deliver_answer *a,
		       void *arg)
{
	struct viewer_conn *c = arg;
	struct deliver *d = c->arg;
	struct hls_wanted wanted;
	struct mount *m = find_mount(d, c, c->request, &wanted);

	if (m != NULL && strcmp(m->stream, s->stream) != 0)
		m = NULL;
	/* the path has lost no_auth since the request: judge it again */
	if (a->verdict == ASK_ALLOWED && m != NULL && s->free_entry &&
	    !m->no_auth) {
		session_free(&c->session);
		visit_request(c, c->request, d);
		return;
	}
	if (a->verdict == ASK_ALLOWED && m != NULL && is_get(c->request)) {
		if (c->waits_for == NULL)
			deliver_welcome(d, c, m);
		return;
	}
	demand_wait_remove(&d->wait, c);
	c->session = NULL;
	session_free(&s);
	if (a->verdict != ASK_ALLOWED)
		visit_refuse(c, a);
	else if (m != NULL && m->hls > 0)
		visit_serve_hls(c, m->stream);
	else if (m != NULL)
		viewer_conn_answer_head(c, NULL);
	else
		answer_missing(d, c, c->request);
}

static const struct session_events session_events = {
	.on_verdict = on_verdict,
};

/* Counts the address of the connection.  False: it has too many viewers, and
 * the connection was rejected. */
static bool count_address(struct deliver *d, struct viewer_conn *c)
{
	struct ip_address address = ip_of(&c->peer);

	if (c->peer.len == 0 || c->from != NULL ||
	    peers_enter(d->peers, &address, &c->from) == 0)
		return true;
	deliver_log_full(d, c->address, "too many viewers from this address "
			 "(viewers_per_address)");
	viewer_conn_reject(c, 503);
	return false;
}

/* Serves a request.  An address may have a limited number of requests that
 * receive a segment or wait. */
void visit_serve_hls(struct viewer_conn *c, const char *stream)
{
	struct deliver *d = c->arg;
	struct hls_wanted wanted;
	struct mount *m = find_mount(d, c, c->request, &wanted);

	if (m != NULL && strcmp(m->stream, stream) != 0)
		m = NULL;
	if (m == NULL) {
		answer_missing(d, c, c->request);
		return;
	}
	if (!mount_recover(m)) {
		viewer_conn_reject(c, 503);
		return;
	}
	if (wanted.number > 0 && !count_address(d, c))
		return;
	/* before the request waits: the report starts the stream */
	deliver_report_demand(d, m);
	hls_answer(c, c->request, m, &wanted);
	if (c->hls.mount != NULL && !count_address(d, c))
		hls_forget(c);
	deliver_start_tick(d);
}

unsigned visit_reload_ms(struct mount *m)
{
	struct ring_segments all;
	uint64_t end;

	if (!mount_end(m, &end))
		return 0;
	hls_read_live(m, &all);
	return hls_reload_most_ms(&all);
}

void visit_rename(struct deliver *d, struct mount *m, const char *stream)
{
	struct hls_wanted wanted;
	struct viewer_conn *c;

	hls_sessions_rename(m, stream);
	/* connections in other lists have no open request */
	TAILQ_FOREACH(c, &d->busy, entry)
		if (c->session != NULL &&
		    find_mount(d, c, c->request, &wanted) == m)
			session_set_stream(c->session, stream);
}

/* Asks again about the viewers, who stay until the master answers. */
static void review_viewers(struct deliver *d, struct mount *m)
{
	struct viewer *v;

	LIST_FOREACH(v, &m->viewers, entry) {
		v->session->free_entry = m->no_auth;
		door_review(d->door, v->session->client);
	}
}

/* Judges the waiting HLS requests of the mount again.  Sessions that began with
 * the older settings get no further request, and expire. */
static void visit_hls_again(struct deliver *d, struct mount *m)
{
	struct viewer_conn *c, *next;

	/* an answer is sent later and frees no connection */
	for (c = TAILQ_FIRST(&d->busy); c != NULL; c = next) {
		next = TAILQ_NEXT(c, entry);
		if ((c->shared == NULL && c->hls.mount == NULL) ||
		    find_asked(d, c, http_request_path(c->request)) != m)
			continue;
		hls_forget(c);
		visit_request(c, c->request, d);
	}
}

void visit_again(struct deliver *d, struct mount *m)
{
	struct viewer_conn *c;

	/* the master has no count for a new mount: report its viewers */
	if (m->n_waiting + m->n_viewers + m->n_hls > 0)
		deliver_report_demand(d, m);
	review_viewers(d, m);
	if (m->hls > 0)
		visit_hls_again(d, m);
	for (uint32_t n = m->n_waiting; n > 0; n--) {
		c = demand_wait_find(&d->wait, m);
		if (c == NULL)
			return;
		demand_wait_last(&d->wait, c);
		session_free(&c->session);
		/* visit_request() may free c */
		visit_request(c, c->request, d);
	}
}

void visit_refuse(struct viewer_conn *c, const struct msg_deliver_answer *a)
{
	if (a->verdict == ASK_REDIRECTED)
		redirect(c, a->location);
	else
		viewer_conn_reject(c, a->verdict == ASK_BUSY ? 503 : 403);
}

/* --- pictures --- */

/* The mount of the stream whose picture the path names; NULL: none. */
static struct mount *find_pictured(const struct deliver *d,
				   const struct viewer_conn *c,
				   const char *path)
{
	char stream[IO_PATH_MAX], playlist[IO_PATH_MAX + 16];
	struct mount *m;

	if (!serves_play(d, c) ||
	    !picture_path(path, stream, sizeof stream))
		return NULL;
	m = mount_table_find(&d->mounts, MSG_PLAY_ADDRESS, stream);
	if (m != NULL)
		return m;
	(void)snprintf(playlist, sizeof playlist, "%s/index.m3u8", stream);
	return mount_table_find(&d->mounts, MSG_PLAY_ADDRESS, playlist);
}

static void on_picture_verdict(struct session *s,
			       const struct msg_deliver_answer *a, void *arg)
{
	struct viewer_conn *c = arg;
	struct deliver *d = c->arg;
	const struct mount *m = find_pictured(d, c,
					      http_request_path(c->request));
	bool same = m != NULL && strcmp(m->stream, s->stream) == 0;

	c->session = NULL;
	session_free(&s);
	if (a->verdict != ASK_ALLOWED)
		visit_refuse(c, a);
	else if (!same)
		viewer_conn_reject(c, 404);
	/* counted, because the picture of a slow client stays in memory */
	else if (count_address(d, c))
		pictures_answer(d->pictures, c, m->stream);
}

static const struct session_events picture_events = {
	.on_verdict = on_picture_verdict,
};

/* Begins a session, which waits for its permission, or continues that of a
 * client of HLS. */
static void visit(struct deliver *d, struct viewer_conn *c,
		  const struct http_request *request, struct mount *m,
		  bool picture)
{
	const char *query = http_request_query(request);
	struct ip_address address = door_address(d->door, &c->peer, request);
	struct ip_address own = ip_of(&c->peer);
	struct session_config cfg = {
		.stream = m->stream,
		.peer = &address,
		.protocol = picture ? MSG_PICTURE_PROTOCOL
			    : m->hls > 0 ? "hls"
			    : c->secure ? "https" : "http",
		.host = http_request_header(request, "host"),
		.path = http_request_path(request),
		.query = query,
		.agent = http_request_header(request, "user-agent"),
		.unlimited = picture || !peers_limited(d->peers, &own),
		.free_entry = m->no_auth,
		.probe = is_head(request),
		.now_ms = mono_ms(),
		.events = picture ? &picture_events : &session_events,
		.arg = c,
	};

	if (c->peer.len == 0 || strlen(query) > SESSION_QUERY_MAX) {
		viewer_conn_reject(c, c->peer.len == 0 ? 403 : 414);
		return;
	}
	if (m->hls > 0 && !picture) {
		if (!hls_sessions_visit(d->hls, c, &cfg, m))
			viewer_conn_reject(c, 404);
		return;
	}
	c->session = session_new(d->sessions, &cfg);
	/* door_ask() may free c */
	door_ask(d->door, c->session);
}

/* True: the request was one for the picture of a stream, and is handled. */
static bool visit_picture(struct deliver *d, struct viewer_conn *c,
			  const struct http_request *request)
{
	struct mount *m = find_pictured(d, c, http_request_path(request));

	if (m == NULL)
		return false;
	if (is_get(request) || is_head(request))
		visit(d, c, request, m, true);
	else
		viewer_conn_reject_method(c, false);
	return true;
}

/* True: the request was one for the list of streams, and is handled. */
static bool visit_list(struct deliver *d, struct viewer_conn *c,
		       const struct http_request *request)
{
	struct ip_address address = door_address(d->door, &c->peer, request);
	const char *host = http_request_header(request, "host");
	struct msg_deliver_playlist question = {
		.path = http_request_path(request),
		.secure = c->secure,
		.host = host != NULL ? host : "",
		.query = http_request_query(request),
	};
	char peer[IP_TEXT_MAX];

	if (!serves_play(d, c) ||
	    !stream_lists_path(question.path))
		return false;
	if (c->peer.len == 0 || strlen(question.query) > SESSION_QUERY_MAX ||
	    strlen(question.host) > SESSION_HOST_MAX) {
		viewer_conn_reject(c, c->peer.len == 0 ? 403 : 414);
	} else if (!is_get(request) && !is_head(request)) {
		viewer_conn_reject_method(c, false);
	} else if (count_address(d, c)) {
		ip_format(&address, peer);
		question.peer = peer;
		stream_lists_ask(&d->lists, c, &question, &address, mono_ms());
	}
	return true;
}

void visit_lists_again(struct deliver *d)
{
	struct viewer_conn *c;

	for (unsigned n = d->lists.n + d->lists.n_guides; n > 0; n--) {
		c = TAILQ_FIRST(&d->lists.waiting);
		if (c == NULL)
			return;
		stream_lists_forget(&d->lists, c);
		visit_request(c, c->request, d);
	}
}

/* Chooses the session of a request: for the playlist of a play path a new one,
 * if session_playlists is set; otherwise that of its path, or none. */
static void choose_session(const struct deliver *d, struct viewer_conn *c,
			   const struct mount *m,
			   const struct hls_wanted *wanted)
{
	c->hls.session = wanted->session;
	c->hls.is_index = d->session_playlists && wanted->session == 0 &&
			  wanted->number == 0 &&
			  strcmp(m->address, MSG_PLAY_ADDRESS) == 0;
	if (c->hls.is_index)
		c->hls.session = hls_sessions_choose(d->hls);
}

void visit_request(struct viewer_conn *c,
		       const struct http_request *request, void *arg)
{
	struct deliver *d = arg;
	struct hls_wanted wanted;
	struct mount *m = find_mount(d, c, request, &wanted);

	if (d->retiring)
		c->keep = false;
	/* the new request may belong to another session, or to none */
	hls_sessions_forget(c);
	/* A request that is judged again keeps its place until the verdict: a
	 * stream on demand does not stop meanwhile. */
	if (m == NULL || m->hls > 0 || m->broken || c->waits_for != m)
		demand_wait_remove(&d->wait, c);
	if (m == NULL &&
	    (visit_list(d, c, request) || visit_picture(d, c, request)))
		return;
	if (m == NULL) {
		log_debug("deliver", "%s%s: request for an unknown path",
			  c->address, http_request_path(request));
		answer_missing(d, c, request);
	} else if (m->hls > 0 && is_options(request)) {
		hls_answer_options(c);
	} else if (!is_get(request) && !is_head(request)) {
		viewer_conn_reject_method(c, m->hls > 0);
	} else if (m->hls > 0) {
		choose_session(d, c, m, &wanted);
		visit(d, c, request, m, false);
	} else if (!mount_recover(m)) {
		viewer_conn_reject(c, 503);
	} else {
		visit(d, c, request, m, false);
	}
}
