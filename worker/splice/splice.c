/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/splice.h"

#include "common/base/alloc.h"
#include "worker/splice/machine.h"

#include <stdlib.h>
#include <string.h>

struct splice *splice_new(const struct splice_config *config)
{
	struct splice *s = xcalloc(1, sizeof *s);

	s->config = *config;
	s->sent = config->continuity;
	if (s->sent == NULL)
		s->sent = s->own_sent = xcalloc(1, sizeof *s->sent);
	s->psi = psi_new();
	s->cut = 1;
	if (s->sent->packets == 0)
		return s;

	/* continues the stream of another splice */
	for (size_t i = 0; i < SPLICE_TRACKS; i++) {
		const struct splice_track *t = &s->sent->tracks[i];

		if (!t->used)
			continue;
		s->pids[t->pid].track = (uint8_t)(i + 1);
		s->pids[t->pid].clock = t->clock & (SPLICE_CLOCKS - 1U);
	}
	splice_begin_cut(s, SPLICE_BLIND);
	s->counters.cuts = 0;
	return s;
}

void splice_free(struct splice **ptr)
{
	struct splice *s = *ptr;

	*ptr = NULL;
	if (s == NULL)
		return;
	psi_free(&s->psi);
	fifo_done(&s->held);
	free(s->buffer);
	free(s->own_sent);
	free(s);
}

/* --- packets that pass --- */

static enum splice_sign relay_packet(struct splice *s,
				     const struct splice_cursor *c,
				     uint64_t before)
{
	enum splice_sign sign = SPLICE_CONTINUES;
	const uint8_t *p = splice_cursor_get(c);
	uint16_t pid = ts_pid(p);
	struct splice_pid *ps = &s->pids[pid];
	enum pes_head_sign split;
	struct pes_split header;

	if (splice_is_plain(s, ps, p)) {
		splice_pass_plain(s, ps, p);
		return SPLICE_CONTINUES;
	}
	if (!ts_sync_ok(p) || pid == TS_PID_NULL)
		return SPLICE_CONTINUES;
	s->sent->packets = before + c->index;
	split = splice_split_read(s, c, &header);
	s->split_waits = split == HEAD_WAITS;
	if (s->split_waits)
		return SPLICE_UNDECIDED;
	s->header = split == HEAD_WHOLE ? &header : NULL;
	if (!ts_tei(p))
		sign = splice_find_jump(s, c);
	if (sign == SPLICE_CONTINUES)
		(void)splice_admit(s, p);
	s->header = NULL;
	if (sign == SPLICE_CONTINUES && !ts_tei(p))
		splice_follow_tables(s, p);
	return sign;
}

/* Sends packets unchanged, up to the first packet that needs a cut or has to
 * wait; that packet and those behind it are changed or held. */
static void relay(struct splice *s, const struct ts_run *runs, size_t n_runs)
{
	struct splice_cursor c = splice_cursor_of(runs, n_runs);
	uint64_t before = s->sent->packets;

	do {
		enum splice_sign sign = relay_packet(s, &c, before);
		struct ts_run last = { .data = c.runs[0].data, .n = c.at };
		size_t n = (size_t)(c.runs - runs);

		if (sign == SPLICE_CONTINUES)
			continue;
		if (n > 0)
			s->config.out(runs, n, s->config.arg);
		if (last.n > 0)
			s->config.out(&last, 1, s->config.arg);
		if (sign == SPLICE_UNDECIDED)
			splice_hold_foreign(s, c);
		else
			splice_send_changed(s, c, true);
		return;
	} while (splice_cursor_next(&c));
	s->sent->packets = before + c.index;
	s->config.out(runs, n_runs, s->config.arg);
}

