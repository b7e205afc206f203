/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers GET api/history/{id}: the last hour of a stream, second by second. */
#include "master/api/call.h"
#include "proto/wire/http_request.h"

#include <errno.h>
#include <stdlib.h>

/* Reads the query parameter `since'.  False: the reply already has the
 * error. */
static bool read_since(const struct http_request *request, int64_t *ret,
		       struct reply *reply)
{
	char text[64], *end;

	*ret = 0;
	if (!http_request_query_get(request, "since", text, sizeof text))
		return true;
	errno = 0;
	*ret = strtoll(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0)
		return true;
	reply_error(reply, 400, "since: is not a Unix time");
	return false;
}

static void history_get(struct api *api, const char *id, enum status_span span,
			struct reply *reply)
{
	int64_t since_s;
	json_t *report;

	(void)span;
	if (!read_since(reply->call->request, &since_s, reply))
		return;
	report = status_history(api->cfg.status, id, since_s,
				api_instance(api));
	if (report == NULL) {
		reply_error(reply, 404, "there is no stream \"%.64s\"", id);
		return;
	}
	/* clients expect the list; it is empty, as `note' explains */
	(void)json_object_set_new(report, "incidents", json_array());
	(void)json_object_set_new(
		report, "note",
		json_string("This version records no incidents, and no more "
			    "than the last hour since the start of the "
			    "service."));
	reply_json(reply, report);
}

const struct api_path history_query_paths[] = {
	{ "api/history", PATH_ID, OBSERVER_ALLOWED, .get = history_get },
	{ 0 },
};
