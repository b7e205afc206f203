/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command set-cas. */
#include "common/base/log.h"
#include "master/api/edit.h"
#include "master/api/list_edit.h"

static void warn(const json_t *cas)
{
	if (edit_get(cas, "ecmg_channel_id") == NULL ||
	    edit_get(cas, "ecmg_host") == NULL ||
	    edit_get(cas, "ecmg_port") == NULL)
		log_error("cas", "[CAS %s] configuration error",
			  json_string_value(json_object_get(cas, "id")));
}

void cas_set(struct api *api, const json_t *request, struct reply *reply)
{
	static const char *const required[] = { "id" };
	struct entry_edit e = { .name = "cas" };

	if (!entry_edit_read(api, request, required, ARRAY_LEN(required), &e,
			     reply))
		return;
	entry_edit_remove(api, &e);
	entry_edit_append(api, &e);
	if (!e.remove)
		warn(e.wanted);
	reply_ok(reply, "set-cas");
}
