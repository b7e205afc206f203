/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outputs to the network: udp and rtp. */
#include "common/alloc.h"
#include "common/fd.h"
#include "common/mono.h"
#include "worker/output/datagrams.h"
#include "worker/output/kind.h"
#include "worker/output/udp_socket.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

struct udp_output {
	struct output base;
	int fd;
	bool segments;     /* the kernel cuts datagrams for us */
	struct rtp_sender rtp;
	uint64_t sent_before; /* counters.packets a second ago */
	int hard_err;      /* the last error of its kind since then, or 0 */
};

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

static void count_failure(struct udp_output *o, size_t packets, int err)
{
	o->base.counters.dropped += packets;
	if (!is_passing(err))
		o->hard_err = err;
}

/* False when the kernel refused to cut: to be sent one by one instead. */
static bool send_segments(struct udp_output *o, struct datagrams *d)
{
	struct msghdr h = { .msg_iov = d->iov, .msg_iovlen = d->n_iov };
	ssize_t n = send_message(o->fd, &h);

	if (n >= 0) {
		o->base.counters.packets += d->n_packets;
		return true;
	}
	if (is_refused_segment((int)-n)) {
		o->segments = false;
		(void)udp_output_segment(o->fd, 0);
		return false;
	}
	count_failure(o, d->n_packets, (int)-n);
	return true;
}

/* Packets in datagram i: all are full but the last. */
static size_t packets_of(const struct datagrams *d, size_t i)
{
	return i + 1 < d->n ? PACER_GROUP
			    : d->n_packets - (d->n - 1) * PACER_GROUP;
}

static void send_each(struct udp_output *o, struct datagrams *d)
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
		int n = sendmmsg(o->fd, msgs + i, (unsigned)(d->n - i),
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n <= 0) {
			/* see send_message(): once more, alone */
			ssize_t r = send_message(o->fd, &msgs[i].msg_hdr);

			if (r >= 0)
				o->base.counters.packets += packets_of(d, i);
			else
				count_failure(o, packets_of(d, i), (int)-r);
			i++;
			continue;
		}
		for (int k = 0; k < n; k++)
			o->base.counters.packets += packets_of(d, i++);
	}
}

static void udp_send(struct output *out, const struct ts_run *runs,
		     size_t n_runs, uint64_t now_ns)
{
	struct udp_output *o = container_of(out, struct udp_output, base);
	struct run_cursor cursor = { .runs = runs, .n_runs = n_runs };
	struct rtp_sender *rtp =
		o->base.spec->kind == OUTPUT_RTP ? &o->rtp : NULL;
	struct datagrams d;

	o->rtp.now_ns = now_ns;
	while (datagrams_cut(&d, &cursor, rtp)) {
		departures_note(&o->base.departures, mono_ns(), d.n);
		if (!o->segments || !send_segments(o, &d))
			send_each(o, &d);
	}
}

static int udp_second(struct output *out, struct errmsg *why)
{
	struct udp_output *o = container_of(out, struct udp_output, base);
	int err = o->hard_err;
	bool sent = o->base.counters.packets != o->sent_before;

	departures_second(&o->base.departures);
	o->hard_err = 0;
	o->sent_before = o->base.counters.packets;
	if (err == 0 || sent)
		return 0;
	return errmsg_fail(why, -err, "send: %s", strerror(err));
}

static void udp_free(struct output *out)
{
	struct udp_output *o = container_of(out, struct udp_output, base);

	fd_close(&o->fd);
	free(o);
}

static void udp_stats(const struct output *out, struct link_stats *ret)
{
	const struct departures *d = &out->departures;

	link_stats_set(ret, LINK_GAP_P50_US, d->p50_us);
	link_stats_set(ret, LINK_GAP_P99_US, d->p99_us);
	link_stats_set(ret, LINK_GAP_MAX_US, d->max_us);
}

static const struct output_ops udp_ops = {
	.free = udp_free,
	.send = udp_send,
	.second = udp_second,
	.stats = udp_stats,
};

struct output *udp_output_open(const struct output_spec *spec, int *ret_err,
			       struct errmsg *why)
{
	int fd = udp_output_socket(spec, why);

	if (fd < 0) {
		*ret_err = fd;
		return NULL;
	}

	struct udp_output *o = xcalloc(1, sizeof *o);
	size_t datagram = PACER_GROUP * TS_PACKET;
	uint32_t start = 0;

	o->base = (struct output){ .ops = &udp_ops, .spec = spec };
	o->fd = fd;
	if (spec->kind == OUTPUT_RTP) {
		datagram += RTP_HEADER_SIZE;
		(void)!getrandom(&o->rtp.seq, sizeof o->rtp.seq, 0);
		(void)!getrandom(&o->rtp.ssrc, sizeof o->rtp.ssrc, 0);
		(void)!getrandom(&start, sizeof start, 0);
		rtp_clock_init(&o->rtp.clock, start, mono_ns());
	}
	o->segments = udp_output_segment(fd, (int)datagram) == 0;
	return &o->base;
}
