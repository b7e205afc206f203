/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/deliver_proc.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "master/config/play_conf.h"
#include "master/streams/deliver_state.h"
#include "master/streams/listeners.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc.h"
#include "master/viewers/viewers.h"
#include "common/supervise/spawn.h"
#include "common/supervise/tls_proc.h"
#include "proto/ipc/channel.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
	VIEWERS_PER_ADDRESS = 512,
	/* a worker with this number of queued messages takes no viewers */
	VIEWERS_WAITING = 64,
};

const char *mount_address(const struct mount *m)
{
	return m->listener != NULL ? listener_address(m->listener)
				   : MSG_PLAY_ADDRESS;
}

struct msg mount_message(const struct mount *mount, enum msg_type type)
{
	return (struct msg){ .type = type, .deliver_mount = {
		.address = mount_address(mount),
		.path = mount->path,
		.stream = mount->stream,
		.tls = mount->tls,
		.hls = mount->hls,
		.fmp4 = mount->fmp4,
		.demand = mount->demand,
		.stopped = mount->stopped,
		.no_auth = mount->no_auth,
		.fill = mount->fill_kib,
		.number = mount->number,
	} };
}

uint32_t mount_viewers(const struct mount *m)
{
	const struct deliver_proc *d = m->owner;
	uint32_t n = 0, most = 0, surplus = 0;

	for (unsigned i = 0; i < d->n; i++) {
		n += m->seats[i].viewers;
		most = MAX(most, m->seats[i].viewers);
	}
	/* Two workers may both count a viewer of HLS who moved between them;
	 * surplus is the number of such viewers.  The result is not below the
	 * count of any worker. */
	if (n > most && m->hls > 0 && d->viewers != NULL)
		surplus = viewers_surplus(d->viewers, m->number);
	return MAX(most, n - MIN(n, surplus));
}

uint64_t mount_cut(const struct mount *m)
{
	uint64_t n = m->cut_past;

	for (unsigned i = 0; i < m->owner->n; i++)
		n += m->seats[i].cut;
	return n;
}

void mount_set_due(struct mount *m, bool due)
{
	for (unsigned i = 0; i < m->owner->n; i++)
		deliver_worker_seat_due(m->owner->workers[i], &m->seats[i],
					due);
}

void deliver_proc_send_due(struct deliver_proc *d)
{
	for (unsigned i = 0; i < d->n; i++)
		deliver_worker_send_due(d->workers[i]);
}

void deliver_proc_send(struct deliver_proc *d, const struct msg *m,
		       const int *fds)
{
	for (unsigned i = 0; i < d->n; i++)
		service_proc_send(d->workers[i]->service, m, fds);
}

static void on_listener_open(void *arg)
{
	struct deliver_proc *d = arg;

	spawner_touch(d->cfg.spawner);
	deliver_proc_send_due(d);
}

/* Logs the error of a listener, or that the error has ended: for the play port,
 * and for the first output that uses the listener, with the number of the other
 * outputs that use it. */
static void on_listener_error(const struct listener *l, const char *error,
			      void *arg)
{
	const struct deliver_proc *d = arg;
	const struct mount *m, *first = NULL;
	char more[48] = "";
	unsigned n = 0;

	if (l == d->play)
		(error != NULL ? log_error : log_info)(
			"deliver", "http_play_port: %s: %s",
			listener_address(l),
			error != NULL ? error : "listening");
	TAILQ_FOREACH(m, &d->mounts, link)
		if (m->listener == l && n++ == 0)
			first = m;
	if (first == NULL)
		return;
	if (n > 1)
		(void)snprintf(more, sizeof more, " (and %u more output%s)",
			       n - 1, n > 2 ? "s" : "");
	(error != NULL ? log_error : log_info)(
		"deliver", "stream %s: http%s://%s%s: %s%s", first->stream,
		first->tls ? "s" : "", listener_address(l), first->path,
		error != NULL ? error : "listening", more);
}

static void on_listener_close(struct listener *l, unsigned slot,
			      unsigned worker, void *arg)
{
	struct msg m = { .type = MSG_DELIVER_UNLISTEN,
			 .deliver_unlisten = { listener_address(l), slot } };

	struct deliver_proc *d = arg;

	spawner_touch(d->cfg.spawner);
	service_proc_send(d->workers[worker]->service, &m, NULL);
}

static const struct listeners_events listeners_events = {
	.on_open = on_listener_open,
	.on_error = on_listener_error,
	.on_close = on_listener_close,
};

static struct places *places_of(struct deliver_proc *d, const char *address,
				const char *path)
{
	return &d->places[msg_mount_number(address, path) / 2 %
			  DELIVER_PLACES];
}

