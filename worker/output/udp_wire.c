/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/udp_wire.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "worker/socket/netif.h"
#include "worker/socket/qdisc.h"
#include "worker/socket/send_socket.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

/* Sends a message; returns its length or -errno.  The kernel reports an ICMP
 * error for an earlier datagram at the next call, which sends nothing, so the
 * call is repeated once. */
static ssize_t send_message(int fd, const struct msghdr *h)
{
	ssize_t n = sendmsg(fd, h, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno == ECONNREFUSED)
		n = sendmsg(fd, h, MSG_DONTWAIT | MSG_NOSIGNAL);
	return n < 0 ? -errno : n;
}

/* Notes an error that is not temporary: the socket, its interface or its route
 * is gone. */
static void note_failure(struct udp_wire *w, int err)
{
	if (err != EAGAIN && err != ENOBUFS && err != ECONNREFUSED &&
	    err != EINTR && err != ENOMEM)
		w->hard_err = err;
}

/* Passes all datagrams to the kernel at once.  True: they were sent, or dropped
 * because of an error.  False: the kernel or the device does not support that,
 * and the caller sends the datagrams one by one. */
static bool send_segments(struct udp_wire *w, struct datagrams *d)
{
	struct msghdr h = { .msg_iov = d->iov, .msg_iovlen = d->n_iov };
	ssize_t n = send_message(w->fd, &h);

	if (n >= 0) {
		w->packets += d->n_packets;
		return true;
	}
	/* the kernel, the route or the device does not support UDP_SEGMENT */
	if (n == -EINVAL || n == -EIO || n == -EOPNOTSUPP || n == -EMSGSIZE) {
		w->segments = false;
		(void)udp_output_segment(w->fd, 0);
		return false;
	}
	note_failure(w, (int)-n);
	return true;
}

/* The number of packets in datagram i; only the last may be partly filled. */
static size_t packets_of(const struct datagrams *d, size_t i)
{
	return i + 1 < d->n ? DATAGRAM_PACKETS
			    : d->n_packets - (d->n - 1) * DATAGRAM_PACKETS;
}

/* Memory for control messages with the time of each datagram. */
struct due_times {
	_Alignas(struct cmsghdr)
		uint8_t space[DATAGRAMS_MAX][CMSG_SPACE(sizeof(uint64_t))];
};

static void plan_each(struct udp_wire *w, struct mmsghdr *msgs, size_t n,
		      struct due_times *times, struct iat_out *iat)
{
	uint64_t now_ns = mono_ns();

	for (size_t i = 0; i < n; i++) {
		uint64_t due_ns = departure_plan_next(&w->plan, now_ns);
		struct msghdr *h = &msgs[i].msg_hdr;
		struct cmsghdr *c;

		h->msg_control = times->space[i];
		h->msg_controllen = sizeof times->space[i];
		c = CMSG_FIRSTHDR(h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_TXTIME;
		c->cmsg_len = CMSG_LEN(sizeof due_ns);
		memcpy(CMSG_DATA(c), &due_ns, sizeof due_ns);
		if (iat != NULL)
			iat_out_add(iat, due_ns, 1);
	}
}

static void send_each(struct udp_wire *w, struct datagrams *d,
		      struct iat_out *iat)
{
	struct mmsghdr msgs[DATAGRAMS_MAX];
	struct due_times times;
	size_t i = 0;

