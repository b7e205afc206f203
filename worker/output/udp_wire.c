/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/udp_wire.h"

#include "common/fd.h"
#include "worker/output/udp_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* Errors that go by as traffic goes by; others mean that the socket, its
 * interface or its route is gone. */
static bool is_passing(int err)
{
	return err == EAGAIN || err == ENOBUFS || err == ECONNREFUSED ||
	       err == EINTR || err == ENOMEM;
}

/* Does the kernel, the route or the device refuse to cut datagrams? */
static bool is_refused_segment(int err)
{
	return err == EINVAL || err == EIO || err == EOPNOTSUPP ||
	       err == EMSGSIZE;
}

/*
 * An ICMP error that came back for an earlier datagram is reported by the next
 * call, which sends nothing; the one after it works again.
 */
static ssize_t send_message(int fd, const struct msghdr *h)
{
	ssize_t n = sendmsg(fd, h, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno == ECONNREFUSED)
		n = sendmsg(fd, h, MSG_DONTWAIT | MSG_NOSIGNAL);
	return n < 0 ? -errno : n;
}

static void note_failure(struct udp_wire *w, int err)
{
	if (!is_passing(err))
		w->hard_err = err;
}

/* False when the kernel refused to cut: to be sent one by one instead. */
static bool send_segments(struct udp_wire *w, struct datagrams *d)
{
	struct msghdr h = { .msg_iov = d->iov, .msg_iovlen = d->n_iov };
	ssize_t n = send_message(w->fd, &h);

	if (n >= 0) {
		w->packets += d->n_packets;
		return true;
	}
	if (is_refused_segment((int)-n)) {
		w->segments = false;
		(void)udp_output_segment(w->fd, 0);
		return false;
	}
	note_failure(w, (int)-n);
	return true;
}

/* Packets in datagram i: all are full but the last. */
static size_t packets_of(const struct datagrams *d, size_t i)
{
	return i + 1 < d->n ? PACER_GROUP
			    : d->n_packets - (d->n - 1) * PACER_GROUP;
}

static void send_each(struct udp_wire *w, struct datagrams *d)
{
	struct mmsghdr msgs[DATAGRAMS_MAX];
	size_t i = 0;

	memset(msgs, 0, d->n * sizeof msgs[0]);
	for (size_t k = 0; k < d->n; k++) {
		msgs[k].msg_hdr.msg_iov = &d->iov[d->first[k]];
		msgs[k].msg_hdr.msg_iovlen =
			(size_t)(d->first[k + 1] - d->first[k]);
	}
	while (i < d->n) {
		int n = sendmmsg(w->fd, msgs + i, (unsigned)(d->n - i),
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n <= 0) {
			/* see send_message(): once more, alone */
			ssize_t r = send_message(w->fd, &msgs[i].msg_hdr);

			if (r >= 0)
				w->packets += packets_of(d, i);
			else
				note_failure(w, (int)-r);
			i++;
			continue;
		}
		for (int k = 0; k < n; k++)
			w->packets += packets_of(d, i++);
	}
}

void udp_wire_send(struct udp_wire *w, struct datagrams *d)
{
	if (!w->segments || !send_segments(w, d))
		send_each(w, d);
}

void udp_wire_send_one(struct udp_wire *w, const struct iovec *iov, size_t n)
{
	struct msghdr h = { .msg_iov = (struct iovec *)iov, .msg_iovlen = n };
	ssize_t r = send_message(w->fd, &h);

	if (r < 0)
		note_failure(w, (int)-r);
	else
		w->packets++;
}

int udp_wire_second(struct udp_wire *w, struct errmsg *why)
{
	int err = w->hard_err;
	bool sent = w->packets != w->sent_before;

	w->hard_err = 0;
	w->sent_before = w->packets;
	if (err == 0 || sent)
		return 0;
	return errmsg_fail(why, -err, "send: %s", strerror(err));
}

int udp_wire_open(struct udp_wire *w, const struct output_spec *spec,
		  size_t datagram, struct errmsg *why)
{
	int fd = udp_output_socket(spec, why);

	if (fd < 0)
		return fd;
	w->fd = fd;
	w->open = true;
	w->segments = datagram > 0 &&
		      udp_output_segment(fd, (int)datagram) == 0;
	return 0;
}

void udp_wire_close(struct udp_wire *w)
{
	if (w->open)
		fd_close(&w->fd);
	w->open = false;
	w->hard_err = 0;
}