struct mount *deliver_proc_find(struct deliver_proc *d, const char *address,
				const char *path)
{
	struct mount *m;

	LIST_FOREACH(m, places_of(d, address, path), in_place)
		if (!m->waits && strcmp(m->path, path) == 0 &&
		    strcmp(mount_address(m), address) == 0)
			return m;
	return NULL;
}

void mount_set_path(struct mount *m, const char *path)
{
	LIST_REMOVE(m, in_place);
	free(m->path);
	m->path = xstrdup(path);
	LIST_INSERT_HEAD(places_of(m->owner, mount_address(m), path), m,
			 in_place);
}

unsigned deliver_proc_per_address(const struct deliver_proc *d)
{
	const json_t *max = json_object_get(d->settings, "viewers_per_address");

	return json_is_integer(max) && json_integer_value(max) >= 0
		? (unsigned)MIN(json_integer_value(max), (json_int_t)INT32_MAX)
		: VIEWERS_PER_ADDRESS;
}

static void want(struct deliver_proc *d)
{
	for (unsigned i = 0; i < d->n_wanted; i++)
		service_proc_want(d->workers[i]->service);
}

void deliver_proc_set_play(struct deliver_proc *d, const struct play_conf *c)
{
	if (!c->has_port)
		return;
	d->play = listener_get(d->listeners, &c->port, true);
	want(d);
}

const char *deliver_proc_play_error(const struct deliver_proc *d)
{
	return d->play != NULL ? listener_error(d->play) : NULL;
}

static bool takes_viewers(const struct deliver_worker *w)
{
	return deliver_worker_serves(w) &&
	       channel_waiting(service_proc_channel(w->service)) <
		       VIEWERS_WAITING;
}

bool deliver_proc_takes_viewers(struct deliver_proc *d)
{
	for (unsigned i = 0; i < d->n; i++)
		if (takes_viewers(d->workers[i]))
			return true;
	return false;
}

void deliver_proc_give_viewer(struct deliver_proc *d,
			      const struct msg_deliver_viewer *viewer, int fd,
			      uint64_t place)
{
	struct msg m = { .type = MSG_DELIVER_VIEWER,
			 .deliver_viewer = *viewer };

	if (place == 0)
		place = ++d->turn;
	for (unsigned i = 0; i < d->n; i++) {
		const struct deliver_worker *w =
			d->workers[(place + i) % d->n];

		if (!takes_viewers(w))
			continue;
		service_proc_send(w->service, &m, &fd);
		break;
	}
	fd_close(&fd);
}

/* Stops the workers if there are no mounts.  With a play port they stay,
 * because they answer there also without mounts. */
static void check_need(struct deliver_proc *d)
{
	if (!TAILQ_EMPTY(&d->mounts) || d->play != NULL)
		return;
	for (unsigned i = 0; i < d->n; i++)
		service_proc_unwant(d->workers[i]->service);
}

static int ask_sessions(unsigned worker, uint64_t after, uint32_t seq,
			void *arg)
{
	struct deliver_proc *d = arg;
	struct channel *channel = worker < d->n
		? service_proc_channel(d->workers[worker]->service) : NULL;
	struct msg m = { .type = MSG_DELIVER_LIST, .seq = seq,
			 .deliver_list = { after } };

	return channel != NULL ? channel_send(channel, &m, NULL, 0)
			       : -ENOTCONN;
}

static uint64_t session_of(uint64_t client, void *arg)
{
	const struct deliver_proc *d = arg;

	return d->viewers != NULL ? viewers_session(d->viewers, client)
				  : client;
}

static unsigned read_workers(const json_t *settings)
{
	json_int_t n = json_integer_value(json_object_get(settings,
							  "http_workers"));

	return (unsigned)MAX(MIN(n, (json_int_t)MSG_DELIVER_MAX),
			     (json_int_t)1);
}

/* Adds workers until there are n. */
static void add_workers(struct deliver_proc *d, size_t n)
{
	for (; d->n < n && d->n < MSG_DELIVER_MAX; d->n++)
		d->workers[d->n] = deliver_worker_new(d, d->n);
}

struct deliver_proc *deliver_proc_new(const struct service_config *cfg,
				      struct tls_proc *tls,
				      const json_t *settings, uint64_t seed)
{
	struct deliver_proc *d = xcalloc(1, sizeof *d);

	d->cfg = *cfg;
	d->tls = tls;
	d->settings = json_deep_copy(settings);
	TAILQ_INIT(&d->mounts);
	d->n_wanted = read_workers(settings);
	d->listeners = listeners_new(cfg->loop, &listeners_events, d->n_wanted,
				     d);
	d->sessions = session_list_new(&(struct session_list_config){
		.loop = cfg->loop,
		.ask = ask_sessions,
		.session_of = session_of,
		.arg = d,
	});
	d->seed = seed;
	add_workers(d, d->n_wanted);
	return d;
}

