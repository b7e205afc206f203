/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version and the status of the instance. */
#include "config.h"
#include "master/api/alarms.h"
#include "master/api/command.h"
#include "master/status/system_status.h"

static void status_version(struct api *api, const json_t *request,
			   struct reply *reply)
{
	json_t *body = json_object();

	(void)api, (void)request;
	(void)json_object_set_new(body, "version",
				  json_string(PACKAGE_VERSION));
	reply_json(reply, body);
}

static void status_system(struct api *api, const char *id,
			  enum status_span span, struct reply *reply)
{
	json_t *o = system_status_get(api->cfg.system, span,
				      api_instance(api));
	json_t *alarms = alarms_sentences(api->alarms);

	(void)id;
	if (json_array_size(alarms) > 0)
		(void)json_object_set(o, "alarms", alarms);
	json_decref(alarms);
	reply_json(reply, o);
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
	{ "api/system-status", PATH_ALONE, OBSERVER_ALLOWED,
	  .get = status_system, .takes_span = true },
	{ 0 },
};
