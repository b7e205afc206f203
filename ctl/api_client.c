/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/api_client.h"

#include "common/account/user.h"
#include "common/base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	STATUS_OK = 200,
	STATUS_FORBIDDEN = 403,
	STATUS_HIDDEN = 404,
	STATUS_MANY = 429,
};

/* Returns CTL_AUTH; the error is `what' and the command that logs in at the
 * same service. */
static enum ctl_exit ask_for_login(struct ctl *ctl, const char *what)
{
	const char *host = ctl->options.host, *user = ctl->settings.user;

	return ctl_fail(ctl, CTL_AUTH, "%s: sluicectl %s%s%s%s%s%slogin", what,
			host ? "-H " : "", host ? host : "", host ? " " : "",
			user ? "--user " : "", user ? user : "",
			user ? " " : "");
}

static enum ctl_exit forbidden(struct ctl *ctl, const char *said)
{
	if (client_session(ctl->client) == NULL)
		return ask_for_login(ctl, "login needed");
	if (strstr(said, "session is over") != NULL)
		return ask_for_login(ctl, "the session has ended");
	return ctl_fail(ctl, CTL_AUTH, "%s", said);
}

enum ctl_exit api_judge(struct ctl *ctl, const struct client_reply *reply,
			json_t **ret)
{
	size_t len = buf_len(&reply->body);
	json_t *body = len == 0 ? NULL
				: json_loadb((char *)buf_head(&reply->body),
					     len, 0, NULL);
	const char *said = json_string_value(json_object_get(body, "error"));
	enum ctl_exit code;

	if (reply->status == STATUS_OK && json_is_object(body)) {
		*ret = body;
		return CTL_OK;
	}
	if (reply->status == STATUS_FORBIDDEN)
		code = forbidden(ctl, said ? said : "the service refused "
							"the request");
	else if (reply->status == STATUS_MANY)
		code = ctl_fail(ctl, CTL_AUTH, "too many wrong passwords "
				"from this address: wait a minute");
	else if (said != NULL)
		code = ctl_fail(ctl, CTL_REFUSED, "%s", said);
	else
		code = ctl_fail(ctl, CTL_UNREACHABLE, "%s: not a reply of "
				"Sluice (status %ld)",
				ctl->settings.url, reply->status);
	json_decref(body);
	return code;
}

bool api_is_observer(struct ctl *ctl)
{
	struct client_reply reply = { 0 };
	struct errmsg error;
	json_t *body = NULL;
	bool is = false;

	if (client_call(ctl->client, "/control/", "{\"cmd\":\"whoami\"}",
			&reply, &error) == 0 && reply.status == STATUS_OK)
		body = json_loadb((char *)buf_head(&reply.body),
				  buf_len(&reply.body), 0, NULL);
	is = json_integer_value(json_object_get(body, "type")) ==
	     USER_OBSERVER;
	json_decref(body);
	client_reply_done(&reply);
	return is;
}

/* Sends body, or a GET if it is NULL, and checks the reply. */
static enum ctl_exit exchange(struct ctl *ctl, const char *path,
			      const char *body, json_t **ret)
{
	const char *user = ctl->settings.user;
	struct client_reply reply = { 0 };
	enum ctl_exit code;
	int r = client_call(ctl->client, path, body, &reply, &ctl->error);

	if (r < 0)
		return CTL_UNREACHABLE;
	code = api_judge(ctl, &reply, ret);
	if (code == CTL_REFUSED && reply.status == STATUS_HIDDEN &&
	    strcmp(ctl->error.text, "not found") == 0 &&
	    api_is_observer(ctl))
		code = ctl_fail(ctl, CTL_AUTH, "an observer may not do this%s"
				"%.64s%s", user ? ": the login is \"" : "",
				user ? user : "", user ? "\"" : "");
	else if (code == CTL_REFUSED && reply.status == STATUS_HIDDEN &&
		 strcmp(ctl->error.text, "there is no such path") == 0)
		code = ctl_fail(ctl, CTL_REFUSED, "%s: there is no control "
				"interface at this path: does the service have "
				"a control_path?  Add it to the address of -H",
				ctl->settings.url);
	client_reply_done(&reply);
	return code;
}

enum ctl_exit api_command(struct ctl *ctl, json_t *request, json_t **ret)
{
	char *text = json_dumps(request, JSON_COMPACT);
	enum ctl_exit code;

	json_decref(request);
	if (text == NULL)
		abort();
	code = exchange(ctl, "/control/", text, ret);
	explicit_bzero(text, strlen(text)); /* it may contain a password */
	free(text);
	return code;
}

enum ctl_exit api_do(struct ctl *ctl, json_t *request)
{
	json_t *reply = NULL;
	enum ctl_exit code = api_command(ctl, request, &reply);

	json_decref(reply);
	return code;
}

enum ctl_exit api_get(struct ctl *ctl, const char *path, json_t **ret)
{
	return exchange(ctl, path, NULL, ret);
}

enum ctl_exit api_load(struct ctl *ctl, json_t **ret)
{
	return api_command(ctl, json_pack("{s:s}", "cmd", "load"), ret);
}

const char *api_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

json_int_t api_number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

char *api_path(const char *before, const char *text, const char *after)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789-_.~";
	struct buf escaped = { 0 };
	char *ret;

	for (const char *p = text; *p != '\0'; p++)
		if (strchr(plain, *p) != NULL)
			buf_append(&escaped, p, 1);
		else
			buf_printf(&escaped, "%%%02X", (unsigned char)*p);
	ret = xasprintf("%s%.*s%s", before, (int)buf_len(&escaped),
			buf_len(&escaped) ? (char *)buf_head(&escaped) : "",
			after);
	buf_done(&escaped);
	return ret;
}
