/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration as a whole. */
#include "master/api/command.h"

void config_load(struct api *api, const json_t *request, struct reply *reply)
{
	(void)request;
	/* only its count of references changes */
	reply_json(reply,
		   json_incref((json_t *)config_document(api->cfg.config)));
}

void config_get(struct api *api, const char *id, enum status_span span,
		struct reply *reply)
{
	(void)id, (void)span;
	config_load(api, NULL, reply);
}
