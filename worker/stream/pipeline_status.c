/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work of a pipeline once a second: it counts packets, reports the status,
 * and opens outputs again. */
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/base/wall.h"
#include "worker/stream/pipeline_state.h"

enum {
	RECEIVERS_AGE_S = 5,
	WARM_RUNS = 12, /* runs in a tick of most streams */
};

void pipeline_collect_outputs(struct pipeline *p)
{
	for (size_t i = 0; i < p->n_sinks; i++)
		p->outputs[i] =
			sink_has_pace(&p->sinks[i]) ? NULL : p->sinks[i].output;
}

uint64_t pipeline_late(const struct pipeline *p, const struct sink *sink)
{
	if (sink->sender != NULL)
		return sink->sender->dropped;
	return sink->spec.kind == OUTPUT_HTTP || sink->cbr != NULL
		       ? 0
		       : p->sender.dropped;
}

static void report_output(const struct pipeline *p, struct sink *sink,
			  struct msg_output_status *s)
{
	struct output_counters counted;
	struct cbr_counters cbr;

	s->position = sink->position;
	if (sink->valid && sink->spec.kind == OUTPUT_HTTP) {
		s->open = p->ring != NULL;
		if (!s->open && p->ring_error.text[0] != '\0')
			s->error = p->ring_error.text;
		s->packets = s->open ? p->packets : 0;
		s->bitrate_kbps = s->open ? sink->rate.kbps : 0;
		return;
	}
	sink_counters(sink, &counted);
	s->open = sink->output != NULL;
	s->error = sink_error(sink);
	if (s->open)
		s->peer = output_peer(sink->output);
	s->bitrate_kbps = sink->rate.kbps;
	s->packets = counted.packets;
	/* the packets of the stream that were dropped before the output: by its
	 * sender, or because they did not fit cbr= */
	s->dropped = counted.dropped;
	if (sink->cbr == NULL) {
		s->dropped += pipeline_late(p, sink);
	} else {
		cbr_counters(sink->cbr, &cbr);
		s->dropped += cbr.overflow + cbr.late;
	}
	s->stats = sink_stats(sink);
}

/* Counts the packets that did not fit a constant rate.  True if the alarm is
 * raised. */
static bool is_overflowing(struct pipeline *p)
{
	struct cbr_counters c;
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n_sinks && p->n_with_pace > 0; i++) {
		if (p->sinks[i].cbr == NULL)
			continue;
		cbr_counters(p->sinks[i].cbr, &c);
		sum += c.overflow;
	}
	(void)alarm_second(&p->overflow, (uint32_t)(sum - p->overflow_before),
			   wall_ms());
	p->overflow_before = sum;
	return p->overflow.raised;
}

bool pipeline_is_relay(const struct pipeline *p)
{
	return p->tables == NULL && selector_is_relay(p->selector);
}

/* Reports the alarms of the sent stream.  Alarms of the network and the socket
 * belong to an input. */
