/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands "login", "logout" and "whoami". */
#include "common/account/user.h"
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/keyring.h"
#include "ctl/secret_prompt.h"
#include "ctl/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum ctl_exit report(struct ctl *ctl, const char *login, json_t *type,
			 const char *text)
{
	json_t *report_json;

	if (!ctl->options.json) {
		(void)printf("%s: %s\n", ctl->settings.url, text);
		return CTL_OK;
	}
	report_json = json_pack("{s:s, s:s, s:O*}", "url", ctl->settings.url,
			 "login", login, "type", type);
	ctl_print_json(report_json);
	json_decref(report_json);
	return CTL_OK;
}

/* Stores the session of a successful login, if the service needs one, and
 * prints the result. */
static enum ctl_exit on_login(struct ctl *ctl, const struct client_reply *reply,
			   const char *user)
{
	json_t *body = NULL, *type;
	enum ctl_exit code = api_judge(ctl, reply, &body);
	char text[256];

	if (code != CTL_OK)
		return code;
	type = json_object_get(body, "type");
	if (reply->session[0] == '\0') {
		(void)snprintf(text, sizeof text, "needs no login");
	} else if (keyring_put(ctl->settings.url, user, reply->session,
			       &ctl->error) < 0) {
		json_decref(body);
		return CTL_AUTH;
	} else {
		(void)snprintf(text, sizeof text, "%.64s is logged in%s", user,
			       json_integer_value(type) == 2
				       ? " as an observer" : "");
	}
	code = report(ctl, user, type, text);
	json_decref(body);
	return code;
}

/* Sends the command login.  Its reply 403 means a wrong login or password;
 * api_judge() would report that a login is needed. */
static enum ctl_exit send_login(struct ctl *ctl, const char *user,
				const char *password)
{
	struct client_reply reply = { 0 };
	json_t *request = json_pack("{s:s, s:s, s:s, s:b}", "cmd", "login",
				    "login", user, "password", password,
				    "remember",
				    ctl->options.given & OPTION_REMEMBER);
	char *body = json_dumps(request, JSON_COMPACT);
	enum ctl_exit code;

	json_decref(request);
	if (body == NULL)
		return ctl_fail(ctl, CTL_USAGE, "the login or the password "
				"is not UTF-8");
	client_set_session(ctl->client, NULL);
	if (client_call(ctl->client, "/control/", body, &reply, &ctl->error) <
	    0)
		code = CTL_UNREACHABLE;
	else if (reply.status == 403)
		code = ctl_fail(ctl, CTL_AUTH, "%s: wrong login or "
				"password, or %.64s has no access",
				ctl->settings.url, user);
	else
		code = on_login(ctl, &reply, user);
	client_reply_done(&reply);
	explicit_bzero(body, strlen(body));
	free(body);
	return code;
}

enum ctl_exit run_login(struct ctl *ctl, char **args, size_t n)
{
	const char *user = ctl->settings.user ? ctl->settings.user : "admin";
	char *prompt = xasprintf("Password of %s at %s: ", user,
				 ctl->settings.url);
	char *password = NULL;
	enum ctl_exit code = CTL_AUTH;

	(void)args, (void)n;
	if (!settings_is_private(ctl->settings.url))
		(void)fprintf(stderr, "sluicectl: warning: %s is not https: "
			      "the password is sent "
			      "unencrypted\n", ctl->settings.url);
	if (secret_read(ctl->options.password_file, prompt, &password,
			&ctl->error) == 0)
		code = send_login(ctl, user, password);
	secret_free(&password);
	free(prompt);
	return code;
}

/* Removes the stored session even if the service refuses the logout. */
enum ctl_exit run_logout(struct ctl *ctl, char **args, size_t n)
{
	const char *user = ctl->settings.user;
	json_t *request = json_pack("{s:s}", "cmd", "logout");
	enum ctl_exit code;

	(void)args, (void)n;
	if (client_session(ctl->client) == NULL) {
		json_decref(request);
		return report(ctl, user ? user : "-", NULL,
			   "not logged in");
	}
	code = api_do(ctl, request);
	if (keyring_put(ctl->settings.url, user, NULL, &ctl->error) < 0)
		return CTL_AUTH;
	if (code == CTL_UNREACHABLE) {
		errmsg_prefix(&ctl->error, "the stored session is removed, but "
			      "the service still has it: ");
		return code;
	}
	return report(ctl, user, NULL, "logged out");
}

enum ctl_exit run_whoami(struct ctl *ctl, char **args, size_t n)
{
	json_t *body = NULL, *type;
	enum ctl_exit code = api_command(ctl, json_pack("{s:s}", "cmd",
							"whoami"), &body);
	struct buf text = { 0 };

	(void)args, (void)n;
	if (code != CTL_OK)
		return code;
	type = json_object_get(body, "type");
	text_plain(&text, api_text(body, "login"));
	buf_printf(&text, ", %s", json_integer_value(type) == USER_OBSERVER
				  ? "observer" : "control user");
	buf_append(&text, "", 1);
	code = report(ctl, api_text(body, "login"), type,
		      (const char *)buf_head(&text));
	buf_done(&text);
	json_decref(body);
	return code;
}
