/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/deliver.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/peers.h"
#include "common/base/wall.h"
#include "worker/deliver/deliver_inner.h"
#include "worker/deliver/hls.h"
#include "worker/deliver/listener.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/mount_table.h"
#include "worker/deliver/page_pipe.h"
#include "worker/deliver/viewer_sessions.h"
#include "worker/deliver/tls_link.h"
#include "worker/deliver/viewer_conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	/* 200 viewers of 8 Mbit/s used 28, 21, 18 and 17 us of CPU per Mbit at
	 * 25, 40, 50 and 100 ms; half of the tick is added to the delay */
	TICK_MS = 50,
	HEAD_MS = 10000,
	/* longer than HLS clients wait between two playlists */
	IDLE_MS = 60000,
	ANSWER_MS = 30000,
	ANSWER_RATE = 16 * 1024,
	/* after so long without a picture a viewer starts anywhere */
	START_MS = 20000,
	STILL_MS = 1000,
	/* unfinished requests; above it the oldest is closed, so that slow
	 * clients cannot block others */
	REQUESTS_MAX = 2048,
	CONNS_MAX = 65536,
	/* the share of descriptors for rings, listeners, channel and loop */
	RESERVED_SHARE = 4,
	PER_ADDRESS = 512, /* until the master says otherwise */
	/* places that a stream has for its own viewers: a quarter of all,
	 * divided by the streams, at most */
	OWN_SHARE = 4,
	OWN_MAX = 64,
};

static void on_tick(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct deliver *d = container_of(timer, struct deliver, tick);
	uint64_t now_ms = mono_ms();
	bool busy = false;

	(void)loop, (void)revents;
	deliver_feed_waiting(d, now_ms);
	d->n_viewers = 0;
	for (size_t i = 0; i < d->mounts.n; i++) {
		struct mount *m = d->mounts.mounts[i];

		mount_feed(m, now_ms);
		hls_wake(m, now_ms);
		d->n_viewers += m->n_viewers;
		busy = busy || m->n_bodies > 0 || !LIST_EMPTY(&m->waiting);
	}
	if (d->n_viewers == 0 && !busy && d->wait.n == 0)
		ev_timer_stop(d->loop, &d->tick);
}

void deliver_start_tick(struct deliver *d)
{
	if (!ev_is_active(&d->tick))
		ev_timer_again(d->loop, &d->tick);
}

static void log_full(struct deliver *d, const char *address,
		     const char *error)
{
	unsigned suppressed;

	if (ratelimit_pass(&d->full_log, mono_ms(), &suppressed))
		log_warning("deliver", "%s: viewer rejected: %s", address,
			    error);
}

static void unlink_conn(struct deliver *d, struct viewer_conn *c)
{
	TAILQ_REMOVE(c->listed ? &d->used : &d->fresh, c, entry);
	d->n_fresh -= !c->listed;
}

static void remove_conn(struct deliver *d, struct viewer_conn *c)
{
	peer_leave(&c->from);
	hls_forget(c);
	demand_wait_remove(&d->wait, c);
	unlink_conn(d, c);
	d->n_conns--;
	viewer_conn_free(&c);
}

/* Is there a place that is not kept for viewers of other streams? */
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

/* The connection becomes a viewer of the mount, or is rejected. */
void deliver_admit(struct deliver *d, struct viewer_conn *c, struct mount *m)
{
	struct viewer_socket socket = { .secure = c->secure,
					.peer = c->peer };
	struct ip_address address = ip_of(&c->peer);

	if (!has_place(d, m)) {
		log_full(d, c->address, "all places are taken that are not "
			 "kept for other streams");
		viewer_conn_reject(c, 503);
		return;
	}
	if (c->peer.len > 0 &&
	    peers_enter(d->peers, &address, &socket.from) < 0) {
		log_full(d, c->address, "too many viewers of one address "
			 "(viewers_per_address)");
		viewer_conn_reject(c, 503);
		return;
	}
	if (viewer_conn_accept(c) < 0) {
		peer_leave(&socket.from);
		remove_conn(d, c);
		return;
	}
	socket.fd = viewer_conn_take_fd(c);
	remove_conn(d, c);
	mount_add_viewer(m, &socket, mono_ms());
	d->n_viewers++;
	deliver_start_tick(d);
	deliver_report_demand(d, m);
}

