/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From one input chain to another: make before break. */
#include "common/base/log.h"
#include "worker/stream/selector_state.h"

enum { PART_MAX = 64 }; /* runs that are looked at together */

static unsigned position_of(const struct input_chain *l)
{
	return l != NULL ? l->position : 0;
}

static void log_switch(struct selector *s, const struct selector_switch *sw)
{
	const char *fault = sw->fault != NULL ? sw->fault : "on air";
	unsigned suppressed;

	if (!ratelimit_pass(&s->switch_log, s->now_ns / SELECTOR_MS,
			    &suppressed))
		return;
	if (sw->to == 0)
		log_warning("stream", "input %u: %s, and no other is on air: "
			    "%s", sw->from, fault,
			    sw->filler ? "the filler plays"
				       : "nothing is sent");
	else if (sw->from == 0)
		log_info("stream", "input %u plays (%s)", sw->to,
			 failover_reason_name(sw->reason));
	else if (sw->reason == FAILOVER_FAULT)
		log_warning("stream", "input %u: %s; input %u plays (fault)",
			    sw->from, fault, sw->to);
	else
		log_info("stream", "input %u: %s; input %u plays (%s)",
			 sw->from, fault, sw->to,
			 failover_reason_name(sw->reason));
}

static const char *ailment(const struct input_chain *l)
{
	return l != NULL && l->told.level != FAILOVER_GOOD ? l->fault : NULL;
}

static enum failover_reason reason_for(const struct selector *s,
                                       const struct input_chain *to)
{
	if (to == NULL)
		return FAILOVER_FAULT;
	/* the decision for it is an old one */
	if (s->playing == NULL && to == s->left)
		return FAILOVER_RECOVERED;
	return s->decision->reason;
}

/* Another one plays, or none. */
static void set_playing(struct selector *s, struct input_chain *to)
{
	struct selector_switch sw = {
		.from = position_of(s->playing),
		.to = position_of(to),
		.reason = reason_for(s, to),
		.fault = to != NULL ? s->ailed : ailment(s->playing),
		.filler = to == NULL && s->filling,
	};

	if (to == NULL)
		s->left = s->playing;
	s->playing = to;
	s->reason = sw.reason;
	s->seen = true;
	log_switch(s, &sw);
	s->on_switch(&sw, s->arg);
}

void selector_send(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct selector *s = arg;

	if (s->still != NULL && s->still_state == STILL_OFF)
		filler_feed(s->still, runs, n_runs);
	s->out(runs, n_runs, s->arg);
}

/* --- the filler that is no input chain --- */

static void start_still(struct selector *s)
{
	if (s->still == NULL || !filler_is_ready(s->still))
		return;
	if (s->still_entry == NULL)
		s->still_entry = switch_point_new();
	switch_point_reset(s->still_entry);
	switch_point_want(s->still_entry, SWITCH_POINT_WAIT_MS, s->now_ns);
	filler_start(s->still, s->now_ns);
	s->still_state = STILL_WATCHED;
}

static void stop_still(struct selector *s)
{
	if (s->still_state != STILL_OFF)
		filler_stop(s->still);
	s->still_state = STILL_OFF;
}

static void enter_still(struct selector *s, const struct ts_run *runs,
			size_t n_runs)
{
	struct ts_run from[PART_MAX];
	size_t n;

	if (!switch_point_feed(s->still_entry, runs, n_runs, s->now_ns, from,
			       &n))
		return;
	splice_cut(s->splice, s->still_entry, false, s->now_ns);
	s->still_state = STILL_FLOWS;
	splice_feed(s->splice, from, n, s->now_ns);
}

static void take_still(struct selector *s, const struct ts_run *runs,
		       size_t n_runs)
{
	if (s->still_state == STILL_WATCHED)
		enter_still(s, runs, n_runs);
	else if (s->still_state == STILL_RESTS)
		splice_drain(s->splice, runs, n_runs, s->now_ns);
	else
		splice_feed(s->splice, runs, n_runs, s->now_ns);
}

static void on_still(const struct ts_run *runs, size_t n_runs, void *arg)
{
	for (; n_runs > PART_MAX; runs += PART_MAX, n_runs -= PART_MAX)
		take_still(arg, runs, PART_MAX);
	take_still(arg, runs, n_runs);
}

void selector_run_still(struct selector *s)
{
	if (s->still_state != STILL_OFF)
		filler_run(s->still, s->now_ns, on_still, s);
	if (s->still_state == STILL_RESTS &&
	    !splice_is_draining(s->splice, s->now_ns))
		stop_still(s);
}

/* --- from one to another --- */

static bool is_alive(const struct input_chain *l)
{
	return l != NULL && l->told.level != FAILOVER_DEAD;
}

