/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/channel.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "config.h"
#include "proto/ipc/contract.h"
#include "proto/ipc/credit.h"

#include <assert.h>
#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	/* Bounds of the queue for a peer that does not read. */
	QUEUE_MESSAGES_MAX = 4096,
	QUEUE_BYTES_MAX = 4 * 1024 * 1024,

	REST_MAX = 512, /* most messages that channel_take_logs() reads */

	FLOOD_WINDOW_MS = 1000,

	PASS_RIGHTS = 83, /* SO_PASSRIGHTS, younger than Debian 12's headers */
};

/* A message in the queue, with duplicates of its descriptors. */
struct waiting {
	struct waiting *next;
	int fds[MSG_FDS_MAX];
	size_t n_fds;
	size_t len;
	char data[];
};

struct channel {
	struct channel_config cfg;
	ev_io reader;
	ev_io writer;

	struct waiting *first;
	struct waiting **end;
	size_t n_waiting;
	size_t bytes_waiting;

	unsigned strikes;
	uint64_t window_ms; /* when the second of the counts below began */
	unsigned window_messages;
	size_t window_bytes;

	struct credit credit; /* the messages of a worker use it up */
	ev_timer pause;       /* restarts the reader, which is stopped while the
			       * credit is below 0 */
	bool *freed;          /* channel_free() sets *freed; NULL: neither
			       * read_for_credit() nor read_batch() runs */

	bool ended; /* nothing more is sent: the peer has closed its end, or
		     * this end is closed or will be */
	int failed; /* -errno with which the loop will close the channel; 0: the
		     * loop will not close it */
};

/* A message as bytes, and the descriptors sent beside it. */
struct datagram {
	char *data;
	size_t len;
	int fds[MSG_FDS_MAX];
	size_t n_fds;
};

/* --- sending --- */

static int send_now(int fd, const char *data, size_t len, const int *fds,
		    size_t n_fds)
{
	union {
		char space[CMSG_SPACE(MSG_FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)data,
			     .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (n_fds > 0) {
		struct cmsghdr *c;

		msg.msg_control = control.space;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof *fds);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n_fds * sizeof *fds);
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof *fds);
	}
	do
		n = sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static void waiting_free(struct waiting *w)
{
	for (size_t i = 0; i < w->n_fds; i++)
		fd_close(&w->fds[i]);
	explicit_bzero(w->data, w->len);
	free(w);
}

static void drop_first(struct channel *c)
{
	struct waiting *w = c->first;

	c->first = w->next;
	if (c->first == NULL)
		c->end = &c->first;
	c->n_waiting--;
	c->bytes_waiting -= w->len;
	waiting_free(w);
}

static void stop_writing(struct channel *c)
{
	ev_io_stop(c->cfg.loop, &c->writer);
	while (c->first != NULL)
		drop_first(c);
}

/* Lets the loop close the channel with err, because on_close must not be called
 * inside channel_send(). */
static void fail_later(struct channel *c, int err)
{
	c->failed = err;
	c->ended = true;
	stop_writing(c);
	ev_feed_event(c->cfg.loop, &c->reader, EV_CUSTOM);
}

/* Drops the queue, because the peer has closed its end, or because
 * close_channel() was called.  Messages from the peer can still be read. */
static void end_sending(struct channel *c)
{
	c->ended = true;
	stop_writing(c);
}

static int enqueue(struct channel *c, const struct datagram *d)
{
	struct waiting *w;

	if (c->n_waiting >= QUEUE_MESSAGES_MAX ||
	    c->bytes_waiting + d->len > QUEUE_BYTES_MAX) {
		fail_later(c, -ENOBUFS);
		return -EPIPE;
	}
	w = xcalloc(1, sizeof *w + d->len);
	w->len = d->len;
	memcpy(w->data, d->data, d->len);
	for (; w->n_fds < d->n_fds; w->n_fds++) {
		int copy = fcntl(d->fds[w->n_fds], F_DUPFD_CLOEXEC, 0);

		if (copy < 0) {
			fail_later(c, -errno);
			waiting_free(w);
			return -EPIPE;
		}
		w->fds[w->n_fds] = copy;
	}
	*c->end = w;
	c->end = &w->next;
	c->n_waiting++;
	c->bytes_waiting += d->len;
	ev_io_start(c->cfg.loop, &c->writer);
	return 0;
}

