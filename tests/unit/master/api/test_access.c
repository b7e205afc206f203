/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The permissions of each role, from the rows of commands and paths. */
#include "common/account/user.h"
#include "master/api/command.h"
#include "master/config/config_fields.h"
#include "proto/spec/stream_spec.h"
#include "proto/spec/ci_spec.h"
#include "proto/spec/t2mi_spec.h"
#include "proto/spec/tuner_spec.h"

#include <criterion/criterion.h>
#include <string.h>

/* The permissions of each role, as the manual promises:  Y, F = 403, H = 404.
 * */
static const struct {
	const char *name;
	char observer;
} commands[] = {
	{ "logout", 'Y' }, { "whoami", 'Y' }, { "ws-token", 'Y' },
	{ "load", 'Y' }, { "version", 'Y' }, { "get-stream", 'Y' },
	{ "get-adapter", 'Y' }, { "get-user", 'Y' }, { "check-stream", 'Y' },
	{ "sessions", 'Y' }, { "scan-init", 'Y' }, { "scan-check", 'Y' },
	{ "scan-kill", 'Y' }, { "set-user", 'Y' },
	{ "upload", 'H' }, { "set-settings", 'H' }, { "set-config", 'H' },
	{ "set-auth", 'H' }, { "set-log", 'H' }, { "set-server", 'H' },
	{ "set-softcam", 'H' }, { "test-softcam", 'H' }, { "set-cas", 'H' },
	{ "restart", 'F' }, { "set-license", 'F' }, { "set-stream", 'F' },
	{ "toggle-stream", 'F' }, { "restart-stream", 'F' },
	{ "set-stream-input", 'F' }, { "set-stream-image", 'F' },
	{ "set-adapter", 'F' }, { "restart-adapter", 'F' },
	{ "toggle-adapter", 'F' }, { "toggle-user", 'F' },
	{ "close-session", 'F' }, { "set-category", 'F' },
	{ "no-such-command", 'F' }, { "", 'F' },
};

extern const struct api_path adapters_paths[], announcements_paths[],
	config_paths[], status_paths[], stream_analysis_paths[],
	streams_paths[], web_lists_paths[];

static char letter(int user_type, const char *name)
{
	const struct api_command *c = api_command_find(name);
	enum observer_access access = api_access(
		user_type, c != NULL ? c->observer : OBSERVER_FORBIDDEN);

	return access == OBSERVER_ALLOWED ? 'Y' :
	       access == OBSERVER_FORBIDDEN ? 'F' : 'H';
}

Test(access, control_users_may_do_everything)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		cr_expect_eq(letter(USER_CONTROL, commands[i].name), 'Y');
	cr_expect_eq(api_access(USER_CONTROL, config_paths[0].observer),
		     OBSERVER_ALLOWED);
}

Test(access, observers_have_the_documented_permissions)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		cr_expect_eq(letter(USER_OBSERVER, commands[i].name),
			     commands[i].observer, "%s", commands[i].name);
}

Test(access, observers_read_every_path_but_the_configuration)
{
	const struct api_path *const files[] = {
		adapters_paths, announcements_paths, status_paths,
		stream_analysis_paths, streams_paths,
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		for (const struct api_path *p = files[i]; p->path; p++)
			cr_expect_eq(p->observer, OBSERVER_ALLOWED, "%s",
				     p->path);
	cr_expect_str_eq(config_paths[0].path, "api/config");
	cr_expect_eq(config_paths[0].observer, OBSERVER_HIDDEN);
	cr_expect_str_eq(web_lists_paths[0].path, "api/output-group");
	cr_expect_eq(web_lists_paths[0].observer, OBSERVER_FORBIDDEN);
}

Test(access, other_users_may_do_nothing)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		cr_expect_eq(letter(USER_REGULAR, commands[i].name), 'F');
		cr_expect_eq(letter(0, commands[i].name), 'F');
	}
	cr_expect_eq(api_access(USER_REGULAR, streams_paths[0].observer),
		     OBSERVER_FORBIDDEN);
}

/* A row that is marked without thought shows a secret. */
Test(access, no_secret_is_marked_for_observers)
{
	const struct field_table *const tables[] = {
		&document_fields, &settings_fields, &log_fields, &auth_fields,
		&user_fields, &stream_fields, &stream_option_fields,
		&adapter_fields, &tuner_fields, &t2mi_fields, &ci_fields,
		&softcam_fields, &cas_fields, &server_fields,
		&category_fields, &group_fields,
	};
	static const char *const words[] = { "pass", "key", "token", "secret",
					     "cipher", "user" };

	for (size_t t = 0; t < ARRAY_LEN(tables); t++)
		for (size_t i = 0; i < tables[t]->n; i++) {
			const struct field *f = &tables[t]->rows[i];

			if (!(f->flags & FIELD_OBSERVER) ||
			    tables[t] == &document_fields)
				continue;
			cr_expect_not(f->flags & FIELD_SECRET, "%s", f->key);
			for (size_t w = 0; w < ARRAY_LEN(words); w++)
				cr_expect_null(strstr(f->key, words[w]), "%s",
					       f->key);
		}
}

Test(reply, an_error_replaces_the_body)
{
	struct reply reply = { .status = 0 };
	json_t *body = json_object();

	reply_json(&reply, json_incref(body));
	reply_error(&reply, 400, "id: is missing");
	cr_expect_eq(body->refcount, 1u);
	cr_expect_eq(reply.status, 400);
	cr_expect_str_eq(json_string_value(json_object_get(reply.body,
							   "error")),
			 "id: is missing");
	reply_reset(&reply);
	json_decref(body);
}
