/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last picture of a service that is silent or blocked is sent instead of
 * it, on its PIDs and with its clock, until it returns at a picture. */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/filler/filler.h"
#include "worker/filler/play.h"
#include "worker/mux/mux_state.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pmt.h"

#include <stdlib.h>
#include <string.h>

enum {
	STARTS_MAX = 16, /* pictures at which it can return, in the line */
	/* With packets for this time and no such picture it returns anyway. */
	RETURN_MS = 5000,
	/* The last packet of a silent service leaves at most so long behind the
	 * delay. */
	LEAVE_MS = 200,
	/* All of them have this part of the rate at most. */
	RATE_SHARE = 2,
	AGAIN_MS = 1000, /* between two trials to start */
	TICKS_MS = 90,
};

/* What a filler needs of the PMT of its service; compared as memory. */
struct streams {
	uint32_t pcr_pid, n;
	uint32_t list[PMT_STREAMS_MAX]; /* PID, class and coding */
};

struct mux_fill {
	struct play *play;
	struct streams streams;
	uint64_t pids[TS_PIDS / 64]; /* it has packets on these */
	uint64_t rate;   /* packets per second that it may have */
	uint32_t source; /* its number for the counters */
	uint64_t base, start_ns; /* of its clock, 90 kHz */
	uint64_t at_ns;  /* of its last packet */
	uint16_t main;   /* the PID that decides when the service returns */
	bool video;      /* it has pictures */
	uint64_t wants_ns; /* since then the service has packets; 0: no */
	/* of the packets that arrive: where pictures begin, by their place in
	 * the line */
	struct rap rap;
	bool open;
	uint64_t open_at;
	size_t n_starts;
	uint64_t starts[STARTS_MAX];
};

/* --- the start and the end --- */

void mux_free_fill(struct mux_service *s)
{
	if (s->fill == NULL)
		return;
	play_free(&s->fill->play);
	free(s->fill);
	s->fill = NULL;
}

/* The clock of the output on a PID at now_ns, 90 kHz; without one it begins
 * anywhere. */
static uint64_t clock_now(const struct mux *m, uint16_t pid)
{
	struct cbr_time times[CBR_CLOCKS_MAX];
	size_t n = cbr_times(m->cbr, times, CBR_CLOCKS_MAX);

	for (size_t i = 0; i < n; i++)
		if (times[i].pid == pid) {
			int64_t ns = (int64_t)(m->now_ns - times[i].at_ns);
			int64_t pcr = (int64_t)times[i].pcr + ns * 27 / 1000;

			return (uint64_t)(pcr + (int64_t)PCR_WRAP) % PCR_WRAP /
			       300;
		}
	return 0;
}

/* The PIDs that it gets: those that no service on air has. */
static void find_pids(const struct mux *m, const struct mux_source *in,
		      size_t nth, uint64_t set[TS_PIDS / 64])
{
	uint64_t own[TS_PIDS / 64] = { 0 };

	mux_add_service_pids(in, nth, own);
	for (uint16_t pid = 0; pid < TS_PIDS; pid++)
		if (place_has(own, pid) && m->gate[pid] == nth + 1)
			place_take(set, pid);
}

static void stop(struct mux *m, struct mux_source *in, struct mux_service *s)
{
	mux_free_fill(s);
	mux_renew_gates(m, in);
}

/* What all fillers may have. */
static uint64_t sum_rates(const struct mux *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *in = &m->inputs[i];

		for (size_t k = 0; in->still && k < in->n_services; k++)
			if (in->states[k].fill != NULL)
				sum += in->states[k].fill->rate;
	}
	return sum;
}

static struct streams streams_of(const struct pmt *pmt)
{
	struct streams ret = { .pcr_pid = pmt->pcr_pid };

	for (size_t i = 0; i < pmt->n_streams; i++) {
		const struct pmt_stream *s = &pmt->streams[i];

		ret.list[ret.n++] = (uint32_t)s->pid << 16 |
				    (uint32_t)s->class << 8 | pmt_coding(s);
	}
	return ret;
}

