/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/selector.h"

#include "common/alloc.h"
#include "common/log.h"
#include "common/ratelimit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MS UINT64_C(1000000)

enum {
	START_MS = 5000,
	RETURN_MS = 10000,
	DAMPING_MS = 60000,
};

struct selector {
	ts_out_fn *out;
	void (*on_switch)(const struct selector_switch *, void *arg);
	void *arg;

	size_t n;
	struct lane *lanes;
	struct failover *failover; /* NULL: there is no input */
	const struct failover_decision *decision;

	uint64_t now_ns;       /* of this turn */
	struct batch batch;
	struct lane *reading;  /* whose packets the batch has */
	struct lane *playing;  /* NULL: nothing or the filler is sent */
	struct lane *pending;  /* to follow it; NULL: none */
	enum failover_reason reason; /* for playing */
	uint64_t standby_ns;   /* when the others are read next */
	bool seen;             /* a lane does not look as it did */

	struct table_versions versions;
	struct psi *psi;       /* of what is sent; NULL: the only lane's */
	struct ratelimit switch_log;
	struct ratelimit onair_log;
	bool told_onair;       /* what the log said last */
};

/* --- what is sent --- */

static void follow_tables(struct psi *psi, struct ts_run run)
{
	const uint8_t *classes = psi_classes(psi);
	const uint8_t *end = run.data + run.n * TS_PACKET;

	for (const uint8_t *p = run.data; p < end; p += TS_PACKET)
		if (classes[ts_pid(p)] == PID_PSI)
			(void)psi_feed(psi, p);
}

static void send_on(struct selector *s, const struct ts_run *runs,
		    size_t n_runs)
{
	for (size_t i = 0; s->psi != NULL && i < n_runs; i++)
		follow_tables(s->psi, runs[i]);
	s->out(runs, n_runs, s->arg);
}

static unsigned position_of(const struct lane *l)
{
	return l != NULL ? l->source.position : 0;
}

static void say_switch(struct selector *s, const struct selector_switch *sw)
{
	const char *fault = sw->fault != NULL ? sw->fault : "on air";
	unsigned suppressed;

	if (!ratelimit_pass(&s->switch_log, s->now_ns / MS, &suppressed))
		return;
	if (sw->to == 0)
		log_warning("stream", "input %u: %s, and no other is on air: "
			    "%s", sw->from, fault,
			    sw->filler ? "filler" : "nothing is sent");
	else if (sw->from == 0)
		log_info("stream", "input %u plays again", sw->to);
	else
		log_warning("stream", "input %u: %s; input %u plays (%s)",
			    sw->from, fault, sw->to,
			    failover_reason_name(sw->reason));
}

/* From here on the packets of `to` are sent, or none. */
static void change_over(struct selector *s, struct lane *to)
{
	struct lane *from = s->playing;
	struct selector_switch sw = {
		.from = position_of(from),
		.to = position_of(to),
		.reason = s->decision->reason,
		.fault = from != NULL && from->told.level != FAILOVER_GOOD
				 ? from->fault
				 : NULL,
		.filler = to == NULL &&
			s->decision->cover == FAILOVER_FILLER,
	};

	s->playing = to;
	s->reason = sw.reason;
	if (s->pending == to)
		s->pending = NULL;
	say_switch(s, &sw);
	s->on_switch(&sw, s->arg);
	s->seen = true;
}

static void take_pending(struct selector *s, const struct ts_run *runs,
			 size_t n_runs)
{
	if (!s->decision->enter)
		return;
	change_over(s, s->reading);
	send_on(s, runs, n_runs);
}

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct selector *s = arg;

	lane_take(s->reading, runs, n_runs, s->now_ns);
}

/* What the lane has made of them. */
static void on_made(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct selector *s = arg;
	struct lane *l = s->reading;

	if (l == s->playing)
		send_on(s, runs, n_runs);
	else if (l == s->pending)
		take_pending(s, runs, n_runs);
}

/* --- who is to play --- */

static void open_wanted(struct selector *s)
{
	for (size_t i = 0; i < s->n; i++)
		lane_want(&s->lanes[i], s->decision->wanted[i], s->now_ns);
}

static int playing_index(const struct selector *s)
{
	return s->playing != NULL ? (int)(s->playing - s->lanes)
				  : FAILOVER_PLAYS_NONE;
}

static void decide(struct selector *s)
{
	struct lane *to;

	s->seen = false;
	s->decision = failover_decide(s->failover, playing_index(s),
				      s->now_ns);
	to = &s->lanes[s->decision->input];
	open_wanted(s);
	if (s->playing != NULL && s->decision->cover != FAILOVER_KEEP)
		change_over(s, NULL);
	else if (s->decision->force)
		change_over(s, to);
	s->pending = to != s->playing ? to : NULL;
}

static void look(struct selector *s)
{
	struct failover_sight sight;

	for (size_t i = 0; i < s->n; i++) {
		if (!s->lanes[i].wanted ||
		    !lane_look(&s->lanes[i], s->now_ns, &sight))
			continue;
		failover_see(s->failover, i, &sight, s->now_ns);
		s->seen = true;
	}
}