static void report_alarms(struct pipeline *p, struct msg_stream_status *status)
{
	const struct monitor_log *w = &p->watch;
	const struct input_chain *chosen =
		selector_chain(p->selector, status->chosen);
	alarm_set raised = 0;

	/* the log has the alarms that are raised for the inputs that are sent,
	 * and does not repeat them for the output */
	for (size_t i = 0; p->mux.mux != NULL && i < status->n_inputs; i++)
		raised |= status->inputs[i].alarms;
	if (chosen != NULL)
		raised = chosen->watch.raised;
	monitor_log_second(&p->watch, &(struct monitor_counts){ 0 }, raised,
			   NULL, p->now_ns);
	/* a relay sends the input unchanged: its monitor is used here, too */
	if (pipeline_is_relay(p))
		w = &selector_chain(p->selector, 1)->watch;
	else if (p->watch.monitor == NULL)
		monitor_log_begin(&p->watch, pipeline_psi(p), "output",
				  p->now_ns);
	status->alarms |= w->raised & ~ALARMS_OF_TRANSPORT;
	if (is_overflowing(p))
		status->alarms |= ALARM_BIT(ALARM_CBR_OVERFLOW);
	if (mux_stage_overflows(&p->mux))
		status->alarms |= ALARM_BIT(ALARM_MUX_OVERFLOW);
	status->alarms |= pipeline_eit_alarms(p);
	monitor_log_report(w, 0, status->alarms, &p->watch.reported, status);
	/* the counts of these alarms are not in the monitor */
	for (size_t i = 0; i < status->n_changes; i++)
		if (status->changes[i].alarm == ALARM_CBR_OVERFLOW)
			status->changes[i].count = p->overflow.count;
		else if (status->changes[i].alarm == ALARM_MUX_OVERFLOW)
			status->changes[i].count = p->mux.overflow.count;
		else if (status->changes[i].alarm == ALARM_EIT_SLOW)
			status->changes[i].count = p->eit_slow.count;
		else if (status->changes[i].alarm == ALARM_EIT_FULL)
			status->changes[i].count = p->eit_full.count;
		else if (status->changes[i].alarm == ALARM_HLS_GOP)
			status->changes[i].count = p->hls_gop.count;
}

/* Reports the receivers of an output after a change.  Repeats the report every
 * RECEIVERS_AGE_S, because a new master does not have it. */
static void report_receivers(struct pipeline *p, struct sink *sink)
{
	struct msg_stream_receivers r = { .output = sink->position };
	ssize_t n = -1;
	uint64_t hash = HASH_INIT;

	if (sink->output != NULL)
		n = output_receivers(sink->output, r.list, ARRAY_LEN(r.list));
	if (p->on_receivers == NULL || (n < 0 && sink->receivers_reported == 0))
		return;
	r.n = (size_t)MAX(n, 0);
	for (size_t i = 0; i < r.n; i++)
		hash = hash_add(hash, &r.list[i].client,
				sizeof r.list[i].client);
	if (hash == sink->receivers_reported &&
	    (r.n == 0 || ++sink->receivers_age_s < RECEIVERS_AGE_S))
		return;
	sink->receivers_reported = hash;
	sink->receivers_age_s = 0;
	p->on_receivers(&r, p->arg);
}

bool pipeline_kick(struct pipeline *p, uint64_t client)
{
	for (size_t i = 0; i < p->n_sinks; i++)
		if (p->sinks[i].output != NULL &&
		    output_kick(p->sinks[i].output, client)) {
			report_receivers(p, &p->sinks[i]);
			return true;
		}
	return false;
}

void pipeline_answer(struct pipeline *p, const struct msg_deliver_answer *a,
		     uint32_t seq)
{
	for (size_t i = 0; i < p->n_sinks; i++)
		if (p->sinks[i].output != NULL &&
		    output_answer(p->sinks[i].output, a, seq)) {
			report_receivers(p, &p->sinks[i]);
			return;
		}
}

void pipeline_review(struct pipeline *p, uint64_t client)
{
	for (size_t i = 0; i < p->n_sinks; i++)
		if (p->sinks[i].output != NULL)
			output_review(p->sinks[i].output, client);
}

void pipeline_set_policy(struct pipeline *p, bool authorize)
{
	if (authorize == p->asker.authorize)
		return;
	p->asker.authorize = authorize;
	pipeline_review(p, 0);
}

/* Lists the memory that the turns of the next second will touch. */
static void find_warm(struct pipeline *p)
{
	struct prefetch *w = &p->warm;

	w->n = 0;
	prefetch_add(w, &p->now_ns, 2 * PREFETCH_LINE);
	prefetch_add(w, &p->batch, WARM_RUNS * sizeof p->batch.runs[0]);
	selector_warm(p->selector, w);
	splice_warm(p->splice, w);
	prefetch_add(w, &p->sender, sizeof p->sender);
	prefetch_add(w, p->outputs, p->n_sinks * sizeof *p->outputs);
	for (size_t i = 0; i < p->n_sinks; i++)
		if (p->outputs[i] != NULL)
			output_warm(p->outputs[i], w);
	prefetch_add(w, p->memory, PREFETCH_LINE);
}

