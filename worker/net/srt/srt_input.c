/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input by SRT.
 *
 * libsrt receives in its own threads; the worker reads at the ticks of the data
 * path.
 */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/input/input_type.h"
#include "worker/net/srt/srt_peer.h"

#include <errno.h>
#include <stdlib.h>

enum {
	MESSAGE_MAX = 1456, /* SRT_LIVE_MAX_PLSIZE */
	SLOTS = 64,
	/* messages that are read in one tick of 10 ms: 500 Mbit/s */
	TURN_MAX = 512,
};

#define IDLE_NS (SECOND_NS / 2)

struct srt_input {
	struct input base;
	struct srt_peer peer;
	struct ts_sync sync;
	uint64_t silent_since_ns;
	struct link_stats link;
	uint8_t slots[SLOTS][MESSAGE_MAX];
};

/* Receives messages into the batch; returns their number.  Before a slot is
 * used again, the batch is flushed, because it points into the slot. */
static int receive(struct srt_input *s, struct batch *batch)
{
	int n = 0;

	for (; n < TURN_MAX; n++) {
		uint8_t *slot = s->slots[n % SLOTS];
		int len;

		if (n > 0 && n % SLOTS == 0)
			batch_flush(batch);
		len = srt_recvmsg2(s->peer.socket, (char *)slot, MESSAGE_MAX,
				   NULL);
		if (len <= 0)
			break;
		batch_sync(batch, &s->sync, slot, (size_t)len);
	}
	batch_flush(batch);
	return n;
}

static int srt_input_read(struct input *in, struct batch *batch,
			  uint64_t now_ns, struct errmsg *error)
{
	struct srt_input *s = container_of(in, struct srt_input, base);
	unsigned before = s->peer.connects, timeout_s = in->spec->srt.timeout_s;
	int r;

	s->peer.idle = now_ns - s->silent_since_ns >= IDLE_NS;
	r = srt_peer_turn(&s->peer, error);
	if (r < 0)
		return r;
	/* a new connection begins with the full time-out */
	if (r == 0 || s->peer.connects != before) {
		s->silent_since_ns = now_ns;
		ts_sync_reset(&s->sync);
	}
	if (r == 0)
		return 0;
	r = receive(s, batch);
	if (r > 0)
		s->silent_since_ns = now_ns;
	else if (now_ns - s->silent_since_ns >= timeout_s * SECOND_NS)
		return errmsg_fail(error, -ETIMEDOUT,
				   "connected, but no data for %u s",
				   timeout_s);
	return r;
}

static int srt_input_every_second(struct input *in, uint64_t now_ns,
				  struct errmsg *error)
{
	struct srt_input *s = container_of(in, struct srt_input, base);

	(void)now_ns, (void)error;
	srt_peer_every_second(&s->peer, &s->link);
	return 0;
}

static void srt_input_counters(const struct input *in,
			       struct input_counters *ret)
{
	const struct srt_input *s =
		container_of(in, const struct srt_input, base);

	*ret = (struct input_counters){
		.lost = s->link.value[LINK_DROPPED],
		.recovered = s->link.value[LINK_RECOVERED],
		.sync_losses = s->sync.sync_losses,
		.bad_sync = s->sync.bad_sync,
		.junk_bytes = s->sync.junk_bytes,
	};
}

static void srt_input_stats(const struct input *in, struct link_stats *ret)
{
	*ret = container_of(in, const struct srt_input, base)->link;
}

static const char *srt_input_error(const struct input *in)
{
	return srt_peer_error(
		&container_of(in, const struct srt_input, base)->peer);
}

static const char *srt_input_peer(const struct input *in)
{
	return srt_peer_name(
		&container_of(in, const struct srt_input, base)->peer);
}

/* True for a listener, which needs no connection to be ready.  A caller is not
 * ready before it is connected. */
static bool srt_input_is_ready(const struct input *in)
{
	return in->spec->srt.mode == SRT_LISTENER;
}

static void srt_input_free(struct input *in)
{
	struct srt_input *s = container_of(in, struct srt_input, base);

	srt_peer_done(&s->peer);
	free(s);
}

static const struct input_ops srt_ops = {
	.free = srt_input_free,
	.read = srt_input_read,
	.every_second = srt_input_every_second,
	.counters = srt_input_counters,
	.stats = srt_input_stats,
	.error = srt_input_error,
	.peer = srt_input_peer,
	.is_ready = srt_input_is_ready,
};

struct input *srt_input_open(const struct input_spec *spec, uint64_t now_ns,
			     int *ret_err, struct errmsg *error)
{
	struct srt_input *s = xcalloc(1, sizeof *s);
	int r = srt_peer_open(&s->peer, &spec->srt, SRT_RECEIVES, error);

	if (r < 0) {
		free(s);
		*ret_err = r;
		return NULL;
	}
	s->base = (struct input){ .ops = &srt_ops, .spec = spec, .fd = -1 };
	s->silent_since_ns = now_ns;
	ts_sync_init(&s->sync, TS_SYNC_DATAGRAM);
	return &s->base;
}
