/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/viewer.h"

#include "common/base/alloc.h"
#include "worker/core/kernel_tls.h"
#include "worker/deliver/page_pipe.h"
#include "worker/deliver/ring_send.h"
#include "worker/deliver/viewer_session.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	FEED_MAX = 4 << 20, /* most bytes for a viewer in one pass, so that
			     * other viewers are not late */
	RECEIVED_MAX = 64 * 1024, /* a viewer that sends more bytes is
				   * disconnected */
};

/* Discards what the viewer sends.  At the end of file, or after too many bytes,
 * the viewer is gone. */
static void on_readable(struct ev_loop *loop, ev_io *io, int revents)
{
	(void)loop, (void)revents;
	struct viewer *v = container_of(io, struct viewer, io);
	uint8_t scratch[4096];
	ssize_t n = recv(v->io.fd, scratch, sizeof scratch, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	v->received += n > 0 ? (uint32_t)n : 0;
	/* over TLS the client sends an alert when it leaves (RFC 8446 6.1);
	 * on_gone() frees v */
	if (n <= 0 || v->received > RECEIVED_MAX || v->kernel)
		v->on_gone(v, v->arg);
}

static void on_verdict(struct session *s, const struct msg_deliver_answer *a,
		       void *arg)
{
	struct viewer *v = arg;

	(void)s;
	/* on_gone() frees v */
	if (a->verdict != ASK_ALLOWED)
		v->on_gone(v, v->arg);
}

static const struct session_events session_events = {
	.on_verdict = on_verdict,
};

struct viewer *viewer_new(const struct viewer_config *cfg)
{
	struct viewer *v = xcalloc(1, sizeof *v);
	struct sockaddr_any peer = { .len = sizeof peer.in6 };
	int sndbuf = (int)cfg->sndbuf;

	v->loop = cfg->loop;
	v->on_gone = cfg->on_gone;
	v->arg = cfg->arg;
	v->wait_until_ms = cfg->wait_until_ms;
	v->session = cfg->socket->session;
	v->copied = cfg->socket->copied;
	v->kernel = cfg->socket->kernel;
	v->from = cfg->socket->from;
	if (v->copied)
		v->peer_address = cfg->socket->peer;
	else if (getpeername(cfg->socket->fd, &peer.sa, &peer.len) == 0)
		v->peer_address = peer;
	v->session->bytes = &v->bytes;
	session_set_owner(v->session, &session_events, v);
	session_join(v->session, cfg->now_ms);
	/* the kernel may limit the size: a smaller buffer does no harm, because
	 * it only makes the queue shorter */
	if ((!v->copied || cfg->socket->local) && sndbuf > 0)
		(void)setsockopt(cfg->socket->fd, SOL_SOCKET, SO_SNDBUF,
				 &sndbuf, sizeof sndbuf);
	ev_io_init(&v->io, on_readable, cfg->socket->fd, EV_READ);
	ev_io_start(v->loop, &v->io);
	return v;
}

static void set_reset(const struct viewer *v)
{
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };

	(void)setsockopt(v->io.fd, SOL_SOCKET, SO_LINGER, &reset,
			 sizeof reset);
}

/* True if the kernel still refers to pages of the ring for this viewer.  The
 * writer will change these pages. */
static bool has_queue(const struct viewer *v)
{
	int n;

	return !v->copied && v->bytes > 0 &&
	       (ioctl(v->io.fd, SIOCOUTQ, &n) < 0 || n > 0);
}

void viewer_free(struct viewer **v)
{
	if (*v == NULL)
		return;
	if (has_queue(*v))
		set_reset(*v);
	else if ((*v)->kernel)
		kernel_tls_end((*v)->io.fd);
	session_free(&(*v)->session);
	ev_io_stop((*v)->loop, &(*v)->io);
	(void)close((*v)->io.fd);
	peer_leave(&(*v)->from);
	free(*v);
	*v = NULL;
}

void viewer_reset(struct viewer **v)
{
	set_reset(*v);
	viewer_free(v);
}

static void start_at(struct viewer *v, uint64_t pos)
{
	v->start = v->pos = pos;
	v->wait_until_ms = 0;
}