/* From here on what `to` brings is sent; entry: it was watched. */
static void flow_from(struct selector *s, struct input_chain *to,
                      const struct switch_point *entry)
{
	struct input_chain *from = s->flowing;
	bool still = s->still_state == STILL_FLOWS && entry != NULL;
	bool rest = is_alive(from) && entry != NULL;

	splice_cut(s->splice, entry, rest || still, s->now_ns);
	s->resting = rest ? from : NULL;
	if (still)
		s->still_state = STILL_RESTS;
	else
		stop_still(s);
	s->flowing = to;
	si_versions_begin(s->si, to->position);
	s->opens = to->keeper.opens;
	chain_end_entry(to);
	if (from != NULL)
		chain_forget_entry(from);
	if (to == s->pending)
		s->pending = NULL;
	if (to != s->fill)
		set_playing(s, to);
}

/* Does the stream begin with this input chain as soon as it can? */
static bool may_enter(const struct selector *s, const struct input_chain *l)
{
	if (l == s->fill)
		return s->filling && s->flowing == NULL;
	return l == s->pending && s->decision->enter;
}

/* One that does not flow: is it the time and the place to begin with it? */
static void watch_part(struct selector *s, struct input_chain *l,
                       const struct ts_run *runs, size_t n_runs)
{
	struct ts_run from[PART_MAX];
	size_t n;

	if (!may_enter(s, l))
		chain_end_entry(l);
	else
		chain_begin_entry(l,
		                  is_alive(s->flowing) ? SELECTOR_PATIENCE_MS
		                                       : SWITCH_POINT_WAIT_MS,
		                  s->now_ns);
	if (!switch_point_feed(chain_entry(l), runs, n_runs, s->now_ns, from,
	                       &n))
		return;
	flow_from(s, l, chain_entry(l));
	splice_feed(s->splice, from, n, s->now_ns);
}

/* Its source was opened again: what comes is from elsewhere. */
static void look_at_opens(struct selector *s)
{
	unsigned opens = s->flowing->keeper.opens;

	if (s->opens != 0 && opens != s->opens) {
		splice_cut(s->splice, NULL, false, s->now_ns);
		si_versions_begin(s->si, s->flowing->position);
	}
	s->opens = opens;
}

static void take_part(struct selector *s, struct input_chain *l,
                      const struct ts_run *runs, size_t n_runs)
{
	if (l == s->flowing) {
		look_at_opens(s);
		splice_feed(s->splice, runs, n_runs, s->now_ns);
	} else if (l == s->resting) {
		splice_drain(s->splice, runs, n_runs, s->now_ns);
	} else {
		watch_part(s, l, runs, n_runs);
	}
}

void selector_take(struct selector *s, struct input_chain *l,
                   const struct ts_run *runs, size_t n_runs)
{
	for (; n_runs > PART_MAX; runs += PART_MAX, n_runs -= PART_MAX)
		take_part(s, l, runs, PART_MAX);
	take_part(s, l, runs, n_runs);
}

void selector_look_at_rest(struct selector *s)
{
	if (s->resting == NULL || splice_is_draining(s->splice, s->now_ns))
		return;
	s->resting = NULL;
	s->seen = true;
}

/* Somebody chose an input, and it cannot be played: what plays goes on. */
static void tell_vain(struct selector *s, const struct input_chain *was)
{
	const struct errmsg *error = &was->keeper.error;
	unsigned n = was->position, plays = position_of(s->playing);
	struct errmsg fault;

	errmsg_set(&fault, "input %u: %s", n,
		   was->fault != NULL ? was->fault : "no packets");
	log_warning("stream", "input %u was to play: %s", n,
		    error->text[0] != '\0' ? error->text : fault.text);
	s->on_switch(&(struct selector_switch){
			     .from = plays,
			     .to = plays,
			     .reason = FAILOVER_FAULT,
			     .fault = fault.text,
			     .filler = plays == 0 && s->filling,
		     }, s->arg);
}

/* The choice fell on another one. */
static void note_choice(struct selector *s)
{
	const struct input_chain *was = &s->chains[s->chosen];

	s->ailed = ailment(s->playing);
	if (s->chosen_why == FAILOVER_MANUAL && was == s->pending &&
	    s->decision->reason == FAILOVER_FAULT)
		tell_vain(s, was);
	s->chosen = s->decision->input;
	s->chosen_why = s->decision->reason;
}

void selector_follow(struct selector *s)
{
	const struct failover_decision *d = s->decision;
	struct input_chain *to = &s->chains[d->input];

	if (d->input != s->chosen)
		note_choice(s);
	else
		s->chosen_why = d->reason;
	s->filling = d->cover == FAILOVER_FILLER;
	if (s->playing != NULL && d->cover != FAILOVER_KEEP) {
		chain_forget_entry(s->playing);
		s->flowing = NULL;
		set_playing(s, NULL);
		if (s->filling)
			start_still(s);
	} else if (d->force) {
		flow_from(s, to, NULL);
	}
	s->pending = to != s->playing ? to : NULL;
}
