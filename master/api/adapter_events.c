/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts and watches the adapters of the configuration; their status and
 * events. */
#include "common/base/errmsg.h"
#include "common/ws/hub.h"
#include "master/api/command.h"
#include "master/api/edit.h"
#include "master/api/lnb_sharers.h"
#include "master/api/scans.h"
#include "master/config/adapter_conf.h"
#include "master/config/lnb_sharing.h"
#include "master/streams/adapter_minute.h"
#include "master/streams/adapter_procs.h"
#include "master/streams/reconciler.h"

/* Sends adapter_event of a tuner, but not while the worker has stopped the
 * tuner because it delivered no packets. */
static void push_tuner(struct api *api, const char *id,
		       const struct msg_adapter_status *s)
{
	const struct msg_adapter_tuner *t = &s->tuner;
	json_t *message;

	if (t->silent)
		return;
	message = json_pack(
		"{s:s, s:s, s:I, s:I, s:I, s:i, s:i, s:I, s:I, s:I}", "scope",
		"adapter_event", "dvb_id", id, "status",
		(json_int_t)t->status, "signal", (json_int_t)t->signal, "snr",
		(json_int_t)t->snr, "signal_db", t->signal_db, "snr_db",
		t->snr_db, "ber", (json_int_t)t->ber, "unc",
		(json_int_t)t->unc, "bitrate", (json_int_t)s->bitrate_kbps);
	hub_broadcast(api->cfg.hub, message, HUB_SOON);
	json_decref(message);
}

/* Sends adapter_event, the status of an adapter, to event clients. */
static void on_status(const char *id, const struct msg_adapter_status *s,
		      void *arg)
{
	struct api *api = arg;
	struct adapter_info info = { 0 };
	json_t *message;

	if (!hub_has_listeners(api->cfg.hub))
		return;
	(void)adapter_procs_get(reconciler_adapters(api->cfg.reconciler), id,
				&info);
	if (info.tuner) {
		push_tuner(api, id, s);
		return;
	}
	message = json_pack("{s:s, s:s, s:b, s:I, s:b}", "scope",
			    "adapter_event", "dvb_id", id, "virtual", 1,
			    "bitrate", (json_int_t)s->bitrate_kbps,
			    "on_air", s->on_air);
	if (info.satip)
		(void)json_object_set_new(message, "satip", json_true());
	hub_broadcast(api->cfg.hub, message, HUB_SOON);
	json_decref(message);
}

static void on_taken(int adapter, bool taken, void *arg)
{
	struct api *api = arg;
	json_t *message = json_pack("{s:s, s:i, s:b}", "scope",
				    "adapter_status_update", "adapter",
				    adapter, "busy", taken);

	hub_broadcast(api->cfg.hub, message, HUB_SOON);
	json_decref(message);
}

/* Sends cam_event, the changed slot of a CAM, to clients of the scope `cam'. */
static void on_cam(const char *id, const json_t *slot, void *arg)
{
	struct api *api = arg;
	json_t *message;

	if (!hub_wants_extra(api->cfg.hub, HUB_CAM))
		return;
	message = json_pack("{s:s, s:s, s:O}", "scope", "cam_event", "dvb_id",
			    id, "cam", slot);
	hub_send_extra(api->cfg.hub, HUB_CAM, message);
	json_decref(message);
}

void api_start_adapters(struct api *api)
{
	struct adapter_procs *adapters =
		reconciler_adapters(api->cfg.reconciler);
	const json_t *list = config_section(api->cfg.config, ADAPTERS);
	json_t *misfits = lnb_sharers_misfits(list);

	lnb_sharers_log(api->lnb_misfits, misfits);
	json_decref(api->lnb_misfits);
	api->lnb_misfits = misfits;
	/* a scan must give up the frontend of an adapter that starts */
	scans_release(api);
	adapter_procs_watch(adapters, on_status, on_taken, api);
	adapter_procs_watch_cams(adapters, on_cam, api);
	adapter_procs_set(adapters, list);
}

static json_t *worker_of(const struct adapter_info *info)
{
	json_t *worker = json_pack("{s:s, s:i}", "state", info->state,
				   "restarts", (int)info->restarts);

	if (info->pid > 0)
		(void)json_object_set_new(worker, "pid",
					  json_integer(info->pid));
	if (info->alarm != NULL)
		(void)json_object_set_new(worker, "alarm",
					  json_string(info->alarm));
	return worker;
}

/* Returns the member `worker' for an adapter that does not run, with the reason
 * if it is enabled; a new reference. */
static json_t *stopped(const struct api *api, const json_t *adapter)
{
	const json_t *list = config_section(api->cfg.config, ADAPTERS);
	json_t *worker = json_pack("{s:s}", "state", "stopped");
	struct errmsg error;

	if (json_is_true(json_object_get(adapter, "enable")) &&
	    (!adapter_conf_can_run(adapter, &error) ||
	     !lnb_sharing_fits(list, adapter, &error)))
		(void)json_object_set_new(worker, "alarm",
					  json_string(error.text));
	return worker;
}

void adapters_put_signal(json_t *status, const struct msg_adapter_status *s)
{
	const struct {
		const char *key;
		json_int_t value;
	} numbers[] = {
		{ "signal", s->signal }, { "signal_db", s->tuner.signal_db },
		{ "snr", s->snr },	 { "snr_db", s->tuner.snr_db },
		{ "ber", (json_int_t)s->tuner.ber },
		{ "unc", (json_int_t)s->tuner.unc },
		{ "bitrate", s->bitrate_kbps },
	};

	(void)json_object_set_new(status, "lock", json_boolean(s->lock));
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		(void)json_object_set_new(status, numbers[i].key,
					  json_integer(numbers[i].value));
}

void adapters_describe(const struct api *api, const json_t *adapter,
		       enum status_span span, json_t *status)
{
	const struct adapter_procs *adapters =
		reconciler_adapters(api->cfg.reconciler);
	struct adapter_info info = { 0 };
	const char *id = edit_text(adapter, "id");
	bool runs = id != NULL && adapter_procs_get(adapters, id, &info);

	if (runs && span == STATUS_MINUTE)
		adapter_minute_sum(info.minute, &info.status);
	adapters_put_signal(status, &info.status);
	if (runs)
		(void)json_object_set_new(
			status, "lost",
			json_integer((json_int_t)info.status.lost));
	if (info.error != NULL)
		(void)json_object_set_new(status, "error",
					  json_string(info.error));
	if (runs)
		cams_describe(api, id, status);
	(void)json_object_set_new(status, "worker",
				  runs ? worker_of(&info)
				       : stopped(api, adapter));
}
