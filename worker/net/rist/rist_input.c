/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input by RIST.
 *
 * librist receives in its own threads and has a bounded queue, which the worker
 * reads at the ticks of the data path.
 *
 * In the simple profile librist treats each path as a separate flow, with the
 * same sequence numbers and its own delay.  The input merges the paths as it
 * merges two paths of RTP.
 */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/input/input_type.h"
#include "worker/rtp/rtp_window.h"
#include "worker/net/rist/rist_gaps.h"
#include "worker/net/rist/rist_link.h"

#include <stdlib.h>
#include <string.h>

enum {
	HELD = 64,
	TURN_MAX = 512, /* blocks that are read in one tick of 10 ms */
	/* Entries of the window that merges several paths.  Half of them hold
	 * half a second at 170 Mbit/s. */
	PLACES = 16384,
};

/* A flow without blocks for so long is silent: another sender may replace
 * it. */
#define LIVE_NS SECOND_NS
/* Another sender is reported for so long after its last block. */
#define OTHER_NS (3 * SECOND_NS)

struct rist_input {
	struct input base;
	struct rist_link link;
	struct ts_sync sync;
	bool begun;
	uint32_t flow; /* id of the followed flow */
	uint64_t active_ns; /* time of the last block of `flow' */
	const struct rist_peer *owner; /* sender of the last block */
	/* peer that was reported to rist_peers in this second */
	const struct rist_peer *noted;
	struct rist_gaps gaps; /* gaps of the followed flow */
	struct rtp_window *window; /* merges the paths; NULL: one path */
	/* peer of each path that was reported to rist_peers in this second */
	const struct rist_peer *path_peers[RIST_PEERS_MAX];
	struct batch *batch; /* output of the read that runs */
	/* number of dropped blocks of other senders */
	uint64_t other_blocks;
	uint64_t other_ns; /* time of the last dropped block */
	struct errmsg other; /* error that names the other sender; "": none */
	uint64_t now_ns;
	struct input_counters counters;
	size_t n_held;
	/* blocks whose packets are in the batch, not freed yet */
	struct rist_data_block *held[HELD];
};

static void pass_on(struct rist_input *in, struct batch *batch)
{
	batch_flush(batch);
	while (in->n_held > 0)
		rist_receiver_data_block_free2(&in->held[--in->n_held]);
}

/* True if the block is from the followed sender, or from one that replaces it.
 * librist delivers the blocks of all senders that reach the port, but two
 * senders must not be mixed.  Another sender replaces the followed one after
 * LIVE_NS without blocks.  A new flow of the same sender is followed at
 * once. */
static bool is_ours(struct rist_input *in, const struct rist_data_block *block)
{
	uint64_t silent_ns = in->now_ns - in->active_ns;

	if (!in->begun || block->flow_id != in->flow) {
		if (in->begun && silent_ns < LIVE_NS &&
		    block->peer != in->owner)
			return false;
		if (in->begun) {
			in->counters.source_changes++;
			ts_sync_reset(&in->sync);
		}
		in->begun = true;
		in->flow = block->flow_id;
		rist_gaps_begin(&in->gaps, (uint16_t)block->seq);
		in->other.text[0] = '\0';
		rist_events_follow(&in->link.events, in->flow);
	}
	if (in->window == NULL)
		rist_gaps_take(
			&in->gaps, (uint16_t)block->seq,
			(block->flags & RIST_DATA_FLAGS_FLOW_BUFFER_START) != 0,
			silent_ns);
	in->owner = block->peer;
	in->active_ns = in->now_ns;
	return true;
}

/* --- several paths --- */

static void hand_out(const uint8_t *payload, size_t len, void *arg)
{
	struct rist_input *in = arg;

	batch_sync(in->batch, &in->sync, payload, len);
}

static void settle(void *arg)
{
	struct rist_input *in = arg;

	batch_flush(in->batch);
}

