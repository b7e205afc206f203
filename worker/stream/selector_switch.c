/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Switches from one candidate to another: make before break. */
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/stream/selector_state.h"

#include <assert.h>
#include <stdio.h>

static unsigned position_of(const struct input_chain *c)
{
	return c != NULL ? c->position : 0;
}

static bool wants_filler(const struct selector *s)
{
	return s->decision->cover == FAILOVER_FILLER;
}

/* Is the filler sent when no input is on air?  A still picture is sent only if
 * its packets are ready. */
static bool has_filler(const struct selector *s)
{
	return wants_filler(s) &&
	       (s->fill != NULL ||
		(s->filler != NULL && filler_is_ready(s->filler)));
}

static const char *fault_of(const struct selector *s,
			    const struct input_chain *c)
{
	return c != NULL ? chain_fault(c, s->now_ns) : NULL;
}

/* The part of the log line that says that pictures do not decode at once after
 * the switch; "": they do. */
static const char *lateness(const struct selector_switch *sw)
{
	if (sw->late)
		return "; only audio until the next random access point: none "
		       "arrived in time";
	return sw->blind ? "; the switch is inside a GOP: no random access "
			   "point arrived in time"
			 : "";
}

/* Logs a switch: "input 1: no packets; input 2 is on air", "input 2 is active
 * instead of input 1 (chosen by hand), but off air: no packets". */
static void log_switch(struct selector *s, const struct selector_switch *sw)
{
	static const char *const reasons[] = {
		[FAILOVER_START] = " (at the start)",
		[FAILOVER_FAULT] = "",
		[FAILOVER_RETURN] = " (return to an earlier input)",
		[FAILOVER_RECOVERED] = " (recovered)",
		[FAILOVER_MANUAL] = " (chosen by hand)",
		[FAILOVER_FAILED] = "",
	};
	bool failed = sw->from != 0 && sw->fault != NULL;
	char left[224] = "", instead[32] = "", state[224] = "";
	struct errmsg line;
	unsigned suppressed;

	if (!ratelimit_pass(&s->switch_log, s->now_ns / MS, &suppressed))
		return;
	if (sw->to == 0) {
		log_warning("stream", "input %u: %s; no other input is on air: "
			    "%s", sw->from,
			    sw->fault != NULL ? sw->fault : "on air",
			    sw->filler ? "the filler is sent"
				       : "nothing is sent");
		return;
	}
	if (failed)
		(void)snprintf(left, sizeof left, "input %u: %s; ", sw->from,
			       sw->fault);
	else if (sw->from != 0)
		(void)snprintf(instead, sizeof instead, " instead of input %u",
			       sw->from);
	if (sw->to_fault != NULL)
		(void)snprintf(state, sizeof state, ", but off air: %s",
			       sw->to_fault);
	errmsg_set(&line, "%sinput %u is %s%s%s%s%s", left, sw->to,
		   sw->to_fault != NULL ? "active" : "on air", instead,
		   reasons[sw->reason], state, lateness(sw));
	if (sw->to_fault != NULL ||
	    (failed && sw->reason == FAILOVER_FAULT))
		log_warning("stream", "%s", line.text);
	else
		log_info("stream", "%s", line.text);
}

/* The reason why the input that is entered is off air; NULL: it is on air, or
 * was and has packets again (fresh), or has no verdict yet and was not
 * forced. */
static const char *entry_fault(const struct selector *s,
			       const struct input_chain *to)
{
	if (to->seen.level == FAILOVER_GOOD || to->seen.fresh ||
	    (to->seen.level == FAILOVER_UNKNOWN && !s->decision->force))
		return NULL;
	if (to->silent && to->keeper.error.text[0] != '\0')
		return to->keeper.error.text;
	if (to->fault != NULL)
		return to->fault;
	return to->silent ? "no packets" : "not analyzed yet";
}