/* Are what it needs of the PMT and its PIDs those of the start? */
static bool is_current(const struct mux *m, const struct mux_source *in,
		       size_t nth)
{
	const struct mux_fill *f = in->states[nth].fill;
	uint64_t pids[TS_PIDS / 64] = { 0 };
	struct streams now;
	struct pmt pmt;

	if (nth >= in->n_services || !mux_service_pmt(in, nth, &pmt))
		return false;
	now = streams_of(&pmt);
	find_pids(m, in, nth, pids);
	return memcmp(&now, &f->streams, sizeof now) == 0 &&
	       memcmp(pids, f->pids, sizeof pids) == 0;
}

void mux_check_fills(struct mux *m, struct mux_source *in)
{
	for (size_t k = 0; in->still && k < in->n_found; k++)
		if (in->states[k].fill != NULL && !is_current(m, in, k))
			stop(m, in, &in->states[k]);
}

static void start(struct mux *m, struct mux_source *in, size_t nth)
{
	uint16_t number = in->services[nth].new_number;
	struct mux_service *s = &in->states[nth];
	struct mux_fill *f = xcalloc(1, sizeof *f);
	uint64_t pids[TS_PIDS / 64] = { 0 };
	struct pmt_stream main;
	struct pmt pmt;

	s->fill = f;
	mux_renew_gates(m, in);
	find_pids(m, in, nth, pids);
	if (!mux_service_pmt(in, nth, &pmt) ||
	    !mux_main_stream(in, nth, &main) || !place_has(pids, main.pid)) {
		stop(m, in, s);
		return;
	}
	f->streams = streams_of(&pmt);
	memcpy(f->pids, pids, sizeof pids);
	f->base = clock_now(m, pmt.pcr_pid);
	f->start_ns = f->at_ns = m->now_ns;
	f->main = main.pid;
	f->video = main.class == PID_VIDEO;
	f->source = ++m->last_source;
	f->play = filler_play(m->filler, number, pids, f->base, m->now_ns);
	f->rate = f->play == NULL ? 0 : play_rate(f->play);
	if (f->play == NULL ||
	    sum_rates(m) > packets_of(m->cfg.kbps) / RATE_SHARE) {
		stop(m, in, s);
		return;
	}
	rap_follow(&f->rap, main.pid, pmt_coding(&main), main.class);
	for (uint16_t pid = 0; pid < TS_PIDS; pid++)
		if (place_has(pids, pid)) {
			m->stopped[pid] = s->blocked ? MUX_BLOCKED
						     : MUX_FILLED;
			mux_counters_forget(&m->counters, pid);
		}
}

/* Have its units ended, and its last packets left? */
static bool has_ended(const struct mux *m, const struct mux_source *in,
		      size_t nth)
{
	const struct mux_service *s = &in->states[nth];

	for (size_t i = 0; i < s->n_av; i++)
		if (waiting_has(&m->waiting, s->av[i]))
			return false;
	if (s->blocked) {
		for (size_t i = 0; i < s->n_av; i++)
			if (!s->cut && m->gate[s->av[i]] == nth + 1 &&
			    !m->stopped[s->av[i]])
				return false;
		return true;
	}
	return s->silent && (in->line.n == 0 ||
			     m->now_ns - s->heard_ns >
			     (m->cfg.delay_ms + LEAVE_MS) * MS);
}

/* Follows the nth service; true: what is sent of it has changed. */
static bool follow(struct mux *m, struct mux_source *in, size_t nth)
{
	struct mux_service *s = &in->states[nth];

	if (s->fill == NULL) {
		if (!has_ended(m, in, nth) || m->now_ns < s->again_ns ||
		    !filler_has_program(m->filler,
					in->services[nth].new_number))
			return false;
		s->again_ns = m->now_ns + AGAIN_MS * MS;
		start(m, in, nth);
		return s->fill != NULL;
	}
	if (s->blocked || s->silent) {
		s->fill->wants_ns = 0;
		s->fill->n_starts = 0;
		play_hold_pictures(s->fill->play, false, m->now_ns);
	} else if (s->fill->wants_ns == 0) {
		s->fill->wants_ns = m->now_ns;
	}
	return false;
}

bool mux_follow_fills(struct mux *m)
{
	bool changed = false;

	for (size_t i = 0; i < m->cfg.n_inputs && m->filler != NULL; i++) {
		struct mux_source *in = &m->inputs[i];

		for (size_t k = 0; in->still && k < in->n_services; k++)
			changed |= follow(m, in, k);
	}
	changed |= m->fills_changed;
	m->fills_changed = false;
	return changed;
}

/* --- the return --- */

