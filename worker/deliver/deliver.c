/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/deliver.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/wall.h"
#include "common/loop/timer.h"
#include "worker/core/kernel_tls.h"
#include "worker/deliver/deliver_inner.h"
#include "worker/deliver/door.h"
#include "worker/deliver/hls.h"
#include "worker/deliver/hls_sessions.h"
#include "worker/deliver/listener.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/pictures.h"
#include "worker/deliver/viewer_session.h"
#include "worker/deliver/tls_link.h"
#include "worker/deliver/viewer_conn.h"
#include "worker/deliver/visit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	TICK_MS = 50,
	HOLD_TICKS = 2, /* most ticks that bytes wait for a full portion */
	TICK_SHARE = 5, /* two passes are at least 1/5 of a tick apart */
	HEAD_MS = 10000,
	/* longer than HLS clients wait between two playlists */
	IDLE_MS = 60000,
	ANSWER_MS = 30000,
	/* after this wait for a random access point a viewer starts anywhere */
	START_MS = 20000,
	STILL_MS = 1000,
	/* connections of an address for each viewer that it may have: players
	 * of HLS have two */
	CONNS_PER_VIEWER = 2,
	CONNS_MAX = 65536,
	/* 1/4 of the descriptors is for rings, listeners, channel and loop */
	RESERVED_SHARE = 4,
	/* most connections that wait for the tls worker: 1/8 of all, whose
	 * second descriptors fit into the reserved ones */
	TLS_WAITING_SHARE = 8,
	PER_ADDRESS = 512, /* most viewers of an address, until the master sets
			    * another limit */
	NEWS_MS = 200, /* changes of viewers are reported together after this
			* time */
	NEWS_MAX = 40, /* most messages with changes in NEWS_MS */
};

static void on_tick(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct deliver *d = container_of(timer, struct deliver, tick);
	const struct hls_wanted any = { .empty_missing = d->empty_missing,
					.hash_names = d->hash_names };
	uint64_t now_ms = mono_ms();
	unsigned wait_ms = d->tick_ms;
	bool busy = false;

	(void)loop, (void)revents;
	deliver_feed_waiting(d, now_ms);
	d->n_viewers = 0;
	for (size_t i = 0; i < d->mounts.n; i++) {
		struct mount *m = d->mounts.mounts[(d->turns + i) %
						   d->mounts.n];

		mount_feed(m, now_ms);
		hls_wake(m, &any, now_ms);
		d->n_viewers += m->n_viewers;
		busy = busy || m->n_bodies > 0 || !LIST_EMPTY(&m->waiting);
		wait_ms = MIN(wait_ms, mount_wait_ms(m, now_ms));
	}
	d->turns++; /* the next tick begins with another mount */
	d->tick.repeat = MAX(wait_ms, d->tick_ms / TICK_SHARE) / 1000.;
	if (d->n_viewers == 0 && !busy && d->wait.n == 0)
		ev_timer_stop(d->loop, &d->tick);
	else
		ev_timer_again(d->loop, &d->tick);
}

void deliver_start_tick(struct deliver *d)
{
	if (!ev_is_active(&d->tick))
		ev_timer_again(d->loop, &d->tick);
}

void deliver_log_full(struct deliver *d, const char *address,
		      const char *error)
{
	unsigned suppressed;

	if (ratelimit_pass(&d->full_log, mono_ms(), &suppressed))
		log_warning("deliver", "%s: viewer rejected: %s", address,
			    error);
}

static int send_nothing(const struct msg *m, void *arg)
{
	(void)m, (void)arg;
	return -ENOTCONN;
}

static void on_change(void *arg)
{
	struct deliver *d = arg;

	timer_ensure(d->loop, &d->news, NEWS_MS / 1000.);
}

static void send_news(struct deliver *d)
{
	struct msg m = { .type = MSG_DELIVER_CHANGES };

	for (unsigned i = 0; i < NEWS_MAX; i++) {
		if (!sessions_take_changes(d->sessions, mono_ms(),
					   &m.deliver_changes))
			return;
		(void)d->send(&m, d->arg);
	}
	on_change(d); /* the next messages have the remaining changes */
}

static void on_news(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	send_news(container_of(t, struct deliver, news));
}

