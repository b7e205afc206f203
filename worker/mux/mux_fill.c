/* SPDX-License-Identifier: GPL-3.0-or-later */
/* While a service is silent or blocked, a filler sends its last picture on its
 * PIDs and with its clock, until the service returns at a picture. */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/filler/filler.h"
#include "worker/mux/fill.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/pmt.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* A service that has packets for this time, but no picture at which it
	 * can return, returns anyway. */
	RETURN_MS = 5000,
	/* The last packet of a silent service leaves at most this time later
	 * than after mux_delay. */
	LEAVE_MS = 200,
	/* All fillers together get at most this part (1 / RATE_SHARE) of the
	 * rate. */
	RATE_SHARE = 2,
	AGAIN_MS = 1000, /* between two attempts to start a filler */
	/* A PMT with other streams is due this time before the picture at which
	 * the service returns, so that it precedes the picture even if another
	 * section delays it. */
	LEAD_MS = 50,
	TICKS_MS = 90, /* units of 90 kHz in a millisecond */
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

/* The clock of the output on a PID at now_ns, 90 kHz; 0: the PID has no
 * clock. */
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

/* Adds to the set the PIDs that a filler of the nth service may use: PIDs of
 * the service that no service on air has, and no blocked or filled service in
 * front of it. */
static void find_pids(const struct mux *m, const struct mux_source *in,
		      size_t nth, uint64_t set[TS_PIDS / 64])
{
	uint64_t own[TS_PIDS / 64] = { 0 };

	mux_add_service_pids(in, nth, own);
	for (uint16_t pid = 0; pid < TS_PIDS; pid++)
		if (place_has(own, pid) && m->gate[pid] == nth + 1)
			place_take(set, pid);
}

/* Sends the PMT that waits for the return of the service. */
static void lead(struct mux *m, struct mux_source *in, size_t nth)
{
	struct mux_fill *f = in->states[nth].fill;

	f->led = true;
	if (f->held_len > 0)
		mux_send_held_pmt(m, in, nth, f->held, f->held_len);
	f->held_len = 0;
}

void fill_stop(struct mux *m, struct mux_source *in, size_t nth)
{
	struct mux_service *s = &in->states[nth];

	if (s->fill->moved && !s->fill->led)
		lead(m, in, nth);
	for (uint16_t pid = 0; pid < TS_PIDS; pid++)
		if (place_has(s->fill->pids, pid) && m->gate[pid] == nth + 1)
			m->gate[pid] = 0;
	mux_free_fill(s);
	mux_renew_gates(m, in);
}

/* The packets per second that the other fillers and max_kbps leave for the
 * filler of the nth service. */
static uint64_t rest_of_all(const struct mux *m, const struct mux_source *in,
			    size_t nth)
{
	uint64_t rest = packets_of(m->cfg.kbps) / RATE_SHARE;
	uint64_t fills = 0, sum = 0;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *each = &m->inputs[i];

		for (size_t k = 0; each->still && k < each->n_services; k++) {
			const struct mux_fill *f = each->states[k].fill;

			if (f != NULL && f != in->states[nth].fill)
				fills += f->rate;
		}
	}
	rest -= MIN(rest, fills);
	if (in->max == 0)
		return rest;
	/* beside the other services of the input and their fillers */
	for (size_t k = 0; k < in->n_services; k++) {
		const struct mux_service *s = &in->states[k];

		if (k == nth)
			continue;
		if (s->fill != NULL)
			sum += s->fill->rate;
		else if (!s->blocked && !s->silent)
			sum += s->usual;
	}
	return MIN(rest, in->max - MIN(in->max, sum));
}

uint64_t fill_room(const struct mux *m, const struct mux_source *in,
		   size_t nth)
{
	uint64_t usual = in->states[nth].usual;
	uint64_t rest = rest_of_all(m, in, nth);

	return usual != 0 ? MIN(rest, usual) : rest;
}

bool fill_fits(const struct mux *m, const struct mux_source *in, size_t nth,
	       struct play *play)
{
	return play_limit(play, fill_room(m, in, nth)) ||
	       play_rate(play) <= rest_of_all(m, in, nth);
}

static struct fill_streams streams_of(const struct pmt *pmt)
{
	struct fill_streams ret = { .pcr_pid = pmt->pcr_pid };

	for (size_t i = 0; i < pmt->n_streams; i++)
		ret.list[ret.n++] = fill_stream(&pmt->streams[i]);
	return ret;
}

/* True if the filler may still use the PIDs that it had at its start.  If the
 * service has a PMT with other streams, it is enough that no other service has
 * got one of them. */