void deliver_proc_free(struct deliver_proc **d)
{
	if (*d == NULL)
		return;
	assert(TAILQ_EMPTY(&(*d)->mounts));
	session_list_free(&(*d)->sessions);
	json_decref((*d)->settings);
	json_decref((*d)->last);
	listener_put(&(*d)->play);
	for (unsigned i = 0; i < (*d)->n; i++)
		deliver_worker_free(&(*d)->workers[i]);
	listeners_free(&(*d)->listeners);
	free(*d);
	*d = NULL;
}

/* --- from master to master --- */

json_t *deliver_proc_write(struct deliver_proc *d, struct handover *h)
{
	json_t *workers = json_array();

	listeners_write(d->listeners, h);
	for (unsigned i = 0; i < d->n; i++)
		(void)json_array_append_new(
			workers, service_proc_write(d->workers[i]->service, h));
	return json_pack("{s:I, s:o, s:o, s:o}", "seed", (json_int_t)d->seed,
			 "numbers", mount_numbers_write(d), "viewers",
			 mount_viewers_write(d), "workers", workers);
}

void deliver_proc_adopt(struct deliver_proc *d, const json_t *record,
			struct handover *h)
{
	const json_t *workers = json_object_get(record, "workers");
	const json_t *seed = json_object_get(record, "seed");

	assert(TAILQ_EMPTY(&d->mounts));
	listeners_adopt(d->listeners, h);
	if (json_is_integer(seed) && json_integer_value(seed) > 0)
		d->seed = (uint64_t)json_integer_value(seed);
	d->last = json_incref((json_t *)(uintptr_t)record);
	add_workers(d, json_array_size(workers));
	for (unsigned i = 0; i < d->n; i++)
		deliver_worker_adopt(d->workers[i],
				     json_array_get(workers, i), h);
}

uint64_t deliver_proc_seed(const struct deliver_proc *d)
{
	return d->seed;
}

void deliver_proc_close_viewers(struct deliver_proc *d, bool closed)
{
	if (closed == d->closed)
		return;
	d->closed = closed;
	spawner_touch(d->cfg.spawner);
	deliver_proc_send_due(d);
}

bool deliver_proc_is_closed(const struct deliver_proc *d)
{
	return d->closed;
}

void deliver_proc_set_viewers(struct deliver_proc *d, struct viewers *v)
{
	d->viewers = v;
	viewers_set_limit(v, &(struct viewers_limit){
		.per_address = deliver_proc_per_address(d),
		.seed = d->seed,
	});
	for (unsigned i = 0; i < d->n; i++) {
		struct deliver_worker *w = d->workers[i];

		w->way.shared = d->n > 1;
		/* an adopted worker already has a channel */
		if (service_proc_channel(w->service) != NULL)
			viewers_up(v, &w->way);
	}
}

void deliver_proc_settle(struct deliver_proc *d)
{
	d->settled = true;
	json_decref(d->last);
	d->last = NULL;
	listeners_close_unused(d->listeners);
	deliver_proc_send_due(d);
	check_need(d);
}

/* --- for the reconciler --- */

struct service_proc *deliver_proc_service(struct deliver_proc *d, unsigned i)
{
	return i < d->n ? d->workers[i]->service : NULL;
}

void deliver_proc_hurry(struct deliver_proc *d)
{
	for (unsigned i = 0; i < d->n_wanted; i++)
		service_proc_hurry(d->workers[i]->service);
}

const char *deliver_proc_alarm(const struct deliver_proc *d)
{
	const char *alarm = NULL;

	for (unsigned i = 0; i < d->n_wanted; i++) {
		const char *own = service_proc_alarm(d->workers[i]->service);

		if (own == NULL)
			return NULL;
		alarm = alarm != NULL ? alarm : own;
	}
	return alarm;
}

/* Connects a deliver worker with the tls worker by a socket pair. */
static void link_tls(struct deliver_worker *w)
{
	const struct msg m = { .type = MSG_DELIVER_TLS };
	int fds[2];
	int err = fd_seqpacket_pair(fds);

	if (err < 0) {
		log_error("deliver", "worker %u: cannot be connected with the "
				     "tls worker: %s",
			  w->number + 1, strerror(-err));
		return;
	}
	tls_proc_link(w->owner->tls, fds[0]);
	service_proc_send(w->service, &m, &fds[1]);
	fd_close(&fds[0]);
	fd_close(&fds[1]);
	w->linked = true;
}

