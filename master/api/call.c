/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/call.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/http/server.h"
#include "master/api/cors.h"
#include "master/api/held_answer.h"
#include "master/api/redact.h"
#include "proto/wire/http_request.h"
#include "proto/wire/json_text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERY_NUMBER_MAX = 256 }; /* bytes */

static const char forbidden_page[] =
	"<!DOCTYPE html>\n<title>403 Forbidden</title>\n"
	"<h1>403 Forbidden</h1>\n";

static const char page_headers[] =
	"Content-Security-Policy: default-src 'none'; frame-ancestors 'none'"
	"\r\n";

struct call *call_new(struct api *api, struct http_conn *conn,
		      const struct http_request *request)
{
	struct call *c = xcalloc(1, sizeof *c);

	c->api = api;
	c->conn = conn;
	c->request = request;
	c->reply.call = c;
	LIST_INSERT_HEAD(&api->calls, c, link);
	return c;
}

void call_free(struct call *c)
{
	LIST_REMOVE(c, link);
	gate_forget(&c->wait);
	json_decref(c->body);
	reply_reset(&c->reply);
	findings_done(&c->files);
	free(c);
}

bool call_is_reduced(const struct call *c)
{
	return c->caller.type == USER_OBSERVER &&
	       observer_is_reduced(config_section(c->api->cfg.config,
						  "settings"));
}

/* Hides from an observer what the setting observer_redact names.  A reply of
 * 4xx is about the request and shows nothing of the configuration. */
void call_reduce(struct call *c)
{
	const char *name = json_string_value(json_object_get(c->body, "cmd"));
	json_t *whole = c->reply.body;

	if (c->route.kind == ROUTE_PATH)
		name = c->route.path->path;
	/* a reply with another status is a sentence, not an entry */
	if (c->reply.status != 200)
		name = NULL;
	if (whole == NULL || c->reply.status / 100 == 4 ||
	    !call_is_reduced(c))
		return;
	c->reply.body = observer_reduce_reply(name, whole);
	json_decref(whole);
}

bool call_query_number(struct call *c, const char *key, uint64_t max,
		       uint64_t *ret)
{
	char text[QUERY_NUMBER_MAX], *end;
	uint64_t n;

	if (!http_request_query_get(c->request, key, text, sizeof text))
		return true;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ||
	    n > max) {
		reply_error(&c->reply, 400,
			    "%s: is not a number from 0 to %" PRIu64, key, max);
		return false;
	}
	*ret = n;
	return true;
}

void reply_when_saved(struct reply *reply)
{
	reply->call->after_save = true;
}

static bool waits_for_save(struct call *c)
{
	struct config *config = c->api->cfg.config;
	bool waits = c->after_save && c->reply.status == 200 &&
		     config_path(config) != NULL && !config_is_saved(config);

	c->after_save = false;
	if (waits)
		held_answer_begin(held_answer_new(c), config);
	return waits;
}

void call_answer(struct call *c)
{
	struct http_answer answer = { .status = c->reply.status };
	char *text = NULL;

	if (waits_for_save(c))
		return;
	if (c->reply.drop) {
		http_drop(c->conn);
		call_free(c);
		return;
	}
	call_reduce(c);
	if (c->listed)
		cors_allow(c);
	answer.headers = c->reply.headers;
	if (c->reply.page) {
		answer.content_type = "text/html; charset=utf-8";
		answer.headers = page_headers;
		answer.body = forbidden_page;
		answer.len = sizeof forbidden_page - 1;
	} else if (c->reply.text != NULL) {
		answer.content_type = c->reply.type != NULL
					      ? c->reply.type
					      : "application/json";
		answer.body = c->reply.text;
		answer.len = c->reply.len;
	} else if (c->reply.body != NULL) {
		text = json_dumps(c->reply.body,
				  JSON_COMPACT |
					  json_text_flags(c->reply.body));
		if (text == NULL)
			abort();
		answer.content_type = "application/json";
		answer.body = text;
		answer.len = strlen(text);
	}
	http_respond(c->conn, &answer);
	free(text);
	call_free(c);
}

void call_drop(struct call *c)
{
	void (*on_gone)(void *arg) = c->on_gone;
	void *arg = c->arg;

	call_free(c);
	if (on_gone != NULL)
		on_gone(arg);
}

const struct caller *reply_caller(const struct reply *reply)
{
	return &reply->call->caller;
}

void reply_drop(struct reply *reply, const char *field)
{
	log_info("api", "%s is missing in a request: the connection is closed "
			"without an answer", field);
	reply->drop = true;
}

void reply_reset(struct reply *reply)
{
	json_decref(reply->body);
	/* the headers may contain a session id */
	if (reply->headers != NULL)
		explicit_bzero(reply->headers, strlen(reply->headers));
	free(reply->headers);
	*reply = (struct reply){ .call = reply->call };
}

void reply_header(struct reply *reply, const char *name, const char *value)
{
	char *before = reply->headers;

	reply->headers = xasprintf("%s%s: %s\r\n",
				   before != NULL ? before : "", name, value);
	if (before != NULL)
		explicit_bzero(before, strlen(before));
	free(before);
}

struct call *reply_later(struct reply *reply, void (*on_gone)(void *arg),
			 void *arg)
{
	struct call *c = reply->call;

	assert(reply->status == 0 && !c->later);
	c->later = true;
	c->on_gone = on_gone;
	c->arg = arg;
	return c;
}

static void forget_call(void *place)
{
	*(struct call **)place = NULL;
}

void reply_later_into(struct reply *reply, struct call **place)
{
	*place = reply_later(reply, forget_call, place);
}

void reply_unsent(struct reply *reply, int error)
{
	if (error == -ENOENT || error == -EAGAIN)
		reply_error(reply, 503, "the stream does not run, or takes no "
					"command now");
	else
		reply_error(reply, 503, "cannot send the command to the "
					"stream: %s", strerror(-error));
}

struct reply *call_reply(struct call *c)
{
	return &c->reply;
}

void call_run(struct call *c, command_fn *run)
{
	struct config *config = c->api->cfg.config;

	config_set_author(config, c->caller.login);
	run(c->api, c->body, &c->reply);
	config_set_author(config, NULL);
}

void call_again(struct call *c, command_fn *run)
{
	assert(c->later && c->reply.status == 0);
	c->later = false;
	c->on_gone = NULL;
	call_run(c, run);
	if (!c->later)
		call_answer(c);
}

void call_finish(struct call *c)
{
	assert(c->later && c->reply.status != 0);
	call_answer(c);
}