static int send_or_queue(struct channel *c, const struct datagram *d,
			 bool may_drop)
{
	int err = -EAGAIN;

	if (c->first == NULL)
		err = send_now(c->cfg.fd, d->data, d->len, d->fds, d->n_fds);
	if (err == 0)
		return 0;
	if (err == -EPIPE || err == -ECONNRESET) {
		end_sending(c);
		return -EPIPE;
	}
	if (err != -EAGAIN) {
		fail_later(c, err);
		return -EPIPE;
	}
	if (may_drop)
		return -EAGAIN;
	return enqueue(c, d);
}

static void resume(struct channel *c)
{
	ev_timer_stop(c->cfg.loop, &c->pause);
	ev_io_start(c->cfg.loop, &c->reader);
}

int channel_send(struct channel *c, const struct msg *m, const int *fds,
		 size_t n_fds)
{
	char data[MSG_SIZE_MAX];
	struct datagram d = { .data = data, .n_fds = n_fds };
	ssize_t len;
	int err;

	assert(n_fds == msg_fds(m));
	if (c->ended)
		return -EPIPE;
	len = msg_encode(m, data);
	if (len < 0)
		return (int)len;
	d.len = (size_t)len;
	for (size_t i = 0; i < n_fds; i++)
		d.fds[i] = fds[i];
	if (m->seq != 0) {
		credit_allow(&c->credit, m->type);
		/* the reply does not wait for the end of a pause */
		if (ev_is_active(&c->pause) && credit_wait_s(&c->credit) <= 0)
			resume(c);
	}
	err = send_or_queue(c, &d, msg_type_may_drop(m->type));
	/* the message may contain a password */
	explicit_bzero(data, d.len);
	return err;
}

static void on_writable(struct ev_loop *loop, ev_io *w, int revents)
{
	struct channel *c = container_of(w, struct channel, writer);

	(void)loop, (void)revents;
	while (c->first != NULL) {
		struct waiting *first = c->first;
		int err = send_now(c->cfg.fd, first->data, first->len,
				   first->fds, first->n_fds);

		if (err == -EAGAIN)
			return;
		if (err == -EPIPE || err == -ECONNRESET) {
			end_sending(c);
			return;
		}
		if (err < 0) {
			fail_later(c, err);
			return;
		}
		drop_first(c);
	}
	ev_io_stop(c->cfg.loop, &c->writer);
	/* on_drained() may free c: do not use c after the call */
	if (c->cfg.events->on_drained != NULL)
		c->cfg.events->on_drained(c, c->cfg.arg);
}

/* --- receiving --- */

static void close_fds(int *fds, size_t n_fds)
{
	for (size_t i = 0; i < n_fds; i++)
		fd_close(&fds[i]);
}

static void take_fds(struct msghdr *msg, struct datagram *d)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		/* n is at most MSG_FDS_MAX, because the control buffer has no
		 * room for more */
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof *d->fds;
		assert(d->n_fds + n <= MSG_FDS_MAX);
		memcpy(d->fds + d->n_fds, CMSG_DATA(c), n * sizeof *d->fds);
		d->n_fds += n;
	}
}

/* Receives a datagram.  1; 0: the peer has closed; -EMSGSIZE: the datagram was
 * truncated, and its descriptors are closed; or another -errno. */
