/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/report.h"

#include "common/base/units.h"
#include "proto/si/json.h"
#include "worker/analysis/monitor_state.h"

static const struct alarm *alarm_of(const struct monitor *m,
				    const struct report_part *part,
				    enum alarm_id id)
{
	switch (id) {
	case ALARM_CBR_OVERFLOW:
		return part->overflow;
	case ALARM_MUX_OVERFLOW:
		return part->mux_overflow;
	case ALARM_EIT_SLOW:
		return part->eit_slow;
	case ALARM_EIT_FULL:
		return part->eit_full;
	case ALARM_HLS_GOP:
		return part->hls_gop;
	default:
		return &m->alarms[id];
	}
}

static void add_indicators(const struct monitor *m,
			   const struct report_part *part, json_t *object)
{
	json_t *list = si_put_list(object, "indicators");

	for (int i = 0; i < ALARM_COUNT; i++) {
		enum alarm_id id = (enum alarm_id)i;
		const struct alarm *a = alarm_of(m, part, id);
		json_t *one;

		if (a == NULL || ALARMS_OF_MASTER >> id & 1 ||
		    (part->sent && ALARMS_OF_TRANSPORT >> id & 1))
			continue;
		one = si_add_object(list);
		si_put_string(one, "alarm", alarm_name(id));
		si_put_uint(one, "priority", alarm_priority(id));
		si_put_bool(one, "raised", a->raised);
		si_put_uint(one, "count", a->count);
		if (a->changed_ms > 0)
			si_put_uint(one, "since", a->changed_ms / 1000);
		if (a->last_ms > 0)
			si_put_uint(one, "last", a->last_ms / 1000);
	}
}

static void add_pcrs(const struct monitor *m, json_t *object)
{
	json_t *list = si_put_list(object, "pcr");

	for (size_t i = 0; i < m->n_pcrs; i++) {
		const struct pcr_check *c = &m->pcrs[i].check;
		const struct pcr_report *r = &m->pcrs[i].report;
		json_t *one = si_add_object(list);

		si_put_uint(one, "pid", m->pcrs[i].pid);
		si_put_uint(one, "count", c->all);
		si_put_uint(one, "bitrate", pcr_check_bps(c) / 1000);
		si_put_uint(one, "interval_us", r->interval_us);
		si_put_uint(one, "interval_max_us", r->interval_max_us);
		si_put_uint(one, "arrival_max_us", r->arrival_max_us);
		if (r->constant)
			si_put_uint(one, "accuracy_ns", r->accuracy_ns);
		si_put_uint(one, "jumps", c->jumps);
		si_put_uint(one, "announced_jumps", c->announced);
	}
}

uint16_t monitor_report(const struct monitor *m,
			const struct report_part *part, json_t *object)
{
	const struct monitor_rates *r = &m->rates;
	uint64_t ns = MAX(r->ns, 1); /* r->ns 0: no packets are counted yet */
	uint64_t bits = (uint64_t)TS_PACKET * 8 * (SECOND_NS / 1000);

	if (part->from > 0)
		return report_pids(m, part->from, object);
	si_put_uint(object, "watched_s",
		    (part->now_ns - m->began_ns) / SECOND_NS);
	si_put_uint(object, "packets", m->packets - m->skipped);
	si_put_uint(object, "null_packets",
		    m->all_null_packets + m->null_packets);
	si_put_uint(object, "sync_errors", m->sync_errors);
	si_put_uint(object, "bitrate", r->packets * bits / ns);
	si_put_uint(object, "null_bitrate", r->null_packets * bits / ns);
	if (psi_has_pat(m->psi))
		si_put_uint(object, "tsid", psi_tsid(m->psi));
	add_indicators(m, part, object);
	add_pcrs(m, object);
	report_programs(m, object);
	return report_pids(m, 0, object);
}
