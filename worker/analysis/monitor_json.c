/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a monitor knows, as JSON. */
#include "worker/analysis/monitor_state.h"

#include "common/util.h"

static void put(json_t *object, const char *key, json_int_t value)
{
	(void)json_object_set_new(object, key, json_integer(value));
}

static const char *class_name(const struct monitor *m, uint16_t pid)
{
	static const char *const names[] = {
		[PID_UNKNOWN] = NULL,
		[PID_VIDEO] = "video",
		[PID_AUDIO] = "audio",
		[PID_SUBTITLE] = "subtitle",
		[PID_TELETEXT] = "teletext",
		[PID_AIT] = "ait",
		[PID_DATA] = "data",
		[PID_OTHER] = "other",
		[PID_PSI] = "psi",
	};

	return pid <= 0x1f && pid != TS_PID_PAT ? "si"
						: names[m->classes[pid]];
}

static json_t *pid_json(const struct monitor *m, const struct pid_stats *s)
{
	const char *class = class_name(m, s->pid);
	json_t *o = json_object();

	put(o, "pid", s->pid);
	if (class != NULL)
		(void)json_object_set_new(o, "class", json_string(class));
	if (psi_stream_type(m->psi, s->pid) != 0)
		put(o, "stream_type", psi_stream_type(m->psi, s->pid));
	put(o, "packets", s->last_packets);
	put(o, "cc_error", (json_int_t)s->total_cc_errors);
	if (!s->referenced)
		(void)json_object_set_new(o, "unreferenced", json_true());
	return o;
}

static json_t *pids_json(const struct monitor *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->pids.n; i++)
		(void)json_array_append_new(list,
					    pid_json(m, &m->pids.list[i]));
	return list;
}

static json_t *pcrs_json(const struct monitor *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->n_pcrs; i++) {
		const struct pcr_report *r = &m->pcrs[i].report;
		json_t *o = json_object();

		put(o, "pid", m->pcrs[i].pid);
		put(o, "count", r->count);
		put(o, "interval_max", r->interval_max_ms);
		if (r->constant) {
			put(o, "accuracy", r->accuracy_ns);
			put(o, "rate", r->rate_kbps);
		}
		(void)json_array_append_new(list, o);
	}
	return list;
}

static json_t *alarms_json(const struct monitor *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ALARM_COUNT; i++) {
		const struct alarm *a = &m->alarms[i];
		json_t *o;

		if (a->count == 0)
			continue;
		o = json_object();
		(void)json_object_set_new(o, "name",
					  json_string(alarm_name(i)));
		put(o, "priority", alarm_priority(i));
		(void)json_object_set_new(o, "raised",
					  json_boolean(a->raised));
		put(o, "count", (json_int_t)a->count);
		put(o, "changed", (json_int_t)(a->changed_ms / 1000));
		(void)json_array_append_new(list, o);
	}
	return list;
}

json_t *monitor_json(const struct monitor *m)
{
	json_t *o = json_object();

	put(o, "bitrate", m->bitrate_kbps);
	put(o, "null_bitrate", m->null_kbps);
	put(o, "tsid", psi_tsid(m->psi));
	(void)json_object_set_new(o, "pids", pids_json(m));
	(void)json_object_set_new(o, "pcr", pcrs_json(m));
	(void)json_object_set_new(o, "alarms", alarms_json(m));
	return o;
}