static enum viewer_fate send_bytes(struct viewer *v,
				   const struct viewer_pass *pass,
				   uint64_t end, uint64_t *bytes)
{
	const struct ring_send send = { .reader = pass->reader,
					.ring_fd = pass->ring_fd,
					.copied = v->copied,
					.copy = pass->copy };
	struct page_pipe *pages = v->copied ? pass->copies : pass->pages;

	end = MIN(end, v->pos + FEED_MAX);
	while (v->pos < end) {
		size_t len;
		ssize_t n;

		if (pages != NULL && pages->len > 0 && v->pos == pages->pos) {
			len = pages->len;
			n = page_pipe_send(pages, v->io.fd);
		} else {
			n = ring_send(&send, v->io.fd, v->pos,
				      (size_t)(end - v->pos), &len);
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n <= 0)
			return VIEWER_GONE;
		v->pos += (uint64_t)n;
		v->bytes += (uint64_t)n;
		*bytes += (uint64_t)n;
		if ((size_t)n < len)
			break; /* the socket is full until the next pass */
	}
	return VIEWER_STAYS;
}

/* Sends the missing bytes of the packet of which the viewer has a part, because
 * other packets follow.  False: the bytes are overwritten, or the socket did
 * not take them. */
static bool finish_packet(struct viewer *v, const struct viewer_pass *pass,
			  uint64_t *bytes)
{
	size_t len, rest = (RING_PACKET - v->pos % RING_PACKET) % RING_PACKET;
	off_t at = ring_file_offset(pass->reader, v->pos, rest, &len);
	uint64_t size = pass->lag->size;
	uint8_t data[RING_PACKET];
	bool ok;

	if (rest == 0)
		return true;
	/* check after pread(): the writer may have overwritten the bytes */
	if (pread(pass->ring_fd, data, rest, at) != (ssize_t)rest ||
	    ring_reader_pos(pass->reader, &ok) - v->pos > size - size / 16 ||
	    !ok || send(v->io.fd, data, rest, MSG_NOSIGNAL) != (ssize_t)rest)
		return false;
	v->pos += rest;
	v->bytes += rest;
	*bytes += rest;
	return true;
}

enum viewer_fate viewer_feed(struct viewer *v, const struct viewer_pass *pass,
			     uint64_t *bytes)
{
	enum lag_verdict verdict = LAG_FINE;
	enum viewer_fate fate;
	uint64_t behind, queued, end = pass->end;
	int n;

	if (v->wait_until_ms > 0 && pass->still) {
		v->wait_until_ms = pass->wait_until_ms;
		return VIEWER_STAYS;
	}
	if (v->wait_until_ms > 0) {
		if (!pass->has_start &&
		    (pass->has_marks || pass->now_ms < v->wait_until_ms))
			return VIEWER_STAYS;
		start_at(v, pass->has_start ? pass->start : pass->written);
		end = pass->written;
	}
	behind = pass->written - v->pos;
	/* a viewer close to the end needs no system call */
	if (behind > pass->lag->ask_above) {
		/* bytes of the body that the viewer has not acknowledged */
		queued = v->pos - v->start;
		if (ioctl(v->io.fd, SIOCOUTQ, &n) == 0 && n >= 0)
			queued = MIN((uint64_t)n, queued);
		verdict = lag_judge(pass->lag, behind, queued);
	}
	if (verdict == LAG_SLOW)
		return VIEWER_SLOW;
	if (verdict == LAG_LATE && !finish_packet(v, pass, bytes))
		return VIEWER_TORN;
	if (verdict == LAG_LATE && !pass->has_start && pass->has_marks) {
		/* wait as a new viewer does: the end may be inside a picture */
		v->wait_until_ms = pass->wait_until_ms;
		return VIEWER_MOVED;
	}
	if (verdict == LAG_LATE)
		start_at(v, pass->has_start ? pass->start : pass->written);
	fate = send_bytes(v, pass, end, bytes);
	return verdict == LAG_LATE && fate == VIEWER_STAYS ? VIEWER_MOVED
							    : fate;
}
