/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects the output packets of a stage in runs: unchanged packets stay where
 * they are, changed packets are in the buffer of this struct.
 *
 * Embedded.  The runs are valid for the call of out(), which may occur several
 * times in one feed when many packets change.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	RUNS_OUT_MAX = 64,
	RUNS_OUT_PACKETS = 128,
};

struct runs_out {
	ts_out_fn *out;
	void *arg;
	size_t n_runs;
	size_t n_packets; /* packets in `buffer' */
	struct ts_run runs[RUNS_OUT_MAX];
	uint8_t buffer[RUNS_OUT_PACKETS * TS_PACKET];
};

/* Passes the collected runs to out(), if any. */
static inline void runs_out_flush(struct runs_out *o)
{
	if (o->n_runs > 0)
		o->out(o->runs, o->n_runs, o->arg);
	o->n_runs = 0;
	o->n_packets = 0;
}

static inline void runs_out_pass(struct runs_out *o, const uint8_t *packet)
{
	if (o->n_runs > 0) {
		struct ts_run *last = &o->runs[o->n_runs - 1];

		if (last->data + last->n * TS_PACKET == packet) {
			last->n++;
			return;
		}
	}
	if (o->n_runs == RUNS_OUT_MAX)
		runs_out_flush(o);
	o->runs[o->n_runs++] = (struct ts_run){ packet, 1 };
}

/* Room for one packet, to be filled before the next call. */
static inline uint8_t *runs_out_new(struct runs_out *o)
{
	uint8_t *packet;

	/* flushes first, because the new packet is not filled yet */
	if (o->n_packets == RUNS_OUT_PACKETS || o->n_runs == RUNS_OUT_MAX)
		runs_out_flush(o);
	packet = o->buffer + o->n_packets * TS_PACKET;
	o->n_packets++;
	runs_out_pass(o, packet);
	return packet;
}