static void on_connection(struct listener *l, int fd, void *arg)
{
	struct deliver *d = arg;
	struct viewer_conn *c = deliver_add_conn(
		d, l->address, fd, tls_link_is_up(d->tls) ? d->first : NULL,
		NULL);

	c->play = l->play;
}

void deliver_take(struct deliver *d, const struct msg_deliver_viewer *viewer,
		  int fd)
{
	struct sockaddr_any peer = { .len = 0 };
	struct viewer_conn *c;

	if (viewer->secure && sockaddr_parse(viewer->peer, 0, &peer) < 0)
		peer.len = 0;
	c = deliver_add_conn(d, MSG_PLAY_ADDRESS, fd, NULL,
		     viewer->secure ? &peer : NULL);
	if (c->state == CONN_READING)
		viewer_conn_begin(c, viewer->head,
				  viewer->secure ? &peer : NULL);
}

static void on_pause(struct listener *l, int err, void *arg)
{
	deliver_log_full(arg, l->address, strerror(-err));
}

struct deliver *deliver_new(const struct deliver_config *cfg)
{
	struct deliver *d = xcalloc(1, sizeof *d);
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		files.rlim_cur = 1024; /* the usual limit of descriptors */
	d->loop = cfg->loop;
	TAILQ_INIT(&d->fresh);
	TAILQ_INIT(&d->busy);
	TAILQ_INIT(&d->used);
	demand_wait_init(&d->wait);
	d->on_demand = cfg->on_demand;
	d->arg = cfg->arg;
	d->send = cfg->send != NULL ? cfg->send : send_nothing;
	d->sessions = sessions_new(wall_ms(), cfg->number, on_change, d);
	d->door = door_new(&(struct door_config){
		.loop = d->loop,
		.sessions = d->sessions,
		.send = d->send,
		.arg = d->arg,
	});
	d->hls = hls_sessions_new(&(struct hls_sessions_config){
		.sessions = d->sessions,
		.door = d->door,
		.idle_ms = cfg->hls_idle_ms ? cfg->hls_idle_ms
					    : (unsigned)HLS_SESSION_MS,
		.serve = visit_serve_hls,
		.refuse = visit_refuse,
		.reload_ms = visit_reload_ms,
	});
	hls_sessions_limit(d->hls, PER_ADDRESS);
	d->pictures = pictures_new(d->send, d->arg);
	stream_lists_init(&d->lists, d->send, d->arg);
	ev_init(&d->news, on_news);
	d->head_ms = cfg->head_ms ? cfg->head_ms : HEAD_MS;
	d->idle_ms = cfg->idle_ms ? cfg->idle_ms : IDLE_MS;
	d->answer_ms = cfg->answer_ms ? cfg->answer_ms : ANSWER_MS;
	d->start_ms = cfg->start_ms ? cfg->start_ms : START_MS;
	d->still_ms = cfg->still_ms ? cfg->still_ms : STILL_MS;
	d->fragments.max = FRAGMENTS_TOTAL_MAX;
	d->fragments.turn_max = FRAGMENTS_TURN_MAX;
	d->gives_pages = cfg->pages;
	/* now, because the sandbox forbids this check later */
	d->kernel_tls = kernel_tls_exists();
	/* a connection that the kernel encrypts has two descriptors, one of
	 * them from the reserved share */
	d->max_outer = (unsigned)MIN(files.rlim_cur / RESERVED_SHARE / 2,
				     (rlim_t)CONNS_MAX);
	d->max_conns = (unsigned)MIN(files.rlim_cur -
					     files.rlim_cur / RESERVED_SHARE,
				     (rlim_t)CONNS_MAX);
	if (cfg->max_conns > 0)
		d->max_conns = cfg->max_conns;
	d->peers = peers_new(&(struct peers_config){ .max = PER_ADDRESS });
	d->clients = peers_new(&(struct peers_config){
		.max = CONNS_PER_VIEWER * PER_ADDRESS,
	});
	lag_kernel_read(&d->kernel);
	/* now, because the sandbox forbids to open /dev/null later */
	page_pipe_open(&d->pages);
	page_pipe_open(&d->copies);
	ev_init(&d->tick, on_tick);
	d->tick_ms = cfg->tick_ms ? cfg->tick_ms : TICK_MS;
	d->tick.repeat = d->tick_ms / 1000.;
	return d;
}