static bool has_pids(const struct mux *m, const struct mux_source *in,
		     size_t nth)
{
	const struct mux_fill *f = in->states[nth].fill;
	uint64_t pids[TS_PIDS / 64] = { 0 };

	if (!f->moved) {
		find_pids(m, in, nth, pids);
		return memcmp(pids, f->pids, sizeof pids) == 0;
	}
	for (uint16_t pid = 0; pid < TS_PIDS; pid++)
		if (place_has(f->pids, pid) && m->gate[pid] != nth + 1)
			return false;
	return true;
}

/* Lets the service return at a picture of this stream, or, if it is audio, at
 * the begin of any of its units. */
static void follow_main(struct mux_fill *f, const struct pmt_stream *main)
{
	f->main = main->pid;
	f->video = main->class == PID_VIDEO;
	if (f->video)
		starts_follow(&f->starts, main);
}

/* Compares the PMT of the service with the one at the start of the filler.
 * False: the filler must end. */
static bool adapt(struct mux *m, struct mux_source *in, size_t nth)
{
	struct mux_fill *f = in->states[nth].fill;
	struct fill_streams now;
	struct pmt_stream main;
	struct pmt pmt;

	if (nth >= in->n_services || !mux_service_pmt(in, nth, &pmt) ||
	    !mux_main_stream(in, nth, &main))
		return false;
	now = streams_of(&pmt);
	f->moved = memcmp(&now, &f->streams, sizeof now) != 0;
	if (!f->moved) {
		f->led = false;
		f->held_len = 0;
	}
	follow_main(f, &main);
	return has_pids(m, in, nth);
}

void mux_check_fills(struct mux *m, struct mux_source *in)
{
	for (size_t k = 0; in->still && k < in->n_found; k++)
		if (in->states[k].fill != NULL && !adapt(m, in, k))
			fill_stop(m, in, k);
}

const uint64_t *mux_fill_pids(const struct mux_service *s)
{
	return s->fill != NULL ? s->fill->pids : NULL;
}

bool mux_fill_keeps_pmt(const struct mux_service *s)
{
	return s->fill != NULL && s->fill->moved && !s->fill->led;
}

bool mux_fill_holds_pmt(struct mux_service *s, const uint8_t *section,
			size_t len)
{
	if (!mux_fill_keeps_pmt(s) || len > sizeof s->fill->held)
		return false;
	memcpy(s->fill->held, section, len);
	s->fill->held_len = len;
	return true;
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
		fill_stop(m, in, nth);
		return;
	}
	f->streams = streams_of(&pmt);
	memcpy(f->pids, pids, sizeof pids);
	f->base = clock_now(m, pmt.pcr_pid);
	f->start_ns = f->at_ns = m->now_ns;
	follow_main(f, &main);
	f->source = ++m->last_source;
	f->play = filler_play(m->filler, number, pids, f->base, m->now_ns);
	if (f->play == NULL || !fill_fits(m, in, nth, f->play)) {
		fill_stop(m, in, nth);
		return;
	}
	f->rate = play_rate(f->play);
	for (uint16_t pid = 0; pid < TS_PIDS; pid++)
		if (place_has(pids, pid)) {
			m->stopped[pid] = mux_stop_of(s);
			mux_counters_forget(&m->counters, pid);
		}
}

/* True if a filler can start: the last units of the service are whole, and its
 * last packets have left. */
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

/* True if the picture at which the service returns leaves within LEAD_MS. */
static bool returns_soon(const struct mux *m, const struct mux_source *in,
			 const struct mux_fill *f)
{
	uint64_t first = in->line.pushed - in->line.n;

	return f->starts.n > 0 && f->starts.places[0] >= first &&
	       delay_line_time(&in->line, f->starts.places[0] - first) <=
		       m->now_ns + LEAD_MS * MS;
}

/* Starts, keeps or ends the filler of the nth service.  True: it has started or
 * ended. */