/* Reports that another input is on air, or none. */
static void report_switch(struct selector *s, struct input_chain *from,
			  const struct input_chain *to)
{
	struct selector_switch sw = {
		.from = position_of(from),
		.to = position_of(to),
		.reason = s->decision->reason,
		.fault = to != NULL ? s->left_fault : fault_of(s, from),
		.to_fault = to != NULL ? entry_fault(s, to) : NULL,
		.filler = to == NULL && has_filler(s),
		.late = to != NULL && to->candidate.entry != NULL &&
			switch_point_is_late(to->candidate.entry),
		.blind = to != NULL && to->candidate.entry != NULL &&
			 switch_point_is_blind(to->candidate.entry),
	};

	if (to == NULL) {
		sw.reason = FAILOVER_FAULT;
		s->last = from;
	} else if (from == NULL && to == s->last) {
		/* the input that was on air last is on air again: the reason of
		 * the last decision does not apply */
		sw.reason = FAILOVER_RECOVERED;
	}
	s->reason = sw.reason;
	s->changed = true;
	log_switch(s, &sw);
	s->on_switch(&sw, s->arg);
}

/* Starts the still picture if it is ready; it is entered at its first
 * picture. */
static void start_still(struct selector *s)
{
	if (s->filler == NULL || !filler_is_ready(s->filler))
		return;
	/* The still picture that is ending is cut: it starts again with a new
	 * clock. */
	if (s->ending == &s->still) {
		selector_cut(s, &s->still);
		s->ending = NULL;
	}
	candidate_handle(&s->still, CANDIDATE_CHOOSE);
	candidate_forget(&s->still);
	candidate_begin_entry(&s->still, SWITCH_POINT_WAIT_MS, s->now_ns);
	filler_start(s->filler, s->now_ns);
}

void selector_cut(struct selector *s, struct candidate *c)
{
	if (c == &s->still && c->state != CANDIDATE_STANDBY)
		filler_stop(s->filler);
	candidate_handle(c, CANDIDATE_CUT);
}

/* Does the candidate deliver packets, so that its last units can be
 * completed? */
static bool delivers(struct selector *s, struct candidate *c)
{
	const struct input_chain *chain = selector_chain_of(s, c);

	return c != NULL &&
	       (chain == NULL || chain->seen.level != FAILOVER_DEAD);
}

/* Sends the packets of `to` from now on.  watched: begins at the place that its
 * entry found; otherwise at its next packet. */
static void enter(struct selector *s, struct candidate *to, bool watched)
{
	struct candidate *from = s->on_air;
	struct input_chain *before = selector_input_on_air(s);
	struct input_chain *chain = selector_chain_of(s, to);
	bool ends = watched && delivers(s, from);

	s->entered = to;
	splice_cut(s->splice, watched ? candidate_entry(to) : NULL, ends,
		   s->now_ns);
	s->entered = NULL;
	if (s->ending != NULL)
		selector_cut(s, s->ending);
	s->ending = ends ? from : NULL;
	if (ends)
		candidate_handle(from, CANDIDATE_LEAVE);
	else if (from != NULL)
		selector_cut(s, from);
	candidate_handle(to, CANDIDATE_ENTER);
	s->on_air = to;
	candidate_end_entry(to);
	if (from != NULL)
		candidate_forget(from);
	if (chain == NULL)
		return;
	si_versions_begin(s->si, chain->position);
	s->opens = chain->keeper.opens;
	if (chain == s->fill)
		return;
	/* a filler that is still pending is not needed any more */
	if (s->fill != NULL)
		candidate_handle(&s->fill->candidate, CANDIDATE_REJECT);
	if (s->still.state == CANDIDATE_PENDING)
		selector_cut(s, &s->still);
	report_switch(s, before, chain);
}

/* Starts the search for the place at which the stream enters candidate c.  If
 * the input on air is silent, the place may lie anywhere in that silence.  An
 * input that has packets again may be entered from the first of them on. */
static void look_for_entry(struct selector *s, struct candidate *c)
{
	const struct input_chain *on_air = selector_chain_of(s, s->on_air);
	const struct input_chain *to = selector_chain_of(s, c);
	bool alive = on_air != NULL && delivers(s, s->on_air);
	bool begins = !c->entering && to->seen.fresh;

	candidate_begin_entry(c, alive ? SELECTOR_PATIENCE_MS
				 : on_air != NULL ? SELECTOR_SILENT_MS
				 : SWITCH_POINT_WAIT_MS, s->now_ns);
	if (on_air != NULL && !alive)
		switch_point_set_past(c->entry, on_air->silence.last_ns);
	else if (begins)
		switch_point_set_past(c->entry, to->resumed_ns);
}

