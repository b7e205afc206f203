/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An input that is silent for long leaves the tables, and returns at a
 * picture. */
#include "common/base/units.h"
#include "worker/mux/mux_state.h"
#include "worker/ts/pmt.h"

enum {
	/* With packets for this time and no picture, it returns anyway. */
	RETURN_MS = 5000,
	/* Packets that wait for the decision on a picture. */
	HELD_MAX = 1024,
};

static bool is_gone(const struct mux *m, const struct mux_source *in)
{
	return in->absent_ms > 0 && in->silent && in->heard_ns != 0 &&
	       m->now_ns - in->heard_ns > in->absent_ms * MS &&
	       in->line.n == 0;
}

static void drop_held(struct mux_source *in)
{
	fifo_drop(&in->held, fifo_len(&in->held));
	in->holds = false;
}

static void send_held(struct mux *m, struct mux_source *in)
{
	struct ts_run run = fifo_run(&in->held);

	for (size_t i = 0; i < run.n; i++)
		mux_push(m, in, run.data + i * TS_PACKET);
	drop_held(in);
}

static void leave(struct mux *m, struct mux_source *in)
{
	in->absent = true;
	in->return_ns = in->wait_ns = 0;
	mux_begin_source(m, in);
}

bool mux_follow_absent(struct mux *m)
{
	bool changed = false;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];
		bool was = in->absent;

		if (in->returns)
			in->absent = in->returns = false;
		else if (!was && is_gone(m, in))
			leave(m, in);
		else if (was && in->silent)
			in->return_ns = in->wait_ns = 0;
		changed |= in->absent != was;
	}
	return changed;
}

/* Follows the pictures from now on. */
static void begin_return(struct mux *m, struct mux_source *in)
{
	struct pmt_stream s;

	in->return_ns = m->now_ns;
	if (in->wait_ns == 0)
		in->wait_ns = m->now_ns;
	in->rap = (struct rap){ 0 };
	in->held.max = HELD_MAX;
	drop_held(in);
	if (remux_main_stream(in->remux, &s))
		rap_follow(&in->rap, s.pid, pmt_coding(&s), s.class);
	else
		in->returns = true; /* it has none */
}

/* Is this the picture, or the end of the wait for one? */
static bool may_return(struct mux *m, struct mux_source *in,
		       const uint8_t *packet)
{
	enum rap_sign sign = RAP_NONE;

	if (m->now_ns - in->wait_ns > RETURN_MS * MS)
		return true;
	if (ts_pid(packet) == in->rap.pid)
		sign = rap_feed(&in->rap, packet);
	if (sign == RAP_OPEN || sign == RAP_NO || sign == RAP_HERE ||
	    fifo_len(&in->held) == HELD_MAX)
		drop_held(in);
	in->holds |= sign == RAP_OPEN;
	/* a picture whose begin was dropped is none */
	return sign == RAP_HERE || (sign == RAP_YES && in->holds);
}

bool mux_takes_absent(struct mux *m, struct mux_source *in,
		      const uint8_t *packet)
{
	if (in->return_ns == 0)
		begin_return(m, in);
	if (in->returns)
		return true;
	in->returns = may_return(m, in, packet);
	if (in->returns)
		send_held(m, in);
	else if (in->holds)
		(void)fifo_push(&in->held, (struct ts_run){ packet, 1 });
	return in->returns;
}
