/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the data path does once a second: counts, reports, mends. */
#include "common/log.h"
#include "worker/stream/path_state.h"

#define MS UINT64_C(1000000)
#define SECOND_NS (1000 * MS)

void path_collect_outputs(struct path *p)
{
	for (size_t i = 0; i < p->n_sinks; i++)
		p->outputs[i] = p->sinks[i].output;
}

static const char *text_or_null(const struct errmsg *e)
{
	return e->text[0] != '\0' ? e->text : NULL;
}

/* One line for each change; one that comes and goes is told once in a while,
 * and the last word is right. */
static void log_onair(struct path *p, const struct analyze_report *r)
{
	unsigned suppressed;

	if (r->onair == p->told_onair ||
	    !ratelimit_pass(&p->onair_log, p->now_ns / MS, &suppressed))
		return;
	p->told_onair = r->onair;
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

static void report_active(struct path *p, struct msg_input_status *s)
{
	struct analyze_report report;
	struct input_counters counted;
	uint64_t elapsed_ms = (p->now_ns - p->began_ns) / MS;

	analyze_second(p->analyze, (unsigned)MAX(elapsed_ms, 1), &report);
	log_onair(p, &report);
	source_second(p->active, p->now_ns, &counted);
	s->active = true;
	s->open = p->active->input != NULL;
	s->onair = report.onair;
	s->scrambled = report.scrambled;
	s->bitrate_kbps = report.bitrate_kbps;
	s->packets = report.packets;
	s->cc_error = report.cc_error;
	s->pes_error = report.pes_error;
	s->sc_error = report.sc_error;
	s->video_count = report.video_count;
	s->audio_count = report.audio_count;
	s->lost = (uint32_t)counted.lost;
	s->socket_drops = (uint32_t)counted.socket_drops;
	s->sync_losses = (uint32_t)counted.sync_losses;
}

static void report_inputs(struct path *p, struct msg_stream_status *status)
{
	status->n_inputs = p->n_sources;
	for (size_t i = 0; i < p->n_sources; i++) {
		struct source *source = &p->sources[i];
		struct msg_input_status *s = &status->inputs[i];

		s->position = source->position;
		if (source == p->active)
			report_active(p, s);
		if (!s->open)
			s->error = text_or_null(&source->error);
	}
}

static void report_output(const struct path *p, const struct sink *sink,
			  struct msg_output_status *s)
{
	struct output_counters counted;

	s->position = sink->position;
	if (sink->valid && sink->spec.kind == OUTPUT_HTTP) {
		s->open = p->ring != NULL;
		s->error = s->open ? NULL : text_or_null(&p->ring_error);
		s->packets = s->open ? p->packets : 0;
		return;
	}
	sink_counters(sink, &counted);
	s->open = sink->output != NULL;
	s->error = s->open ? NULL : text_or_null(&sink->error);
	s->packets = counted.packets;
	s->dropped = counted.dropped + p->sender.dropped;
}

static void report_outputs(struct path *p, struct msg_stream_status *status)
{
	status->n_outputs = p->n_sinks;
	for (size_t i = 0; i < p->n_sinks; i++)
		report_output(p, &p->sinks[i], &status->outputs[i]);
}

static void log_late(struct path *p)
{
	uint64_t late = p->sender.dropped - p->late_before;
	unsigned suppressed;

	if (late == 0)
		return;
	if (!ratelimit_pass(&p->late_log, p->now_ns / MS, &suppressed))
		return;
	p->late_before = p->sender.dropped;
	log_warning("stream",
		    "%llu packets came faster than the stream runs and were "
		    "dropped before the outputs", (unsigned long long)late);
}

void path_second(struct path *p)
{
	struct msg_stream_status status = { .packets = p->packets };

	report_inputs(p, &status);
	report_outputs(p, &status);
	log_late(p);
	sender_second(&p->sender);
	for (size_t i = 0; i < p->n_sinks; i++)
		sink_second(&p->sinks[i], p->now_ns);
	path_collect_outputs(p);

	p->began_ns = p->now_ns;
	p->second_ns += SECOND_NS;
	if (p->second_ns <= p->now_ns)
		p->second_ns = p->now_ns + SECOND_NS;
	p->on_status(&status, p->arg);
}
