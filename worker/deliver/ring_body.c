/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/ring_body.h"

#include "common/base/util.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/ring_send.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

enum {
	SEND_MAX = 1 << 20, /* bytes sent in a wake-up, so that other clients
			     * are not late */
	REST_MAX = 16,      /* most passes without a ring_body_check() */
};

void ring_body_start(struct ring_body *b, struct mount *m, uint64_t start,
		     uint64_t end)
{
	b->mount = m;
	b->start = b->pos = start;
	b->end = end;
	b->awaited = false;
	b->rests = 0;
	LIST_INSERT_HEAD(&m->bodies, b, entry);
	m->n_bodies++;
}

void ring_body_stop(struct ring_body *b)
{
	if (b->mount == NULL)
		return;
	LIST_REMOVE(b, entry);
	b->mount->n_bodies--;
	b->mount = NULL;
}

/* The bytes of the range that the client has not acknowledged.  They are the
 * last bytes in the queue of the socket. */
static uint64_t queued_bytes(const struct ring_body *b)
{
	uint64_t sent = b->pos - b->start;
	int n;

	if (b->copied)
		return 0;
	if (ioctl(b->fd, SIOCOUTQ, &n) < 0 || n < 0)
		return sent;
	return MIN((uint64_t)n, sent);
}

/* True if the range is so far in front of the writer that it is safe even if
 * the client has acknowledged nothing. */
static bool is_far(const struct ring_body *b, uint64_t end)
{
	return end >= b->end &&
	       lag_judge(&b->mount->lag, end - b->pos, b->pos - b->start) ==
		       LAG_FINE;
}

bool ring_body_rests(struct ring_body *b, uint64_t end)
{
	if (!b->awaited && b->rests < REST_MAX && is_far(b, end)) {
		b->rests++;
		return true;
	}
	b->rests = 0;
	return false;
}

enum ring_body_state ring_body_check(struct ring_body *b)
{
	struct mount *m = b->mount;
	uint64_t queued = queued_bytes(b), end;

	if (b->pos == b->end && queued == 0) {
		ring_body_stop(b);
		return RING_BODY_DONE;
	}
	if (mount_end(m, &end) && end >= b->end &&
	    lag_judge(&m->lag, end - b->pos, queued) == LAG_FINE)
		return RING_BODY_HELD;
	m->cut++;
	ring_body_stop(b);
	return RING_BODY_LOST;
}

enum ring_body_state ring_body_send(struct ring_body *b)
{
	struct mount *m = b->mount;
	const struct ring_send send = { .reader = m->reader,
					.ring_fd = m->ring_fd,
					.copied = b->copied,
					.copy = m->copy };
	uint64_t until = MIN(b->end, b->pos + SEND_MAX), end;
	bool far = !b->copied && mount_end(m, &end) && is_far(b, end);
	enum ring_body_state state = far ? RING_BODY_HELD : ring_body_check(b);

	m->copy->len = 0; /* its bytes may be those of another ring */
	while (state == RING_BODY_HELD && b->pos < until) {
		size_t len;
		ssize_t n = ring_send(&send, b->fd, b->pos,
				      (size_t)(until - b->pos), &len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return RING_BODY_BLOCKED;
		if (n <= 0) {
			ring_body_stop(b);
			return RING_BODY_LOST;
		}
		b->pos += (uint64_t)n;
		m->bytes += (uint64_t)n;
		if ((size_t)n < len)
			return RING_BODY_BLOCKED;
	}
	if (state != RING_BODY_HELD)
		return state;
	if (b->pos < b->end)
		return RING_BODY_MORE;
	return far ? RING_BODY_HELD : ring_body_check(b);
}