void deliver_free(struct deliver **deliver)
{
	struct deliver *d = *deliver;
	struct listener *l;

	if (d == NULL)
		return;
	ev_timer_stop(d->loop, &d->tick);
	while ((l = LIST_FIRST(&d->listeners)) != NULL) {
		LIST_REMOVE(l, entry);
		listener_free(&l);
	}
	deliver_remove_conns(d);
	stream_lists_done(&d->lists);
	hls_sessions_free(&d->hls); /* before the mounts of these sessions */
	pictures_free(&d->pictures);
	mount_table_done(&d->mounts);
	door_free(&d->door);
	sessions_free(&d->sessions);
	ev_timer_stop(d->loop, &d->news);
	peers_free(&d->peers);
	peers_free(&d->clients);
	page_pipe_done(&d->pages);
	page_pipe_done(&d->copies);
	first_byte_free(&d->first);
	tls_link_free(&d->tls);
	free(d);
	*deliver = NULL;
}

void deliver_listen(struct deliver *d, const struct msg_deliver_listen *name,
		    int fd)
{
	struct listener *l;

	deliver_unlisten(d, &(struct msg_deliver_unlisten){
		name->address, name->slot });
	l = listener_new(&(struct listener_config){
		.loop = d->loop,
		.address = name->address,
		.slot = name->slot,
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
	d->tls = tls_link_new(d->loop, fd, d->max_conns / TLS_WAITING_SHARE);
	if (d->first == NULL)
		d->first = first_byte_new(d->loop);
}

void deliver_unlisten(struct deliver *d,
		      const struct msg_deliver_unlisten *name)
{
	struct listener *l;

	LIST_FOREACH(l, &d->listeners, entry) {
		if (l->slot != name->slot ||
		    strcmp(l->address, name->address) != 0)
			continue;
		LIST_REMOVE(l, entry);
		listener_free(&l);
		return;
	}
}

static void remove_mount(struct deliver *d, struct mount *m)
{
	hls_end(m);
	hls_sessions_end(m);
	deliver_reject_waiting(d, m);
	d->removed_bytes += m->bytes;
	d->removed_cut += m->cut;
	mount_table_remove(&d->mounts, m);
}

/* Applies the settings of the message that can change while the mount keeps its
 * viewers. */
static void change_mount(struct deliver *d, struct mount *m,
			 const struct msg_deliver_mount *name)
{
	bool again = m->no_auth != name->no_auth;

	/* the same ring with another id: the stream was renamed */
	if (strcmp(m->stream, name->stream) != 0)
		visit_rename(d, m, name->stream);
	mount_rename(m, name->stream);
	m->demand = name->demand;
	m->number = name->number;
	m->no_auth = name->no_auth;
	mount_set_fill(m, name->fill);
	if (name->stopped)
		mount_pause(m, mono_ms());
	m->renewed = true;
	/* the master may have a new mount, for which it counts no viewers */
	m->reported_bytes = UINT64_MAX;
	if (!again)
		return;
	m->reported_viewers = 0;
	visit_again(d, m);
}

int deliver_mount(struct deliver *d, const struct msg_deliver_mount *name,
		  int ring_fd)
{
	struct mount *old = mount_table_find(&d->mounts, name->address,
					     name->path);
	struct mount *m;
	bool again = false;
	int err = 0;

	if (old != NULL && !old->broken && mount_uses_ring(old, ring_fd) &&
	    old->tls == name->tls && old->hls == name->hls &&
	    (old->fragments != NULL) == name->fmp4) {
		(void)close(ring_fd);
		change_mount(d, old, name);
		return 0;
	}
	m = mount_new(
		&(struct mount_config){
			.loop = d->loop,
			.name = name,
			.ring_fd = ring_fd,
			.start_ms = d->start_ms,
			.still_ms = d->still_ms,
			.hold_ms = d->tick_ms * HOLD_TICKS,
			.now_ms = mono_ms(),
			.kernel = &d->kernel,
			.pages = &d->pages,
			.copies = &d->copies,
			.copy = &d->copy,
			.fragments = &d->fragments,
		},
		&err);
	if (m == NULL) {
		/* viewers must not be served by the older settings */
		if (old != NULL)
			remove_mount(d, old);
		return err;
	}
	/* a report on the path's earlier mount may still be on its way: report
	 * this mount, too */
	if (m->demand)
		m->reported_bytes = UINT64_MAX;
	if (old != NULL && strcmp(old->stream, name->stream) == 0) {
		mount_inherit(m, old);
		if (old->hls > 0 && m->hls > 0) {
			hls_sessions_move(old, m);
			hls_move(old, m);
		}
		demand_wait_move(&d->wait, old, m);
		again = old->no_auth != m->no_auth || old->tls != m->tls ||
			old->hls != m->hls;
	}
	if (old != NULL)
		remove_mount(d, old);
	mount_table_add(&d->mounts, m);
	if (again)
		visit_again(d, m);
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

	if (m == NULL)
		return;
	if (strcmp(m->stream, name->stream) != 0)
		visit_rename(d, m, name->stream);
	mount_rename(m, name->stream);
	if (m == there)
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
	stream_lists_limit(&d->lists, &cfg);
	hls_sessions_limit(d->hls, limits->per_address);
	cfg.max *= CONNS_PER_VIEWER;
	peers_limit(d->clients, &cfg);
	d->empty_missing = limits->empty_missing;
	d->hash_names = limits->hash_names;
	d->session_playlists = limits->session_playlists;
	hls_sessions_name(d->hls, limits->session_playlists);
	door_set_proxies(d->door, proxies, cfg.n_proxies);
}

void deliver_set_policy(struct deliver *d,
			const struct msg_deliver_policy *policy)
{
	bool was_open = door_is_open(d->door, false);

	hls_sessions_set_seed(d->hls, policy->seed);
	door_set_policy(d->door, policy);
	if (door_is_open(d->door, false) != was_open)
		hls_sessions_judge_anew(d->hls);
}

void deliver_answer(struct deliver *d, const struct msg_deliver_answer *a,
		    uint32_t seq)
{
	door_answer(d->door, a, seq);
}

void deliver_page(struct deliver *d, const struct msg_deliver_page *page,
		  uint32_t seq, int fd)
{
	stream_lists_answer(&d->lists, page, seq, fd);
}

void deliver_review(struct deliver *d, uint64_t client)
{
	door_review(d->door, client);
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
	/* first, because the master counts sessions for its verdicts */
	sessions_renew(d->sessions);
	send_news(d);
	door_renew(d->door);
	pictures_renew(d->pictures);
}

static void close_idle(struct deliver *d)
{
	struct viewer_conn *c, *next;

	for (c = TAILQ_FIRST(&d->used); c != NULL; c = next) {
		next = TAILQ_NEXT(c, entry);
		if (viewer_conn_is_idle(c))
			deliver_remove_conn(d, c);
	}
}

void deliver_settle(struct deliver *d, const struct msg_deliver_settle *settle)
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
	d->retiring = settle->retire;
	if (d->retiring)
		close_idle(d);
	/* the former master no longer answers requests for lists */
	visit_lists_again(d);
}

void deliver_every_second(struct deliver *d)
{
	uint64_t now_ms = mono_ms();

	d->n_demands = 0;
	for (size_t i = 0; i < d->mounts.n; i++)
		mount_measure(d->mounts.mounts[i], now_ms);
	door_every_second(d->door);
	hls_sessions_expire(d->hls, now_ms);
	stream_lists_expire(&d->lists, now_ms);
	pictures_every_second(d->pictures);
}

void deliver_picture(struct deliver *d, const struct msg_picture_result *m,
		     uint32_t seq, int fd)
{
	pictures_take(d->pictures, m, seq, fd);
}

struct msg_deliver_status deliver_status(const struct deliver *d)
{
	struct msg_deliver_status s = { .requests = d->n_conns,
					.bytes = d->removed_bytes,
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

void deliver_list(struct deliver *d, uint64_t after,
		  struct msg_deliver_sessions *ret)
{
	send_news(d);
	sessions_list(d->sessions, after, mono_ms(), ret);
}

void deliver_kick(struct deliver *d, const struct msg_deliver_kick *kick)
{
	static const struct msg_deliver_answer end = {
		.verdict = ASK_DENIED, .login = "", .location = ""
	};
	struct session *s = sessions_find(d->sessions, kick->client);

	if (s == NULL)
		return;
	if (kick->idle) {
		hls_sessions_end_idle(s, mono_ms());
		return;
	}
	s->kicked = true;
	s->limited = kick->limit;
	/* on_verdict() may free s */
	s->events->on_verdict(s, &end, s->arg);
}
