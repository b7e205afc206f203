/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers requests for the analysis of an input or of the output, and for the
 * plan of an input of a multiplex, as JSON. */
#include "common/base/units.h"
#include "proto/si/json.h"
#include "worker/analysis/report.h"
#include "worker/input/iat_in.h"
#include "worker/output/iat_out.h"
#include "worker/stream/pipeline_state.h"

enum { PACKETS = 7 /* TS packets that most datagrams carry */ };

/* Adds the arrival times of datagrams ("iat"), the jitter of PCRs, and "mdi"
 * (RFC 4445): the delay factor, and the packets lost in the last second.  For
 * RTP the sequence numbers count the lost packets, otherwise the continuity
 * counters. Without such a measurement it adds nothing. */
static void add_arrivals(const struct input_chain *l, uint64_t now_ns,
			 json_t *object)
{
	bool counted = l->keeper.spec.kind == INPUT_RTP;
	const struct iat_in_report *r = NULL;
	json_t *one;
	size_t i;

	if (l->keeper.input != NULL)
		r = input_iat_in(l->keeper.input, now_ns);
	if (r == NULL || r->gaps == 0)
		return;
	one = json_object();
	si_put_uint(one, "age_s", (now_ns - r->at_ns) / SECOND_NS);
	si_put_uint(one, "datagrams", r->datagrams);
	si_put_uint(one, "rate", r->rate_kbps);
	si_put_uint(one, "min_us", r->min_us);
	si_put_uint(one, "mean_us", r->mean_us);
	si_put_uint(one, "p50_us", r->p50_us);
	si_put_uint(one, "p95_us", r->p95_us);
	si_put_uint(one, "p99_us", r->p99_us);
	si_put_uint(one, "max_us", r->max_us);
	(void)json_object_set_new(object, "iat", one);
	one = json_object();
	si_put_uint(one, "df_us", r->df_us);
	si_put_uint(one, "mlr", counted ? l->counted.lost * PACKETS
					: l->report.cc_error);
	(void)json_object_set_new(object, "mdi", one);
	/* the monitor has added the list "pcr" before */
	json_array_foreach(json_object_get(object, "pcr"), i, one)
		for (size_t k = 0; k < r->n_pcrs; k++)
			if (json_integer_value(json_object_get(one, "pid")) ==
			    r->pcrs[k].pid)
				si_put_uint(one, "jitter_us",
					    r->pcrs[k].jitter_us);
}

/* Adds "loss": the datagrams that the network or the socket lost before the
 * worker had them, and the losses of the sync byte.  Adds "remux": what the
 * remux changed and dropped, if the input has a remux. */
static void add_input(const struct input_chain *l, json_t *object)
{
	const struct input_counters *c = &l->keeper.all;
	struct remux_counters counted;
	json_t *one = json_object();

	si_put_uint(one, "network", c->lost);
	si_put_uint(one, "recovered", c->recovered);
	si_put_uint(one, "socket", c->socket_drops);
	si_put_uint(one, "sync", c->sync_losses);
	(void)json_object_set_new(object, "loss", one);
	if (l->remux == NULL)
		return;
	one = json_object();
	remux_counters(l->remux, &counted);
	si_put_uint(one, "table_changes", counted.tables);
	si_put_uint(one, "broken_sections", counted.broken);
	si_put_uint(one, "dropped_sections", counted.dropped);
	/* both are NULL, and add no key, if no table omits a part */
	(void)json_object_set_new(one, "omitted", omission_list(l->remux));
	(void)json_object_set_new(one, "omitted_sdt", omission_sdt(l->remux));
	(void)json_object_set_new(object, "remux", one);
}

/* Adds the histogram of gaps between datagrams, without its empty bins; the
 * last bin has no upper limit. */
static void add_gaps(const struct iat_out *d, json_t *object)
{
	json_t *list = json_array();

	for (size_t i = 0; i < IAT_OUT_BINS; i++) {
		json_t *bin;

		if (d->all[i] == 0)
			continue;
		bin = json_object();
		if (iat_out_limit_us(i) != UINT64_MAX)
			si_put_uint(bin, "below_us", iat_out_limit_us(i));
		si_put_uint(bin, "count", d->all[i]);
		(void)json_array_append_new(list, bin);
	}
	(void)json_object_set_new(object, "gaps", list);
}

static void add_outputs(const struct pipeline *p, json_t *object)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_sinks; i++) {
		const struct sink *sink = &p->sinks[i];
		struct output_counters counted;
		json_t *one = json_object();

		if (sink->spec.kind != OUTPUT_HTTP)
			sink_counters(sink, &counted);
		else
			counted = (struct output_counters){
				.packets = p->ring != NULL ? p->packets : 0,
			};
		si_put_uint(one, "position", sink->position);
		if (sink->spec.kind != OUTPUT_HTTP)
			si_put_uint(one, "bitrate", sink->rate.kbps);
		if (sink->cbr != NULL) {
			struct cbr_counters c;

			cbr_counters(sink->cbr, &c);
			si_put_uint(one, "cbr", sink->spec.cbr_kbps);
			si_put_uint(one, "overflow", c.overflow);
		}
		si_put_uint(one, "packets", counted.packets);
		si_put_uint(one, "dropped", counted.dropped);
		si_put_uint(one, "late", pipeline_late(p, sink));
		if (sink->output != NULL)
			add_gaps(output_iat(sink->output), one);
		(void)json_array_append_new(list, one);
	}
	(void)json_object_set_new(object, "outputs", list);
}

json_t *pipeline_analysis(const struct pipeline *p, unsigned place,
			  unsigned from, unsigned *ret_next)
{
	bool own_eit = place == 0 && pipeline_has_own_eit(p);
	const struct report_part part = { .from = (uint16_t)from,
					  .sent = place == 0,
					  .now_ns = p->now_ns,
					  .overflow = place == 0 ? &p->overflow
								 : NULL,
					  .mux_overflow = place == 0
						? mux_stage_alarm(&p->mux)
						: NULL,
					  .eit_slow = own_eit ? &p->eit_slow
							      : NULL,
					  .eit_full = own_eit ? &p->eit_full
							      : NULL,
					  .hls_gop = place == 0 &&
							     pipeline_has_hls(p)
							? &p->hls_gop
							: NULL };
	/* a relay has the monitor of its only input */
	bool relay = pipeline_is_relay(p);
	const struct input_chain *l =
		selector_chain(p->selector, place == 0 && relay ? 1 : place);
	const struct monitor_log *w = l != NULL ? &l->watch : &p->watch;
	json_t *object = json_object();

	*ret_next = 0;
	if (l == NULL && place > 0)
		return object;
	if (from == 0 && place > 0) {
		add_input(l, object);
	} else if (from == 0) {
		si_put_bool(object, "relay", relay);
		add_outputs(p, object);
	}
	if (from == 0)
		si_put_bool(object, "watched", w->monitor != NULL);
	if (w->monitor != NULL)
		*ret_next = monitor_report(w->monitor, &part, object);
	if (from == 0 && place > 0)
		add_arrivals(l, p->now_ns, object);
	return object;
}

json_t *pipeline_plan(const struct pipeline *p, unsigned position,
		      unsigned from, unsigned *ret_next)
{
	return mux_stage_plan(&p->mux, position, from, ret_next);
}
