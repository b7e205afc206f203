/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A service that is silent for absent_ms leaves the tables, and returns to them
 * at a picture. */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/mux/mux_state.h"
#include "worker/ts/pmt.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* An absent service that has packets for this time, but no random
	 * access point, returns anyway. */
	RETURN_MS = 5000,
	/* Most packets in `held', while a picture may be a random access
	 * point. */
	HELD_MAX = 1024,
	/* While other services of the input have packets, the last packet of a
	 * silent service leaves at most this time later than after
	 * mux_delay. */
	LEAVE_MS = 200,
	/* in `gone', while all services are absent: no service has the PID */
	GONE_ALL = UINT16_MAX,
};

/* --- the PIDs --- */

static void take_pid(uint16_t pid, const struct desc *ca, void *arg)
{
	(void)ca;
	place_take(arg, pid);
}

void mux_add_service_pids(const struct mux_source *in, size_t nth,
			  uint64_t set[TS_PIDS / 64])
{
	struct pmt pmt;

	if (mux_service_pmt(in, nth, &pmt))
		pmt_each_pid(&pmt, take_pid, set);
}

/* Updates `gone', the PIDs that only absent services have, and `carried' of
 * each service. */
static void find_gone(struct mux *m, struct mux_source *in)
{
	uint64_t sent[TS_PIDS / 64] = { 0 };
	struct pmt_stream main;

	for (size_t k = 0; k < in->n_services; k++) {
		place_take(sent, in->services[k].pmt_pid);
		if (!in->states[k].absent)
			mux_add_service_pids(in, k, sent);
	}
	for (size_t k = 0; k < in->n_services; k++)
		in->states[k].carried = mux_main_stream(in, k, &main) &&
					place_has(sent, main.pid);
	for (size_t pid = 0; pid < TS_PIDS; pid++)
		in->gone[pid] = in->absent && !place_has(sent, (uint16_t)pid)
					? (uint16_t)GONE_ALL : 0;
	for (size_t k = 0; k < in->n_services; k++) {
		uint64_t own[TS_PIDS / 64] = { 0 };

		if (!in->states[k].absent)
			continue;
		mux_add_service_pids(in, k, own);
		for (uint16_t pid = 0; pid < TS_PIDS; pid++) {
			if (!place_has(own, pid) || place_has(sent, pid))
				continue;
			/* The first absent service that has the PID gets it. */
			place_take(sent, pid);
			in->gone[pid] = (uint16_t)(k + 1);
			mux_counters_forget(&m->counters, pid);
		}
	}
}

void mux_renew_gone(struct mux *m, struct mux_source *in)
{
	in->n_absent = 0;
	for (size_t k = 0; k < in->n_services; k++)
		in->n_absent += in->states[k].absent;
	in->absent = in->n_absent > 0 && in->n_absent == in->n_services;
	if (in->n_absent == 0) {
		free(in->gone);
		in->gone = NULL;
		return;
	}
	if (in->gone == NULL)
		in->gone = xcalloc(TS_PIDS, sizeof *in->gone);
	find_gone(m, in);
}

/* --- leaving --- */

static bool is_gone(const struct mux *m, const struct mux_source *in,
		    const struct mux_service *s)
{
	return in->absent_ms > 0 && s->silent && in->heard_ns != 0 &&
	       m->now_ns - s->heard_ns > in->absent_ms * MS &&
	       /* all its packets have left the line */
	       (in->silent ? in->line.n == 0
			   : m->now_ns - s->heard_ns >
			     (m->cfg.delay_ms + LEAVE_MS) * MS);
}

/* Updates whether the nth service is absent.  True: it has become absent or has
 * returned. */
static bool follow(struct mux *m, const struct mux_source *in, size_t nth)
{
	struct mux_service *s = &in->states[nth];
	bool was = s->absent;

	if (s->returns || (was && s->carried && !s->silent)) {
		s->absent = s->returns = false;
		mux_renew_pmt(m, in, nth);
	} else if (!was && is_gone(m, in, s)) {
		s->absent = true;
		s->return_ns = s->wait_ns = 0;
	} else if (was && s->silent) {
		s->return_ns = s->wait_ns = 0;
	}
	return s->absent != was;
}

bool mux_follow_absent(struct mux *m)
{
	bool any = false;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];
		bool was = in->absent, changed = false;

		if (in->absent_ms == 0)
			continue;
		for (size_t k = 0; k < in->n_services; k++)
			changed |= follow(m, in, k);
		if (!changed)
			continue;
		mux_renew_gone(m, in);
		if (in->absent && !was)
			mux_begin_source(m, in);
		any = true;
	}
	return any;
}

/* --- returning --- */

static void drop_held(struct mux_service *s)
{
	fifo_drop(&s->held, fifo_len(&s->held));
	s->holds = false;
}

/* Begins to look for a picture at which the nth service returns to the tables.
 * If it has no main stream, or if that is sent already, it returns at once. */
static void begin_return(struct mux *m, struct mux_source *in, size_t nth)
{
	struct mux_service *s = &in->states[nth];
	struct pmt_stream main;

	s->return_ns = m->now_ns;
	if (s->wait_ns == 0)
		s->wait_ns = m->now_ns;
	s->rap = (struct rap){ 0 };
	s->held.max = HELD_MAX;
	drop_held(s);
	if (!mux_main_stream(in, nth, &main) || in->gone[main.pid] == 0)
		s->returns = true;
	else if (in->gone[main.pid] == nth + 1)
		rap_follow(&s->rap, main.pid, pmt_coding(&main), main.class);
	/* else another absent service has its main stream, and returns first */
}

/* True if the service returns at this packet: a random access point begins here
 * or in the held packets, or the wait for one is over. */
static bool may_return(struct mux *m, struct mux_service *s,
		       const uint8_t *packet)
{
	enum rap_sign sign = RAP_NONE;

	if (m->now_ns - s->wait_ns > RETURN_MS * MS)
		return true;
	if (ts_pid(packet) == s->rap.pid)
		sign = rap_feed(&s->rap, packet);
	if (sign == RAP_OPEN || sign == RAP_NO || sign == RAP_HERE ||
	    fifo_len(&s->held) == HELD_MAX)
		drop_held(s);
	s->holds |= sign == RAP_OPEN;
	/* if the begin of the picture was dropped, it is no random access
	 * point */
	return sign == RAP_HERE || (sign == RAP_YES && s->holds);
}

bool mux_takes_absent(struct mux *m, struct mux_source *in,
		      const uint8_t *packet)
{
	uint16_t at = in->gone[ts_pid(packet)];
	struct mux_service *s;

	if (at == 0 || at == GONE_ALL)
		return at == 0;
	s = &in->states[at - 1];
	if (!s->returns && s->return_ns == 0)
		begin_return(m, in, at - 1U);
	if (s->returns)
		return true;
	s->returns = may_return(m, s, packet);
	if (s->returns) {
		struct ts_run run = fifo_run(&s->held);

		for (size_t i = 0; i < run.n; i++)
			mux_push(m, in, run.data + i * TS_PACKET);
		drop_held(s);
		fifo_done(&s->held);
	} else if (s->holds) {
		(void)fifo_push(&s->held, (struct ts_run){ packet, 1 });
	}
	return s->returns;
}