/* Sends received or released packets, changed if necessary. */
static void send_runs(struct splice *s, const struct ts_run *runs,
		      size_t n_runs)
{
	if (s->since_ns == 0)
		s->since_ns = s->now_ns;
	if (s->n_pending > 0 && !splice_is_recent(s)) {
		memset(s->pending, 0, sizeof s->pending);
		s->n_pending = 0;
	}
	splice_forget_ahead(s);
	if (s->buffer != NULL)
		splice_send_changed(s, splice_cursor_of(runs, n_runs),
				    false);
	else
		relay(s, runs, n_runs);
	s->sent->at_ns = s->now_ns;
}

/* --- packets that wait --- */

void splice_hold(struct splice *s, const struct ts_run *runs, size_t n_runs)
{
	for (size_t i = 0; i < n_runs; i++)
		if (runs[i].n > 0)
			(void)fifo_push(&s->held, runs[i]);
}

/* The time at which no packet waits any longer. */
static uint64_t last_deadline(const struct splice *s)
{
	return s->began_ns + (uint64_t)SPLICE_SPLIT_WAITS_MS * SPLICE_MS;
}

static void enter_hold(struct splice *s, enum splice_state state)
{
	s->state = state;
	if (s->began_ns == 0)
		s->began_ns = s->now_ns;
	if (s->held_ns == 0)
		s->held_ns = s->now_ns;
	s->until_ns = MIN(s->now_ns + (uint64_t)SPLICE_DOUBT_MS * SPLICE_MS,
			  s->held_ns + (uint64_t)SPLICE_WAITS_MS * SPLICE_MS);
	s->until_ns = MIN(s->until_ns, last_deadline(s));
}

void splice_hold_foreign(struct splice *s, struct splice_cursor c)
{
	struct ts_run first = c.runs[0];

	first.data += c.at * TS_PACKET;
	first.n -= c.at;
	/* If a new packet waits for the rest of its PES header, its wait has
	 * the full length: earlier holds do not shorten it. */
	if (s->split_waits && !(s->split_waited && c.index == 0))
		s->held_ns = 0;
	/* c.index held packets were sent: another one is the first now */
	if (s->next_ns != 0 && c.index < s->next_at) {
		s->next_at -= c.index;
	} else if (s->next_ns != 0) {
		s->began_ns = s->next_ns;
		s->next_ns = 0;
	}
	enter_hold(s, SPLICE_HOLD_FOREIGN);
	/* a PCR that waits again waits SPLICE_DOUBT_MS in all */
	if (s->doubt_ns != 0)
		s->until_ns = MIN(s->until_ns,
				  s->doubt_ns + (uint64_t)SPLICE_DOUBT_MS *
							SPLICE_MS);
	splice_hold(s, &first, 1);
	splice_hold(s, c.runs + 1, c.n_runs - 1);
}

static void send_held(struct splice *s)
{
	struct fifo held = s->held;
	struct ts_run run = fifo_run(&held);

	s->held = (struct fifo){ 0 };
	if (run.n > 0)
		send_runs(s, &run, 1);
	fifo_done(&held);
}

static enum splice_state sending_state(const struct splice *s)
{
	return s->buffer != NULL ? SPLICE_REWRITE : SPLICE_RELAY;
}

static void leave_hold(struct splice *s)
{
	s->state = sending_state(s);
	s->held_ns = s->began_ns = s->next_ns = 0;
}

static bool any_of(const struct splice *s, const struct ts_run *runs,
		   size_t n_runs,
		   bool (*is)(const struct splice *, const uint8_t *))
{
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			if (is(s, runs[i].data + k * TS_PACKET))
				return true;
	return false;
}

static bool may_jump(const struct splice *s, const uint8_t *packet)
{
	return splice_has_gap(s, packet) ||
	       splice_unit_jumps(s, packet, NULL);
}

static bool has_pcr(const struct splice *s, const uint8_t *packet)
{
	uint64_t pcr;

	(void)s;
	return ts_pcr(packet, &pcr);
}

/* Has the packet a PCR on the PID of the first held packet, whose PCR waits for
 * it? */
