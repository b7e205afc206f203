/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output by SRT to one peer (caller, rendezvous); srt_receivers.c sends to the
 * callers of a listener. */
#include "common/base/alloc.h"
#include "worker/output/output_type.h"
#include "worker/net/srt/srt_peer.h"
#include "worker/net/srt/srt_receivers.h"
#include "worker/rtp/datagrams.h"

#include <stdlib.h>

struct srt_output {
	struct output base;
	struct srt_peer peer;
	struct link_stats link;
	struct errmsg error; /* why the output must be opened again */
	int err;             /* -errno that belongs to error; 0: none */
};

/* Continues the connection, and notes the error if it is broken. */
static void turn(struct srt_output *o)
{
	if (o->err == 0)
		o->err = MIN(srt_peer_turn(&o->peer, &o->error), 0);
}

static void srt_output_send(struct output *out, const struct ts_run *runs,
			    size_t n_runs, uint64_t now_ns)
{
	struct srt_output *o = container_of(out, struct srt_output, base);
	struct run_cursor cursor = { .runs = runs, .n_runs = n_runs };
	uint8_t buf[DATAGRAM_SIZE_MAX];
	struct datagrams d;

	(void)now_ns;
	turn(o);
	while (datagrams_cut(&d, &cursor, NULL))
		for (size_t i = 0; i < d.n; i++) {
			size_t len;
			const void *data = datagram_gather(&d, i, buf, &len);

			if (o->peer.connected &&
			    srt_sendmsg2(o->peer.socket, data, (int)len,
					 NULL) != SRT_ERROR)
				out->counters.packets += len / TS_PACKET;
			else
				out->counters.dropped += len / TS_PACKET;
		}
}

static int srt_output_every_second(struct output *out, struct errmsg *error)
{
	struct srt_output *o = container_of(out, struct srt_output, base);

	turn(o);
	srt_peer_every_second(&o->peer, &o->link);
	if (o->err < 0)
		*error = o->error;
	return o->err;
}

static void srt_output_stats(const struct output *out, struct link_stats *ret)
{
	*ret = container_of(out, const struct srt_output, base)->link;
}

static const char *srt_output_error(const struct output *out)
{
	return srt_peer_error(
		&container_of(out, const struct srt_output, base)->peer);
}

static const char *srt_output_peer(const struct output *out)
{
	return srt_peer_name(
		&container_of(out, const struct srt_output, base)->peer);
}

static void srt_output_free(struct output *out)
{
	struct srt_output *o = container_of(out, struct srt_output, base);

	srt_peer_done(&o->peer);
	free(o);
}

static const struct output_ops srt_ops = {
	.free = srt_output_free,
	.send = srt_output_send,
	.every_second = srt_output_every_second,
	.stats = srt_output_stats,
	.error = srt_output_error,
	.peer = srt_output_peer,
};

struct output *srt_output_open(const struct output_spec *spec, int *ret_err,
			       struct errmsg *error)
{
	struct srt_output *o;
	int r;

	if (spec->srt.mode == SRT_LISTENER)
		return srt_receivers_open(spec, ret_err, error);
	o = xcalloc(1, sizeof *o);
	o->base = (struct output){ .ops = &srt_ops, .spec = spec };
	r = srt_peer_open(&o->peer, &spec->srt, SRT_SENDS, error);
	if (r == 0)
		return &o->base;
	free(o);
	*ret_err = r;
	return NULL;
}
