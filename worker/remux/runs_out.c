/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/runs_out.h"

void runs_out_flush(struct runs_out *o)
{
	if (o->n_runs > 0)
		o->out(o->runs, o->n_runs, o->arg);
	o->n_runs = 0;
	o->n_packets = 0;
}

uint8_t *runs_out_new(struct runs_out *o)
{
	uint8_t *packet;

	/* first, so that the new packet is not sent before it is filled */
	if (o->n_packets == RUNS_OUT_PACKETS || o->n_runs == RUNS_OUT_MAX)
		runs_out_flush(o);
	packet = o->buffer + o->n_packets * TS_PACKET;
	o->n_packets++;
	runs_out_pass(o, packet);
	return packet;
}