/* --- the turn --- */

static void read_lane(struct selector *s, struct lane *l)
{
	s->reading = l;
	lane_read(l, &s->batch, s->now_ns);
}

static void read_standbys(struct selector *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (&s->lanes[i] != s->playing && &s->lanes[i] != s->pending)
			read_lane(s, &s->lanes[i]);
	s->standby_ns = s->now_ns + SELECTOR_STANDBY_MS * MS;
}

void selector_turn(struct selector *s, uint64_t now_ns)
{
	struct lane *playing = s->playing, *pending = s->pending;

	s->now_ns = now_ns;
	if (s->failover == NULL)
		return;
	/* first the one that plays: what is left of it goes in front */
	if (playing != NULL)
		read_lane(s, playing);
	if (pending != NULL)
		read_lane(s, pending);
	if (now_ns >= s->standby_ns)
		read_standbys(s);
	look(s);
	/* the second time it is about what the first time changed */
	for (int i = 0; i < 2; i++)
		if (s->seen || now_ns >= s->decision->next_ns)
			decide(s);
}

static bool is_busy(const struct lane *l)
{
	return l != NULL && lane_is_busy(l);
}

bool selector_is_busy(const struct selector *s)
{
	return is_busy(s->playing) || is_busy(s->pending);
}

int selector_fd(const struct selector *s)
{
	const struct lane *l = s->playing != NULL ? s->playing : s->pending;

	return l != NULL && l->source.input != NULL
		       ? input_fd(l->source.input)
		       : -1;
}

uint64_t selector_next_ns(const struct selector *s, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	if (s->failover == NULL)
		return next;
	next = s->decision->next_ns;
	for (size_t i = 0; i < s->n; i++) {
		const struct lane *l = &s->lanes[i];

		next = MIN(next, lane_next_ns(l, now_ns));
		if (l != s->playing && l->source.input != NULL)
			next = MIN(next, s->standby_ns);
	}
	return next;
}

/* --- the second --- */

/* One line for each change; one that comes and goes is told once in a while,
 * and the last word is right. */
static void log_onair(struct selector *s, const struct analyze_report *r)
{
	unsigned suppressed;

	if (r->onair == s->told_onair ||
	    !ratelimit_pass(&s->onair_log, s->now_ns / MS, &suppressed))
		return;
	s->told_onair = r->onair;
	if (r->onair)
		log_info("stream", "on air, %u kbit/s", r->bitrate_kbps);
	else if (r->packets == 0)
		log_warning("stream", "off air: no packets");
	else if (!r->has_pmt)
		log_warning("stream", "off air: no PMT in %u kbit/s",
			    r->bitrate_kbps);
	else
		log_warning("stream", "off air: %u kbit/s, %u CC errors, "
			    "%u PES errors%s", r->bitrate_kbps, r->cc_error,
			    r->pes_error, r->scrambled ? ", scrambled" : "");
}

static enum input_state find_state(const struct selector *s,
				   const struct lane *l)
{
	if (l == s->playing)
		return INPUT_ACTIVE;
	if (!l->source.valid || l->source.ended)
		return INPUT_DOWN;
	if (!l->wanted)
		return l->source.error.text[0] != '\0' ? INPUT_DOWN
						       : INPUT_IDLE;
	if (l->told.level == FAILOVER_GOOD)
		return INPUT_STANDBY;
	return l->fault == NULL && !l->told.broken ? INPUT_OPENING
						   : INPUT_DOWN;
}

static void report_state(struct selector *s, struct lane *l,
			 struct msg_input_status *ret)
{
	size_t i = (size_t)(l - s->lanes);
	enum input_state state = find_state(s, l);

	if (state != l->state || l->since_s == 0) {
		l->state = state;
		l->since_s = (uint64_t)time(NULL);
	}
	ret->state = state;
	ret->since_s = l->since_s;
	ret->penalty = failover_penalty(s->failover, i, s->now_ns);
	ret->damped = failover_is_damped(s->failover, i, s->now_ns);
	ret->reason = "";
	if (state == INPUT_ACTIVE)
		ret->reason = failover_reason_name(s->reason);
	else if (state == INPUT_DOWN && l->fault != NULL)
		ret->reason = l->fault;
}

static void report_lane(struct selector *s, struct lane *l,
			struct msg_input_status *ret)
{
	const struct analyze_report *r = &l->report;
	const struct errmsg *error = &l->source.error;

	*ret = (struct msg_input_status){
		.position = l->source.position,
		.active = l == s->playing,
		.open = l->source.input != NULL,
		.onair = r->onair,
		.scrambled = r->scrambled,
		.bitrate_kbps = r->bitrate_kbps,
		.packets = r->packets,
		.cc_error = r->cc_error,
		.pes_error = r->pes_error,
		.sc_error = r->sc_error,
		.video_count = r->video_count,
		.audio_count = r->audio_count,
		.lost = (uint32_t)l->counted.lost,
		.socket_drops = (uint32_t)l->counted.socket_drops,
		.sync_losses = (uint32_t)l->counted.sync_losses,
	};
	if (!ret->open && error->text[0] != '\0')
		ret->error = error->text;
	report_state(s, l, ret);
}

