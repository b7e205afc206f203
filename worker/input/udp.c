/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs from the network: udp and rtp. */
#include "common/alloc.h"
#include "common/fd.h"
#include "worker/input/kind.h"
#include "worker/input/netif.h"
#include "worker/input/receiver.h"
#include "worker/input/rtp.h"
#include "worker/input/udp_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* System calls in one wake-up: the loop has other things to do, but a
	 * tick must hold what comes in it at 500 Mbit/s. */
	READS_MAX = 16,
	/* Without a packet for so long the interface is looked at again. */
	QUIET_S = 2,
};

#define SECOND_NS UINT64_C(1000000000)

struct udp_input {
	struct input base;
	unsigned ifindex;
	struct receiver *receiver;
	struct ts_sync sync;
	struct rtp_sequence sequence;
	uint64_t last_packet_ns; /* or since when nothing came */
	struct sockaddr_any source; /* the last sender */
	uint64_t source_changes;
	uint64_t renewed_ns;
	struct batch *batch;     /* only inside a read */
};

static void take_bytes(struct udp_input *u, const uint8_t *data, size_t len)
{
	batch_sync(u->batch, &u->sync, data, len);
}

static void take_rtp(struct udp_input *u, const uint8_t *data, size_t len)
{
	struct rtp_datagram d;

	if (data[0] == TS_SYNC_BYTE)
		/* a bare stream on a port where RTP was told */
		take_bytes(u, data, len);
	else if (rtp_parse(data, len, &d) == 0 &&
		 rtp_sequence_feed(&u->sequence, &d))
		take_bytes(u, d.payload, d.len);
}

static void on_received(const struct received *got, void *arg)
{
	struct udp_input *u = arg;
	bool rtp = u->base.spec->kind == INPUT_RTP;

	/* whole packets in every segment: the sync need not see the seams */
	if (!rtp && got->segment % TS_PACKET == 0) {
		take_bytes(u, got->data, got->len);
		return;
	}
	for (size_t at = 0; at < got->len; at += got->segment) {
		size_t len = MIN(got->segment, got->len - at);

		if (rtp)
			take_rtp(u, got->data + at, len);
		else
			take_bytes(u, got->data + at, len);
	}
}

static void note_source(struct udp_input *u)
{
	const struct sockaddr_any *source = receiver_source(u->receiver);

	if (sockaddr_equal(source, &u->source))
		return;
	u->source_changes += u->source.len > 0;
	u->source = *source;
}

static int udp_read(struct input *in, struct batch *batch, uint64_t now_ns,
		    struct errmsg *why)
{
	struct udp_input *u = container_of(in, struct udp_input, base);
	int reads = 0;

	u->batch = batch;
	while (reads < READS_MAX) {
		int n = receiver_read(u->receiver, in->fd, on_received, u);

		/* before the next read overwrites it */
		batch_flush(batch);
		if (n < 0)
			return errmsg_fail(why, n, "receive: %s",
					   strerror(-n));
		if (n == 0)
			break;
		note_source(u);
		reads++;
		if (n < RECEIVER_SLOTS)
			break;
	}
	if (reads > 0)
		u->last_packet_ns = now_ns;
	return reads;
}

/* An interface that was made anew has another index, and our membership
 * went with the old one. */
static int check_interface(struct udp_input *u, struct errmsg *why)
{
	unsigned index;
	int r = netif_index(u->base.spec->iface, &index, why);

	if (r < 0)
		return r;
	if (index != u->ifindex)
		return errmsg_fail(why, -ENODEV, "interface %s was replaced",
				   u->base.spec->iface);
	return 0;
}

static int udp_second(struct input *in, uint64_t now_ns, struct errmsg *why)
{
	struct udp_input *u = container_of(in, struct udp_input, base);
	const struct input_spec *spec = in->spec;

	receiver_trim(u->receiver);
	if (spec->iface[0] != '\0' &&
	    now_ns - u->last_packet_ns >= QUIET_S * SECOND_NS) {
		int r = check_interface(u, why);

		if (r < 0)
			return r;
		u->last_packet_ns = now_ns;
	}
	if (spec->renew_s > 0 && sockaddr_is_multicast(&spec->local) &&
	    now_ns - u->renewed_ns >= spec->renew_s * SECOND_NS) {
		u->renewed_ns = now_ns;
		return udp_socket_renew(in->fd, spec, u->ifindex,
					receiver_source(u->receiver), why);
	}
	return 0;
}

static void udp_counters(const struct input *in, struct input_counters *ret)
{
	const struct udp_input *u =
		container_of(in, const struct udp_input, base);

	*ret = (struct input_counters){
		.lost = u->sequence.lost,
		.socket_drops = receiver_drops(u->receiver),
		.sync_losses = u->sync.sync_losses,
		.bad_sync = u->sync.bad_sync,
		.source_changes = u->source_changes,
	};
}

static void udp_free(struct input *in)
{
	struct udp_input *u = container_of(in, struct udp_input, base);

	fd_close(&in->fd);
	receiver_free(&u->receiver);
	free(u);
}

static const struct input_ops udp_ops = {
	.free = udp_free,
	.read = udp_read,
	.second = udp_second,
	.counters = udp_counters,
};

struct input *udp_input_open(const struct input_spec *spec, uint64_t now_ns,
			     int *ret_err, struct errmsg *why)
{
	unsigned ifindex = 0;
	int r = 0;

	if (spec->iface[0] != '\0')
		r = netif_index(spec->iface, &ifindex, why);
	if (r == 0)
		r = udp_socket_open(spec, ifindex, why);
	if (r < 0) {
		*ret_err = r;
		return NULL;
	}

	struct udp_input *u = xcalloc(1, sizeof *u);

	u->base = (struct input){ .ops = &udp_ops, .spec = spec, .fd = r };
	u->ifindex = ifindex;
	u->last_packet_ns = u->renewed_ns = now_ns;
	ts_sync_init(&u->sync, TS_SYNC_DATAGRAM);
	u->receiver = receiver_new(ret_err);
	if (u->receiver == NULL) {
		errmsg_set(why, "receive memory: %s", strerror(-*ret_err));
		udp_free(&u->base);
		return NULL;
	}
	return &u->base;
}