/* True when connections to this address get the play paths, too. */
static bool serves_play(const struct deliver *d, const char *address)
{
	const struct listener *l;

	LIST_FOREACH(l, &d->listeners, entry)
		if (strcmp(l->address, address) == 0)
			return l->play;
	return false;
}

/* The mount for a request of this connection; NULL: none. */
static struct mount *find_mount(const struct deliver *d,
				const struct viewer_conn *c, const char *path)
{
	struct mount *m = mount_table_find(&d->mounts, c->address, path);

	if (m == NULL && serves_play(d, c->address))
		m = mount_table_find(&d->mounts, MSG_PLAY_ADDRESS, path);
	return m != NULL && mount_accepts(m, c->secure) ? m : NULL;
}

/* Each address receives a limited number of segments at a time. */
static void serve_hls(struct deliver *d, struct viewer_conn *c,
		      const struct http_request *request, struct mount *m,
		      const struct hls_wanted *wanted)
{
	struct ip_address address = ip_of(&c->peer);

	if (!mount_recover(m)) {
		viewer_conn_reject(c, 503);
		return;
	}
	if (wanted->number > 0 && c->peer.len > 0 && c->from == NULL &&
	    peers_enter(d->peers, &address, &c->from) < 0) {
		log_full(d, c->address, "too many viewers of one address "
			 "(viewers_per_address)");
		viewer_conn_reject(c, 503);
		return;
	}
	hls_answer(c, request, m, wanted);
	deliver_start_tick(d);
}

static void on_request(struct viewer_conn *c,
		       const struct http_request *request, void *arg)
{
	struct deliver *d = arg;
	const char *path = http_request_path(request);
	struct mount *m = find_mount(d, c, path);
	const char *method = http_request_method(request);
	char playlist[IO_PATH_MAX];
	struct hls_wanted wanted = { .empty_missing = d->empty_missing };

	if (m == NULL && hls_segment_path(path, playlist, &wanted))
		m = find_mount(d, c, playlist);
	if (m == NULL || (m->hls == 0 && wanted.number > 0)) {
		log_debug("deliver", "%s%s: request for an unknown path",
			  c->address, path);
		viewer_conn_reject(c, 404);
	} else if (m->hls > 0) {
		serve_hls(d, c, request, m, &wanted);
	} else if (!mount_recover(m)) {
		viewer_conn_reject(c, 503);
	} else if (strcmp(method, "GET") == 0) {
		deliver_welcome(d, c, m);
	} else if (strcmp(method, "HEAD") == 0) {
		viewer_conn_answer_head(c);
	} else {
		viewer_conn_reject(c, 405);
	}
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
	unlink_conn(d, c);
	c->listed = true;
	TAILQ_INSERT_TAIL(&d->used, c, entry);
}

static void on_conn_end(struct viewer_conn *c, void *arg)
{
	remove_conn(arg, c);
}

static const struct viewer_conn_events conn_events = {
	.on_request = on_request,
	.on_tls = on_tls,
	.on_idle = on_conn_idle,
	.on_end = on_conn_end,
};

static void on_connection(struct listener *l, int fd, void *arg)
{
	struct deliver *d = arg;
	struct viewer_conn *c = viewer_conn_new(&(struct viewer_conn_config){
		.loop = d->loop,
		.address = l->address,
		.fd = fd,
		.first = tls_link_is_up(d->tls) ? d->first : NULL,
		.head_ms = d->head_ms,
		.idle_ms = d->idle_ms,
		.answer_ms = d->answer_ms,
		.answer_rate = ANSWER_RATE,
		.events = &conn_events,
		.arg = d,
	});

	TAILQ_INSERT_TAIL(&d->fresh, c, entry);
	d->n_conns++;
	if (++d->n_fresh > REQUESTS_MAX)
		remove_conn(d, TAILQ_FIRST(&d->fresh));
	/* neither unfinished requests nor idle clients take the place of a
	 * viewer */
	if (d->n_conns + d->n_viewers > d->max_conns && d->n_conns > 1)
		remove_conn(d, TAILQ_EMPTY(&d->used) ? TAILQ_FIRST(&d->fresh)
						     : TAILQ_FIRST(&d->used));
	if (d->n_conns + d->n_viewers > d->max_conns) {
		log_full(d, l->address, "too many connections");
		viewer_conn_reject(c, 503);
	}
}

