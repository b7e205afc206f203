/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers GET metrics: the state of the service for Prometheus. */
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

/* Time for which all requests get the same text. */
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
		     "Always 1; the label version is the version of Sluice.");
	metrics_sample(to, "sluice_build_info", (struct metric_label[]){
		{ "version", PACKAGE_VERSION }, { 0 } }, 1);
	metrics_head(to, "sluice_instance_info", METRIC_GAUGE,
		     "Always 1; the label name is settings.instance_name.");
	metrics_sample(to, "sluice_instance_info", (struct metric_label[]){
		{ "name", instance != NULL ? instance : "" }, { 0 } }, 1);
	put_one(to, "sluice_uptime_seconds", METRIC_GAUGE,
		"Time since the start of the service.",
		(double)system_status_uptime_s(api->cfg.system));
	put_one(to, "sluice_alarms", METRIC_GAUGE,
		"Raised alarms of the service and of the processes of streams.",
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

enum adapter_value {
	ADAPTER_LOCK, ADAPTER_BITRATE, ADAPTER_LOST, ADAPTER_RESTARTS,
	ADAPTER_SIGNAL, ADAPTER_SNR, ADAPTER_SIGNAL_DBM, ADAPTER_SNR_DB,
	ADAPTER_BIT_ERRORS, ADAPTER_BLOCKS, ADAPTER_VALUES
};

static void read_adapter(const struct adapter_info *i,
			 double ret[ADAPTER_VALUES])
{
	const struct msg_adapter_status *s = &i->status;

	ret[ADAPTER_LOCK] = s->lock;
	ret[ADAPTER_BITRATE] = s->bitrate_kbps * 1e3;
	ret[ADAPTER_LOST] = (double)s->lost;
	ret[ADAPTER_RESTARTS] = i->restarts;
	ret[ADAPTER_SIGNAL] = s->signal / 1e2;
	ret[ADAPTER_SNR] = s->snr / 1e2;
	ret[ADAPTER_SIGNAL_DBM] = s->tuner.signal_db / 1e2;
	ret[ADAPTER_SNR_DB] = s->tuner.snr_db / 1e2;
	ret[ADAPTER_BIT_ERRORS] = (double)s->tuner.ber;
	ret[ADAPTER_BLOCKS] = (double)s->tuner.unc;
}

static const struct adapter_metric {
	const char *name;
	enum metric_kind kind;
	const char *help;
	enum adapter_value value;
	bool tuner; /* the value exists only for tuners of the DVB API */
} adapter_metrics[] = {
	{ "sluice_adapter_lock", METRIC_GAUGE,
	  "1 if the adapter receives a multiplex.", ADAPTER_LOCK, false },
	{ "sluice_adapter_bitrate_bits_per_second", METRIC_GAUGE,
	  "Rate of the multiplex in the last second.", ADAPTER_BITRATE, false },
	{ "sluice_adapter_lost_packets_total", METRIC_COUNTER,
	  "TS packets of the adapter that were lost before the streams got "
	  "them.", ADAPTER_LOST,
	  false },
	{ "sluice_adapter_worker_restarts_total", METRIC_COUNTER,
	  "Failures of the process of the adapter.", ADAPTER_RESTARTS, false },
	{ "sluice_adapter_signal_ratio", METRIC_GAUGE,
	  "Level of the signal, 0 to 1, as the driver scales it.",
	  ADAPTER_SIGNAL, false },
	{ "sluice_adapter_snr_ratio", METRIC_GAUGE,
	  "Signal to noise, 0 to 1, as the driver scales it.", ADAPTER_SNR,
	  false },
	{ "sluice_adapter_signal_dbm", METRIC_GAUGE, "Level of the signal.",
	  ADAPTER_SIGNAL_DBM, true },
	{ "sluice_adapter_snr_db", METRIC_GAUGE, "Signal to noise.",
	  ADAPTER_SNR_DB, true },
	{ "sluice_adapter_bit_errors", METRIC_GAUGE,
	  "Bit errors: a sum, or a rate where the driver does not count.",
	  ADAPTER_BIT_ERRORS, true },
	{ "sluice_adapter_uncorrected_blocks", METRIC_GAUGE,
	  "Blocks that could not be corrected since the tuning.",
	  ADAPTER_BLOCKS, true },
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
		double values[ADAPTER_VALUES];
		struct adapter_info info;

		if (id == NULL ||
		    !adapter_procs_get(reconciler_adapters(api->cfg.reconciler),
				       id, &info) ||
		    (m->tuner && !info.tuner))
			continue;
		read_adapter(&info, values);
		metrics_sample(to, m->name, (struct metric_label[]){
			{ "adapter", id }, { 0 } }, values[m->value]);
	}
}

/* --- softcams --- */

enum softcam_value {
	SOFTCAM_UP, SOFTCAM_REFUSED, SOFTCAM_TIMEOUTS, SOFTCAM_VALUES
};

static const struct softcam_metric {
	const char *name;
	enum metric_kind kind;
	const char *help;
} softcam_metrics[SOFTCAM_VALUES] = {
	[SOFTCAM_UP] = { "sluice_softcam_up", METRIC_GAUGE,
		"1 if the server has accepted the login of the softcam." },
	[SOFTCAM_REFUSED] = { "sluice_softcam_ecm_refused_total",
		METRIC_COUNTER, "ECMs that the server answered without a "
				"control word." },
	[SOFTCAM_TIMEOUTS] = { "sluice_softcam_ecm_timeouts_total",
		METRIC_COUNTER, "ECMs that the server did not answer in "
				"time." },
};

/* Writes one value of each softcam.  A softcam that no stream uses does not log
 * in and has no value. */
static void put_softcams(struct api *api, enum softcam_value value,
			 struct buf *to)
{
	const struct softcam_metric *m = &softcam_metrics[value];
	struct softcams *all = reconciler_softcams(api->cfg.reconciler);
	json_t *softcam;
	size_t i;

	metrics_head(to, m->name, m->kind, m->help);
	json_array_foreach(config_section(api->cfg.config, "softcam"), i,
			   softcam) {
		const char *id = edit_text(softcam, "id");
		struct softcam_info info;

		if (id == NULL || !softcams_get(all, id, &info) ||
		    (info.processes == 0 && info.error == NULL))
			continue;
		const double values[SOFTCAM_VALUES] = {
			[SOFTCAM_UP] = info.up,
			[SOFTCAM_REFUSED] = (double)info.refused,
			[SOFTCAM_TIMEOUTS] = (double)info.timeouts,
		};
		metrics_sample(to, m->name, (struct metric_label[]){
			{ "softcam", id }, { 0 } }, values[value]);
	}
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
	for (enum softcam_value i = 0; i < SOFTCAM_VALUES; i++)
		put_softcams(api, i, &text);
	buf_append(&text, "", 1);
	text_cache_put_text(&api->metrics, 0, (char *)text.data, reply);
}

const struct api_path metrics_paths[] = {
	{ "metrics", PATH_ALONE, OBSERVER_ALLOWED, .get = metrics_get },
	{ 0 },
};
