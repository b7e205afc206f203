/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET api/announcements: sessions that can be received. */
#include "master/api/announcement_list.h"
#include "master/api/command.h"

static void announcements_get(struct api *api, const char *id,
			      enum status_span span, struct reply *reply)
{
	json_t *body = announcement_list_get(api->announcements);

	(void)id, (void)span;
	if (body != NULL)
		reply_json(reply, body);
	else
		reply_error(reply, 503,
			    "the worker for announcements cannot be started");
}

const struct api_path announcements_paths[] = {
	{ "api/announcements", PATH_ALONE, OBSERVER_ALLOWED,
	  .get = announcements_get },
	{ 0 },
};