static bool follow(struct mux *m, struct mux_source *in, size_t nth)
{
	struct mux_service *s = &in->states[nth];

	if (s->fill == NULL) {
		if ((!s->blocked && !s->silent) ||
		    m->now_ns < s->again_ns || !has_ended(m, in, nth) ||
		    !filler_has_program(m->filler,
					in->services[nth].new_number))
			return false;
		s->again_ns = m->now_ns + AGAIN_MS * MS;
		start(m, in, nth);
		return s->fill != NULL;
	}
	if (s->blocked || s->silent) {
		s->fill->wants_ns = 0;
		s->fill->starts.n = 0;
		play_hold_pictures(s->fill->play, false, m->now_ns);
		/* receivers already follow the new PMT, whose PIDs the filler
		 * lacks */
		if (s->fill->led)
			fill_stop(m, in, nth);
		return s->fill == NULL;
	}
	if (s->fill->wants_ns == 0)
		s->fill->wants_ns = m->now_ns;
	if (s->fill->held_len > 0 && returns_soon(m, in, s->fill))
		lead(m, in, nth);
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

void mux_watch_fill(const struct mux_source *in, struct mux_service *s,
		    const uint8_t *packet)
{
	struct mux_fill *f = s->fill;

	if (ts_pid(packet) != f->main || !f->video)
		return;
	starts_feed(&f->starts, packet, in->line.pushed);
	if (fill_ends_soon(f))
		play_hold_pictures(f->play, true, 0);
}

/* The PTS of the unit that begins in the packet.  If the PES header ends in
 * later packets, these are read in the line.  False: no PTS was found. */
static bool find_pts(const struct delay_line *line, const uint8_t *packet,
		     uint64_t *ret)
{
	struct pes_head head;
	enum pes_head_sign sign = pes_head_read(packet, &head);
	struct pes_stamps at;
	size_t i = 1;

	if (sign == HEAD_NONE) {
		if (!pes_stamps_find(packet, &at))
			return false;
		*ret = at.pts;
		return true;
	}
	while (sign == HEAD_WAITS && i < line->n) {
		packet = delay_line_at(line, i++);
		sign = pes_head_add(&head, packet);
	}
	if (sign != HEAD_WHOLE || !pes_head_stamps(&head, packet, 0, &at))
		return false;
	*ret = at.pts;
	return true;
}

bool mux_fill_follows(const struct mux *m, uint16_t pid, uint64_t pts)
{
	uint64_t last;

	return m->filler == NULL || !filler_pts(m->filler, pid, &last) ||
	       wrap_diff(pts, last, PES_TIME_WRAP) > 0 ||
	       wrap_diff(pts, last, PES_TIME_WRAP) <= -RETURN_MS * TICKS_MS;
}

bool mux_fill_precedes(const struct mux *m, const struct delay_line *line,
		       const uint8_t *packet)
{
	uint64_t pts;

	return find_pts(line, packet, &pts) &&
	       !mux_fill_follows(m, ts_pid(packet), pts);
}

bool mux_fill_ends(struct mux *m, struct mux_source *in, struct mux_service *s,
		   const uint8_t *packet)
{
	struct mux_fill *f = s->fill;
	bool starts = starts_take(&f->starts, in->line.pushed - in->line.n);

	if (s->blocked || f->wants_ns == 0 || ts_pid(packet) != f->main ||
	    !ts_pusi(packet) || !ts_has_payload(packet))
		return false;
	if (m->now_ns - f->wants_ns < RETURN_MS * MS &&
	    ((f->video && !starts) ||
	     mux_fill_precedes(m, &in->line, packet)))
		return false;
	fill_stop(m, in, (size_t)(s - in->states));
	m->fills_changed = true;
	return true;
}

/* --- the packets --- */

/* The time at which a packet of the filler leaves: a packet with a PCR at the
 * time of this PCR, another packet with the previous packet. */
static uint64_t place_of(const struct mux *m, const struct mux_fill *f,
			 const uint8_t *packet)
{
	uint64_t pcr, ticks, at_ns = MAX(f->at_ns, m->turn_ns);

	if (!ts_pcr(packet, &pcr))
		return at_ns;
	ticks = (pcr / PCR_PER_TICK + PES_TIME_WRAP - f->base) % PES_TIME_WRAP;
	return MIN(MAX(at_ns, f->start_ns + ticks * 100000 / 9), m->now_ns);
}

void fill_send(struct mux *m, struct mux_service *s, uint8_t *packet,
	       uint64_t at_ns)
{
	if (!mux_counters_feed(&m->counters, s->fill->source, packet))
		return;
	s->fill->at_ns = at_ns;
	if (ts_pusi(packet))
		spread_learn(&m->spread, packet);
	at_ns = spread_place(&m->spread, ts_pid(packet), at_ns);
	mux_make_room(m, 1);
	waiting_add(&m->waiting, at_ns, packet);
	m->fill_meter++;
	s->fill_meter++;
}

struct feeding {
	struct mux *m;
	struct mux_service *service;
};

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct feeding *to = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			uint8_t packet[TS_PACKET];

			memcpy(packet, runs[i].data + k * TS_PACKET, TS_PACKET);
			file_number(to->service->fill, packet);
			fill_send(to->m, to->service, packet,
				  place_of(to->m, to->service->fill, packet));
		}
}

void fill_run(struct mux *m, struct mux_service *s, uint64_t at_ns)
{
	struct feeding to = { m, s };

	play_run(s->fill->play, at_ns, on_packets, &to);
}

void mux_run_fills(struct mux *m)
{
	for (size_t i = 0; i < m->cfg.n_inputs && m->filler != NULL; i++) {
		struct mux_source *in = &m->inputs[i];

		if (in->file != NULL)
			file_run(m, in);
		for (size_t k = 0; in->n_filled > 0 && k < in->n_services;
		     k++) {
			struct mux_service *s = &in->states[k];

			if (s->fill != NULL)
				fill_run(m, s, m->now_ns);
		}
	}
}