/* The number of packets that sink_second() takes as n. */
static uint64_t packets_for(const struct pipeline *p, const struct sink *s)
{
	return s->spec.kind == OUTPUT_HTTP ? p->packets : p->sender.sent;
}

void pipeline_follow(struct pipeline *p)
{
	for (size_t i = 0; i < p->n_sinks; i++)
		sink_follow(&p->sinks[i], packets_for(p, &p->sinks[i]),
			    p->now_ns);
	pipeline_collect_outputs(p);
	find_warm(p);
}

/* Sets sent_kbps while the filler is sent, because no input measures its
 * rate. */
static void report_filler(const struct pipeline *p,
			  struct msg_stream_status *status)
{
	uint64_t begin_ns = p->second_ns - SECOND_NS;
	uint64_t ms = (p->now_ns - MIN(begin_ns, p->now_ns)) / MS;

	if (status->filler)
		status->sent_kbps = analyze_kbps(
			(uint32_t)(p->packets - p->packets_before),
			(unsigned)MAX(ms, UINT64_C(1)));
}

void pipeline_second(struct pipeline *p)
{
	struct msg_stream_status status = { .packets = p->packets,
					    .n_outputs = p->n_sinks };
	uint64_t late = p->sender.dropped - p->late_before;
	unsigned suppressed;

	if (p->ring != NULL)
		pipeline_report_viewing(p, &status);
	selector_second(p->selector, p->now_ns, &status);
	report_filler(p, &status);
	mux_stage_second(&p->mux, p->packets - p->packets_before, p->now_ns,
			 &status);
	report_alarms(p, &status);
	if (late > 0 &&
	    ratelimit_pass(&p->late_log, p->now_ns / MS, &suppressed)) {
		p->late_before = p->sender.dropped;
		log_warning("stream", "input burst exceeded the output queue: "
			    "%llu packets dropped", (unsigned long long)late);
	}
	tap_second(&p->tap, p->now_ns);
	selector_show_tables(p->selector, p->tap.position);
	if (p->cas != NULL) {
		status.cas_error = cas_stage_second(p->cas, p->now_ns);
		status.cas_linked = cas_stage_linked(p->cas);
	}
	sender_every_second(&p->sender);
	for (size_t i = 0; i < p->n_sinks; i++)
		sink_second(&p->sinks[i], packets_for(p, &p->sinks[i]),
			    p->now_ns);
	p->packets_before = p->packets;
	for (size_t i = 0; i < p->n_sinks; i++)
		report_receivers(p, &p->sinks[i]);
	pipeline_collect_outputs(p);
	find_warm(p);
	/* the status borrows texts that stay valid up to on_status() */
	for (size_t i = 0; i < p->n_sinks; i++)
		report_output(p, &p->sinks[i], &status.outputs[i]);

	/* after a second that ended late, the next one may be shorter, but not
	 * too short for a verdict on the inputs */
	p->second_ns += SECOND_NS;
	if (p->second_ns < p->now_ns + CHAIN_JUDGE_MS * MS)
		p->second_ns = p->now_ns + SECOND_NS;
	p->on_status(&status, p->arg);
}

void pipeline_scan(struct pipeline *p, const struct msg_stream_scan *m,
		   struct channel *channel)
{
	tap_request(&p->tap, m, channel, mono_ns());
	selector_show_tables(p->selector, p->tap.position);
}

/* Sends the packets in a burst, which disturbs receivers less than a loss. */
void pipeline_empty(struct pipeline *p)
{
	if (p->n_paced > 0) {
		sender_shorten(&p->sender, STREAM_WAITING_MAX, p->now_ns);
		stream_memory_set_waiting(p->memory,
					  sender_waiting(&p->sender),
					  p->now_ns);
	}
	for (size_t i = 0; i < p->n_sinks; i++)
		sink_flush(&p->sinks[i], p->now_ns);
}
