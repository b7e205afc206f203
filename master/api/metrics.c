/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics for Prometheus. */
#include "config.h"
#include "common/base/errmsg.h"
#include "common/base/mono.h"
#include "common/ws/hub.h"
#include "master/api/alarms.h"
#include "master/api/call.h"
#include "master/api/edit.h"
#include "master/softcams/softcam_list.h"
#include "master/status/system_status.h"
#include "master/streams/adapter_procs.h"
#include "master/streams/reconciler.h"
#include "proto/wire/metrics_text.h"

#include <string.h>

/* Several programs that ask at once share a text. */
enum { METRICS_AGE_MS = 1000 };

/* --- the service --- */

static void put_one(struct buf *to, const char *name, enum metric_kind kind,
		    const char *help, double value)
{
	metrics_head(to, name, kind, help);
	metrics_sample(to, name, NULL, value);
}

static void put_service(struct api *api, struct buf *to)
{
	const char *instance = api_instance(api);
	json_t *alarms = alarms_sentences(api->alarms);
	struct errmsg error;

	metrics_head(to, "sluice_build_info", METRIC_GAUGE,
		     "1; the label has the version.");
	metrics_sample(to, "sluice_build_info", (struct metric_label[]){
		{ "version", PACKAGE_VERSION }, { 0 } }, 1);
	metrics_head(to, "sluice_instance_info", METRIC_GAUGE,
		     "1; the label has the setting instance_name.");
	metrics_sample(to, "sluice_instance_info", (struct metric_label[]){
		{ "name", instance != NULL ? instance : "" }, { 0 } }, 1);
	put_one(to, "sluice_uptime_seconds", METRIC_GAUGE,
		"Time since the start of the service.",
		(double)system_status_uptime_s(api->cfg.system));
	put_one(to, "sluice_alarms", METRIC_GAUGE,
		"Alarms of the service that need the operator.",
		(double)json_array_size(alarms));
	put_one(to, "sluice_event_clients", METRIC_GAUGE,
		"Clients of the event channel.",
		(double)hub_clients(api->cfg.hub));
	put_one(to, "sluice_config_changes_total", METRIC_COUNTER,
		"Changes of the configuration.",
		config_changes(api->cfg.config));
	put_one(to, "sluice_config_save_failed", METRIC_GAUGE,
		"1 while the last change cannot be saved.",
		config_save_error(api->cfg.config, &error));
	json_decref(alarms);
}

/* --- adapters --- */

static double adapter_lock(const struct adapter_info *i)
{
	return i->status.lock;
}

static double adapter_bitrate(const struct adapter_info *i)
{
	return i->status.bitrate_kbps * 1e3;
}

static double adapter_lost(const struct adapter_info *i)
{
	return (double)i->status.lost;
}

static double adapter_restarts(const struct adapter_info *i)
{
	return i->restarts;
}

static double adapter_signal(const struct adapter_info *i)
{
	return i->status.signal / 1e2;
}

static double adapter_snr(const struct adapter_info *i)
{
	return i->status.snr / 1e2;
}

static double adapter_signal_dbm(const struct adapter_info *i)
{
	return i->status.tuner.signal_db / 1e2;
}

static double adapter_snr_db(const struct adapter_info *i)
{
	return i->status.tuner.snr_db / 1e2;
}

static double adapter_bit_errors(const struct adapter_info *i)
{
	return (double)i->status.tuner.ber;
}

static double adapter_blocks(const struct adapter_info *i)
{
	return (double)i->status.tuner.unc;
}

static const struct adapter_metric {
	const char *name;
	enum metric_kind kind;
	const char *help;
	double (*value)(const struct adapter_info *);
	bool tuner; /* only of tuners of the DVB API */
} adapter_metrics[] = {
	{ "sluice_adapter_lock", METRIC_GAUGE,
	  "1 if the adapter receives a multiplex.", adapter_lock, false },
	{ "sluice_adapter_bitrate_bits_per_second", METRIC_GAUGE,
	  "Rate of the multiplex in the last second.", adapter_bitrate, false },
	{ "sluice_adapter_lost_packets_total", METRIC_COUNTER,
	  "TS packets that were lost before the streams.", adapter_lost,
	  false },
	{ "sluice_adapter_worker_restarts_total", METRIC_COUNTER,
	  "Failures of the process of the adapter.", adapter_restarts, false },
	{ "sluice_adapter_signal_ratio", METRIC_GAUGE,
	  "Level of the signal, 0 to 1, as the driver scales it.",
	  adapter_signal, false },
	{ "sluice_adapter_snr_ratio", METRIC_GAUGE,
	  "Signal to noise, 0 to 1, as the driver scales it.", adapter_snr,
	  false },
	{ "sluice_adapter_signal_dbm", METRIC_GAUGE, "Level of the signal.",
	  adapter_signal_dbm, true },
	{ "sluice_adapter_snr_db", METRIC_GAUGE, "Signal to noise.",
	  adapter_snr_db, true },
	{ "sluice_adapter_bit_errors", METRIC_GAUGE,
	  "Bit errors: a sum, or a rate where the driver does not count.",
	  adapter_bit_errors, true },
	{ "sluice_adapter_uncorrected_blocks", METRIC_GAUGE,
	  "Blocks that could not be corrected since the tuning.",
	  adapter_blocks, true },
};

