/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends present and following events of the programme guide to clients of the
 * scope `epg', and starts the exports of the guide. */
#include "common/ws/hub.h"
#include "master/api/command.h"
#include "master/config/config.h"
#include "master/config/playlist.h"
#include "master/streams/epg_exports.h"
#include "master/streams/epg_proc.h"
#include "master/streams/reconciler.h"

static bool is_wanted(void *arg)
{
	const struct api *api = arg;

	return hub_wants_extra(api->cfg.hub, HUB_EPG);
}

static void put_event(json_t *message, const char *key, const json_t *events)
{
	json_t *event = json_object_get(events, key);

	if (json_is_object(event))
		(void)json_object_set(message, key, event);
}

static void report(const struct msg_epg_present *m, void *arg)
{
	const struct api *api = arg;
	json_t *message;

	if (!is_wanted(arg) ||
	    config_stream(api->cfg.config, m->stream) == NULL)
		return;
	message = json_pack("{s:s, s:s, s:i}", "scope", "epg_event",
			    "channel_id", m->stream, "pnr", (int)m->pnr);
	put_event(message, "now", m->events);
	put_event(message, "next", m->events);
	hub_send_extra(api->cfg.hub, HUB_EPG, message);
	json_decref(message);
}

static json_t *channels(void *arg)
{
	const struct api *api = arg;

	return playlist_channels(config_document(api->cfg.config),
				 &(struct playlist_request){ 0 });
}

void api_watch_guide(struct api *api)
{
	struct reconciler *r = api->cfg.reconciler;

	api->exports = epg_exports_new(&(struct epg_exports_config){
		.loop = api->cfg.loop, .proc = reconciler_epg(r),
		.docs = reconciler_epg_docs(r),
		.settings = config_section(api->cfg.config, "settings"),
		.channels = channels, .arg = api });
	epg_proc_watch(reconciler_epg(r), &(struct epg_watcher){
		.wants = is_wanted, .on_present = report, .arg = api });
}

void guide_events_renew(struct api *api)
{
	epg_proc_renew_watch(reconciler_epg(api->cfg.reconciler));
}
