/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers GET healthz and readyz, for load balancers and orchestration: whether
 * the service runs, and whether its streams have started.  The paths need no
 * credential and show no data. */
#include "master/api/command.h"
#include "master/status/status.h"

static void health_live(struct api *api, const char *id,
			enum status_span span, struct reply *reply)
{
	(void)api, (void)id, (void)span;
	reply_ok(reply, "healthz");
}

static void health_ready(struct api *api, const char *id,
			 enum status_span span, struct reply *reply)
{
	(void)id, (void)span;
	/* stays true: streams that are added after the start do not count */
	if (!api->ready)
		api->ready = status_untried(api->cfg.status) == 0;
	if (!api->ready)
		reply_error(reply, 503, "streams are starting");
	else
		reply_ok(reply, "readyz");
}

const struct api_path health_paths[] = {
	{ "healthz", PATH_ALONE, OBSERVER_ALLOWED, .get = health_live,
	  .open = true },
	{ "readyz", PATH_ALONE, OBSERVER_ALLOWED, .get = health_ready,
	  .open = true },
	{ 0 },
};