static int receive(int fd, struct datagram *d)
{
	union {
		char space[CMSG_SPACE(MSG_FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = d->data, .iov_len = MSG_SIZE_MAX };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.space,
		.msg_controllen = sizeof control.space,
	};
	ssize_t n;

	do
		n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	take_fds(&msg, d);
	if ((msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
		close_fds(d->fds, d->n_fds);
		d->n_fds = 0;
		d->len = (size_t)n;
		return -EMSGSIZE;
	}
	d->len = (size_t)n;
	return n > 0;
}

/* Closes the channel.  The owner may free it inside: the caller must not use c
 * afterwards. */
static void close_channel(struct channel *c, int err, const char *error)
{
	end_sending(c);
	ev_io_stop(c->cfg.loop, &c->reader);
	ev_timer_stop(c->cfg.loop, &c->pause);
	c->cfg.events->on_close(c, err, error, c->cfg.arg);
}

static bool is_flood(struct channel *c, size_t len)
{
	uint64_t now = mono_ms();

	if (c->cfg.receives != MSG_TO_MASTER)
		return false;
	if (now - c->window_ms >= FLOOD_WINDOW_MS) {
		c->window_ms = now;
		c->window_messages = 0;
		c->window_bytes = 0;
	}
	c->window_messages++;
	c->window_bytes += len;
	return c->window_messages > CHANNEL_FLOOD ||
	       c->window_bytes > CHANNEL_FLOOD_BYTES;
}

static void strike(struct channel *c, const struct errmsg *error)
{
	if (++c->strikes >= CHANNEL_STRIKES)
		close_channel(c, -EBADMSG, error->text);
}

static void judge(struct channel *c, struct datagram *d)
{
	struct errmsg error = { 0 };
	struct msg m;
	int err;

	err = msg_decode(d->data, d->len, c->cfg.receives, &m, &error);
	if (err == 0 && d->n_fds != msg_fds(&m)) {
		err = errmsg_fail(&error, -EBADMSG, "%s: with %zu descriptors",
				  msg_type_name(m.type), d->n_fds);
		msg_done(&m);
	}
	if (err < 0) {
		close_fds(d->fds, d->n_fds);
		strike(c, &error);
		return;
	}
	c->cfg.events->on_message(c, &m, d->fds, d->n_fds, c->cfg.arg);
	/* on_message() may have freed c; m and d are still valid */
	close_fds(d->fds, d->n_fds);
	msg_done(&m);
}

/* Reads a single datagram, because the owner may free the channel in any
 * callback.  The loop calls it again while more datagrams wait.  False: none
 * waited. */
static bool read_one(struct channel *c)
{
	char data[MSG_SIZE_MAX];
	struct datagram d = { .data = data };
	int n = receive(c->cfg.fd, &d);

	/* -ECONNRESET: the peer closed and left messages unread; the next call
	 * reads the messages that it had sent */
	if (n == -EAGAIN || n == -ECONNRESET)
		return false;
	if (n == 0) {
		close_channel(c, 0, "");
	} else if (n < 0 && n != -EMSGSIZE) {
		close_channel(c, n, strerror(-n));
	} else if (is_flood(c, d.len)) {
		close_fds(d.fds, d.n_fds);
		close_channel(c, -EBADMSG, "a flood of messages");
	} else if (n == -EMSGSIZE) {
		struct errmsg error;

		errmsg_set(&error, "too long, or too many descriptors");
		strike(c, &error);
	} else {
		judge(c, &d);
		/* the message may have contained a password */
		explicit_bzero(data, d.len);
	}
	return true;
}

void channel_take_logs(struct channel *c)
{
	char data[MSG_SIZE_MAX];
	struct datagram d = { .data = data };
	int n;

	/* the sender has ended, so the socket gets no more messages */
	for (unsigned i = 0; i < REST_MAX; i++) {
		struct errmsg error;
		struct msg m;

		n = receive(c->cfg.fd, &d);
		if (n <= 0 && n != -EMSGSIZE && n != -ECONNRESET)
			break;
		if (n > 0 && msg_decode(d.data, d.len, c->cfg.receives, &m,
					&error) == 0) {
			if (m.type == MSG_WORKER_LOG)
				c->cfg.events->on_message(c, &m, NULL, 0,
							  c->cfg.arg);
			msg_done(&m);
		}
		if (n > 0) {
			close_fds(d.fds, d.n_fds);
			explicit_bzero(data, d.len);
		}
	}
}

/* --- what the messages of a worker cost --- */

/* Charges the worker for a message.  If the credit is below 0 then, stops the
 * reader for a pause, or closes the channel if this has lasted too long.  The
 * owner may then free the channel. */
static void charge(struct channel *c, int64_t cost_ns)
{
	double wait_s;

	credit_charge(&c->credit, cost_ns);
	wait_s = credit_wait_s(&c->credit);
	if (wait_s <= 0 || c->failed != 0)
		return;
	if (credit_is_exceeded(&c->credit)) {
		close_channel(c, -EBADMSG, "a flood of messages: they cost "
			      "the master too much time");
		return;
	}
	ev_io_stop(c->cfg.loop, &c->reader);
	timer_start(c->cfg.loop, &c->pause, wait_s);
}

static void on_paused(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct channel *c = container_of(t, struct channel, pause);

	(void)loop, (void)revents;
	resume(c);
}

static void read_for_credit(struct channel *c)
{
	uint64_t began = mono_cost_ns();
	bool freed = false;

	c->freed = &freed;
	(void)read_one(c);
	if (freed)
		return;
	c->freed = NULL;
	/* close_channel() has stopped the reader: then there is nothing to
	 * charge */
	if (ev_is_active(&c->reader))
		charge(c, (int64_t)(mono_cost_ns() - began));
}

/* Reads a batch of messages.  Stops early if close_channel() has stopped the
 * reader, and after fail_later(): then the loop closes the channel. */
static void read_batch(struct channel *c)
{
	bool freed = false;

	c->freed = &freed;
	for (unsigned i = 0; i < c->cfg.batch; i++)
		if (!read_one(c) || freed || c->failed < 0 ||
		    !ev_is_active(&c->reader))
			break;
	if (!freed)
		c->freed = NULL;
}

static void on_readable(struct ev_loop *loop, ev_io *w, int revents)
{
	struct channel *c = container_of(w, struct channel, reader);

	(void)loop, (void)revents;
	if (c->failed < 0)
		close_channel(c, c->failed, strerror(-c->failed));
	else if (c->cfg.receives == MSG_TO_MASTER)
		read_for_credit(c);
	else if (c->cfg.batch > 0)
		read_batch(c);
	else
		(void)read_one(c);
}

struct channel *channel_new(const struct channel_config *cfg)
{
	struct channel *c = xcalloc(1, sizeof *c);

	c->cfg = *cfg;
	c->end = &c->first;
	ev_io_init(&c->reader, on_readable, cfg->fd, EV_READ);
	ev_io_init(&c->writer, on_writable, cfg->fd, EV_WRITE);
	if (cfg->batch > 0)
		ev_set_priority(&c->reader, EV_MAXPRI);
	ev_init(&c->pause, on_paused);
	credit_start(&c->credit);
	ev_io_start(cfg->loop, &c->reader);
	/* A worker has no reason to send descriptors.  If it sends a socket
	 * with SO_LINGER, the close could block the master.  Kernels from 6.16
	 * on reject descriptors at the sender. */
	if (cfg->receives == MSG_TO_MASTER)
		(void)setsockopt(cfg->fd, SOL_SOCKET, PASS_RIGHTS, &(int){ 0 },
				 sizeof(int));
	return c;
}

void channel_free(struct channel **c)
{
	if (*c == NULL)
		return;
	stop_writing(*c);
	ev_io_stop((*c)->cfg.loop, &(*c)->reader);
	ev_timer_stop((*c)->cfg.loop, &(*c)->pause);
	if ((*c)->freed != NULL)
		*(*c)->freed = true;
	fd_close(&(*c)->cfg.fd);
	free(*c);
	*c = NULL;
}

bool channel_is_idle(const struct channel *c)
{
	return c->first == NULL && !c->ended;
}

size_t channel_waiting(const struct channel *c)
{
	return c->n_waiting;
}

bool channel_holds_back(const struct channel *c)
{
	struct pollfd p = { .events = POLLIN };

	if (c == NULL || c->credit.owed_ms == 0)
		return false;
	p.fd = c->cfg.fd;
	return poll(&p, 1, 0) > 0 && (p.revents & POLLIN) != 0;
}