static void add_start(struct mux_fill *f, uint64_t place)
{
	if (f->n_starts < STARTS_MAX)
		f->starts[f->n_starts++] = place;
}

void mux_watch_fill(const struct mux_source *in, struct mux_service *s,
		    const uint8_t *packet)
{
	struct mux_fill *f = s->fill;
	enum rap_sign sign;

	if (ts_pid(packet) != f->main || !f->video)
		return;
	sign = rap_feed(&f->rap, packet);
	if (sign == RAP_YES && f->open)
		add_start(f, f->open_at);
	if (sign != RAP_NONE)
		f->open = sign == RAP_OPEN;
	if (sign == RAP_OPEN)
		f->open_at = in->line.pushed;
	if (sign == RAP_HERE)
		add_start(f, in->line.pushed);
	if (f->n_starts > 0 && f->wants_ns != 0)
		play_hold_pictures(f->play, true, 0);
}

bool mux_fill_precedes(const struct mux *m, const uint8_t *packet)
{
	uint64_t pts, last;

	return m->filler != NULL && pes_pts(packet, &pts) &&
	       filler_pts(m->filler, ts_pid(packet), &last) &&
	       wrap_diff(pts, last, PES_TIME_WRAP) <= 0 &&
	       wrap_diff(pts, last, PES_TIME_WRAP) > -RETURN_MS * TICKS_MS;
}

/* Does a picture begin here? */
static bool is_start(struct mux_fill *f, uint64_t place)
{
	size_t n = 0;

	while (n < f->n_starts && f->starts[n] < place)
		n++;
	f->n_starts -= n;
	for (size_t i = 0; i < f->n_starts; i++)
		f->starts[i] = f->starts[i + n];
	return f->n_starts > 0 && f->starts[0] == place;
}

bool mux_fill_ends(struct mux *m, struct mux_source *in, struct mux_service *s,
		   const uint8_t *packet)
{
	struct mux_fill *f = s->fill;
	uint64_t place = in->line.pushed - in->line.n;
	bool starts = is_start(f, place);

	if (s->blocked || f->wants_ns == 0 || ts_pid(packet) != f->main ||
	    !ts_pusi(packet) || !ts_has_payload(packet))
		return false;
	if (m->now_ns - f->wants_ns < RETURN_MS * MS &&
	    ((f->video && !starts) || mux_fill_precedes(m, packet)))
		return false;
	stop(m, in, s);
	m->fills_changed = true;
	return true;
}

/* --- the packets --- */

struct feeding {
	struct mux *m;
	struct mux_service *service;
	struct mux_fill *fill;
};

/* The place of a PCR is its time; other packets follow the one before. */
static uint64_t place_of(const struct mux *m, const struct mux_fill *f,
			 const uint8_t *packet)
{
	uint64_t pcr, ticks, at_ns = MAX(f->at_ns, m->turn_ns);

	if (!ts_pcr(packet, &pcr))
		return at_ns;
	ticks = (pcr / 300 + PES_TIME_WRAP - f->base) % PES_TIME_WRAP;
	return MIN(MAX(at_ns, f->start_ns + ticks * 100000 / 9), m->now_ns);
}

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct feeding *to = arg;
	struct mux *m = to->m;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			uint8_t packet[TS_PACKET];
			uint64_t at_ns;

			memcpy(packet, runs[i].data + k * TS_PACKET, TS_PACKET);
			if (!mux_counters_feed(&m->counters, to->fill->source,
					       packet))
				continue;
			at_ns = place_of(m, to->fill, packet);
			to->fill->at_ns = at_ns;
			spread_learn(&m->spread, packet);
			at_ns = spread_place(&m->spread, ts_pid(packet), at_ns);
			mux_make_room(m, 1);
			waiting_add(&m->waiting, at_ns, packet);
			m->fill_meter++;
			to->service->fill_meter++;
		}
}

void mux_run_fills(struct mux *m)
{
	for (size_t i = 0; i < m->cfg.n_inputs && m->filler != NULL; i++) {
		struct mux_source *in = &m->inputs[i];

		for (size_t k = 0; in->still && k < in->n_services; k++) {
			struct mux_service *s = &in->states[k];
			struct feeding to = { m, s, s->fill };

			if (to.fill != NULL)
				play_run(to.fill->play, m->now_ns, on_packets,
					 &to);
		}
	}
}