static void put_adapters(struct api *api, const struct adapter_metric *m,
			 struct buf *to)
{
	const json_t *list = config_section(api->cfg.config, ADAPTERS);
	json_t *adapter;
	size_t i;

	metrics_head(to, m->name, m->kind, m->help);
	json_array_foreach((json_t *)list, i, adapter) {
		const char *id = edit_text(adapter, "id");
		struct adapter_info info;

		if (id == NULL ||
		    !adapter_procs_get(reconciler_adapters(api->cfg.reconciler),
				       id, &info) ||
		    (m->tuner && !info.tuner))
			continue;
		metrics_sample(to, m->name, (struct metric_label[]){
			{ "adapter", id }, { 0 } }, m->value(&info));
	}
}

/* --- softcams --- */

/* A softcam that no stream uses is not logged in, and has no figures. */
static void put_softcam(struct api *api, const char *id, const char *name,
			double (*value)(const struct softcam_info *),
			struct buf *to)
{
	struct softcam_info info;

	if (id != NULL &&
	    softcams_get(reconciler_softcams(api->cfg.reconciler), id, &info) &&
	    (info.processes > 0 || info.error != NULL))
		metrics_sample(to, name, (struct metric_label[]){
			{ "softcam", id }, { 0 } }, value(&info));
}

static double softcam_up(const struct softcam_info *i)
{
	return i->up;
}

static double softcam_refused(const struct softcam_info *i)
{
	return (double)i->refused;
}

static double softcam_timeouts(const struct softcam_info *i)
{
	return (double)i->timeouts;
}

static const struct softcam_metric {
	const char *name;
	enum metric_kind kind;
	const char *help;
	double (*value)(const struct softcam_info *);
} softcam_metrics[] = {
	{ "sluice_softcam_up", METRIC_GAUGE,
	  "1 if the server has accepted the login.", softcam_up },
	{ "sluice_softcam_ecm_refused_total", METRIC_COUNTER,
	  "ECMs without a control word.", softcam_refused },
	{ "sluice_softcam_ecm_timeouts_total", METRIC_COUNTER,
	  "ECMs without an answer in time.", softcam_timeouts },
};

static void put_softcams(struct api *api, const struct softcam_metric *m,
			 struct buf *to)
{
	json_t *softcam;
	size_t i;

	metrics_head(to, m->name, m->kind, m->help);
	json_array_foreach(config_section(api->cfg.config, "softcam"), i,
			   softcam)
		put_softcam(api, edit_text(softcam, "id"), m->name, m->value,
			    to);
}

static void metrics_get(struct api *api, const char *id,
			enum status_span span, struct reply *reply)
{
	struct buf text = { 0 };

	(void)id, (void)span;
	reply->type = METRICS_TEXT_TYPE;
	if (text_cache_reply(&api->metrics, 0, METRICS_AGE_MS, reply))
		return;
	put_service(api, &text);
	status_metrics(api->cfg.status, &text);
	for (size_t i = 0; i < ARRAY_LEN(adapter_metrics); i++)
		put_adapters(api, &adapter_metrics[i], &text);
	for (size_t i = 0; i < ARRAY_LEN(softcam_metrics); i++)
		put_softcams(api, &softcam_metrics[i], &text);
	buf_append(&text, "", 1);
	text_cache_put_text(&api->metrics, 0, (char *)text.data, reply);
}

const struct api_path metrics_paths[] = {
	{ "metrics", PATH_ALONE, OBSERVER_ALLOWED, .get = metrics_get },
	{ 0 },
};
