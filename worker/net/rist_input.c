/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input by RIST.
 *
 * librist has threads of its own and a bounded queue of what came; it is taken
 * at the ticks of the data path.
 */
#include "common/alloc.h"
#include "worker/input/kind.h"
#include "worker/net/kinds.h"
#include "worker/net/rist_link.h"

#include <stdlib.h>

enum {
	HELD = 64,
	TURN_MAX = 512, /* blocks in one wake-up */
};

/* A flow that was not heard for so long is dead. */
#define LIVE_NS UINT64_C(1000000000)

struct rist_input {
	struct input base;
	struct rist_link link;
	struct ts_sync sync;
	bool begun;
	uint32_t flow; /* the one that is followed */
	uint64_t heard_ns; /* ... when a block of it came */
	uint64_t strange; /* blocks of other flows, dropped */
	struct input_counters counters;
	size_t n_held;
	struct rist_data_block *held[HELD]; /* their packets are in the batch */
};

static void pass_on(struct rist_input *in, struct batch *batch)
{
	batch_flush(batch);
	while (in->n_held > 0)
		rist_receiver_data_block_free2(&in->held[--in->n_held]);
}

/*
 * The library hands out the blocks of all who reach the port: a second sender
 * does not come between the packets of the first, but takes over from it.
 */
static bool is_ours(struct rist_input *in, uint32_t flow, uint64_t now_ns)
{
	if (in->begun && flow != in->flow) {
		if (now_ns - in->heard_ns < LIVE_NS)
			return false;
		in->counters.source_changes++;
		ts_sync_reset(&in->sync);
	}
	in->begun = true;
	in->flow = flow;
	in->heard_ns = now_ns;
	return true;
}

static void take(struct rist_input *in, struct batch *batch,
		 struct rist_data_block *block, uint64_t now_ns)
{
	if (!is_ours(in, block->flow_id, now_ns)) {
		in->strange++;
		rist_receiver_data_block_free2(&block);
		return;
	}
	batch_sync(batch, &in->sync, block->payload, block->payload_len);
	in->held[in->n_held++] = block;
	if (in->n_held == HELD)
		pass_on(in, batch);
}

static int rist_input_read(struct input *base, struct batch *batch,
			   uint64_t now_ns, struct errmsg *why)
{
	struct rist_input *in = container_of(base, struct rist_input, base);
	struct rist_data_block *block = NULL;
	int n = 0, r = rist_link_turn(&in->link, why);

	if (r <= 0)
		return r;
	for (; n < TURN_MAX; n++) {
		if (rist_receiver_data_read2(in->link.ctx, &block, 0) <= 0 ||
		    block == NULL)
			break;
		take(in, batch, block, now_ns);
		block = NULL;
	}
	pass_on(in, batch);
	return n;
}

static int rist_input_second(struct input *base, uint64_t now_ns,
			     struct errmsg *why)
{
	(void)now_ns, (void)why;
	rist_link_second(&container_of(base, struct rist_input, base)->link);
	return 0;
}

static void rist_input_counters(const struct input *base,
				struct input_counters *ret)
{
	const struct rist_input *in =
		container_of(base, const struct rist_input, base);

	*ret = in->counters;
	ret->lost = in->link.stats.value[LINK_DROPPED];
	ret->recovered = in->link.stats.value[LINK_RECOVERED];
	ret->sync_losses = in->sync.sync_losses;
}

static void rist_input_stats(const struct input *base, struct link_stats *ret)
{
	const struct rist_input *in =
		container_of(base, const struct rist_input, base);

	*ret = in->link.stats;
	link_stats_set(ret, LINK_INVALID, in->strange);
}

static const char *rist_input_trouble(const struct input *base)
{
	return rist_link_trouble(
		&container_of(base, const struct rist_input, base)->link);
}

static void rist_input_free(struct input *base)
{
	struct rist_input *in = container_of(base, struct rist_input, base);

	rist_link_close(&in->link);
	free(in);
}

static const struct input_ops rist_ops = {
	.free = rist_input_free,
	.read = rist_input_read,
	.second = rist_input_second,
	.counters = rist_input_counters,
	.stats = rist_input_stats,
	.trouble = rist_input_trouble,
};

struct input *rist_input_open(const struct input_spec *spec, uint64_t now_ns,
			      int *ret_err, struct errmsg *why)
{
	struct rist_input *in = xcalloc(1, sizeof *in);

	(void)now_ns, (void)ret_err, (void)why;
	in->base = (struct input){ .ops = &rist_ops, .spec = spec, .fd = -1 };
	ts_sync_init(&in->sync, TS_SYNC_DATAGRAM);
	rist_link_open(&in->link, &spec->rist, RIST_RECEIVES);
	return &in->base;
}
