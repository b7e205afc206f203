/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of an input or of the output, as JSON, on request. */
#include "common/base/units.h"
#include "worker/analysis/report.h"
#include "worker/input/iat_in.h"
#include "worker/output/iat_out.h"
#include "worker/si/json.h"
#include "worker/stream/pipeline_state.h"

enum { PACKETS = 7 /* of most datagrams */ };

static unsigned add_monitor(const struct monitor_log *w,
			    const struct report_part *part, json_t *object)
{
	if (part->from == 0)
		si_put_bool(object, "watched", w->monitor != NULL);
	return w->monitor == NULL ? 0
				  : monitor_report(w->monitor, part, object);
}

/* RFC 4445: the delay factor, and packets that were lost in the last second:
 * by the sender's count, or by continuity where there is none. */
static void add_mdi(const struct input_chain *l,
		    const struct iat_in_report *r, json_t *object)
{
	bool counted = l->keeper.spec.kind == INPUT_RTP;
	json_t *one = json_object();

	si_put_uint(one, "df_us", r->df_us);
	si_put_uint(one, "mlr", counted ? l->counted.lost * PACKETS
					: l->report.cc_error);
	(void)json_object_set_new(object, "mdi", one);
}

/* Adds jitter_us to the entries of "pcr" that the monitor wrote. */
static void add_jitter(const struct iat_in_report *r, json_t *object)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(object, "pcr"), i, one)
		for (size_t k = 0; k < r->n_pcrs; k++)
			if (json_integer_value(json_object_get(one, "pid")) ==
			    r->pcrs[k].pid)
				si_put_uint(one, "jitter_us",
					    r->pcrs[k].jitter_us);
}

/* Where packets were lost before the worker had them. */
static void add_loss(const struct input_counters *c, json_t *object)
{
	json_t *loss = json_object();

	si_put_uint(loss, "network", c->lost);
	si_put_uint(loss, "recovered", c->recovered);
	si_put_uint(loss, "socket", c->socket_drops);
	si_put_uint(loss, "sync", c->sync_losses);
	(void)json_object_set_new(object, "loss", loss);
}

static void add_arrivals(const struct input_chain *l, uint64_t now_ns,
			 json_t *object)
{
	const struct iat_in_report *r = NULL;
	json_t *one;

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
	add_mdi(l, r, object);
	add_jitter(r, object);
}

static void add_remux(const struct remux *r, json_t *object)
{
	struct remux_counters counted;
	json_t *remux = json_object();

	remux_counters(r, &counted);
	si_put_uint(remux, "table_changes", counted.tables);
	si_put_uint(remux, "broken_sections", counted.broken);
	si_put_uint(remux, "dropped_sections", counted.dropped);
	(void)json_object_set_new(object, "remux", remux);
}

static unsigned report_input(const struct input_chain *l,
			     const struct report_part *part, json_t *object)
{
	unsigned next;

	if (l == NULL)
		return 0;
	if (part->from == 0) {
		add_loss(&l->keeper.all, object);
		if (l->remux != NULL)
			add_remux(l->remux, object);
	}
	next = add_monitor(&l->watch, part, object);
	if (part->from == 0)
		add_arrivals(l, part->now_ns, object);
	return next;
}

/* Bins without a datagram are left out; the last one has no limit. */
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
		if (sink->cbr != NULL)
			si_put_uint(one, "cbr", sink->spec.cbr_kbps);
		si_put_uint(one, "packets", counted.packets);
		si_put_uint(one, "dropped", counted.dropped);
		si_put_uint(one, "late", pipeline_late(p, sink));
		if (sink->output != NULL)
			add_gaps(output_iat(sink->output), one);
		(void)json_array_append_new(list, one);
	}
	(void)json_object_set_new(object, "outputs", list);
}

/* A relay has the monitor of its only input. */
static unsigned report_output(const struct pipeline *p,
			      const struct report_part *part, json_t *object)
{
	bool relay = selector_is_relay(p->selector);
	const struct monitor_log *w =
		relay ? &selector_chain(p->selector, 1)->watch : &p->watch;

	if (part->from == 0) {
		si_put_bool(object, "relay", relay);
		add_outputs(p, object);
	}
	return add_monitor(w, part, object);
}

json_t *pipeline_analysis(const struct pipeline *p, unsigned place,
			  unsigned from, unsigned *ret_next)
{
	const struct report_part part = { .from = (uint16_t)from,
					  .sent = place == 0,
					  .now_ns = p->now_ns,
					  .overflow = place == 0 ? &p->overflow
								 : NULL };
	json_t *object = json_object();

	if (place == 0)
		*ret_next = report_output(p, &part, object);
	else
		*ret_next = report_input(selector_chain(p->selector, place),
					 &part, object);
	return object;
}
