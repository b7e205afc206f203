/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transport packets by RTP. */
#include "common/alloc.h"
#include "worker/input/kind.h"
#include "worker/input/rtp_window.h"
#include "worker/input/udp_flow.h"

#include <stdlib.h>

enum {
	/* Half of them may wait: at 500 Mbit/s what comes in 10 ms, and it is
	 * little memory when nothing waits. */
	PLACES = 1024,
};

struct rtp_input {
	struct input base;
	struct udp_flow flow;
	struct rtp_window *window;
	struct ts_sync sync;
	struct batch *batch; /* only inside a read ... */
	uint64_t now_ns;     /* ... and its time */
	uint64_t invalid;    /* datagrams that are no RTP of ours */
};

static void take_payload(const uint8_t *payload, size_t len, void *arg)
{
	struct rtp_input *in = arg;

	batch_sync(in->batch, &in->sync, payload, len);
}

static void settle(void *arg)
{
	struct rtp_input *in = arg;

	batch_flush(in->batch);
}

static void take_datagram(struct rtp_input *in, const uint8_t *data,
			  size_t len)
{
	struct rtp_datagram d;

	if (data[0] == TS_SYNC_BYTE)
		/* a bare stream on a port where RTP was told */
		take_payload(data, len, in);
	else if (rtp_parse(data, len, &d) == 0 && rtp_is_media(&d))
		rtp_window_feed(in->window, &d, 0, in->now_ns);
	else
		in->invalid++;
}

static void on_received(const struct received *got, void *arg)
{
	struct rtp_input *in = arg;

	for (size_t at = 0; at < got->len; at += got->segment)
		take_datagram(in, got->data + at,
			      MIN(got->segment, got->len - at));
}

static int rtp_read(struct input *base, struct batch *batch, uint64_t now_ns,
		    struct errmsg *why)
{
	struct rtp_input *in = container_of(base, struct rtp_input, base);
	const struct udp_reader to = { .on_received = on_received,
				       .on_read = settle, .arg = in };
	int r;

	in->batch = batch;
	in->now_ns = now_ns;
	r = udp_flow_read(&in->flow, &to, now_ns, why);
	if (r < 0)
		return r;
	rtp_window_turn(in->window, now_ns);
	batch_flush(batch);
	/* what is kept back goes on at a tick, not with a datagram */
	return r > 0 ? r : rtp_window_waits(in->window);
}

static int rtp_second(struct input *base, uint64_t now_ns, struct errmsg *why)
{
	struct rtp_input *in = container_of(base, struct rtp_input, base);

	rtp_window_second(in->window, now_ns);
	return udp_flow_second(&in->flow, now_ns, why);
}

static void rtp_counters(const struct input *base, struct input_counters *ret)
{
	const struct rtp_input *in =
		container_of(base, const struct rtp_input, base);
	struct rtp_window_counts counts;

	rtp_window_counts(in->window, &counts);
	*ret = (struct input_counters){
		.lost = counts.lost,
		.recovered = counts.repaired + counts.merged,
		.socket_drops = udp_flow_drops(&in->flow),
		.sync_losses = in->sync.sync_losses,
		.bad_sync = in->sync.bad_sync,
		.source_changes = in->flow.source_changes,
	};
}

static void rtp_stats(const struct input *base, struct link_stats *ret)
{
	const struct rtp_input *in =
		container_of(base, const struct rtp_input, base);
	struct rtp_window_counts c;
	uint64_t recovered;

	rtp_window_counts(in->window, &c);
	recovered = c.repaired + c.merged;
	link_stats_set(ret, LINK_RECEIVED, c.path[0].received);
	link_stats_set(ret, LINK_LOST, c.lost + recovered);
	link_stats_set(ret, LINK_RECOVERED, recovered);
	link_stats_set(ret, LINK_DROPPED, c.late);
	link_stats_set(ret, LINK_REORDERED, c.reordered);
	link_stats_set(ret, LINK_DUPLICATES, c.duplicates);
	link_stats_set(ret, LINK_INVALID, in->invalid + c.stray);
}

static void rtp_free(struct input *base)
{
	struct rtp_input *in = container_of(base, struct rtp_input, base);

	udp_flow_close(&in->flow);
	rtp_window_free(&in->window);
	free(in);
}

static const struct input_ops rtp_ops = {
	.free = rtp_free,
	.read = rtp_read,
	.second = rtp_second,
	.counters = rtp_counters,
	.stats = rtp_stats,
};

struct input *rtp_input_open(const struct input_spec *spec, uint64_t now_ns,
			     int *ret_err, struct errmsg *why)
{
	struct rtp_input *in = xcalloc(1, sizeof *in);
	int r;

	udp_flow_describe(&in->flow, spec);
	r = udp_flow_open(&in->flow, now_ns, why);
	if (r < 0) {
		*ret_err = r;
		rtp_free(&in->base);
		return NULL;
	}
	in->base = (struct input){ .ops = &rtp_ops, .spec = spec,
				   .fd = in->flow.fd };
	ts_sync_init(&in->sync, TS_SYNC_DATAGRAM);
	in->window = rtp_window_new(&(struct rtp_window_config){
		.places = PLACES,
		.paths = 1,
		.reorder_ms = spec->rtp.reorder_ms,
		.out = take_payload,
		.settle = settle,
		.arg = in,
	});
	return &in->base;
}
