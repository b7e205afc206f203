/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output by SRT: to one side that is called or met, or to all who call.
 *
 * A receiver that cannot take what is sent loses it, and only it.
 */
#include "common/alloc.h"
#include "common/log.h"
#include "worker/net/kinds.h"
#include "worker/net/srt_peer.h"
#include "worker/net/srt_stats.h"
#include "worker/output/datagrams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RECEIVERS_MAX = 256 };

struct srt_output {
	struct output base;
	bool listens;
	struct srt_peer peer; /* of a caller */
	struct srt_listener listener;
	size_t n_receivers;
	SRTSOCKET receivers[RECEIVERS_MAX];
	struct link_stats link;
	struct errmsg failed; /* why it is to be opened anew */
	int err;              /* -errno, or 0 */
};

static void accept_all(struct srt_output *o)
{
	SRTSOCKET s;

	while ((s = srt_listener_accept(&o->listener)) != SRT_INVALID_SOCK) {
		if (o->n_receivers == RECEIVERS_MAX) {
			srt_socket_close(&s);
			continue;
		}
		o->receivers[o->n_receivers++] = s;
		log_info("stream", "srt port %u: %zu receivers",
			 o->base.spec->srt.port, o->n_receivers);
	}
}

static void drop_receiver(struct srt_output *o, size_t i)
{
	srt_socket_close(&o->receivers[i]);
	o->receivers[i] = o->receivers[--o->n_receivers];
	log_info("stream", "srt port %u: %zu receivers",
		 o->base.spec->srt.port, o->n_receivers);
}

/* True when it was sent; a broken connection says so to the next turn. */
static bool send_to(SRTSOCKET s, const uint8_t *data, size_t len)
{
	return srt_sendmsg2(s, (const char *)data, (int)len, NULL) !=
	       SRT_ERROR;
}

static void send_to_all(struct srt_output *o, const uint8_t *data,
			size_t packets)
{
	struct errmsg why;

	o->base.counters.packets += packets;
	for (size_t i = o->n_receivers; i-- > 0;) {
		if (send_to(o->receivers[i], data, packets * TS_PACKET))
			continue;
		if (srt_socket_poll(o->receivers[i], &why) < 0)
			drop_receiver(o, i);
		else
			o->base.counters.dropped += packets;
	}
}

static void send_message(struct srt_output *o, const uint8_t *data,
			 size_t packets)
{
	if (o->listens)
		send_to_all(o, data, packets);
	else if (o->peer.connected &&
		 send_to(o->peer.socket, data, packets * TS_PACKET))
		o->base.counters.packets += packets;
	else
		o->base.counters.dropped += packets;
}

/* One datagram out of its pieces. */
static void gather(struct srt_output *o, const struct datagrams *d, size_t i)
{
	uint8_t data[PACER_GROUP * TS_PACKET];
	size_t len = 0;

	if (d->first[i + 1] - d->first[i] == 1) {
		const struct iovec *v = &d->iov[d->first[i]];

		send_message(o, v->iov_base, v->iov_len / TS_PACKET);
		return;
	}
	for (unsigned k = d->first[i]; k < d->first[i + 1]; k++) {
		memcpy(data + len, d->iov[k].iov_base, d->iov[k].iov_len);
		len += d->iov[k].iov_len;
	}
	send_message(o, data, len / TS_PACKET);
}

static void turn(struct srt_output *o)
{
	int r;

	if (o->listens) {
		accept_all(o);
		return;
	}
	if (o->err < 0)
		return;
	r = srt_peer_turn(&o->peer, &o->failed);
	o->err = MIN(r, 0);
}

static void srt_output_send(struct output *out, const struct ts_run *runs,
			    size_t n_runs, uint64_t now_ns)
{
	struct srt_output *o = container_of(out, struct srt_output, base);
	struct run_cursor cursor = { .runs = runs, .n_runs = n_runs };
	struct datagrams d;

	(void)now_ns;
	turn(o);
	while (datagrams_cut(&d, &cursor, NULL))
		for (size_t i = 0; i < d.n; i++)
			gather(o, &d, i);
}

static void measure(struct srt_output *o)
{
	srt_stats_begin(&o->link);
	for (size_t i = 0; i < o->n_receivers; i++)
		srt_stats_add(&o->link, o->receivers[i], SRT_SENDS);
	if (!o->listens && o->peer.connected)
		srt_stats_add(&o->link, o->peer.socket, SRT_SENDS);
}

static int srt_output_second(struct output *out, struct errmsg *why)
{
	struct srt_output *o = container_of(out, struct srt_output, base);

	turn(o);
	measure(o);
	if (o->err == 0)
		return 0;
	*why = o->failed;
	return o->err;
}

static void srt_output_stats(const struct output *out, struct link_stats *ret)
{
	*ret = container_of(out, const struct srt_output, base)->link;
}

static void srt_output_free(struct output *out)
{
	struct srt_output *o = container_of(out, struct srt_output, base);

	while (o->n_receivers > 0)
		srt_socket_close(&o->receivers[--o->n_receivers]);
	if (o->listens) {
		srt_listener_close(&o->listener);
		srt_library_close();
	} else {
		srt_peer_done(&o->peer);
	}
	free(o);
}

static const struct output_ops srt_ops = {
	.free = srt_output_free,
	.send = srt_output_send,
	.second = srt_output_second,
	.stats = srt_output_stats,
};

static int begin(struct srt_output *o, const struct srt_spec *spec,
		 struct errmsg *why)
{
	int err;

	o->listens = spec->mode == SRT_LISTENER;
	if (!o->listens)
		return srt_peer_open(&o->peer, spec, SRT_SENDS, why);
	srt_library_open();
	err = srt_listener_open(&o->listener, spec, SRT_SENDS, why);
	if (err < 0)
		srt_library_close();
	return err;
}

struct output *srt_output_open(const struct output_spec *spec, int *ret_err,
			       struct errmsg *why)
{
	struct srt_output *o = xcalloc(1, sizeof *o);

	*ret_err = begin(o, &spec->srt, why);
	if (*ret_err < 0) {
		free(o);
		return NULL;
	}
	o->base = (struct output){ .ops = &srt_ops, .spec = spec };
	return &o->base;
}
