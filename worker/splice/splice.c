/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/splice.h"

#include "common/base/alloc.h"
#include "worker/splice/parts.h"

#include <stdlib.h>
#include <string.h>

/* The state is another's: what is known by PID there is found here. */
static void adopt(struct splice *s)
{
	for (size_t i = 0; i < SPLICE_TRACKS; i++) {
		const struct splice_track *t = &s->sent->tracks[i];

		if (!t->used)
			continue;
		s->pids[t->pid].track = (uint8_t)(i + 1);
		s->pids[t->pid].clock = t->clock & (SPLICE_CLOCKS - 1);
	}
	splice_begin_cut(s, SPLICE_ANNOUNCED);
	s->counters.cuts = 0;
}

struct splice *splice_new(const struct splice_config *config)
{
	struct splice *s = xcalloc(1, sizeof *s);

	s->config = *config;
	s->sent = config->continuity;
	if (s->sent == NULL)
		s->sent = s->own_sent = xcalloc(1, sizeof *s->sent);
	s->psi = psi_new();
	s->cut = 1;
	s->live = true;
	if (s->sent->packets > 0)
		adopt(s);
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

/* --- as long as nothing was cut --- */

/* Hands on what was looked at before the cursor. */
static void pass_before(struct splice *s, const struct ts_run *runs,
			const struct splice_cursor *c)
{
	struct ts_run last = { .data = c->runs[0].data, .n = c->at };
	size_t n = (size_t)(c->runs - runs);

	if (n > 0)
		s->config.out(runs, n, s->config.arg);
	if (last.n > 0)
		s->config.out(&last, 1, s->config.arg);
}

static enum splice_sign watch_packet(struct splice *s,
				     const struct splice_cursor *c,
				     uint64_t before)
{
	enum splice_sign sign = SPLICE_GOES_ON;
	const uint8_t *p = splice_cursor_get(c);
	uint16_t pid = ts_pid(p);
	struct splice_pid *ps = &s->pids[pid];

	if (splice_is_plain(s, ps, p)) {
		splice_pass_plain(s, ps, p);
		return SPLICE_GOES_ON;
	}
	if (!ts_sync_ok(p) || pid == TS_PID_NULL)
		return SPLICE_GOES_ON;
	s->sent->packets = before + c->index;
	if (!ts_tei(p))
		sign = splice_find_jump(s, c);
	if (sign != SPLICE_GOES_ON)
		return sign;
	(void)splice_admit(s, p);
	if (!ts_tei(p))
		splice_follow_tables(s, p);
	return SPLICE_GOES_ON;
}

static void watch(struct splice *s, const struct ts_run *runs, size_t n_runs)
{
	struct splice_cursor c = splice_cursor_of(runs, n_runs);
	uint64_t before = s->sent->packets;

	do {
		enum splice_sign sign = watch_packet(s, &c, before);

		if (sign == SPLICE_GOES_ON)
			continue;
		pass_before(s, runs, &c);
		if (sign == SPLICE_OPEN)
			splice_begin_doubt(s, c);
		else
			splice_move_on(s, c, true);
		return;
	} while (splice_cursor_next(&c));
	s->sent->packets = before + c.index;
	s->config.out(runs, n_runs, s->config.arg);
}

/* What was fed, at once or after it was kept back. */
static void pass(struct splice *s, const struct ts_run *runs, size_t n_runs)
{
	if (s->since_ns == 0)
		s->since_ns = s->now_ns;
	if (s->n_pending > 0 && !splice_has_patience(s)) {
		memset(s->pending, 0, sizeof s->pending);
		s->n_pending = 0;
	}
	s->calm = 0;
	s->homely = 0;
	if (s->moving)
		splice_move_on(s, splice_cursor_of(runs, n_runs), false);
	else
		watch(s, runs, n_runs);
	s->sent->at_ns = s->now_ns;
}

/* --- in doubt --- */

static void set_doubt(struct splice *s, bool foreign)
{
	s->doubt = true;
	s->foreign = foreign;
	s->doubt_until_ns = s->now_ns + (uint64_t)SPLICE_DOUBT_MS * SPLICE_MS;
}

void splice_begin_doubt(struct splice *s, struct splice_cursor c)
{
	struct ts_run first = c.runs[0];

	first.data += c.at * TS_PACKET;
	first.n -= c.at;
	set_doubt(s, true);
	splice_hold(s, &first, 1);
	splice_hold(s, c.runs + 1, c.n_runs - 1);
}

/* What was kept back is looked at once more; what is foreign in it may stay. */
static void look_again(struct splice *s)
{
	struct fifo held = s->held;
	struct ts_run run = fifo_run(&held);

	s->doubt = false;
	s->held = (struct fifo){ 0 };
	pass(s, &run, 1);
	fifo_done(&held);
}

void splice_end_doubt(struct splice *s)
{
	if (!s->doubt)
		return;
	s->urgent = true;
	look_again(s);
	s->urgent = false;
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

static bool is_sign(const struct splice *s, const uint8_t *packet)
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

/* Do these packets, the first for some time, leave it open whether their
 * source was started again or packets were lost? */
static bool is_doubtful(struct splice *s, const struct ts_run *runs,
			size_t n_runs)
{
	const uint64_t silence_ns = (uint64_t)SPLICE_SILENCE_MS * SPLICE_MS;
	const uint64_t doubt_ns = (uint64_t)SPLICE_DOUBT_MS * SPLICE_MS;

	if (s->config.keep_jumps || s->sent->at_ns == 0)
		return false;
	if (s->now_ns - s->sent->at_ns >= silence_ns)
		s->resumed_ns = s->now_ns;
	return s->now_ns - s->resumed_ns < doubt_ns && s->n_pending == 0 &&
	       any_of(s, runs, n_runs, is_sign);
}

/* They have waited for long enough. */
static void end_wait(struct splice *s)
{
	if (s->foreign)
		splice_end_doubt(s);
	else
		look_again(s);
}

/* Keeps them back when it is in doubt; false when they may pass. */
static bool wait_for_clock(struct splice *s, const struct ts_run *runs,
			   size_t n_runs, size_t n)
{
	if (!s->doubt) {
		if (!is_doubtful(s, runs, n_runs) ||
		    any_of(s, runs, n_runs, has_pcr))
			return false;
		set_doubt(s, false);
	}
	if (fifo_len(&s->held) + n > SPLICE_HELD_MAX) {
		splice_end_doubt(s);
		return false;
	}
	splice_hold(s, runs, n_runs);
	if (s->now_ns >= s->doubt_until_ns)
		end_wait(s);
	else if (any_of(s, runs, n_runs,
			s->foreign ? splice_tells : has_pcr))
		look_again(s);
	return true;
}

static size_t count_packets(const struct ts_run *runs, size_t n_runs)
{
	size_t n = 0;

	for (size_t i = 0; i < n_runs; i++)
		n += runs[i].n;
	return n;
}

void splice_feed(struct splice *s, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns)
{
	size_t n = count_packets(runs, n_runs);

	if (n == 0)
		return;
	s->now_ns = now_ns;
	if (s->rest) {
		if (now_ns < s->rest_until_ns &&
		    fifo_len(&s->held) + n <= SPLICE_HELD_MAX) {
			splice_hold(s, runs, n_runs);
			return;
		}
		splice_end_rest(s);
	}
	if (!wait_for_clock(s, runs, n_runs, n))
		pass(s, runs, n_runs);
}

uint64_t splice_next_ns(const struct splice *s)
{
	if (s->rest)
		return s->rest_until_ns;
	return s->doubt ? s->doubt_until_ns : UINT64_MAX;
}

void splice_turn(struct splice *s, uint64_t now_ns)
{
	if (now_ns < splice_next_ns(s))
		return;
	s->now_ns = now_ns;
	if (s->rest)
		splice_end_rest(s);
	else
		end_wait(s);
}

void splice_warm(const struct splice *s, struct warm *w)
{
	const struct psi_program *main = psi_main_program(s->psi);
	uint16_t pid = main != NULL ? main->video_pid : TS_PID_NULL;

	warm_add(w, s, offsetof(struct splice, pids));
	warm_add(w, &s->pids[pid], 1);
	warm_add(w, s->sent, 1);
	warm_add(w, &s->sent->cc[pid], 1);
	warm_add(w, s->sent->clocks, 1);
}

const struct psi *splice_psi(const struct splice *s)
{
	return s->psi;
}

void splice_counters(const struct splice *s, struct splice_counters *ret)
{
	*ret = s->counters;
}