static bool confirms(const struct splice *s, const uint8_t *packet)
{
	uint64_t pcr;

	return ts_pcr(packet, &pcr) &&
	       ts_pid(packet) == ts_pid(fifo_run(&s->held).data);
}

/* Called with the first held packet: does a PES begin in it that waits for a
 * PCR of its clock?  False if a PCR, or a packet of a PID that no table names,
 * waits for something else. */
static bool waits_for_clock(const struct splice *s, const uint8_t *packet)
{
	const struct splice_pid *ps = &s->pids[ts_pid(packet)];

	return s->state == SPLICE_HOLD_FOREIGN && s->doubt_ns == 0 &&
	       s->sent->clocks[ps->clock].used &&
	       psi_class(s->psi, ts_pid(packet)) != PID_UNKNOWN &&
	       splice_is_named(s, s->sent->clocks[ps->clock].pid);
}

/* Has the packet a PCR of the clock of the PES that waits, or is it a table of
 * another source? */
static bool ends_wait(const struct splice *s, const uint8_t *packet)
{
	uint16_t waits = ts_pid(fifo_run(&s->held).data);
	uint64_t pcr;

	if (!ts_sync_ok(packet) || ts_tei(packet))
		return false;
	return (ts_pcr(packet, &pcr) &&
		ts_pid(packet) == s->sent->clocks[s->pids[waits].clock].pid) ||
	       splice_is_other_table(s, packet);
}

/* Has the packet the next part of the PES header that begins in the first held
 * packet? */
static bool has_rest(const struct splice *s, const uint8_t *packet)
{
	const uint8_t *first = fifo_run(&s->held).data;

	return ts_sync_ok(packet) && !ts_tei(packet) &&
	       ts_pid(packet) == ts_pid(first) && ts_has_payload(packet) &&
	       ts_cc(packet) != ts_cc(first);
}

/* --- states and events --- */

static void handle_event(struct splice *, const struct splice_event *);

static void feed_sending(struct splice *s, const struct splice_event *e)
{
	const uint64_t silence_ns = (uint64_t)SPLICE_SILENCE_MS * SPLICE_MS;
	const uint64_t doubt_ns = (uint64_t)SPLICE_DOUBT_MS * SPLICE_MS;
	/* True if these packets, the first ones after a silence, do not show
	 * whether the source was restarted or packets were lost. */
	bool doubtful = false;

	if (e->held) {
		s->state = SPLICE_CATCH_UP;
		send_runs(s, e->runs, e->n_runs);
		/* if a packet had to wait, it has changed the state */
		if (s->state == SPLICE_CATCH_UP)
			s->state = sending_state(s);
		return;
	}
	if (!s->config.keep_jumps && s->sent->at_ns != 0) {
		if (s->now_ns - s->sent->at_ns >= silence_ns)
			s->resumed_ns = s->now_ns;
		doubtful = s->now_ns - s->resumed_ns < doubt_ns &&
			   s->n_pending == 0 &&
			   any_of(s, e->runs, e->n_runs, may_jump) &&
			   !any_of(s, e->runs, e->n_runs, has_pcr);
	}
	if (!doubtful) {
		send_runs(s, e->runs, e->n_runs);
		return;
	}
	enter_hold(s, SPLICE_HOLD);
	handle_event(s, e);
}

/* Ends a hold, because the packet for which it waits has arrived, or the
 * deadline of SPLICE_HOLD has come without it: sends the held packets.  A
 * packet among them may have to wait again. */
static void release(struct splice *s, const struct splice_event *e)
{
	(void)e;
	s->state = sending_state(s);
	s->split_waited = s->split_waits;
	send_held(s);
	s->split_waited = false;
	if (s->state == sending_state(s))
		leave_hold(s);
}

/* Ends a hold although no packet has decided: sends the held packets.  Whether
 * their source is another one is judged by these packets alone. */
