/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/deliver_proc.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/ip_prefix.h"
#include "common/base/log.h"
#include "master/config/play_conf.h"
#include "master/streams/deliver_state.h"
#include "master/streams/listeners.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc.h"
#include "master/viewers/viewers.h"
#include "common/supervise/memfd.h"
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
	VIEWERS_WAITING = 64, /* messages in the channel, above them 503 */
};

const char *mount_address(const struct mount *m)
{
	return m->listener != NULL ? listener_address(m->listener)
				   : MSG_PLAY_ADDRESS;
}

static void send_mount(struct mount *mount, enum msg_type type)
{
	struct msg m = { .type = type };

	m.deliver_mount = (struct msg_deliver_mount){
		.address = mount_address(mount),
		.path = mount->path,
		.stream = mount->stream,
		.tls = mount->tls,
		.hls = mount->hls,
		.demand = mount->demand,
		.stopped = mount->stopped,
		.no_auth = mount->no_auth,
	};
	service_proc_send(mount->owner->service, &m, &mount->ring_fd);
}

void mount_set_due(struct mount *m, bool due)
{
	if (m->due == due)
		return;
	m->due = due;
	if (due)
		TAILQ_INSERT_TAIL(&m->owner->due, m, due_link);
	else
		TAILQ_REMOVE(&m->owner->due, m, due_link);
}

/* Mounts go before listeners, so that a waiting viewer finds its path. */
void deliver_proc_send_due(void *self)
{
	struct deliver_proc *d = self;
	struct channel *channel = service_proc_channel(d->service);
	struct listener *l;
	struct mount *m;

	while (channel != NULL && channel_is_idle(channel)) {
		struct msg message = { .type = MSG_DELIVER_SETTLE };
		int fd;

		m = d->closed ? NULL : TAILQ_FIRST(&d->due);
		l = m == NULL ? listeners_take(d->listeners) : NULL;
		if (m != NULL) {
			mount_set_due(m, false);
			send_mount(m, MSG_DELIVER_MOUNT);
		} else if (l != NULL) {
			message.type = MSG_DELIVER_LISTEN;
			message.deliver_listen = (struct msg_deliver_listen){
				listener_address(l), listener_is_play(l) };
			fd = listener_fd(l);
			service_proc_send(d->service, &message, &fd);
		} else {
			if (d->renewing && d->settled) {
				d->renewing = false;
				service_proc_send(d->service, &message, NULL);
			}
			return;
		}
	}
}

static void on_listener_open(void *arg)
{
	struct deliver_proc *d = arg;

	spawner_touch(d->spawner);
	deliver_proc_send_due(d);
}

/* Logs the first stream of the listener and the number of the others. */
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

static void on_listener_close(struct listener *l, void *arg)
{
	struct msg m = { .type = MSG_DELIVER_UNLISTEN,
			 .deliver_unlisten = { listener_address(l) } };

	struct deliver_proc *d = arg;

	spawner_touch(d->spawner);
	service_proc_send(d->service, &m, NULL);
}

static const struct listeners_events listeners_events = {
	.on_open = on_listener_open,
	.on_error = on_listener_error,
	.on_close = on_listener_close,
};

/* --- messages from the worker --- */

static struct mount *find_mount(struct deliver_proc *d, const char *address,
				const char *path)
{
	struct mount *m;

	TAILQ_FOREACH(m, &d->mounts, link)
		if (!m->waits && strcmp(m->path, path) == 0 &&
		    strcmp(mount_address(m), address) == 0)
			return m;
	return NULL;
}

static void send_limits(struct deliver_proc *d)
{
	const json_t *max = json_object_get(d->settings, "viewers_per_address");
	const json_t *list = json_object_get(d->settings, "real_ip_trusted");
	struct msg m = { .type = MSG_DELIVER_LIMITS };
	struct msg_deliver_limits *l = &m.deliver_limits;
	struct ip_prefix prefix;
	const json_t *item;
	size_t i;

	l->per_address = VIEWERS_PER_ADDRESS;
	l->empty_missing = json_is_true(json_object_get(d->settings,
							"hls_missing_empty"));
	l->hash_names = json_is_true(json_object_get(d->settings,
						     "hls_hash_names"));
	if (json_is_integer(max) && json_integer_value(max) >= 0)
		l->per_address = (unsigned)MIN(json_integer_value(max),
					       (json_int_t)INT32_MAX);
	json_array_foreach((json_t *)(uintptr_t)list, i, item) {
		const char *text = json_string_value(item);

		if (text != NULL && l->n_proxies < MSG_PROXIES_MAX &&
		    ip_prefix_parse(text, &prefix) == 0)
			l->proxies[l->n_proxies++] = text;
	}
	service_proc_send(d->service, &m, NULL);
}

void deliver_proc_limit(struct deliver_proc *d, const json_t *settings)
{
	json_decref(d->settings);
	d->settings = json_deep_copy(settings);
}

