/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output by SRT to one peer (caller, rendezvous) or to all callers of a
 * listener. */
#include "common/base/alloc.h"
#include "worker/output/output_type.h"
#include "worker/net/srt/srt_peer.h"
#include "worker/net/srt/srt_receivers.h"
#include "worker/net/srt/srt_stats.h"
#include "worker/rtp/datagrams.h"

#include <stdlib.h>
#include <string.h>

struct srt_output {
	struct output base;
	struct srt_receivers *receivers; /* listener; else NULL */
	struct srt_peer peer;            /* caller or rendezvous */
	struct link_stats link;
	struct errmsg error; /* why the output must be opened again */
	int err;              /* -errno, or 0 */
};

static void send_message(struct srt_output *o, const uint8_t *data,
			 size_t packets)
{
	size_t len = packets * TS_PACKET;

	if (o->receivers != NULL) {
		/* without receivers nothing is sent */
		o->base.counters.packets += o->receivers->n > 0 ? packets : 0;
		o->base.counters.dropped +=
			packets * srt_receivers_send(o->receivers, data, len);
	} else if (o->peer.connected &&
		   srt_sendmsg2(o->peer.socket, (const char *)data, (int)len,
				NULL) != SRT_ERROR) {
		o->base.counters.packets += packets;
	} else {
		o->base.counters.dropped += packets;
	}
}

/* Assembles one datagram. */
static void gather(struct srt_output *o, const struct datagrams *d, size_t i)
{
	uint8_t data[DATAGRAM_PACKETS * TS_PACKET];
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

/* Detects a broken connection. */
static void turn(struct srt_output *o)
{
	int r;

	if (o->receivers != NULL) {
		srt_receivers_accept(o->receivers);
		return;
	}
	if (o->err < 0)
		return;
	r = srt_peer_turn(&o->peer, &o->error);
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

static int srt_output_every_second(struct output *out, struct errmsg *error)
{
	struct srt_output *o = container_of(out, struct srt_output, base);

	turn(o);
	if (o->receivers != NULL) {
		srt_receivers_every_second(o->receivers);
		return 0;
	}
	srt_peer_every_second(&o->peer, &o->link);
	if (o->err == 0)
		return 0;
	*error = o->error;
	return o->err;
}

/* Follows a change of the interface; connections stay. */
static int srt_output_follow(struct output *out, struct errmsg *error)
{
	struct srt_output *o = container_of(out, struct srt_output, base);

	(void)error;
	if (o->receivers != NULL)
		srt_place_follow(&o->receivers->listener.place);
	return 0;
}

static void srt_output_stats(const struct output *out, struct link_stats *ret)
{
	const struct srt_output *o =
		container_of(out, const struct srt_output, base);

	*ret = o->receivers != NULL ? o->receivers->link : o->link;
}

static const char *srt_output_error(const struct output *out)
{
	const struct srt_output *o =
		container_of(out, const struct srt_output, base);

	return o->receivers != NULL ? srt_receivers_error(o->receivers)
				    : srt_peer_error(&o->peer);
}

static const char *srt_output_peer(const struct output *out)
{
	const struct srt_output *o =
		container_of(out, const struct srt_output, base);

	return o->receivers != NULL ? NULL : srt_peer_name(&o->peer);
}

static size_t list_receivers(const struct output *out,
			     struct msg_receiver *ret, size_t max)
{
	const struct srt_output *o =
		container_of(out, const struct srt_output, base);

	if (o->receivers == NULL)
		return 0;
	return srt_receivers_list(o->receivers, ret, max);
}

static bool kick_receiver(struct output *out, uint64_t client)
{
	struct srt_output *o = container_of(out, struct srt_output, base);

	return o->receivers != NULL &&
	       srt_receivers_kick(o->receivers, client);
}

static void srt_output_free(struct output *out)
{
	struct srt_output *o = container_of(out, struct srt_output, base);

	if (o->receivers != NULL)
		srt_receivers_close(o->receivers);
	else
		srt_peer_done(&o->peer);
	free(o->receivers);
	free(o);
}

static const struct output_ops srt_ops = {
	.free = srt_output_free,
	.send = srt_output_send,
	.every_second = srt_output_every_second,
	.follow = srt_output_follow,
	.stats = srt_output_stats,
	.error = srt_output_error,
	.peer = srt_output_peer,
	.receivers = list_receivers,
	.kick = kick_receiver,
};

struct output *srt_output_open(const struct output_spec *spec, int *ret_err,
			       struct errmsg *error)
{
	struct srt_output *o = xcalloc(1, sizeof *o);

	if (spec->srt.mode == SRT_LISTENER) {
		o->receivers = xcalloc(1, sizeof *o->receivers);
		*ret_err = srt_receivers_open(o->receivers, &spec->srt, error);
	} else {
		*ret_err = srt_peer_open(&o->peer, &spec->srt, SRT_SENDS,
					 error);
	}
	if (*ret_err < 0) {
		free(o->receivers);
		free(o);
		return NULL;
	}
	o->base = (struct output){ .ops = &srt_ops, .spec = spec };
	return &o->base;
}
