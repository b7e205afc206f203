/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the status of the inputs once a second, and logs its changes. */
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/stream/mux_input.h"
#include "worker/stream/selector_state.h"

#include <time.h>

/* The reason why the input is off air; NULL while it has time to start. */
static const char *find_fault(const struct selector *s,
			      const struct input_chain *l)
{
	unsigned patience_s =
		s->was_onair ? 1 : chain_policy(l).initial_ms / 1000;

	if (s->mux != NULL)
		return l->fault;
	return s->off_s >= patience_s ? l->fault : NULL;
}

/* The reason why an input is not on air.  If an error of the input causes a
 * silence, it is the error, not the silence. */
static const char *error_of(const struct input_chain *l)
{
	const char *error = input_keeper_error(&l->keeper);

	if (error != NULL &&
	    (l->silent || l->report.fault == ANALYZE_SILENT))
		return error;
	return l->error.text[0] != '\0' ? l->error.text : l->fault;
}

/* Logs each change between on air and off air.  The rate of the lines is
 * limited; a change that was held back is logged later, unless it has
 * reverted.  The master logs those of an input that reads another stream: it
 * knows why that stream is off air. */
static void log_onair(struct selector *s, const struct input_chain *l)
{
	const struct analyze_report *r = &l->report;
	const char *fault = find_fault(s, l);
	unsigned suppressed;

	if (l->keeper.spec.stream[0] != '\0')
		return;
	if (r->onair ? s->logged_onair
		     : fault == NULL || fault == s->logged_fault)
		return;
	if (!ratelimit_pass(&s->onair_log, s->now_ns / MS, &suppressed))
		return;
	s->logged_onair = r->onair;
	s->logged_fault = fault;
	if (r->onair)
		log_info("stream", "on air, %u kbit/s", r->bitrate_kbps);
	else
		log_warning("stream", "off air: %s", error_of(l));
}

/* The input that decides whether the stream is on air; NULL: all are sent. */
static struct input_chain *chosen_chain(const struct selector *s)
{
	struct input_chain *on_air = selector_input_on_air(s);

	if (s->mux != NULL)
		return NULL;
	return on_air != NULL ? on_air : &s->chains[s->decision->input];
}

/* True if the input is on air for the status.  An input that was entered after
 * another one on air, and has no verdict yet, counts as on air: its entry
 * proves that it can be decoded.  The next second judges it. */
static bool is_onair(const struct selector *s, const struct input_chain *l)
{
	/* a multiplex still sends the tables of a silent input */
	if (s->mux != NULL)
		return l->report.onair && !l->silent;
	return l->report.onair ||
	       (l == selector_input_on_air(s) && l->wanted && !l->silent &&
		l->verdict == FAILOVER_UNKNOWN && s->was_onair &&
		s->off_s == 0);
}

static enum input_state find_state(const struct selector *s,
				   const struct input_chain *l)
{
	if (l == selector_input_on_air(s) ||
	    (s->mux != NULL && l->seen.level == FAILOVER_GOOD))
		return INPUT_ACTIVE;
	if (!l->keeper.valid || l->keeper.ended)
		return INPUT_DOWN;
	if (!l->wanted)
		return l->keeper.error.text[0] != '\0' ? INPUT_DOWN
						       : INPUT_IDLE;
	if (l->seen.level == FAILOVER_GOOD)
		return INPUT_STANDBY;
	return l->fault == NULL && !l->seen.broken ? INPUT_OPENING : INPUT_DOWN;
}

/* Logs when an input of a multiplex goes off air, and when it is on air
 * again. */
static void log_service(const struct selector *s, struct input_chain *l,
			enum input_state state)
{
	bool is_down = state == INPUT_DOWN;
	unsigned suppressed;

	if ((!is_down && state != INPUT_ACTIVE) || is_down == l->logged_down ||
	    !ratelimit_pass(&l->standby_log, s->now_ns / MS, &suppressed))
		return;
	l->logged_down = is_down;
	if (is_down)
		log_warning("stream", "%s: off air: %s", l->keeper.label,
			    error_of(l) != NULL ? error_of(l) : "no packets");
	else
		log_info("stream", "%s: on air", l->keeper.label);
}

/* Logs when an input that is not sent becomes available as a backup, and when
 * it no longer is.  The rate of the lines is limited; a change that was held
 * back is logged later, unless it has reverted. */
static void log_standby(const struct selector *s, struct input_chain *l,
			enum input_state state)
{
	bool is_down = state == INPUT_DOWN;
	unsigned suppressed;

	if (state == INPUT_ACTIVE || l == chosen_chain(s)) {
		/* the state of this input is logged as that of the stream */
		l->logged_down = false;
		return;
	}
	if ((!is_down && state != INPUT_STANDBY) || is_down == l->logged_down ||
	    !ratelimit_pass(&l->standby_log, s->now_ns / MS, &suppressed))
		return;
	l->logged_down = is_down;
	if (is_down)
		log_warning("stream", "%s: not available as a backup: %s",
			    l->keeper.label, error_of(l) != NULL ? error_of(l)
							     : "off air");
	else
		log_info("stream", "%s: available as a backup",
			 l->keeper.label);
}

/* Notes when the error of an input began, which may be long before the stream
 * leaves the input. */