static void merge(struct rist_input *in, const struct rist_data_block *block)
{
	/* librist has extended the 90 kHz time stamp to 64 bits in NTP
	 * format */
	uint64_t s = block->ts_ntp >> 32, fraction = block->ts_ntp << 32 >> 32;
	const struct rtp_datagram d = {
		.seq = (uint16_t)block->seq,
		.timestamp = (uint32_t)(s * RTP_CLOCK_HZ +
					(fraction * RTP_CLOCK_HZ >> 32)),
		.ssrc = block->flow_id,
		.payload = block->payload,
		.len = block->payload_len,
		.data = block->payload,
		.size = block->payload_len,
	};
	size_t path = 0;

	while (path < RIST_PEERS_MAX && in->path_peers[path] != block->peer)
		path++;
	if (path == RIST_PEERS_MAX) {
		path = rist_peers_path(&in->link.peers, block->peer);
		in->path_peers[path] = block->peer;
		in->link.delivered |= 1u << path;
		rist_peers_received(&in->link.peers, block->peer,
				    in->now_ns / MS);
	}
	rtp_window_feed(in->window, &d, (unsigned)path % RTP_PATHS, in->now_ns);
}

/* Writes the number of lost blocks, and of blocks that were lost on one path
 * and delivered by another (filled). */
static void count_lost(const struct rist_input *in, uint64_t *ret_lost,
		       uint64_t *ret_filled)
{
	struct rtp_window_counts c;

	*ret_lost = in->gaps.missed;
	*ret_filled = 0;
	if (in->window == NULL)
		return;
	rtp_window_counts(in->window, &c);
	*ret_lost = c.lost;
	*ret_filled = c.merged + c.reordered;
}

/* --- blocks --- */

static void take(struct rist_input *in, struct rist_data_block *block)
{
	char at[SOCKADDR_TEXT_MAX];

	if (!is_ours(in, block)) {
		in->other_blocks++;
		in->other_ns = in->now_ns;
		/* log another sender once, not for each block */
		if (in->other.text[0] == '\0') {
			rist_peers_format_one(&in->link.peers, block->peer, at);
			errmsg_set(&in->other,
				   "another sender ignored: %s, flow %u", at,
				   (unsigned)block->flow_id);
			rist_link_warn(&in->link, in->other.text);
		}
		rist_receiver_data_block_free2(&block);
		return;
	}
	if (in->window != NULL) {
		merge(in, block);
	} else {
		/* if several peers alternate within a flow, each is reported
		 * from time to time */
		if (block->peer != in->noted)
			rist_peers_received(&in->link.peers, block->peer,
					    in->now_ns / MS);
		in->noted = block->peer;
		/* in the main profile librist does not report the path of a
		 * block */
		in->link.delivered = ~0U;
		hand_out(block->payload, block->payload_len, in);
	}
	in->held[in->n_held++] = block;
	if (in->n_held == HELD)
		pass_on(in, in->batch);
}

static int rist_input_read(struct input *base, struct batch *batch,
			   uint64_t now_ns, struct errmsg *error)
{
	struct rist_input *in = container_of(base, struct rist_input, base);
	struct rist_data_block *block = NULL;
	int n = 0, r = rist_link_turn(&in->link, error);

	if (r <= 0)
		return r;
	in->now_ns = now_ns;
	in->batch = batch;
	for (; n < TURN_MAX; n++) {
		if (rist_receiver_data_read2(in->link.ctx, &block, 0) <= 0 ||
		    block == NULL)
			break;
		take(in, block);
		block = NULL;
	}
	pass_on(in, batch);
	if (in->window == NULL)
		return n;
	/* closes gaps that no path can fill any more */
	rtp_window_turn(in->window, in->now_ns);
	batch_flush(batch);
	return n > 0 ? n : rtp_window_waits(in->window);
}

static int rist_input_every_second(struct input *base, uint64_t now_ns,
				   struct errmsg *error)
{
	struct rist_input *in = container_of(base, struct rist_input, base);