void deliver_proc_link_tls(struct deliver_proc *d, bool anew)
{
	if (!tls_proc_is_on(d->tls) ||
	    service_proc_channel(tls_proc_service(d->tls)) == NULL)
		return;
	for (unsigned i = 0; i < d->n; i++) {
		struct deliver_worker *w = d->workers[i];

		if (service_proc_channel(w->service) != NULL &&
		    (anew || !w->linked))
			link_tls(w);
	}
}

struct session_wait *deliver_proc_list(struct deliver_proc *d,
				       session_list_fn *done, void *arg)
{
	return session_list_get(d->sessions, done, arg);
}

void deliver_proc_close_session(struct deliver_proc *d, uint64_t session)
{
	const struct msg m = { .type = MSG_DELIVER_KICK,
			       .deliver_kick = { session } };
	unsigned worker = msg_deliver_of(session);

	if ((d->viewers == NULL || !viewers_close(d->viewers, session)) &&
	    worker < d->n)
		service_proc_send(d->workers[worker]->service, &m, NULL);
}

unsigned deliver_proc_viewers(const struct deliver_proc *d)
{
	const struct mount *m;
	unsigned n = 0;

	TAILQ_FOREACH(m, &d->mounts, link)
		n += mount_viewers(m);
	return n;
}

struct mount *mount_new(struct deliver_proc *d, const struct mount_config *cfg)
{
	struct mount *m = xcalloc(1, sizeof *m);
	const struct mount *holder;

	m->owner = d;
	m->path = xstrdup(cfg->path);
	m->stream = xstrdup(cfg->stream);
	m->tls = cfg->tls;
	m->hls = cfg->hls;
	m->fmp4 = cfg->fmp4;
	m->demand = cfg->demand;
	m->stopped = cfg->stopped;
	m->on_viewers = cfg->on_viewers;
	m->arg = cfg->arg;
	m->no_auth = cfg->no_auth;
	m->fill_kib = cfg->fill_kib;
	m->ring_fd = cfg->ring_fd;
	m->seats = xcalloc(d->n, sizeof *m->seats);
	for (unsigned i = 0; i < d->n; i++)
		m->seats[i].mount = m;
	if (cfg->listen != NULL)
		m->listener = listener_get(d->listeners, cfg->listen,
					   false);
	holder = deliver_proc_find(d, mount_address(m), m->path);
	TAILQ_INSERT_TAIL(&d->mounts, m, link);
	LIST_INSERT_HEAD(places_of(d, mount_address(m), m->path), m, in_place);
	if (holder != NULL) {
		m->waits = true;
		m->waits_for = xasprintf("%s: path %s is used by stream %s",
					 mount_address(m), m->path,
					 holder->stream);
		/* the same stream frees its older mount next: no error */
		if (strcmp(holder->stream, m->stream) != 0)
			log_error("deliver", "stream %s: %s", m->stream,
				  m->waits_for);
	} else {
		mount_continue(m);
		mount_set_due(m, true);
	}
	deliver_proc_send_due(d);
	want(d);
	return m;
}

/* Returns the waiting mount that gets the path of m, which has left the list:
 * one of the same stream (its settings have changed), else the oldest; NULL:
 * none. */
static struct mount *find_heir(const struct deliver_proc *d,
			       const struct mount *m)
{
	struct mount *next, *heir = NULL;

	if (m->waits)
		return NULL;
	TAILQ_FOREACH(next, &d->mounts, link) {
		if (!next->waits || next->listener != m->listener ||
		    strcmp(next->path, m->path) != 0)
			continue;
		if (strcmp(next->stream, m->stream) == 0)
			return next;
		if (heir == NULL)
			heir = next;
	}
	return heir;
}

void mount_free(struct mount **mp)
{
	struct mount *m = *mp, *next;
	struct deliver_proc *d;
	struct msg message;

	*mp = NULL;
	if (m == NULL)
		return;
	d = m->owner;
	message = mount_message(m, MSG_DELIVER_UNMOUNT);
	TAILQ_REMOVE(&d->mounts, m, link);
	LIST_REMOVE(m, in_place);
	next = find_heir(d, m);
	/* A mount that is due may exist in workers with older values.  If
	 * another mount gets the path, its deliver.mount replaces this one. */
	if (!m->waits && (next == NULL || d->closed))
		deliver_proc_send(d, &message, NULL);
	mount_set_due(m, false);
	if (next != NULL) {
		next->waits = false;
		mount_continue(next);
		mount_set_due(next, true);
	}
	deliver_proc_send_due(d);
	listener_put(&m->listener);
	free(m->waits_for);
	free(m->path);
	free(m->stream);
	free(m->seats);
	free(m);
	check_need(d);
}
