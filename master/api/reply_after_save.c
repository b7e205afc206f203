/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/reply_after_save.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/loop/timer.h"
#include "master/api/effects.h"
#include "master/api/section_warnings.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>

enum { RESTART_DELAY_MS = 1000 };

struct saving {
	struct api *api;     /* gone when the save is cancelled */
	struct call *call;   /* NULL when the client has left */
	const char *command; /* static */
	json_t *warnings;    /* of the section; NULL: none */
	bool restart;
	bool is_change; /* of settings, which are kept; false: only restart */
	bool dry;       /* there is only a trial */
	bool interrupt; /* all streams, for a program of another protocol */
};

void saved_restart_soon(struct api *api)
{
	if (api->restart_holds > 0) {
		api->restart_waits = true;
		return;
	}
	timer_ensure(api->cfg.loop, &api->restart, RESTART_DELAY_MS / 1e3);
}

void saved_restart_hold(struct api *api)
{
	api->restart_holds++;
	api->restart_waits |= ev_is_active(&api->restart);
	ev_timer_stop(api->cfg.loop, &api->restart);
}

void saved_restart_release(struct api *api)
{
	if (--api->restart_holds > 0 || !api->restart_waits)
		return;
	api->restart_waits = false;
	saved_restart_soon(api);
}

static void saving_free(struct saving *s)
{
	json_decref(s->warnings);
	free(s);
}

static void reply_saved(struct saving *s)
{
	struct reply *reply = call_reply(s->call);
	json_t *effects;

	if (s->dry) {
		effects = effects_new();
		effects_add_restart(effects);
		reply_effects(reply, s->command, effects);
		return;
	}
	reply_ok(reply, s->command);
	section_warnings_add(json_incref(s->warnings), reply);
}

/* The trial of the new instance has ended. */
static void on_tried(const char *error, void *arg)
{
	struct saving *s = arg;
	struct call *call = s->call;

	if (call != NULL && error != NULL && !s->is_change)
		reply_error(call_reply(call), 503, "%s", error);
	else if (call != NULL)
		reply_saved(s);
	if (call != NULL && error != NULL && s->is_change) {
		log_warning("config", "settings are saved and not in force: %s",
			    error);
		section_warnings_add(
			json_pack("[o]", json_sprintf("not in force: %s",
						      error)),
			call_reply(call));
	}
	if (call != NULL)
		call_finish(call);
	if (error == NULL && !s->dry)
		saved_restart_soon(s->api);
	saving_free(s);
}

static void try_restart(struct saving *s)
{
	const struct api_config *cfg = &s->api->cfg;

	cfg->try_restart(s->interrupt, on_tried, s, cfg->arg);
}

static void on_saved(int result, const struct errmsg *error, void *arg)
{
	struct saving *s = arg;
	struct call *call = s->call;

	if (result == 0 && s->restart) {
		try_restart(s);
		return;
	}
	if (call != NULL && result < 0)
		reply_error(call_reply(call), 500,
			    "the configuration is not saved: %s", error->text);
	else if (call != NULL)
		reply_saved(s);
	if (call != NULL)
		call_finish(call);
	saving_free(s);
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
		 bool restart, json_t *take_warnings)
{
	bool has_file = config_path(api->cfg.config) != NULL;
	struct saving *s;

	if (!has_file && !restart) {
		reply_ok(reply, command);
		section_warnings_add(take_warnings, reply);
		return;
	}
	s = begin(api, reply, command);
	s->warnings = take_warnings;
	s->is_change = true;
	s->restart = restart;
	if (has_file)
		config_save_now(api->cfg.config, on_saved, s);
	else
		try_restart(s);
}

void saved_restart(struct api *api, struct reply *reply, const char *command,
		   bool interrupt, bool dry)
{
	struct saving *s = begin(api, reply, command);

	s->dry = dry;
	s->interrupt = interrupt;
	try_restart(s);
}

void saved_upload(struct api *api, const json_t *document,
		  struct reply *reply, const char *command)
{
	struct saving *s = begin(api, reply, command);

	config_upload(api->cfg.config, document, on_saved, s);
}