static void note_trouble(const struct selector *s, struct input_chain *l)
{
	const char *error = input_keeper_error(&l->keeper);
	const char *text = l->fault != NULL ? error_of(l) : error;
	/* a silence began with the last packets */
	uint64_t at_ns = l->fault != NULL && l->silent && error == NULL &&
					 l->silence.last_ns != 0
				 ? l->silence.last_ns : s->now_ns;

	if (text == NULL) {
		l->trouble.text[0] = '\0';
		l->trouble_s = 0;
		return;
	}
	if (l->trouble_s == 0 || !errmsg_is_alike(l->trouble.text, text))
		l->trouble_s = (uint64_t)time(NULL) -
			       (s->now_ns - at_ns) / SECOND_NS;
	errmsg_set(&l->trouble, "%s", text);
}

static void report_state(struct selector *s, struct input_chain *l,
			 struct msg_input_status *ret)
{
	size_t i = (size_t)(l - s->chains);
	enum input_state state = find_state(s, l);
	uint64_t damped_ns;

	if (state != l->state || l->since_s == 0) {
		l->state = state;
		l->since_s = (uint64_t)time(NULL);
	}
	ret->state = state;
	ret->since_s = l->since_s;
	ret->reason = "";
	if (s->mux != NULL) {
		if (state != INPUT_ACTIVE && l->fault != NULL)
			ret->reason = l->fault;
		log_service(s, l, state);
		return;
	}
	ret->penalty = failover_penalty(s->failover, i, s->now_ns);
	damped_ns = failover_damped_ns(s->failover, i, s->now_ns);
	ret->damped_s = (uint32_t)((damped_ns + SECOND_NS - 1) / SECOND_NS);
	if (l == chosen_chain(s) && find_fault(s, l) != NULL)
		ret->reason = l->fault;
	else if (state == INPUT_ACTIVE)
		ret->reason = failover_reason_name(s->reason);
	else if ((state == INPUT_DOWN || state == INPUT_IDLE) &&
		 l->fault != NULL)
		/* l->error has the rate of the bytes that arrive */
		ret->reason = l->junk_kbps > 0 && l->error.text[0] != '\0'
				      ? l->error.text
				      : l->fault;
	log_standby(s, l, state);
}

static void report_chain(struct selector *s, struct input_chain *l,
			 struct msg_input_status *ret)
{
	const struct analyze_report *r = &l->report;
	struct link_stats of_mux = { 0 };

	if (l->mux != NULL)
		mux_input_stats(l->mux, &of_mux);
	*ret = (struct msg_input_status){
		.position = l->position,
		.active = s->mux != NULL || l == selector_input_on_air(s),
		.open = input_keeper_is_open(&l->keeper),
		.heard = l->keeper.received,
		.onair = is_onair(s, l),
		.scrambled = r->scrambled,
		.bitrate_kbps = r->bitrate_kbps,
		.received_kbps = l->received_kbps,
		.packets = r->packets,
		.cc_error = r->cc_error,
		.pes_error = r->pes_error,
		.sc_error = r->sc_error,
		.video_count = r->video_count,
		.audio_count = r->audio_count,
		.lost = (uint32_t)l->counted.lost,
		.socket_drops = (uint32_t)l->counted.socket_drops,
		.sync_losses = (uint32_t)l->counted.sync_losses,
		.alarms = l->watch.raised,
		.stats = input_keeper_stats(&l->keeper, &of_mux),
		.error = input_keeper_error(&l->keeper),
	};
	l->keeper.received = false;
	if (l->keeper.input != NULL)
		ret->peer = input_peer(l->keeper.input);
	if (ret->error == NULL && find_fault(s, l) != NULL &&
	    (s->mux != NULL || l == chosen_chain(s)))
		ret->error = error_of(l);
	if (ret->error == NULL && l->mux != NULL && l->wanted)
		ret->error = mux_input_error(l->mux);
	if (ret->error == NULL && l->wanted && l->maps.error.text[0] != '\0')
		ret->error = l->maps.error.text;
	/* off air, and the reason is not known yet */
	if (ret->error == NULL && !ret->onair &&
	    (s->mux != NULL || l == chosen_chain(s)))
		ret->error = "starting";
	report_state(s, l, ret);
	note_trouble(s, l);
	if (ret->error != NULL ||
	    (ret->state != INPUT_ACTIVE && ret->reason[0] != '\0'))
		ret->fault_s = l->trouble_s;
}

void selector_report(struct selector *s, struct msg_stream_status *status)
{
	status->n_inputs = s->n;
	if (s->failover == NULL && s->mux == NULL)
		return;
	if (s->mux == NULL) {
		s->off_s = is_onair(s, chosen_chain(s)) ? 0 : s->off_s + 1;
		s->was_onair = s->was_onair || s->off_s == 0;
		/* the chosen input, even while the filler or nothing is sent */
		log_onair(s, chosen_chain(s));
	}
	for (size_t i = 0; i < s->n; i++) {
		struct monitor_log *w = &s->chains[i].watch;

		report_chain(s, &s->chains[i], &status->inputs[i]);
		monitor_log_report(w, (unsigned)i + 1, w->raised, &w->reported,
				   status);
	}
	if (s->mux != NULL)
		return;
	status->chosen = (unsigned)s->decision->input + 1;
	status->by_hand = s->decision->reason == FAILOVER_MANUAL;
	status->filler = s->still.state == CANDIDATE_ON_AIR ||
			 (s->fill != NULL &&
			  s->fill->candidate.state == CANDIDATE_ON_AIR);
}
