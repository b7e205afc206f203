/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands set-auth and set-log: each replaces a section, which applies
 * without a restart. */
#include "common/base/alloc.h"
#include "common/base/util.h"
#include "common/loop/timer.h"
#include "master/api/auth_edit.h"
#include "master/api/edit.h"
#include "master/api/effects.h"
#include "master/api/section_warnings.h"
#include "master/config/check.h"
#include "master/config/write_paths.h"

#include <stdlib.h>
#include <string.h>

/* --- set-auth --- */

static void sections_set_auth(struct api *api, const json_t *request,
			      struct reply *reply)
{
	json_t *message, *section, *warnings;
	const json_t *wanted;
	struct errmsg error;

	if (!edit_object(request, "auth", &wanted, reply) ||
	    !edit_section_is_as_known(api, request, "auth", reply))
		return;
	section = wanted != NULL ? edit_copy(wanted) : NULL;
	if (section != NULL && check_section("auth", section, &error) < 0)
		reply_error(reply, 400, "%s", error.text);
	if (reply->status != 0 ||
	    (section != NULL && !edit_fits(section, "auth", reply))) {
		json_decref(section);
		return;
	}
	warnings = section_warnings(api, request, "auth", section, NULL);
	if (effects_only(request)) {
		json_decref(section);
		reply_effects(reply, "set-auth", effects_new());
		section_warnings_add(warnings, reply);
		return;
	}
	auth_edit_sort(section);
	message = edit_message("set-auth");
	if (section != NULL)
		(void)json_object_set(message, "auth", section);
	config_set_section(api->cfg.config, "auth", section);
	auth_edit_apply(api);
	edit_announce(api, message);
	reply_ok(reply, "set-auth");
	reply_when_saved(reply);
	section_warnings_add(warnings, reply);
}

/* --- set-log --- */

enum { LOG_LOOK_MS = 20, LOG_LOOKS = 50 };

/* The answer to set-log waits until a thread has opened the log file, at most a
 * second. */
struct log_answer {
	struct api *api;
	struct call *call;
	ev_timer timer;
	unsigned looks;
	json_t *warnings; /* warnings about the section; NULL: none */
};

static void end_log_answer(void *arg)
{
	struct log_answer *a = arg;

	ev_timer_stop(a->api->cfg.loop, &a->timer);
	json_decref(a->warnings);
	free(a);
}

/* Replies to set-log.  False: there is no reply yet, because it is not known
 * whether the log file can be opened.  last: replies in any case. */
static bool answer_set_log(struct api *api, struct reply *reply, bool last)
{
	struct errmsg error;
	json_t *warnings;
	int r = 0;

	if (api->cfg.log_error != NULL)
		r = api->cfg.log_error(&error, api->cfg.arg);
	if (r > 0 && !last)
		return false;
	reply_ok(reply, "set-log");
	if (r >= 0)
		return true;
	warnings = json_pack("[s]", error.text);
	if (warnings != NULL)
		(void)json_object_set_new(reply->body, "warnings", warnings);
	return true;
}

static void on_log_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct log_answer *a = container_of(w, struct log_answer, timer);
	struct call *call = a->call;

	(void)loop, (void)revents;
	if (!answer_set_log(a->api, call_reply(call), ++a->looks >= LOG_LOOKS))
		return;
	section_warnings_add(json_incref(a->warnings), call_reply(call));
	end_log_answer(a);
	call_finish(call);
}

static void finish_set_log(struct api *api, struct reply *reply,
			   json_t *take_warnings)
{
	struct log_answer *a;

	if (answer_set_log(api, reply, false)) {
		section_warnings_add(take_warnings, reply);
		return;
	}
	a = xcalloc(1, sizeof *a);
	a->api = api;
	a->warnings = take_warnings;
	a->call = reply_later(reply, end_log_answer, a);
	ev_init(&a->timer, on_log_timer);
	timer_repeat(api->cfg.loop, &a->timer, LOG_LOOK_MS / 1e3,
		     LOG_LOOK_MS / 1e3);
}

/* Judges the section log.  The error names the field of the request.  False:
 * the reply already has the error. */
static bool judge_log(const struct api *api, const json_t *section,
		      struct reply *reply)
{
	const size_t len = sizeof "log" - 1;
	struct errmsg error;

	if (check_section("log", section, &error) < 0) {
		if (strncmp(error.text, "log", len) == 0)
			reply_error(reply, 400, "set%s", error.text + len);
		else
			reply_error(reply, 400, "%s", error.text);
		return false;
	}
	if (write_paths_judge_log(api->cfg.write_paths, section, &error) < 0) {
		reply_error(reply, 400, "set.%s", error.text);
		return false;
	}
	return edit_fits(section, "set", reply);
}

static void sections_set_log(struct api *api, const json_t *request,
			     struct reply *reply)
{
	json_t *message, *section, *warnings;
	const json_t *wanted;

	if (!edit_object(request, "set", &wanted, reply))
		return;
	if (wanted == NULL) {
		reply_drop(reply, "set-log: set");
		return;
	}
	if (!edit_section_is_as_known(api, request, "log", reply))
		return;
	section = edit_copy(wanted);
	if (!judge_log(api, section, reply)) {
		json_decref(section);
		return;
	}
	warnings = section_warnings(api, request, "log", section, NULL);
	if (effects_only(request)) {
		json_decref(section);
		reply_effects(reply, "set-log", effects_new());
		section_warnings_add(warnings, reply);
		return;
	}
	if (json_object_size(section) == 0) {
		json_decref(section);
		section = json_array();
	}
	message = edit_message("log_event");
	(void)json_object_set(message, "set", section);
	config_set_section(api->cfg.config, "log", section);
	if (api->cfg.set_log != NULL)
		api->cfg.set_log(api->cfg.arg);
	edit_announce(api, message);
	finish_set_log(api, reply, warnings);
}

const struct api_command sections_commands[] = {
	{ "set-auth", sections_set_auth, OBSERVER_HIDDEN, COMMAND_DRY },
	{ "set-log", sections_set_log, OBSERVER_HIDDEN, COMMAND_DRY },
	{ 0 },
};