	memset(msgs, 0, d->n * sizeof msgs[0]);
	for (size_t k = 0; k < d->n; k++) {
		msgs[k].msg_hdr.msg_iov = &d->iov[d->first[k]];
		msgs[k].msg_hdr.msg_iovlen =
			(size_t)(d->first[k + 1] - d->first[k]);
	}
	if (w->timed)
		plan_each(w, msgs, d->n, &times, iat);
	while (i < d->n) {
		int n = sendmmsg(w->fd, msgs + i, (unsigned)(d->n - i),
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n <= 0) {
			/* send_message() clears an ICMP error */
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

void udp_wire_send(struct udp_wire *w, struct datagrams *d,
		   struct iat_out *iat)
{
	if (!w->timed && iat != NULL)
		iat_out_add(iat, mono_ns(), d->n);
	if (!w->segments || !send_segments(w, d))
		send_each(w, d, iat);
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

int udp_wire_every_second(struct udp_wire *w, struct errmsg *error)
{
	int err = w->hard_err;
	bool sent = w->packets != w->sent_before;

	w->hard_err = 0;
	w->sent_before = w->packets;
	if (err == 0 || sent)
		return 0;
	return errmsg_fail(error, -err, "send: %s", strerror(err));
}

/* Lets the kernel send datagrams at planned times.  False: not wanted or not
 * possible. */
static bool start_timed(struct udp_wire *w, const struct output_spec *spec)
{
	unsigned ifindex = 0, limit = 0;
	char name[IF_NAMESIZE] = "?";
	struct errmsg error;
	int r;

	if (spec->pacing == PACING_TICK)
		return false;
	r = spec->iface[0] != '\0'
		    ? netif_index(spec->iface, &ifindex, &error)
		    : netif_towards(&spec->remote, &ifindex);
	if (r < 0)
		ifindex = 0;
	if (ifindex != 0)
		limit = qdisc_fq_limit(ifindex);
	if (limit == 0 && spec->pacing == PACING_KERNEL) {
		(void)if_indextoname(ifindex, name);
		log_warning("output", "pacing=kernel: interface %s has no fq "
			    "qdisc: the worker spaces the datagrams itself; "
			    "run tc qdisc replace dev %s root fq", name, name);
	}
	if (limit == 0 || udp_output_timed(w->fd) < 0)
		return false;
	departure_plan_init(&w->plan, limit);
	return true;
}

/* Opens a socket.  Returns it, or -errno with error.  *ret_ifindex: the
 * configured interface, 0: none. */
static int open_socket(const struct output_spec *spec, unsigned *ret_ifindex,
		       struct errmsg *error)
{
	unsigned ifindex = 0;
	int r = 0;

	if (spec->iface[0] != '\0')
		r = netif_index(spec->iface, &ifindex, error);
	if (r == 0)
		r = udp_output_socket(spec, error);
	if (r >= 0)
		*ret_ifindex = ifindex;
	return r;
}

static void start(struct udp_wire *w, int fd, const struct output_spec *spec,
		  size_t datagram)
{
	w->fd = fd;
	w->open = true;
	w->unsure = false;
	w->hard_err = 0;
	w->timed = datagram > 0 && start_timed(w, spec);
	w->segments = datagram > 0 && !w->timed &&
		      udp_output_segment(fd, (int)datagram) == 0;
}

int udp_wire_open(struct udp_wire *w, const struct output_spec *spec,
		  size_t datagram, struct errmsg *error)
{
	int fd = open_socket(spec, &w->ifindex, error);

	if (fd < 0)
		return fd;
	start(w, fd, spec, datagram);
	return 0;
}

int udp_wire_follow(struct udp_wire *w, const struct output_spec *spec,
		    size_t datagram, struct errmsg *error)
{
	unsigned ifindex;
	int fd = open_socket(spec, &ifindex, error);

	/* a lack of resources in this process says nothing about the network */
	w->unsure = fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM ||
		    fd == -ENOBUFS || fd == -EIO;
	if (fd < 0)
		return w->unsure ? 0 : fd;
	if (ifindex == w->ifindex && udp_output_same_source(fd, w->fd)) {
		fd_close(&fd);
		return 0;
	}
	fd_close(&w->fd);
	w->ifindex = ifindex;
	start(w, fd, spec, datagram);
	return 1;
}

void udp_wire_close(struct udp_wire *w)
{
	if (w->open)
		fd_close(&w->fd);
	w->open = false;
	w->hard_err = 0;
}
