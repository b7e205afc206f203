/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands "config get", "set", "unset" and "diff", "reload", "restart". */
#include "common/base/alloc.h"
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/config_edit.h"
#include "ctl/config_view.h"
#include "ctl/diff_effect.h"
#include "ctl/file.h"
#include "ctl/json_diff.h"
#include "ctl/print.h"
#include "ctl/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- get --- */

enum ctl_exit run_config_get(struct ctl *ctl, char **args, size_t n)
{
	json_t *config = NULL, *part;
	struct json_path path;
	enum ctl_exit code;

	if (json_path_parse(n > 0 ? args[0] : "", &path, &ctl->error) < 0)
		return CTL_USAGE;
	code = api_load(ctl, &config);
	if (code == CTL_OK) {
		part = json_path_get(&path, path.n_steps, config);
		if (part != NULL)
			ctl_print_json(part);
		else
			code = ctl_fail(ctl, CTL_REFUSED, "there is no %.128s "
					"in the configuration", args[0]);
	}
	json_decref(config);
	json_path_done(&path);
	return code;
}

/* --- reload --- */

/* Prints `what' and the names: "streams changed: a000, a001"; nothing for an
 * empty list. */
static void print_names(const json_t *list, const char *what)
{
	struct buf line = { 0 };
	json_t *name;
	size_t i;

	json_array_foreach((json_t *)list, i, name) {
		buf_printf(&line, "%s", i == 0 ? what : ", ");
		text_plain(&line, json_string_value(name));
	}
	if (json_array_size(list) > 0)
		buf_printf(&line, "\n");
	print_text(&line, stdout);
}

/* Prints that the control process restarts.  streams: the ids of the streams
 * that restart, too; NULL: none. */
static void print_restart(const json_t *streams)
{
	(void)puts(json_array_size(streams) > 0
			   ? "the control process restarts now, the other "
			     "streams continue"
			   : "the control process restarts now, streams "
			     "continue");
}

enum ctl_exit run_reload(struct ctl *ctl, char **args, size_t n)
{
	json_t *reply = NULL, *before = NULL, *after = NULL, *restarts = NULL;
	enum ctl_exit code = api_load(ctl, &before);
	size_t changes = 0;

	if (code == CTL_OK)
		code = api_command(ctl, json_pack("{s:s}", "cmd", "reload"),
				   &reply);
	if (code == CTL_OK && !ctl->options.json &&
	    api_load(ctl, &after) == CTL_OK)
		restarts = diff_effect_streams(before, after, DIFF_RESTARTS);

	(void)args, (void)n;
	if (code == CTL_OK && ctl->options.json) {
		ctl_print_json(reply);
	} else if (code == CTL_OK) {
		static const char *const lists[][2] = {
			{ "added", "streams added: " },
			{ "changed", "streams changed: " },
			{ "removed", "streams removed: " },
			{ "sections", "sections changed: " },
		};

		for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
			const json_t *list = json_object_get(reply,
							     lists[i][0]);

			print_names(list, lists[i][1]);
			changes += json_array_size(list);
		}
		print_warnings(reply);
		if (changes == 0)
			(void)puts("unchanged: the file equals the running "
				   "configuration");
		print_names(restarts, "streams that restart: ");
		if (json_is_true(json_object_get(reply, "restart")))
			print_restart(restarts);
	}
	json_decref(before);
	json_decref(after);
	json_decref(restarts);
	json_decref(reply);
	return code;
}

/* --- restart --- */

enum ctl_exit run_restart(struct ctl *ctl, char **args, size_t n)
{
	bool interrupt = ctl->options.given & OPTION_INTERRUPT;
	json_t *request = json_pack("{s:s}", "cmd", "restart"), *out;
	enum ctl_exit code;

	(void)args, (void)n;
	if (interrupt)
		(void)json_object_set_new(request, "interrupt", json_true());
	code = api_do(ctl, request);
	if (code == CTL_OK && ctl->options.json) {
		out = json_pack("{s:b}", "restarts", 1);
		ctl_print_json(out);
		json_decref(out);
	} else if (code == CTL_OK) {
		(void)printf("the control process restarts now, streams "
			     "continue%s\n", interrupt
			     ? " unless the program has another protocol" : "");
	}
	return code;
}

/* --- set, unset --- */

/* The effects of an edit. */
struct edit_effect {
	enum config_effect config;
	json_t *restarts; /* streams whose processes are replaced; NULL: none */
	json_t *warnings; /* warnings in the reply of the service; NULL: none */
};