static void judge(struct splice *s, const struct splice_event *e)
{
	(void)e;
	s->state = SPLICE_JUDGE;
	send_held(s);
	/* if a packet waits for the rest of its PES header, it has changed the
	 * state */
	if (s->state == SPLICE_JUDGE)
		leave_hold(s);
}

/* As judge(), but drops a unit whose PES header is incomplete instead of
 * waiting for the rest. */
static void judge_all(struct splice *s, const struct splice_event *e)
{
	s->ends = true;
	judge(s, e);
	s->ends = false;
}

/* At the deadline of a hold: one header after the other could wait for a rest
 * that never comes. */
static void judge_late(struct splice *s, const struct splice_event *e)
{
	if (s->now_ns < last_deadline(s))
		judge(s, e);
	else
		judge_all(s, e);
}

/* At a cut or a lap: sends the held packets, then handles the event.  Behind a
 * cut no rest of an incomplete PES header can arrive. */
static void judge_first(struct splice *s, const struct splice_event *e)
{
	splice_rewrite(s);
	judge_all(s, e);
	handle_event(s, e);
}

static void feed_hold(struct splice *s, const struct splice_event *e)
{
	bool (*decides)(const struct splice *, const uint8_t *) =
		s->state == SPLICE_HOLD ? has_pcr
		: s->split_waits ? has_rest
		: s->doubt_ns != 0 ? confirms
		: waits_for_clock(s, fifo_run(&s->held).data)
			? ends_wait : splice_shows_source;

	if (fifo_len(&s->held) + e->n > SPLICE_HELD_MAX) {
		judge_all(s, e);
		send_runs(s, e->runs, e->n_runs);
		return;
	}
	if (s->next_ns == 0) {
		s->next_ns = s->now_ns;
		s->next_at = fifo_len(&s->held);
	}
	splice_hold(s, e->runs, e->n_runs);
	if (s->now_ns >= s->until_ns)
		handle_event(s, &(struct splice_event){
					.type = SPLICE_ON_DEADLINE });
	else if (any_of(s, e->runs, e->n_runs, decides))
		release(s, e);
}

static void feed_next(struct splice *s, const struct splice_event *e)
{
	if (s->now_ns < s->until_ns &&
	    fifo_len(&s->held) + e->n <= SPLICE_HELD_MAX) {
		splice_hold(s, e->runs, e->n_runs);
		return;
	}
	splice_end_drain(s, e);
	handle_event(s, e);
}

static void end_drain_first(struct splice *s, const struct splice_event *e)
{
	splice_end_drain(s, e);
	handle_event(s, e);
}

static void shift(struct splice *s, const struct splice_event *e)
{
	splice_begin_cut(s, SPLICE_LAP);
	for (size_t i = 0; i < SPLICE_CLOCKS; i++) {
		struct splice_clock *c = &s->sent->clocks[i];

		c->offset = (c->offset + e->ticks) % PES_TIME_WRAP;
		s->unsettled[i] = c->used;
	}
}

typedef void handle_fn(struct splice *, const struct splice_event *);

/* The handlers by state and event.  NULL: the state ignores the event. */
static handle_fn *const table[SPLICE_STATES][SPLICE_EVENTS] = {
	[SPLICE_RELAY] = {
		[SPLICE_ON_FEED] = feed_sending,
		[SPLICE_ON_CUT] = splice_begin_drain,
		[SPLICE_ON_SHIFT] = shift,
	},
	[SPLICE_REWRITE] = {
		[SPLICE_ON_FEED] = feed_sending,
		[SPLICE_ON_CUT] = splice_begin_drain,
		[SPLICE_ON_SHIFT] = shift,
	},
	[SPLICE_HOLD] = {
		[SPLICE_ON_FEED] = feed_hold,
		[SPLICE_ON_CUT] = judge_first,
		[SPLICE_ON_SHIFT] = judge_first,
		[SPLICE_ON_DEADLINE] = release,
	},
	[SPLICE_HOLD_FOREIGN] = {
		[SPLICE_ON_FEED] = feed_hold,
		[SPLICE_ON_CUT] = judge_first,
		[SPLICE_ON_SHIFT] = judge_first,
		[SPLICE_ON_DEADLINE] = judge_late,
	},
	[SPLICE_DRAIN] = {
		[SPLICE_ON_FEED] = feed_next,
		[SPLICE_ON_DRAIN] = splice_feed_drain,
		[SPLICE_ON_CUT] = end_drain_first,
		[SPLICE_ON_SHIFT] = end_drain_first,
		[SPLICE_ON_DEADLINE] = splice_end_drain,
	},
};