enum selector_route selector_route(struct selector *s, struct candidate *c,
				   struct selector_part *part)
{
	struct input_chain *chain = selector_chain_of(s, c);
	bool may_enter = c->state == CANDIDATE_PENDING;
	size_t n;

	assert(part->n_runs <= SELECTOR_RUNS_MAX);
	part->held = false;
	if (c->state == CANDIDATE_ON_AIR) {
		if (chain == NULL)
			return SELECTOR_ON_AIR;
		/* opened again, the input continues with other packets */
		if (s->opens != 0 && chain->keeper.opens != s->opens) {
			splice_cut(s->splice, NULL, false, s->now_ns);
			si_versions_begin(s->si, chain->position);
		}
		s->opens = chain->keeper.opens;
		candidate_watch(c, part->runs, part->n_runs);
		return SELECTOR_ON_AIR;
	}
	if (c->state == CANDIDATE_ENDING)
		return SELECTOR_ENDING;
	/* may the stream enter the candidate now, at one of these packets? */
	if (chain != NULL && chain != s->fill)
		may_enter = may_enter && s->decision->enter;
	if (!may_enter)
		candidate_end_entry(c);
	else if (chain != NULL)
		look_for_entry(s, c);
	if (!switch_point_feed(candidate_entry(c), part->runs, part->n_runs,
			       s->now_ns, part->entered, &n))
		return SELECTOR_NOT_SENT;
	part->runs = part->entered;
	part->n_runs = n;
	part->held = switch_point_is_held(candidate_entry(c));
	enter(s, c, true);
	return SELECTOR_ON_AIR;
}

/* Logs and reports that an operator chose an input that cannot be on air.  The
 * input on air stays. */
static void report_failed_choice(struct selector *s,
				 const struct input_chain *c)
{
	unsigned on_air = position_of(selector_input_on_air(s));
	struct errmsg fault;

	errmsg_set(&fault, "input %u: %s", c->position,
		   c->fault != NULL ? c->fault : "no packets");
	if (c->keeper.error.text[0] != '\0')
		log_warning("stream", "cannot switch to input %u: %s",
			    c->position, c->keeper.error.text);
	else
		log_warning("stream", "cannot switch to %s", fault.text);
	s->on_switch(
		&(struct selector_switch){
			.from = on_air,
			.to = on_air,
			.reason = FAILOVER_FAILED,
			.fault = fault.text,
			.filler = on_air == 0 && has_filler(s),
		},
		s->arg);
}

void selector_follow(struct selector *s)
{
	const struct failover_decision *d = s->decision;
	struct input_chain *to = &s->chains[d->input];
	struct input_chain *on_air = selector_input_on_air(s);

	if (d->input != s->chosen) {
		struct input_chain *before = &s->chains[s->chosen];

		s->left_fault = fault_of(s, on_air);
		if (s->chosen_reason == FAILOVER_MANUAL &&
		    before->candidate.state != CANDIDATE_ON_AIR &&
		    d->reason == FAILOVER_FAULT)
			report_failed_choice(s, before);
		candidate_handle(&before->candidate, CANDIDATE_REJECT);
	}
	s->chosen = d->input;
	s->chosen_reason = d->reason;
	if (on_air != NULL && d->cover != FAILOVER_KEEP) {
		candidate_handle(s->on_air, CANDIDATE_CUT);
		candidate_forget(s->on_air);
		s->on_air = NULL;
		report_switch(s, on_air, NULL);
		if (wants_filler(s))
			start_still(s);
	} else if (d->force) {
		enter(s, &to->candidate, false);
	}
	candidate_handle(&to->candidate, CANDIDATE_CHOOSE);
	if (s->fill != NULL)
		candidate_handle(&s->fill->candidate,
				 wants_filler(s) && s->on_air == NULL
					 ? CANDIDATE_CHOOSE
					 : CANDIDATE_REJECT);
}