static void report_effect(const struct ctl *ctl, const char *path,
			  const struct edit_effect *effect)
{
	static const char *const effects[] = {
		[EFFECT_AT_ONCE] = "at-once",
		[EFFECT_RESTARTS] = "restarts",
		[EFFECT_AT_RESTART] = "at-restart",
	};
	static const char *const texts[] = {
		[EFFECT_AT_ONCE] = "in effect",
		[EFFECT_RESTARTS] = "in effect after the restart",
		[EFFECT_AT_RESTART] =
			"saved; effective after the next restart (--restart)",
	};
	json_t *effect_json;

	if (!ctl->options.json) {
		(void)printf("%s: %s\n", path,
			     effect->config == EFFECT_AT_ONCE &&
					     effect->warnings != NULL
				     ? "stored, with warnings"
				     : texts[effect->config]);
		print_names(effect->restarts, "streams that restart: ");
		if (effect->config == EFFECT_RESTARTS)
			print_restart(effect->restarts);
		return;
	}
	effect_json = json_pack("{s:s, s:s}", "path", path, "effect",
				effects[effect->config]);
	if (json_array_size(effect->restarts) > 0)
		(void)json_object_set(effect_json, "streams_restart",
				      effect->restarts);
	if (effect->warnings != NULL)
		(void)json_object_set(effect_json, "warnings",
				      effect->warnings);
	ctl_print_json(effect_json);
	json_decref(effect_json);
}

static enum ctl_exit send_edit(struct ctl *ctl, const struct json_path *path,
			       json_t *value, struct edit_effect *ret)
{
	bool restart = ctl->options.given & OPTION_RESTART;
	json_t *config = NULL, *request = NULL, *reply = NULL, *before;
	enum ctl_exit code = CTL_OK;
	const char *error, *detail;

	if (path->n_steps > 0)
		code = api_load(ctl, &config);
	before = json_deep_copy(config);
	if (code == CTL_OK &&
	    config_edit(path, config, value, restart, &request, &ret->config,
			&ctl->error) < 0)
		code = CTL_REFUSED;
	if (code == CTL_OK)
		(void)json_object_set_new(request, "warnings", json_true());
	if (code == CTL_OK)
		code = api_command(ctl, request, &reply);
	/* some commands answer an error with status 200: {"set-category":
	 * "er", "error": …} */
	error = json_string_value(json_object_get(reply, "error"));
	detail = json_string_value(json_object_get(reply, "detail"));
	if (code == CTL_OK && error != NULL)
		code = ctl_fail(ctl, CTL_REFUSED, "%s%s%s", error,
				detail != NULL ? ": " : "",
				detail != NULL ? detail : "");
	if (code == CTL_OK) {
		print_warnings(reply);
		ret->warnings = json_incref(json_object_get(reply,
							    "warnings"));
	}
	json_decref(reply);
	if (code == CTL_OK && restart && ret->config == EFFECT_AT_RESTART) {
		ret->config = EFFECT_RESTARTS;
		code = api_do(ctl, json_pack("{s:s}", "cmd", "restart"));
	}
	if (code == CTL_OK && before != NULL &&
	    ret->config != EFFECT_AT_RESTART)
		ret->restarts = diff_effect_streams(before, config,
						    DIFF_RESTARTS);
	json_decref(before);
	json_decref(config);
	return code;
}

static enum ctl_exit edit(struct ctl *ctl, const char *place, json_t *value)
{
	struct edit_effect effect = { .config = EFFECT_AT_ONCE };
	struct json_path path;
	enum ctl_exit code;

	if (json_path_parse(place, &path, &ctl->error) < 0)
		return CTL_USAGE;
	if (path.n_steps == 0 && value == NULL)
		code = ctl_fail(ctl, CTL_USAGE, "the whole configuration "
				"cannot be removed");
	else
		code = send_edit(ctl, &path, value, &effect);
	if (code == CTL_OK)
		report_effect(ctl, place, &effect);
	json_decref(effect.restarts);
	json_decref(effect.warnings);
	json_path_done(&path);
	return code;
}

enum ctl_exit run_config_set(struct ctl *ctl, char **args, size_t n)
{
	const char *given = ctl->options.value;
	enum ctl_exit code;
	json_t *value = NULL;

	if (given != NULL && n > 1)
		return ctl_fail(ctl, CTL_USAGE, "give either FILE or --value, "
						"not both");
	/* --value is JSON; a text that is not JSON is taken as a string */
	if (given != NULL)
		value = json_loads(given, JSON_DECODE_ANY |
						  JSON_REJECT_DUPLICATES,
				   NULL);
	if (given != NULL && value == NULL)
		value = json_string(given);
	if (given == NULL && n > 1 && strcmp(args[1], "-") != 0 &&
	    access(args[1], F_OK) < 0 && errno == ENOENT)
		return ctl_fail(ctl, CTL_USAGE, "there is no file \"%.128s\": "
				"a value is given by --value", args[1]);
	if (given == NULL &&
	    file_read_json(n > 1 ? args[1] : "-", &value, &ctl->error) < 0)
		return CTL_REFUSED;
	if (value == NULL)
		return ctl_fail(ctl, CTL_USAGE, "--value: is not UTF-8");
	code = edit(ctl, args[0], value);
	json_decref(value);
	return code;
}

