/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a line to the log for each call of the API. */
#include "common/base/ip_prefix.h"
#include "common/base/log.h"
#include "common/base/log_word.h"
#include "master/api/call.h"
#include "proto/wire/http_request.h"

#include <stdio.h>
#include <string.h>

enum {
	WHAT_MAX = 256,
	NAME_MAX_SHOWN = 64,
	ID_SHOWN = 128,
	LOGIN_SHOWN = 64,
};

/* Formats the name of a command for the log: "set-softcam" becomes "set
 * softcam", or "remove softcam" for a removal.  The id follows. */
static void format_command(const json_t *body, const char *name, char *text,
			   size_t size)
{
	const struct api_command *command = api_command_find(name);
	const char *object = strncmp(name, "set-", 4) == 0 ? name + 4 : NULL;
	const json_t *value = object != NULL ? json_object_get(body, object)
					     : NULL;
	const json_t *id = json_object_get(body, "id");
	char word[ID_SHOWN + 1], unknown[NAME_MAX_SHOWN + 1];
	size_t len;

	if (command == NULL) {
		log_word(name, unknown, sizeof unknown);
		name = unknown;
		object = NULL;
	}

	if (object != NULL && (json_is_true(json_object_get(value, "remove")) ||
			       json_is_true(json_object_get(body, "remove"))))
		(void)snprintf(text, size, "remove %.*s", NAME_MAX_SHOWN,
			       object);
	else
		(void)snprintf(text, size, "%.*s", NAME_MAX_SHOWN, name);
	for (char *c = text; *c != '\0'; c++)
		if (*c == '-')
			*c = ' ';
	len = strlen(text);
	log_word(json_is_string(id) ? json_string_value(id) : "", word,
		 sizeof word);
	if (json_is_string(id))
		(void)snprintf(text + len, size - len, " id:%s", word);
	else if (json_is_integer(id))
		(void)snprintf(text + len, size - len,
			       " id:%" JSON_INTEGER_FORMAT,
			       json_integer_value(id));
	else if (command != NULL && (command->flags & COMMAND_NAMES_OBJECT))
		(void)snprintf(text + len, size - len, " id:null");
}

void access_line(const struct call *c)
{
	const json_t *log = config_section(c->api->cfg.config, "log");
	const char *name = json_string_value(json_object_get(c->body, "cmd"));
	const struct api_command *command = name != NULL
		? api_command_find(name) : NULL;
	const char *login = c->caller.login;
	char what[WHAT_MAX], word[WHAT_MAX - 16], ip[IP_TEXT_MAX];

	if (!json_is_true(json_object_get(log, "api_access")))
		return;
	log_word(http_request_path(c->request), word, sizeof word);
	if (c->route.kind != ROUTE_COMMAND)
		(void)snprintf(what, sizeof what, "%.8s %s",
			       http_request_method(c->request), word);
	else if (name == NULL)
		(void)snprintf(what, sizeof what, "no command");
	else if (command != NULL && (command->flags & COMMAND_UNLOGGED))
		return;
	else
		format_command(c->body, name, what, sizeof what);
	/* the command `login' has no logged-in caller yet */
	if (login[0] == '\0')
		login = json_string_value(json_object_get(c->body, "login"));
	log_word(login != NULL ? login : "-", word, LOGIN_SHOWN + 1);
	ip_format(&c->caller.address, ip);
	log_info("api", "%s%s Login:%s IP:%s", what,
		 json_is_true(json_object_get(c->body, "dry_run"))
			 ? " (dry run)" : "", word, ip);
}
