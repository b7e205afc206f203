/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One of the deliver workers: the messages that it sends and receives. */
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/base/ip_prefix.h"
#include "common/base/util.h"
#include "common/loop/timer.h"
#include "master/streams/deliver_state.h"
#include "master/streams/listeners.h"
#include "master/viewers/viewers.h"
#include "common/supervise/memfd.h"
#include "proto/ipc/channel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VIEWERS_KEPT_MS = 5000 };

/* --- to the worker --- */

void deliver_worker_seat_due(struct deliver_worker *w, struct mount_seat *s,
			     bool due)
{
	if (s->due == due)
		return;
	s->due = due;
	if (due)
		TAILQ_INSERT_TAIL(&w->due, s, due_link);
	else
		TAILQ_REMOVE(&w->due, s, due_link);
}

/* Sends a listening socket to the worker, and then has the worker that had the
 * socket before close it.  The master keeps the socket open, so no viewer that
 * waits in the socket is lost. */
static void send_listener(struct deliver_worker *w,
			  const struct listener_socket *s)
{
	const char *address = listener_address(s->listener);
	const struct msg m = { .type = MSG_DELIVER_LISTEN, .deliver_listen = {
		.address = address,
		.slot = s->slot,
		.play = listener_is_play(s->listener),
	} };
	const struct msg leave = { .type = MSG_DELIVER_UNLISTEN,
				   .deliver_unlisten = { address, s->slot } };

	service_proc_send(w->service, &m, &s->fd);
	if (s->from >= 0)
		service_proc_send(w->owner->workers[s->from]->service, &leave,
				  NULL);
}

/* Sends mounts before listening sockets, so that a viewer who waits in a socket
 * finds the path. */
void deliver_worker_send_due(struct deliver_worker *w)
{
	struct deliver_proc *d = w->owner;
	struct channel *channel = service_proc_channel(w->service);
	const struct msg settle = { .type = MSG_DELIVER_SETTLE,
				    .deliver_settle = { w->retiring } };
	struct listener_socket socket;

	while (channel != NULL && channel_is_idle(channel)) {
		struct mount_seat *seat = d->closed ? NULL
						    : TAILQ_FIRST(&w->due);

		if (seat != NULL) {
			const struct msg m = mount_message(seat->mount,
							   MSG_DELIVER_MOUNT);

			deliver_worker_seat_due(w, seat, false);
			service_proc_send(w->service, &m,
					  &seat->mount->ring_fd);
		} else if (listeners_take(d->listeners, w->number, &socket)) {
			send_listener(w, &socket);
		} else {
			if (w->renewing && d->settled) {
				w->renewing = false;
				service_proc_send(w->service, &settle, NULL);
				timer_start(d->cfg.loop, &w->kept,
					    VIEWERS_KEPT_MS / 1e3);
			}
			return;
		}
	}
}

bool deliver_worker_serves(const struct deliver_worker *w)
{
	return !w->retiring && service_proc_channel(w->service) != NULL;
}

static void share_listeners(struct deliver_proc *d)
{
	bool serves[MSG_DELIVER_MAX] = { false };

	for (unsigned i = 0; i < d->n; i++)
		serves[i] = deliver_worker_serves(d->workers[i]);
	listeners_share(d->listeners, serves);
}

static void send_limits(struct deliver_worker *w)
{
	const json_t *settings = w->owner->settings;
	const json_t *list = json_object_get(settings, "real_ip_trusted");
	struct msg m = { .type = MSG_DELIVER_LIMITS };
	struct msg_deliver_limits *l = &m.deliver_limits;
	struct ip_prefix prefix;
	const json_t *item;
	size_t i;

	l->per_address = deliver_proc_per_address(w->owner);
	l->empty_missing = json_is_true(json_object_get(settings,
							"hls_missing_empty"));
	l->hash_names = json_is_true(json_object_get(settings,
						     "hls_hash_names"));
	l->session_playlists = json_is_true(json_object_get(
		settings, "hls_session_playlists"));
	json_array_foreach((json_t *)(uintptr_t)list, i, item) {
		const char *text = json_string_value(item);

		if (text != NULL && l->n_proxies < MSG_PROXIES_MAX &&
		    ip_prefix_parse(text, &prefix) == 0)
			l->proxies[l->n_proxies++] = text;
	}
	service_proc_send(w->service, &m, NULL);
}