static void on_pause(struct listener *l, int err, void *arg)
{
	log_full(arg, l->address, strerror(-err));
}

struct deliver *deliver_new(const struct deliver_config *cfg)
{
	struct deliver *d = xcalloc(1, sizeof *d);
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		files.rlim_cur = 1024; /* the usual limit */
	d->loop = cfg->loop;
	TAILQ_INIT(&d->fresh);
	TAILQ_INIT(&d->used);
	demand_wait_init(&d->wait);
	d->on_demand = cfg->on_demand;
	d->arg = cfg->arg;
	viewer_sessions_init(&d->sessions, wall_ms());
	d->head_ms = cfg->head_ms ? cfg->head_ms : HEAD_MS;
	d->idle_ms = cfg->idle_ms ? cfg->idle_ms : IDLE_MS;
	d->answer_ms = cfg->answer_ms ? cfg->answer_ms : ANSWER_MS;
	d->start_ms = cfg->start_ms ? cfg->start_ms : START_MS;
	d->still_ms = cfg->still_ms ? cfg->still_ms : STILL_MS;
	d->max_conns = (unsigned)MIN(files.rlim_cur -
					     files.rlim_cur / RESERVED_SHARE,
				     (rlim_t)CONNS_MAX);
	if (cfg->max_conns > 0)
		d->max_conns = cfg->max_conns;
	d->peers = peers_new(&(struct peers_config){ .max = PER_ADDRESS });
	lag_kernel_read(&d->kernel);
	/* the sandbox forbids to open it later */
	page_pipe_open(&d->pages);
	ev_init(&d->tick, on_tick);
	d->tick.repeat = (cfg->tick_ms ? cfg->tick_ms : TICK_MS) / 1000.;
	return d;
}

void deliver_free(struct deliver **deliver)
{
	struct deliver *d = *deliver;
	struct listener *l;
	struct viewer_conn *c;

	if (d == NULL)
		return;
	ev_timer_stop(d->loop, &d->tick);
	while ((l = LIST_FIRST(&d->listeners)) != NULL) {
		LIST_REMOVE(l, entry);
		listener_free(&l);
	}
	while ((c = TAILQ_FIRST(&d->fresh)) != NULL ||
	       (c = TAILQ_FIRST(&d->used)) != NULL)
		remove_conn(d, c);
	mount_table_done(&d->mounts);
	peers_free(&d->peers);
	page_pipe_done(&d->pages);
	first_byte_free(&d->first);
	tls_link_free(&d->tls);
	free(d);
	*deliver = NULL;
}

void deliver_listen(struct deliver *d, const struct msg_deliver_listen *name,
		    int fd)
{
	struct listener *l;

	deliver_unlisten(d, name->address);
	l = listener_new(&(struct listener_config){
		.loop = d->loop,
		.address = name->address,
		.play = name->play,
		.fd = fd,
		.on_connection = on_connection,
		.on_pause = on_pause,
		.arg = d,
	});
	LIST_INSERT_HEAD(&d->listeners, l, entry);
}

void deliver_set_tls(struct deliver *d, int fd)
{
	tls_link_free(&d->tls);
	d->tls = tls_link_new(d->loop, fd);
	if (d->first == NULL)
		d->first = first_byte_new(d->loop);
}

void deliver_unlisten(struct deliver *d, const char *address)
{
	struct listener *l;

	LIST_FOREACH(l, &d->listeners, entry) {
		if (strcmp(l->address, address) != 0)
			continue;
		LIST_REMOVE(l, entry);
		listener_free(&l);
		return;
	}
}

static void remove_mount(struct deliver *d, struct mount *m)
{
	hls_end(m);
	deliver_reject_waiting(d, m);
	d->removed_bytes += m->bytes;
	d->removed_cut += m->cut;
	mount_table_remove(&d->mounts, m);
}