	(void)error;
	if (now_ns - in->other_ns > OTHER_NS)
		in->other.text[0] = '\0';
	in->noted = NULL; /* report each peer again */
	memset(in->path_peers, 0, sizeof in->path_peers);
	rist_gaps_every_second(&in->gaps);
	if (in->window != NULL)
		rtp_window_every_second(in->window, now_ns);
	rist_link_every_second(&in->link);
	return 0;
}

static void rist_input_counters(const struct input *base,
				struct input_counters *ret)
{
	const struct rist_input *in =
		container_of(base, const struct rist_input, base);
	uint64_t filled;

	*ret = in->counters;
	count_lost(in, &ret->lost, &filled);
	ret->recovered = in->link.stats.value[LINK_RECOVERED] + filled;
	ret->sync_losses = in->sync.sync_losses;
	ret->junk_bytes = in->sync.junk_bytes;
	ret->unprotected = in->link.paths.unprotected_s;
}

static void rist_input_stats(const struct input *base, struct link_stats *ret)
{
	const struct rist_input *in =
		container_of(base, const struct rist_input, base);
	uint64_t lost, filled;

	count_lost(in, &lost, &filled);
	*ret = in->link.stats;
	link_stats_add(ret, LINK_RECOVERED, filled);
	link_stats_set(ret, LINK_DROPPED, lost);
	link_stats_add(ret, LINK_INVALID, in->other_blocks);
}

static const char *rist_input_error(const struct input *base)
{
	const struct rist_input *in =
		container_of(base, const struct rist_input, base);
	const char *error = rist_link_error(&in->link);

	if (in->other.text[0] != '\0')
		return in->other.text;
	return error != NULL ? error : rist_link_path_error(&in->link);
}

static const char *rist_input_unprotected(const struct input *base)
{
	return rist_link_path_error(
		&container_of(base, const struct rist_input, base)->link);
}

static const char *rist_input_peer(const struct input *base)
{
	return rist_link_peer(
		&container_of(base, const struct rist_input, base)->link);
}

static bool rist_input_is_ready(const struct input *base)
{
	return container_of(base, const struct rist_input, base)
		       ->link.paths.n_open > 0;
}

static void rist_input_free(struct input *base)
{
	struct rist_input *in = container_of(base, struct rist_input, base);

	rist_link_close(&in->link);
	rtp_window_free(&in->window);
	free(in);
}

static const struct input_ops rist_ops = {
	.free = rist_input_free,
	.read = rist_input_read,
	.every_second = rist_input_every_second,
	.counters = rist_input_counters,
	.stats = rist_input_stats,
	.error = rist_input_error,
	.unprotected = rist_input_unprotected,
	.is_ready = rist_input_is_ready,
	.peer = rist_input_peer,

};

struct input *rist_input_open(const struct input_spec *spec, uint64_t now_ns,
			      int *ret_err, struct errmsg *error)
{
	const struct rist_spec *rist = &spec->rist;
	struct rist_input *in = xcalloc(1, sizeof *in);

	(void)now_ns, (void)ret_err, (void)error;
	in->base = (struct input){ .ops = &rist_ops, .spec = spec, .fd = -1 };
	ts_sync_init(&in->sync, TS_SYNC_DATAGRAM);
	rist_link_open(&in->link, &spec->rist, RIST_RECEIVES);
	if (rist->profile != RIST_SIMPLE || rist->n_peers == 1)
		return &in->base;
	in->window = rtp_window_new(&(struct rtp_window_config){
		.places = PLACES,
		.paths = RTP_PATHS,
		/* Each path delivers in order.  With more than RTP_PATHS paths,
		 * two paths use the same path of the window, and may be out of
		 * order there. */
		.reorder_ms = rist->n_peers > RTP_PATHS ? rist->buffer_ms : 0,
		.skew_ms = rist->buffer_ms,
		.out = hand_out,
		.settle = settle,
		.arg = in,
	});
	return &in->base;
}
