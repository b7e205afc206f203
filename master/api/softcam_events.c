/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts and watches the softcams of the configuration, and shows them in the
 * overview. */
#include "common/ws/hub.h"
#include "master/api/command.h"
#include "master/softcams/softcam_list.h"
#include "master/streams/reconciler.h"

/* Sends softcam_event: the state of a softcam has changed. */
static void on_event(const struct softcam_info *info, void *arg)
{
	struct api *api = arg;
	json_t *message;

	if (!hub_has_listeners(api->cfg.hub))
		return;
	message = json_pack("{s:s, s:s, s:i}", "scope", "softcam_event",
			    "softcam_id", info->id, "status",
			    info->up ? SOFTCAM_LOGGED_IN : 0);
	if (info->up)
		(void)json_object_update_new(message, json_pack(
			"{s:i, s:I, s:I}", "caid", (int)info->caid,
			"ecm_rate", (json_int_t)info->status.ecm_rate,
			"emm_rate", (json_int_t)info->status.emm_rate));
	hub_broadcast(api->cfg.hub, message, HUB_SOON);
	json_decref(message);
}

void api_start_softcams(struct api *api)
{
	struct softcams *softcams = reconciler_softcams(api->cfg.reconciler);

	softcams_watch(softcams, on_event, api);
	softcams_set(softcams, config_section(api->cfg.config, "softcam"));
}

void softcams_describe(const struct api *api, const char *id, json_t *object)
{
	struct softcam_info info;
	const struct msg_softcam_status *s = &info.status;
	json_t *times;

	if (id == NULL ||
	    !softcams_get(reconciler_softcams(api->cfg.reconciler), id, &info))
		return;
	times = json_array();
	for (size_t i = 0; i < MSG_CAM_TIMES; i++)
		(void)json_array_append_new(
			times, json_integer((json_int_t)s->times[i]));
	(void)json_object_update_new(object, json_pack(
		"{s:i, s:b, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
		"status", info.up ? SOFTCAM_LOGGED_IN : 0,
		"used", info.processes > 0, "caid", (int)info.caid,
		"ecm_rate", (json_int_t)s->ecm_rate,
		"emm_rate", (json_int_t)s->emm_rate,
		"ecm_hits", (json_int_t)s->hits,
		"ecm_misses", (json_int_t)s->misses,
		"ecm_refused", (json_int_t)s->refused,
		"ecm_timeouts", (json_int_t)s->timeouts,
		"ecm_times", times));
	if (info.error != NULL)
		(void)json_object_set_new(object, "error",
					  json_string(info.error));
}