void deliver_proc_set_play(struct deliver_proc *d, const struct play_conf *c)
{
	if (!c->has_port)
		return;
	d->play = listener_get(d->listeners, &c->port);
	listener_set_play(d->play);
	service_proc_want(d->service);
}

const char *deliver_proc_play_error(const struct deliver_proc *d)
{
	return d->play != NULL ? listener_error(d->play) : NULL;
}

bool deliver_proc_takes_viewers(struct deliver_proc *d)
{
	struct channel *channel = service_proc_channel(d->service);

	return channel != NULL && channel_waiting(channel) < VIEWERS_WAITING;
}

void deliver_proc_give_viewer(struct deliver_proc *d,
			      const struct msg_deliver_viewer *viewer, int fd)
{
	struct msg m = { .type = MSG_DELIVER_VIEWER,
			 .deliver_viewer = *viewer };

	service_proc_send(d->service, &m, &fd);
	fd_close(&fd);
}

/* Without mounts the worker still answers at the play port. */
static void check_need(struct deliver_proc *d)
{
	if (TAILQ_EMPTY(&d->mounts) && d->play == NULL)
		service_proc_unwant(d->service);
}

static void on_hello(void *self)
{
	struct deliver_proc *d = self;
	struct mount *m;

	send_limits(d);
	viewers_up(d->viewers, &d->way);
	d->renewing = false;
	TAILQ_FOREACH(m, &d->mounts, link)
		if (!m->waits)
			mount_set_due(m, true);
	listeners_untake(d->listeners);
	deliver_proc_send_due(d);
}

/* The list of streams for a client, in a descriptor of its own: it may be
 * longer than a message. */
static void send_page(struct deliver_proc *d, const struct msg *request)
{
	struct msg m = { .type = MSG_DELIVER_PAGE, .seq = request->seq };
	int fd = memfd_open("playlist");
	struct buf text = { 0 };

	if (fd < 0)
		return;
	/* without viewers: nobody may watch */
	m.deliver_page = (struct msg_deliver_page){ 403, "" };
	if (d->viewers != NULL)
		viewers_write_playlist(d->viewers, &request->deliver_playlist,
				       &text, &m.deliver_page);
	if (buf_len(&text) > MSG_PAGE_MAX ||
	    memfd_write(fd, (const char *)buf_head(&text), buf_len(&text)) < 0)
		m.deliver_page.status = 503;
	service_proc_send(d->service, &m, &fd);
	buf_done(&text);
	fd_close(&fd);
}

static void on_message(const struct msg *m, void *self)
{
	const struct msg_deliver_viewers *report = &m->deliver_viewers;
	struct deliver_proc *d = self;
	struct errmsg error;
	struct mount *mount;

	if (m->type == MSG_DELIVER_SESSIONS &&
	    session_list_answer(d->sessions, &m->deliver_sessions, m->seq,
				&error) < 0)
		service_proc_kill(d->service, error.text);
	if (m->type == MSG_DELIVER_ASK && d->viewers != NULL)
		viewers_ask(d->viewers, &d->way, &m->deliver_ask, m->seq);
	if (m->type == MSG_DELIVER_PLAYLIST)
		send_page(d, m);
	if (m->type == MSG_DELIVER_CHANGES && d->viewers != NULL)
		viewers_report(d->viewers, &d->way, &m->deliver_changes);
	if (m->type != MSG_DELIVER_VIEWERS)
		return;
	/* NULL: it was unmounted meanwhile */
	mount = find_mount(d, report->address, report->path);
	if (mount != NULL && strcmp(mount->stream, report->stream) == 0) {
		mount->viewers = report->viewers;
		mount->cut = report->cut;
		if (mount->on_viewers != NULL)
			mount->on_viewers(false, mount->arg);
	}
}

static void on_down(void *self)
{
	struct deliver_proc *d = self;
	struct mount *m;

	TAILQ_FOREACH(m, &d->mounts, link) {
		m->viewers = 0;
		m->cut_past += m->cut;
		m->cut = 0;
	}
	TAILQ_FOREACH(m, &d->mounts, link)
		if (m->on_viewers != NULL)
			m->on_viewers(true, m->arg);
	session_list_down(d->sessions);
	viewers_down(d->viewers, &d->way);
}

static const struct service_kind kind = {
	.role = "deliver",
	.beat = MSG_DELIVER_STATUS,
	.on_hello = on_hello,
	.on_message = on_message,
	.on_drained = deliver_proc_send_due,
	.on_down = on_down,
};

static int ask_sessions(uint64_t after, uint32_t seq, void *arg)
{
	struct deliver_proc *d = arg;
	struct channel *channel = service_proc_channel(d->service);
	struct msg m = { .type = MSG_DELIVER_LIST, .seq = seq,
			 .deliver_list = { after } };

	return channel != NULL ? channel_send(channel, &m, NULL, 0)
			       : -ENOTCONN;
}

static void send_for_viewers(const struct msg *m, void *arg)
{
	const struct deliver_proc *d = arg;

	service_proc_send(d->service, m, NULL);
}