enum ctl_exit run_config_unset(struct ctl *ctl, char **args, size_t n)
{
	(void)n;
	return edit(ctl, args[0], NULL);
}

/* --- diff --- */

static void put_value(struct buf *to, const json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	text_plain(to, text ? text : "?");
	free(text);
}

static void print_change(const struct ctl *ctl, const json_t *change)
{
	const char *kind = json_string_value(json_object_get(change,
							     "change"));
	const json_t *from = json_object_get(change, "from");
	const json_t *to = json_object_get(change, "to");
	char sign = from == NULL ? '+' : to == NULL ? '-' : '~';
	const char *colour = sign == '+' ? "\033[32m"
			     : sign == '-' ? "\033[31m" : "\033[33m";
	struct buf line = { 0 };

	buf_printf(&line, "%s%c ", ctl->colour ? colour : "", sign);
	text_plain(&line, json_string_value(json_object_get(change, "path")));
	buf_printf(&line, "%s: ", strcmp(kind, "moved") == 0 ? " (order)"
							     : "");
	if (from != NULL)
		put_value(&line, from);
	if (from != NULL && to != NULL)
		buf_printf(&line, " -> ");
	if (to != NULL)
		put_value(&line, to);
	buf_printf(&line, "%s\n", ctl->colour ? "\033[0m" : "");
	(void)fwrite(buf_head(&line), 1, buf_len(&line), stdout);
	buf_done(&line);
}

/* Prints which streams start, stop, restart or continue if the configuration
 * `to' replaces `from', and whether the control process restarts. */
static void print_effects(const json_t *from, const json_t *to,
			  const json_t *found)
{
	static const char *const texts[DIFF_EFFECTS] = {
		[DIFF_STARTS] = "streams that start: ",
		[DIFF_STOPS] = "streams that stop: ",
		[DIFF_RESTARTS] = "streams that restart: ",
		[DIFF_CONTINUES] = "streams that differ and continue: ",
	};
	bool control = false;
	json_t *change;
	size_t i;

	for (i = 0; i < DIFF_EFFECTS; i++) {
		json_t *list;

		if (texts[i] == NULL)
			continue;
		list = diff_effect_streams(from, to, (enum diff_effect)i);
		print_names(list, texts[i]);
		json_decref(list);
	}
	json_array_foreach((json_t *)found, i, change)
		control = control || diff_effect_of_change(from, to, change) ==
					     DIFF_CONTROL;
	if (control)
		(void)puts("the control process restarts");
}

/* Reduces the configuration of the service (from) and that of the file (to) to
 * what an observer receives, so that they can be compared. */
static enum ctl_exit reduce(struct ctl *ctl, json_t **from, json_t **to)
{
	json_t **const both[] = { from, to };
	bool reduced = json_is_true(json_object_get(
		json_object_get(*from, "settings"), "observer_redact"));
	json_t *forms = NULL, *view;
	enum ctl_exit code = api_get(ctl, "/api/forms", &forms);

	/* with observer_redact the service has reduced *from already; a second
	 * reduction could change its addresses */
	for (size_t i = reduced ? 1 : 0; code == CTL_OK && i < 2; i++) {
		view = config_view_of_observer(*both[i], forms, reduced);
		json_decref(*both[i]);
		*both[i] = view;
	}
	json_decref(forms);
	return code;
}

enum ctl_exit run_config_diff(struct ctl *ctl, char **args, size_t n)
{
	json_t *from = NULL, *to = NULL, *found, *change;
	enum ctl_exit code = CTL_OK;
	bool is_observer = n == 1 && api_is_observer(ctl);
	size_t i;

	if (n == 1)
		code = api_load(ctl, &from);
	else if (file_read_json(args[0], &from, &ctl->error) < 0)
		code = CTL_REFUSED;
	if (code == CTL_OK &&
	    file_read_json(args[n - 1], &to, &ctl->error) < 0)
		code = CTL_REFUSED;
	if (code == CTL_OK && is_observer)
		code = reduce(ctl, &from, &to);
	if (code == CTL_OK) {
		if (is_observer)
			(void)fputs("sluicectl: warning: secrets are not "
				    "compared: the login is an observer\n",
				    stderr);
		found = json_diff(from, to);
		json_array_foreach(found, i, change)
			(void)json_object_set_new(
				change, "effect",
				json_string(diff_effect_name(
					diff_effect_of_change(from, to,
							      change))));
		config_view_mask(found);
		if (ctl->options.json) {
			ctl_print_json(found);
		} else {
			json_array_foreach(found, i, change)
				print_change(ctl, change);
			print_effects(from, to, found);
		}
		if (ctl->options.given & OPTION_EXIT_CODE &&
		    json_array_size(found) > 0)
			code = CTL_DIFFERS;
		json_decref(found);
	}
	json_decref(from);
	json_decref(to);
	return code;
}
