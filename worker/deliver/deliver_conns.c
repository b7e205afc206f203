/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The connections of deliver.h that are no viewers (yet). */
#include "worker/deliver/deliver_inner.h"
#include "worker/deliver/hls.h"
#include "worker/deliver/hls_sessions.h"
#include "worker/deliver/pictures.h"
#include "worker/deliver/tls_link.h"
#include "worker/deliver/viewer_conn.h"
#include "worker/deliver/viewer_session.h"
#include "worker/deliver/visit.h"

enum {
	ANSWER_RATE = 16 * 1024,
	/* connections without a whole request; above it the oldest is closed,
	 * so that slow clients cannot block others */
	FRESH_MAX = 2048,
};

static void unlink_conn(struct deliver *d, struct viewer_conn *c)
{
	TAILQ_REMOVE(c->list, c, entry);
	d->n_fresh -= c->list == &d->fresh;
}

static void link_conn(struct conn_list *list, struct viewer_conn *c)
{
	c->list = list;
	TAILQ_INSERT_TAIL(list, c, entry);
}

void deliver_remove_conn(struct deliver *d, struct viewer_conn *c)
{
	peer_leave(&c->from);
	peer_place_leave(&c->place);
	hls_forget(c);
	pictures_forget(c);
	demand_wait_remove(&d->wait, c);
	stream_lists_forget(&d->lists, c);
	unlink_conn(d, c);
	d->n_conns--;
	hls_sessions_forget(c);
	session_free(&c->session);
	viewer_conn_free(&c);
}

static int on_tls(int fd, void *arg)
{
	struct deliver *d = arg;

	return tls_link_serve(d->tls, fd);
}

static void on_conn_idle(struct viewer_conn *c, void *arg)
{
	struct deliver *d = arg;

	peer_leave(&c->from);
	peer_place_use(&c->place);
	stream_lists_forget(&d->lists, c);
	unlink_conn(d, c);
	link_conn(&d->used, c);
}

static void on_request(struct viewer_conn *c, const struct http_request *r,
		       void *arg)
{
	struct deliver *d = arg;

	unlink_conn(d, c);
	link_conn(&d->busy, c);
	visit_request(c, r, arg);
}

static void on_conn_end(struct viewer_conn *c, void *arg)
{
	deliver_remove_conn(arg, c);
}

static const struct viewer_conn_events conn_events = {
	.on_request = on_request,
	.on_tls = on_tls,
	.on_idle = on_conn_idle,
	.on_end = on_conn_end,
};

/* Closes another connection than c to make room: one whose last request was
 * answered, else one whose first request is incomplete, else one that waits for
 * an answer; the oldest of its kind. */
static void make_place(struct deliver *d, const struct viewer_conn *c)
{
	struct viewer_conn *old = TAILQ_FIRST(&d->used);

	if (old == NULL)
		old = TAILQ_FIRST(&d->fresh);
	if (old == NULL || old == c)
		old = TAILQ_FIRST(&d->busy);
	if (old != NULL)
		deliver_remove_conn(d, old);
}

/* Counts the address of a new connection.  If the address has too many
 * connections, closes the one whose last answer, or whose begin, is the longest
 * ago. */
static void take_place(struct deliver *d, struct viewer_conn *c,
		       const struct sockaddr_any *peer)
{
	struct ip_address address = ip_of(peer);
	struct peer_place *old = NULL;

	if (peer->len > 0)
		old = peers_place(d->clients, &address, &c->place);
	if (old != NULL)
		deliver_remove_conn(d, container_of(old, struct viewer_conn,
						    place));
}

struct viewer_conn *deliver_add_conn(struct deliver *d, const char *address,
				     int fd, struct first_byte *first,
				     const struct sockaddr_any *peer)
{
	struct viewer_conn *c = viewer_conn_new(&(struct viewer_conn_config){
		.loop = d->loop,
		.address = address,
		.fd = fd,
		.first = first,
		.kernel_tls = d->kernel_tls && d->n_conns < d->max_outer,
		.links = d->gives_pages ? NULL : &d->links,
		.head_ms = d->head_ms,
		.idle_ms = d->idle_ms,
		.answer_ms = d->answer_ms,
		.answer_rate = ANSWER_RATE,
		.events = &conn_events,
		.arg = d,
	});

	link_conn(&d->fresh, c);
	d->n_conns++;
	if (++d->n_fresh > FRESH_MAX)
		deliver_remove_conn(d, TAILQ_FIRST(&d->fresh));
	take_place(d, c, peer != NULL ? peer : &c->peer);
	/* neither unfinished requests nor idle clients take the place of a
	 * viewer */
	if (d->n_conns + d->n_viewers > d->max_conns)
		make_place(d, c);
	if (d->n_conns + d->n_viewers > d->max_conns) {
		deliver_log_full(d, address, "all connections of the deliver "
				 "worker are in use");
		viewer_conn_reject(c, 503);
	}
	return c;
}

void deliver_remove_conns(struct deliver *d)
{
	struct viewer_conn *c;

	while ((c = TAILQ_FIRST(&d->fresh)) != NULL ||
	       (c = TAILQ_FIRST(&d->busy)) != NULL ||
	       (c = TAILQ_FIRST(&d->used)) != NULL)
		deliver_remove_conn(d, c);
}
