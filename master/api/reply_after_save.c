/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/reply_after_save.h"

#include "common/base/alloc.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>

enum { RESTART_DELAY_MS = 1000 };

struct saving {
	struct api *api;     /* gone when the save is cancelled */
	struct call *call;   /* NULL when the client has left */
	const char *command; /* static */
	bool restart;
};

void saved_restart_soon(struct api *api)
{
	if (ev_is_active(&api->restart))
		return;
	ev_timer_set(&api->restart, RESTART_DELAY_MS / 1e3, 0);
	ev_timer_start(api->cfg.loop, &api->restart);
}

static void on_saved(int result, const struct errmsg *error, void *arg)
{
	struct saving *s = arg;
	struct call *call = s->call;

	if (call != NULL && result < 0)
		reply_error(call_reply(call), 500,
			    "the configuration is not saved: %s", error->text);
	else if (call != NULL)
		reply_ok(call_reply(call), s->command);
	if (call != NULL)
		call_finish(call);
	if (result == 0 && s->restart)
		saved_restart_soon(s->api);
	free(s);
}

static struct saving *begin(struct api *api, struct reply *reply,
			    const char *command)
{
	struct saving *s = xcalloc(1, sizeof *s);

	s->api = api;
	s->command = command;
	reply_later_into(reply, &s->call);
	return s;
}

void saved_reply(struct api *api, struct reply *reply, const char *command,
		 bool restart)
{
	struct saving *s;

	if (config_path(api->cfg.config) == NULL) {
		reply_ok(reply, command);
		if (restart)
			saved_restart_soon(api);
		return;
	}
	s = begin(api, reply, command);
	s->restart = restart;
	config_save_now(api->cfg.config, on_saved, s);
}

void saved_upload(struct api *api, const json_t *document,
		  struct reply *reply, const char *command)
{
	struct saving *s = begin(api, reply, command);

	config_upload(api->cfg.config, document, on_saved, s);
}
