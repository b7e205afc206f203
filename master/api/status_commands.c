/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version and the status of the instance. */
#include "config.h"
#include "common/base/buf.h"
#include "master/api/alarms.h"
#include "master/api/call.h"
#include "master/api/certificate.h"
#include "master/api/command.h"
#include "master/api/edit.h"
#include "master/status/system_status.h"
#include "master/streams/epg_proc.h"
#include "master/streams/reconciler.h"
#include "proto/spec/address_open.h"

#include <time.h>

static void status_version(struct api *api, const json_t *request,
			   struct reply *reply)
{
	json_t *body = json_object();

	(void)api, (void)request;
	(void)json_object_set_new(body, "version",
				  json_string(PACKAGE_VERSION));
	reply_json(reply, body);
}

/* Returns the state of the programme guide, a new reference; NULL: there is no
 * guide, or its worker has not reported yet. */
static json_t *guide_report(struct api *api)
{
	const struct msg_epg_status *s =
		epg_proc_status(reconciler_epg(api->cfg.reconciler));

	if (s == NULL)
		return NULL;
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
			 "s:I, s:I, s:I, s:I, s:I, s:I}",
			 "streams", (json_int_t)s->streams,
			 "services", (json_int_t)s->services,
			 "events", (json_int_t)s->events,
			 "bytes", (json_int_t)s->bytes,
			 "changes", (json_int_t)s->changes,
			 "replaced", (json_int_t)s->replaced,
			 "undefined", (json_int_t)s->undefined,
			 "dropped", (json_int_t)s->dropped,
			 "broken", (json_int_t)s->broken,
			 "compressed", (json_int_t)s->compressed,
			 "lost", (json_int_t)s->lost,
			 "imports", (json_int_t)s->imports,
			 "refused", (json_int_t)s->refused,
			 "overlaps", (json_int_t)s->overlaps,
			 "endless", (json_int_t)s->endless,
			 "gaps", (json_int_t)s->gaps);
}

static json_t *system_report(struct api *api, enum status_span span)
{
	json_t *o = system_status_get(api->cfg.system, span,
				      api_instance(api));
	json_t *alarms = alarms_sentences(api->alarms);
	json_t *certificate = certificate_facts(api);
	json_t *guide = guide_report(api);
	const char *flaw = reconciler_flaw(api->cfg.reconciler);

	if (json_array_size(alarms) > 0)
		(void)json_object_set(o, "alarms", alarms);
	json_decref(alarms);
	if (certificate != NULL)
		(void)json_object_set_new(o, "certificate", certificate);
	if (guide != NULL)
		(void)json_object_set_new(o, "epg", guide);
	/* not an alarm, because an operator cannot end it */
	if (flaw != NULL)
		(void)json_object_set_new(o, "libraries",
					  json_pack("[s]", flaw));
	return o;
}

static void status_system(struct api *api, const char *id,
			  enum status_span span, struct reply *reply)
{
	json_t *o = system_report(api, span);
	json_t *raised = alarms_list(api->alarms);

	(void)id;
	status_add_alarms(api->cfg.status, raised);
	(void)json_object_set_new(o, "raised", raised);
	reply_json(reply, o);
}

/* Returns the part of each softcam that every user may see. */
static json_t *softcams_overview(const struct api *api)
{
	json_t *list = json_array(), *softcam;
	size_t i;

	json_array_foreach(config_section(api->cfg.config, "softcam"), i,
			   softcam) {
		json_t *o = json_object();

		(void)json_object_set(o, "id", json_object_get(softcam, "id"));
		(void)json_object_set(o, "name",
				      json_object_get(softcam, "name"));
		softcams_describe(api, edit_text(softcam, "id"), o);
		(void)json_array_append_new(list, o);
	}
	return list;
}

enum { OVERVIEW_AGE_MS = 200 };

/* Answers with the state of the whole service at one moment. */
static void status_overview_get(struct api *api, const char *id,
				enum status_span span, struct reply *reply)
{
	/* each change gives another key, so a reply is never older than an
	 * event that was sent before */
	uint64_t key = config_versions(api->cfg.config) +
		       status_changes(api->cfg.status) +
		       alarms_changes(api->alarms);
	const char *instance = api_instance(api);
	struct buf streams = { 0 };
	json_t *alarms, *o;

	(void)id, (void)span;
	if (text_cache_reply(&api->overview, key, OVERVIEW_AGE_MS, reply))
		return;
	alarms = alarms_list(api->alarms);
	/* written as text: a JSON tree of thousands of streams takes several
	 * times as long */
	status_overview(api->cfg.status,
			call_is_reduced(reply->call) ? address_open_sentence
						     : NULL,
			&streams, alarms);
	o = json_pack("{s:I, s:s, s:o, s:o, s:o, s:o}",
		      "timestamp", (json_int_t)time(NULL), "version",
		      PACKAGE_VERSION, "system",
		      system_report(api, STATUS_SECOND), "adapters",
		      adapters_overview(api), "softcams",
		      softcams_overview(api), "alarms", alarms);
	if (instance != NULL)
		(void)json_object_set_new(o, "instance",
					  json_string(instance));
	text_cache_put_with(&api->overview, key, o, "streams", &streams, reply);
	buf_done(&streams);
}

static void status_network_get(struct api *api, const char *id,
			       enum status_span span, struct reply *reply)
{
	(void)id, (void)span;
	reply_json(reply,
		   status_network(api->cfg.status, api_instance(api)));
}

const struct api_command status_commands[] = {
	{ "version", status_version, OBSERVER_ALLOWED, 0 },
	{ 0 },
};

const struct api_path status_paths[] = {
	{ "api/network-status", PATH_ALONE, OBSERVER_ALLOWED,
	  .get = status_network_get },
	{ "api/overview", PATH_ALONE, OBSERVER_ALLOWED,
	  .get = status_overview_get },
	{ "api/system-status", PATH_ALONE, OBSERVER_ALLOWED,
	  .get = status_system, .takes_span = true },
	{ 0 },
};