/* --- from the worker --- */

static void on_hello(void *self)
{
	struct deliver_worker *w = self;
	struct deliver_proc *d = w->owner;
	struct mount *m;

	w->renewing = w->linked = false;
	send_limits(w);
	viewers_up(d->viewers, &w->way);
	TAILQ_FOREACH(m, &d->mounts, link)
		if (!m->waits)
			deliver_worker_seat_due(w, &m->seats[w->number], true);
	listeners_untake(d->listeners, w->number);
	share_listeners(d);
	deliver_proc_send_due(d);
}

/* True: the client has a number of this worker.  False: kills the worker, so
 * the caller must return at once. */
static bool owns(struct deliver_worker *w, uint64_t client)
{
	char error[80];

	if (msg_deliver_of(client) == w->number)
		return true;
	(void)snprintf(error, sizeof error, "client %" PRIu64 " has a number "
		       "of another worker", client);
	service_proc_kill(w->service, error);
	return false;
}

static void take_sessions(struct deliver_worker *w, const struct msg *m)
{
	const struct msg_deliver_sessions *page = &m->deliver_sessions;
	struct errmsg error;

	for (size_t i = 0; i < page->n; i++)
		if (!owns(w, page->list[i].client))
			return;
	/* before session_list_answer(): a receiver of the list may end one of
	 * these sessions */
	viewers_see(w->owner->viewers, &w->way, page);
	if (session_list_answer(w->owner->sessions, &(struct session_page){
			w->number, m->seq, page }, &error) < 0)
		service_proc_kill(w->service, error.text);
}

static void take_changes(struct deliver_worker *w,
			 const struct msg_deliver_changes *c)
{
	for (size_t i = 0; i < c->n_joined; i++)
		if (!owns(w, c->joined[i].client))
			return;
	for (size_t i = 0; i < c->n_left; i++)
		if (!owns(w, c->left[i]))
			return;
	if (w->owner->viewers != NULL)
		viewers_report(w->owner->viewers, &w->way, c);
}

static void take_viewers(struct deliver_worker *w,
			 const struct msg_deliver_viewers *report)
{
	/* NULL: the mount was freed meanwhile */
	struct mount *mount = deliver_proc_find(w->owner, report->address,
						report->path);
	struct mount_seat *seat;

	if (mount == NULL || strcmp(mount->stream, report->stream) != 0)
		return;
	seat = &mount->seats[w->number];
	seat->viewers = report->viewers;
	seat->kept = false;
	seat->cut = report->cut;
	if (mount->on_viewers != NULL)
		mount->on_viewers(false, mount->arg);
}

/* Returns a descriptor with the text; -errno if it is longer than MSG_PAGE_MAX,
 * or if there is no memory or descriptor. */
static int write_page(const struct buf *text)
{
	int fd, err;

	if (buf_len(text) > MSG_PAGE_MAX)
		return -EMSGSIZE;
	fd = memfd_open("playlist");
	if (fd < 0)
		return fd;
	err = memfd_write(fd, (const char *)buf_head(text), buf_len(text));
	if (err < 0) {
		fd_close(&fd);
		return err;
	}
	return fd;
}

/* Sends the answer for a client, a list of streams, in a descriptor of its
 * own, because it may be longer than a message.  The answer is 503 if
 * write_page() fails. */
static void send_page(const struct msg *page, const struct buf *text, void *arg)
{
	const struct deliver_worker *w = arg;
	struct msg m = *page;
	int fd = -1;

	if (m.deliver_page.status == 200) {
		fd = write_page(text);
		if (fd < 0)
			m.deliver_page = (struct msg_deliver_page)
				MSG_NO_PAGE(503);
	}
	service_proc_send(w->service, &m, &fd);
	fd_close(&fd);
}

static void send_memory(const struct msg *page, int fd, void *arg)
{
	const struct deliver_worker *w = arg;

	service_proc_send(w->service, page, &fd);
}

static void take_playlist(struct deliver_worker *w, const struct msg *m)
{
	/* without the judge of viewers, no client may watch */
	const struct msg none = { .type = MSG_DELIVER_PAGE, .seq = m->seq,
				  .deliver_page = MSG_NO_PAGE(403) };
	const struct buf empty = { 0 };

	if (w->owner->viewers != NULL)
		viewers_ask_list(w->owner->viewers, &w->way,
				 &m->deliver_playlist, m->seq);
	else
		send_page(&none, &empty, w);
}