int deliver_mount(struct deliver *d, const struct msg_deliver_mount *name,
		  int ring_fd)
{
	struct mount *old = mount_table_find(&d->mounts, name->address,
					     name->path);
	struct mount *m;
	int err = 0;

	if (old != NULL && !old->broken && mount_uses_ring(old, ring_fd) &&
	    old->tls == name->tls && old->hls == name->hls) {
		/* only a renamed stream keeps its ring */
		mount_rename(old, name->stream);
		old->demand = name->demand;
		if (old->demand)
			mount_pause(old, mono_ms());
		(void)close(ring_fd);
		old->renewed = true;
		return 0;
	}
	m = mount_new(
		&(struct mount_config){
			.loop = d->loop,
			.name = name,
			.ring_fd = ring_fd,
			.start_ms = d->start_ms,
			.still_ms = d->still_ms,
			.now_ms = mono_ms(),
			.kernel = &d->kernel,
			.sessions = &d->sessions,
			.pages = &d->pages,
		},
		&err);
	if (m == NULL)
		return err;
	if (old != NULL && strcmp(old->stream, name->stream) == 0)
		mount_inherit(m, old);
	if (old != NULL)
		remove_mount(d, old);
	mount_table_add(&d->mounts, m);
	return 0;
}

void deliver_unmount(struct deliver *d, const struct msg_deliver_mount *name)
{
	struct mount *m = mount_table_find(&d->mounts, name->address,
					   name->path);

	if (m != NULL)
		remove_mount(d, m);
}

void deliver_move(struct deliver *d, const struct msg_deliver_move *name)
{
	struct mount *m = mount_table_find(&d->mounts, MSG_PLAY_ADDRESS,
					   name->from);
	struct mount *there = mount_table_find(&d->mounts, MSG_PLAY_ADDRESS,
					       name->to);

	if (m == NULL || m == there)
		return;
	if (there != NULL)
		remove_mount(d, there);
	mount_table_move(&d->mounts, m, name->to);
}

void deliver_limit(struct deliver *d, const struct msg_deliver_limits *limits)
{
	struct ip_prefix proxies[MSG_PROXIES_MAX];
	struct peers_config cfg = { .max = limits->per_address,
				    .proxies = proxies };

	for (size_t i = 0; i < limits->n_proxies; i++)
		if (ip_prefix_parse(limits->proxies[i],
				    &proxies[cfg.n_proxies]) == 0)
			cfg.n_proxies++;
	peers_limit(d->peers, &cfg);
	d->empty_missing = limits->empty_missing;
}

void deliver_renew(struct deliver *d)
{
	struct listener *l;

	LIST_FOREACH(l, &d->listeners, entry)
		l->renewed = false;
	for (size_t i = 0; i < d->mounts.n; i++) {
		d->mounts.mounts[i]->renewed = false;
		d->mounts.mounts[i]->reported_bytes = UINT64_MAX;
	}
}

void deliver_settle(struct deliver *d)
{
	struct listener *l, *next;
	size_t i = 0;

	for (l = LIST_FIRST(&d->listeners); l != NULL; l = next) {
		next = LIST_NEXT(l, entry);
		if (l->renewed)
			continue;
		LIST_REMOVE(l, entry);
		listener_free(&l);
	}
	while (i < d->mounts.n)
		if (d->mounts.mounts[i]->renewed)
			i++;
		else
			remove_mount(d, d->mounts.mounts[i]);
}

void deliver_every_second(struct deliver *d)
{
	uint64_t now_ms = mono_ms();

	d->n_demands = 0;
	for (size_t i = 0; i < d->mounts.n; i++)
		mount_measure(d->mounts.mounts[i], now_ms);
}

struct msg_deliver_status deliver_status(const struct deliver *d)
{
	struct msg_deliver_status s = { .bytes = d->removed_bytes,
					.cut = d->removed_cut };

	for (size_t i = 0; i < d->mounts.n; i++) {
		s.viewers += d->mounts.mounts[i]->n_viewers;
		s.bytes += d->mounts.mounts[i]->bytes;
		s.cut += d->mounts.mounts[i]->cut;
	}
	return s;
}

bool deliver_next_change(struct deliver *d, size_t *cursor,
			 struct msg_deliver_viewers *ret)
{
	while (*cursor < d->mounts.n)
		if (mount_next_report(d->mounts.mounts[(*cursor)++], ret))
			return true;
	return false;
}

void deliver_list(const struct deliver *d, uint64_t after,
		  struct msg_deliver_sessions *ret)
{
	viewer_sessions_list(&d->sessions, after, mono_ms(), ret);
}

void deliver_kick(struct deliver *d, uint64_t client)
{
	struct viewer *v = viewer_sessions_find(&d->sessions, client);

	if (v != NULL)
		v->on_gone(v, v->arg);
}