void selector_second(struct selector *s, uint64_t now_ns,
		     struct msg_stream_status *status)
{
	s->now_ns = now_ns;
	status->n_inputs = s->n;
	if (s->failover == NULL)
		return;
	for (size_t i = 0; i < s->n; i++)
		lane_second(&s->lanes[i], now_ns);
	if (s->playing != NULL)
		log_onair(s, &s->playing->report);
	look(s);
	for (size_t i = 0; i < s->n; i++)
		report_lane(s, &s->lanes[i], &status->inputs[i]);
	status->chosen = (unsigned)s->decision->input + 1;
	decide(s);
}

const struct psi *selector_psi(const struct selector *s)
{
	return s->psi != NULL ? s->psi : analyze_psi(s->lanes[0].analyze);
}

/* --- by hand --- */

int selector_choose(struct selector *s, unsigned position, uint64_t now_ns,
		    struct errmsg *why)
{
	size_t i = position - 1;
	int r;

	if (s->failover == NULL || position > s->n)
		return errmsg_fail(why, -EINVAL, "is not one of 1 to %zu",
				   s->n);
	if (position == 0)
		i = failover_following(s->failover, s->decision->input);
	r = failover_choose(s->failover, i, now_ns);
	if (r == -EPERM)
		return errmsg_fail(why, r, "is chosen by what the inputs "
				   "carry");
	if (r < 0)
		return errmsg_fail(why, r, "%s", s->lanes[i].source.error.text);
	s->now_ns = now_ns;
	decide(s);
	return (int)i + 1;
}

/* --- its life --- */

static enum failover_mode mode_of(enum backup_type type)
{
	static const enum failover_mode modes[] = {
		[BACKUP_ACTIVE] = FAILOVER_ACTIVE,
		[BACKUP_STOP] = FAILOVER_STOP,
		[BACKUP_PASSIVE] = FAILOVER_PASSIVE,
		[BACKUP_DISABLE] = FAILOVER_DISABLE,
	};

	return modes[type];
}

static uint32_t delay_ms(int configured_s, uint32_t otherwise_ms)
{
	return configured_s == BACKUP_DELAY_DEFAULT
		       ? otherwise_ms
		       : (uint32_t)configured_s * 1000;
}

static void make_policy(struct selector *s, const struct selector_config *cfg)
{
	const struct stream_spec *spec = cfg->spec;
	struct failover_config policy = {
		.mode = mode_of(spec->backup),
		.start_ms = delay_ms(spec->backup_start_delay_s, START_MS),
		.return_ms = delay_ms(spec->backup_return_delay_s, RETURN_MS),
		.no_return = !spec->backup_force_return,
		.damping_ms = delay_ms(spec->backup_damping_s, DAMPING_MS),
		.first = MAX(cfg->start->first, 1U) - 1,
		.n_inputs = s->n,
	};

	for (size_t i = 0; i < s->n; i++) {
		policy.inputs[i] = lane_policy(&s->lanes[i]);
		policy.inputs[i].initial_ms =
			delay_ms(spec->backup_initial_delay_s,
				 policy.inputs[i].initial_ms);
	}
	s->failover = failover_new(&policy, s->now_ns);
	s->decision = failover_decide(s->failover, FAILOVER_PLAYS_NONE,
				      s->now_ns);
	/* there is nothing that could go on meanwhile */
	s->playing = &s->lanes[s->decision->input];
	open_wanted(s);
	decide(s);
}

struct selector *selector_new(const struct selector_config *cfg)
{
	const struct msg_stream_start *start = cfg->start;
	struct selector *s = xcalloc(1, sizeof *s);

	s->out = cfg->out;
	s->on_switch = cfg->on_switch;
	s->arg = cfg->arg;
	s->now_ns = cfg->now_ns;
	batch_init(&s->batch, on_packets, s);
	s->n = start->n_inputs;
	s->lanes = xcalloc(s->n, sizeof *s->lanes);
	for (size_t i = 0; i < s->n; i++)
		lane_init(&s->lanes[i], &(struct lane_config){
			.position = (unsigned)i + 1,
			.address = start->inputs[i],
			.stream = cfg->spec,
			.alone = s->n == 1,
			.versions = &s->versions,
			.out = on_made,
			.arg = s,
		});
	if (s->n > 0)
		make_policy(s, cfg);
	if (s->n != 1)
		s->psi = psi_new();
	return s;
}

void selector_free(struct selector **ptr)
{
	struct selector *s = *ptr;

	*ptr = NULL;
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++)
		lane_done(&s->lanes[i]);
	failover_free(&s->failover);
	psi_free(&s->psi);
	free(s->lanes);
	free(s);
}