struct deliver_proc *deliver_proc_new(const struct service_config *cfg,
				      struct tls_proc *tls)
{
	struct deliver_proc *d = xcalloc(1, sizeof *d);

	d->spawner = cfg->spawner;
	d->tls = tls;
	d->way.send = send_for_viewers;
	d->way.arg = d;
	TAILQ_INIT(&d->mounts);
	TAILQ_INIT(&d->due);
	d->listeners = listeners_new(cfg->loop, &listeners_events, d);
	d->sessions = session_list_new(&(struct session_list_config){
		.loop = cfg->loop,
		.ask = ask_sessions,
		.arg = d,
	});
	d->service = service_proc_new(cfg, &kind, "1", d);
	return d;
}

void deliver_proc_free(struct deliver_proc **d)
{
	if (*d == NULL)
		return;
	assert(TAILQ_EMPTY(&(*d)->mounts));
	session_list_free(&(*d)->sessions);
	json_decref((*d)->settings);
	listener_put(&(*d)->play);
	service_proc_free(&(*d)->service);
	listeners_free(&(*d)->listeners);
	free(*d);
	*d = NULL;
}

/* --- from master to master --- */

json_t *deliver_proc_write(struct deliver_proc *d, struct handover *h)
{
	listeners_write(d->listeners, h);
	return service_proc_write(d->service, h);
}

void deliver_proc_adopt(struct deliver_proc *d, const json_t *record,
			struct handover *h)
{
	struct msg m = { .type = MSG_DELIVER_RENEW };

	listeners_adopt(d->listeners, h);
	service_proc_adopt(d->service, record, h, true);
	d->renewing = service_proc_channel(d->service) != NULL;
	service_proc_send(d->service, &m, NULL);
	send_limits(d);
}

void deliver_proc_close_viewers(struct deliver_proc *d, bool closed)
{
	if (closed == d->closed)
		return;
	d->closed = closed;
	spawner_touch(d->spawner);
	deliver_proc_send_due(d);
}

bool deliver_proc_is_closed(const struct deliver_proc *d)
{
	return d->closed;
}

void deliver_proc_set_viewers(struct deliver_proc *d, struct viewers *v)
{
	d->viewers = v;
	/* an adopted worker */
	if (service_proc_channel(d->service) != NULL)
		viewers_up(v, &d->way);
}

void deliver_proc_settle(struct deliver_proc *d)
{
	d->settled = true;
	listeners_close_unused(d->listeners);
	deliver_proc_send_due(d);
	check_need(d);
}

struct service_proc *deliver_proc_service(struct deliver_proc *d)
{
	return d->service;
}

struct session_wait *deliver_proc_list(struct deliver_proc *d,
				       session_list_fn *done, void *arg)
{
	return session_list_get(d->sessions, done, arg);
}

unsigned deliver_proc_viewers(const struct deliver_proc *d)
{
	const struct mount *m;
	unsigned n = 0;

	TAILQ_FOREACH(m, &d->mounts, link)
		n += m->viewers;
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
	m->demand = cfg->demand;
	m->stopped = cfg->stopped;
	m->on_viewers = cfg->on_viewers;
	m->arg = cfg->arg;
	m->no_auth = cfg->no_auth;
	m->ring_fd = cfg->ring_fd;
	if (cfg->listen != NULL)
		m->listener = listener_get(d->listeners, cfg->listen);
	holder = find_mount(d, mount_address(m), m->path);
	TAILQ_INSERT_TAIL(&d->mounts, m, link);
	if (holder != NULL) {
		m->waits = true;
		m->waits_for = xasprintf("%s: path %s is used by stream %s",
					 mount_address(m), m->path,
					 holder->stream);
		/* else the stream frees its older mount next */
		if (strcmp(holder->stream, m->stream) != 0)
			log_error("deliver", "stream %s: %s", m->stream,
				  m->waits_for);
	} else {
		mount_set_due(m, true);
	}
	deliver_proc_send_due(d);
	service_proc_want(d->service);
	return m;
}

void mount_free(struct mount **mp)
{
	struct mount *m = *mp, *next;
	struct deliver_proc *d;

	*mp = NULL;
	if (m == NULL)
		return;
	d = m->owner;
	TAILQ_REMOVE(&d->mounts, m, link);
	/* a mount that is due may exist with older values */
	if (!m->waits)
		send_mount(m, MSG_DELIVER_UNMOUNT);
	mount_set_due(m, false);
	/* the next waiting mount gets the path */
	TAILQ_FOREACH(next, &d->mounts, link)
		if (!m->waits && next->waits && next->listener == m->listener &&
		    strcmp(next->path, m->path) == 0)
			break;
	if (next != NULL) {
		next->waits = false;
		mount_set_due(next, true);
	}
	deliver_proc_send_due(d);
	listener_put(&m->listener);
	free(m->waits_for);
	free(m->path);
	free(m->stream);
	free(m);
	check_need(d);
}
