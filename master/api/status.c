/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the instance says of itself. */
#include "config.h"
#include "master/api/command.h"
#include "master/system_status.h"

void status_version(struct api *api, const json_t *request,
		    struct reply *reply)
{
	json_t *body = json_object();

	(void)api, (void)request;
	(void)json_object_set_new(body, "version",
				  json_string(PACKAGE_VERSION));
	reply_json(reply, body);
}

void status_system(struct api *api, const char *id, enum status_span span,
		   struct reply *reply)
{
	json_t *o = system_status_get(api->cfg.system, span,
				      api_instance(api));
	const json_t *alarms = config_alarms(api->cfg.config);

	(void)id;
	if (json_array_size(alarms) > 0)
		(void)json_object_set_new(o, "alarms", json_deep_copy(alarms));
	reply_json(reply, o);
}