static void on_message(const struct msg *m, void *self)
{
	struct deliver_worker *w = self;
	struct viewers *viewers = w->owner->viewers;

	if (m->type == MSG_DELIVER_SESSIONS)
		take_sessions(w, m);
	else if (m->type == MSG_DELIVER_CHANGES)
		take_changes(w, &m->deliver_changes);
	else if (m->type == MSG_DELIVER_PLAYLIST)
		take_playlist(w, m);
	else if (m->type == MSG_DELIVER_LOOK)
		deliver_pictures_ask(w, m->deliver_look.stream, m->seq);
	else if (m->type == MSG_DELIVER_VIEWERS)
		take_viewers(w, &m->deliver_viewers);
	else if (m->type == MSG_DELIVER_ASK && viewers != NULL &&
		 owns(w, m->deliver_ask.client))
		viewers_ask(viewers, &w->way, &m->deliver_ask, m->seq);
	else if (m->type == MSG_DELIVER_STATUS && w->retiring && !w->renewing &&
		 m->deliver_status.viewers + m->deliver_status.requests == 0)
		service_proc_unwant(w->service);
}

static void on_drained(void *self)
{
	deliver_worker_send_due(self);
}

static void on_down(void *self)
{
	struct deliver_worker *w = self;
	struct deliver_proc *d = w->owner;
	struct mount *m;

	TAILQ_FOREACH(m, &d->mounts, link) {
		struct mount_seat *seat = &m->seats[w->number];

		seat->viewers = 0;
		seat->kept = false;
		m->cut_past += seat->cut;
		seat->cut = 0;
	}
	TAILQ_FOREACH(m, &d->mounts, link)
		if (m->on_viewers != NULL)
			m->on_viewers(true, m->arg);
	session_list_down(d->sessions, w->number);
	viewers_down(d->viewers, &w->way);
	deliver_pictures_cancel(w);
	/* other workers accept the viewers that wait in sockets of this one */
	listeners_untake(d->listeners, w->number);
	share_listeners(d);
	if (w->retiring)
		service_proc_unwant(w->service);
	deliver_proc_send_due(d);
}

static void on_kept(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct deliver_worker *w = container_of(t, struct deliver_worker, kept);
	struct mount *m;

	(void)loop, (void)revents;
	TAILQ_FOREACH(m, &w->owner->mounts, link)
		mount_drop_kept(m, w->number);
}

static const struct service_kind kind = {
	.role = "deliver",
	.beat = MSG_DELIVER_STATUS,
	.remedy = "restart-stream of a stream that it serves "
		  "starts it at once",
	.on_hello = on_hello,
	.on_message = on_message,
	.on_drained = on_drained,
	.on_down = on_down,
};

/* --- the worker --- */

static void send_for_viewers(const struct msg *m, void *arg)
{
	const struct deliver_worker *w = arg;

	service_proc_send(w->service, m, NULL);
}

struct deliver_worker *deliver_worker_new(struct deliver_proc *d,
					  unsigned number)
{
	struct deliver_worker *w = xcalloc(1, sizeof *w);
	char object[16];

	w->owner = d;
	w->number = number;
	w->retiring = number >= d->n_wanted;
	w->way.send = send_for_viewers;
	w->way.send_page = send_page;
	w->way.send_memory = send_memory;
	w->way.arg = w;
	TAILQ_INIT(&w->due);
	ev_init(&w->kept, on_kept);
	(void)snprintf(object, sizeof object, "%u", number + 1);
	w->service = service_proc_new(&d->cfg, &kind, object, w);
	return w;
}

void deliver_worker_free(struct deliver_worker **w)
{
	if (*w == NULL)
		return;
	deliver_pictures_cancel(*w);
	ev_timer_stop((*w)->owner->cfg.loop, &(*w)->kept);
	service_proc_free(&(*w)->service);
	free(*w);
	*w = NULL;
}

void deliver_worker_adopt(struct deliver_worker *w, const json_t *record,
			  struct handover *h)
{
	struct msg m = { .type = MSG_DELIVER_RENEW };

	service_proc_adopt(w->service, record, h, true);
	w->renewing = service_proc_channel(w->service) != NULL;
	service_proc_send(w->service, &m, NULL);
	send_limits(w);
	share_listeners(w->owner);
}
