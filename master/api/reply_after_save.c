/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/reply_after_save.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/loop/timer.h"
#include "master/api/effects.h"
#include "master/api/section_warnings.h"
#include "master/streams/reconciler.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>

enum { RESTART_DELAY_MS = 1000 };

struct saving {
	struct api *api;     /* may be freed after the save was cancelled */
	struct call *call;   /* NULL when the client has left */
	const char *command; /* constant text */
	json_t *warnings;    /* warnings for the answer; NULL: none */
	json_t *members;     /* sections to be stored; NULL: none */
	saved_fn *apply;     /* applies the members */
	bool dry;       /* only a trial; no restart follows */
	bool interrupt; /* the new program may interrupt all streams */
};

void saved_restart_soon(struct api *api)
{
	/* a stream that changes before the restart uses the new settings, so
	 * that it starts only once */
	reconciler_set_defaults(api->cfg.reconciler,
				config_section(api->cfg.config, "settings"));
	if (api->restart_holds > 0) {
		api->restart_waits = true;
		return;
	}
	timer_ensure(api->cfg.loop, &api->restart, RESTART_DELAY_MS / 1e3);
}

void api_restart_failed(struct api *api)
{
	if (!ev_is_active(&api->restart) && !api->restart_waits)
		reconciler_set_defaults(api->cfg.reconciler,
					config_settings(api->cfg.config));
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
	json_decref(s->members);
	free(s);
}

static void reply_saved(struct saving *s)
{
	struct reply *reply = call_reply(s->call);

	reply_ok(reply, s->command);
	section_warnings_add(json_incref(s->warnings), reply);
}

/* Replies with the effects of a restart with this document. */
static void reply_foreseen(struct saving *s, const json_t *document)
{
	json_t *changes;
	json_t *effects = effects_of_restart(s->api, document, &changes);

	json_decref(changes);
	reply_effects(call_reply(s->call), s->command, effects);
	call_finish(s->call);
}

/* The configuration file was read for a dry run.  result < 0: uses the document
 * in memory instead. */
static void on_read(int result, const json_t *document,
		    const struct errmsg *error, void *arg)
{
	struct saving *s = arg;

	(void)error;
	if (s->call != NULL)
		reply_foreseen(s, result == 0 ? document : config_document(
						s->api->cfg.config));
	saving_free(s);
}

/* Reads the document of the next start: the file, or the document in memory if
 * there are unsaved changes, because these replace the file. */
static void foresee(struct saving *s)
{
	struct config *config = s->api->cfg.config;

	if (config_path(config) != NULL && config_is_saved(config))
		config_read_file(config, 0, on_read, s);
	else
		on_read(-ENOENT, NULL, NULL, s);
}

/* The trial of the new instance has ended; error: why it failed, NULL: it did
 * not. */
static void on_tried(const char *error, void *arg)
{
	struct saving *s = arg;
	struct call *call = s->call;

	if (call != NULL && error == NULL && s->dry) {
		foresee(s);
		return;
	}
	if (call != NULL && error != NULL && s->members == NULL)
		reply_error(call_reply(call), 503, "%s", error);
	else if (call != NULL)
		reply_saved(s);
	if (call != NULL && error != NULL && s->members != NULL) {
		log_warning("config", "settings: saved, but not in effect: %s",
			    error);
		section_warnings_add(
			json_pack("[o]", json_sprintf("saved, but not in "
						      "effect: %s",
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

	if (result == 0 && s->members != NULL) {
		s->apply(s->api, s->command, s->members);
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

/* The save of all changes has ended.  result 0: they are on disk, so the new
 * process reads them: runs the trial.  result < 0: answers with the error.  If
 * the client has left, because the disk did not answer for minutes, there is
 * neither a trial nor a restart. */
static void on_caught_up(int result, const struct errmsg *error, void *arg)
{
	struct saving *s = arg;

	if (result == 0 && s->call != NULL)
		try_restart(s);
	else if (s->call != NULL)
		on_saved(result, error, s);
	else
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

void saved_reply(struct api *api, struct reply *reply,
		 const struct saved_change *change)
{
	struct saving *s = begin(api, reply, change->command);

	s->members = change->take_members;
	s->warnings = change->take_warnings;
	s->apply = change->apply;
	if (config_path(api->cfg.config) != NULL)
		config_write_members(api->cfg.config, s->members, on_saved, s);
	else
		on_saved(0, NULL, s);
}

void saved_restart(struct api *api, struct reply *reply, const char *command,
		   bool interrupt, bool dry)
{
	struct saving *s = begin(api, reply, command);

	s->dry = dry;
	s->interrupt = interrupt;
	if (config_path(api->cfg.config) != NULL)
		config_catch_up(api->cfg.config, on_caught_up, s);
	else
		try_restart(s);
}

void saved_upload(struct api *api, const json_t *document,
		  struct reply *reply, const char *command,
		  json_t *take_warnings)
{
	struct saving *s = begin(api, reply, command);

	s->warnings = take_warnings;
	config_upload(api->cfg.config, document, on_saved, s);
}
