/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/adapter_warnings.h"

#include "common/base/errmsg.h"
#include "master/api/edit.h"
#include "master/api/effects.h"
#include "master/config/stream_links.h"

#include <stdlib.h>

/* True: the reply may have warnings, because the request asks for warnings or
 * for a dry run.  Clients that ask for neither expect a reply with one key. */
static bool takes_warnings(const json_t *request)
{
	return users_wants_warnings(request) || effects_only(request);
}

/* Adds a warning that names the streams which read this adapter; none if no
 * stream does.  text: what happens to the adapter. */
static void warn_fed(const struct api *api, const char *id, const char *path,
		     const char *text, struct reply *reply)
{
	char *ids = stream_links_fed(config_section(api->cfg.config, STREAMS),
				     id);
	struct errmsg error;

	if (ids != NULL) {
		errmsg_set(&error, "%s, but dvb:// inputs of %s read it", text,
			   ids);
		reply_warn(reply, path, error.text);
	}
	free(ids);
}

void adapter_warn_ended(const struct api *api, const json_t *request,
			const json_t *adapter, const char *id,
			struct reply *reply)
{
	bool enabled = json_is_true(json_object_get(adapter, "enable"));

	if (takes_warnings(request))
		warn_fed(api, id, enabled ? "adapter" : "adapter.enable",
			 enabled ? "the adapter does not run"
				 : "the adapter is disabled", reply);
}

void adapter_warn_replaced(const struct api *api, const json_t *request,
			   const char *id, struct reply *reply)
{
	if (takes_warnings(request))
		warn_fed(api, id, "adapter", "the adapter restarts", reply);
}

void adapter_warn_stopped(const struct api *api, const json_t *request,
			  const json_t *stopped, struct reply *reply)
{
	const char *id;
	const json_t *text;
	struct errmsg error;

	if (!takes_warnings(request))
		return;
	json_object_foreach((json_t *)(uintptr_t)stopped, id, text) {
		errmsg_set(&error, "adapter \"%.64s\", which shares the LNB, "
			   "stops: %s", id, json_string_value(text));
		reply_warn(reply, "adapter", error.text);
		errmsg_set(&error, "adapter \"%.64s\" stops", id);
		warn_fed(api, id, "adapter", error.text, reply);
	}
}