static void handle_event(struct splice *s, const struct splice_event *e)
{
	if (table[s->state][e->type] != NULL)
		table[s->state][e->type](s, e);
}

void splice_feed(struct splice *s, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns)
{
	struct splice_event e = { .type = SPLICE_ON_FEED, .runs = runs,
			   .n_runs = n_runs };

	for (size_t i = 0; i < n_runs; i++)
		e.n += runs[i].n;
	if (e.n == 0)
		return;
	s->now_ns = now_ns;
	handle_event(s, &e);
}

void splice_feed_held(struct splice *s, struct ts_run run, uint64_t now_ns)
{
	s->now_ns = now_ns;
	if (run.n > 0)
		handle_event(s, &(struct splice_event){ .type = SPLICE_ON_FEED,
							.runs = &run,
							.n_runs = 1,
							.n = run.n,
							.held = true });
}

void splice_drain(struct splice *s, const struct ts_run *runs, size_t n_runs,
		  uint64_t now_ns)
{
	s->now_ns = now_ns;
	handle_event(s, &(struct splice_event){ .type = SPLICE_ON_DRAIN,
						.runs = runs,
						.n_runs = n_runs });
}

void splice_cut(struct splice *s, const struct switch_point *point, bool drain,
		uint64_t now_ns)
{
	/* nothing was sent yet that the next source has to continue */
	if (s->sent->packets == 0)
		return;
	s->now_ns = now_ns;
	handle_event(s, &(struct splice_event){ .type = SPLICE_ON_CUT,
						.point = point,
						.drain = drain });
}

void splice_shift(struct splice *s, uint64_t ticks)
{
	if (s->sent->packets > 0)
		handle_event(s, &(struct splice_event){
					.type = SPLICE_ON_SHIFT,
					.ticks = ticks });
}

void splice_turn(struct splice *s, uint64_t now_ns)
{
	if (now_ns < splice_next_ns(s))
		return;
	s->now_ns = now_ns;
	handle_event(s, &(struct splice_event){ .type = SPLICE_ON_DEADLINE });
}

bool splice_is_draining(struct splice *s, uint64_t now_ns)
{
	if (s->state == SPLICE_DRAIN)
		splice_turn(s, now_ns);
	return s->state == SPLICE_DRAIN;
}

uint64_t splice_next_ns(const struct splice *s)
{
	return s->state == SPLICE_RELAY || s->state == SPLICE_REWRITE
		? UINT64_MAX : s->until_ns;
}

void splice_warm(const struct splice *s, struct prefetch *w)
{
	const struct psi_program *main = psi_main_program(s->psi);
	uint16_t pid = main != NULL ? main->video_pid : TS_PID_NULL;

	prefetch_add(w, s, offsetof(struct splice, pids));
	prefetch_add(w, &s->pids[pid], 1);
	prefetch_add(w, s->sent, 1);
	prefetch_add(w, &s->sent->cc[pid], 1);
	prefetch_add(w, s->sent->clocks, 1);
}

const struct psi *splice_psi(const struct splice *s)
{
	return s->psi;
}

void splice_counters(const struct splice *s, struct splice_counters *ret)
{
	*ret = s->counters;
}
