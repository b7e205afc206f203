/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers GET api/stream-epg/{id}: the programme guide of a stream. */
#include "common/base/alloc.h"
#include "common/document/document.h"
#include "master/api/call.h"
#include "master/streams/epg_proc.h"
#include "master/streams/reconciler.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
	DAY_S = 24 * 3600,
	EVENTS_MAX = 500, /* most events of a service in a reply */
};

/* A request that waits for the worker. */
struct question {
	struct api *api;
	struct call *call; /* NULL when the client has left */
	char *id;
};

/* Reads the answer of the worker, a new reference; NULL: it is no JSON
 * object. */
static json_t *read_answer(int fd, size_t len)
{
	char *text = xmalloc(len + 1);
	json_t *answer = NULL;

	if (pread(fd, text, len, 0) == (ssize_t)len)
		answer = document_parse(text, len, NULL);
	free(text);
	if (json_is_object(answer))
		return answer;
	json_decref(answer);
	return NULL;
}

static json_t *finish_answer(const struct question *q, json_t *answer)
{
	const json_t *stream = config_stream(q->api->cfg.config, q->id);
	json_t *name = json_object_get(stream, "name");
	const char *instance = api_instance(q->api);

	(void)json_object_set_new(answer, "timestamp",
				  json_integer(time(NULL)));
	if (instance != NULL)
		(void)json_object_set_new(answer, "instance",
					  json_string(instance));
	(void)json_object_set_new(answer, "id", json_string(q->id));
	if (json_is_string(name))
		(void)json_object_set(answer, "name", name);
	return answer;
}

static void on_done(const struct epg_answer *a, void *arg)
{
	struct question *q = arg;
	struct call *call = q->call;
	json_t *answer = call != NULL && a->len > 0
		? read_answer(a->fd, a->len) : NULL;

	if (answer != NULL)
		reply_json(call_reply(call), finish_answer(q, answer));
	else if (call != NULL)
		reply_error(call_reply(call), 503, "%s",
			    a->len > 0 || a->error[0] == '\0'
				    ? "the programme guide cannot be "
				      "read" : a->error);
	free(q->id);
	free(q);
	if (call != NULL)
		call_finish(call);
}

static void epg_get(struct api *api, const char *id, enum status_span span,
		    struct reply *reply)
{
	struct msg_epg_ask ask = { .from_s = (uint64_t)time(NULL),
				   .max = EVENTS_MAX };
	uint64_t pnr = 0;
	struct question *q;
	int err;

	(void)span;
	if (config_stream(api->cfg.config, id) == NULL) {
		reply_error(reply, 404, "there is no stream \"%.64s\"", id);
		return;
	}
	if (!call_query_number(reply->call, "from", UINT32_MAX, &ask.from_s))
		return;
	ask.to_s = MIN(ask.from_s + DAY_S, (uint64_t)UINT32_MAX);
	if (!call_query_number(reply->call, "to", UINT32_MAX, &ask.to_s) ||
	    !call_query_number(reply->call, "pnr", UINT16_MAX, &pnr))
		return;
	ask.pnr = (uint32_t)pnr;
	q = xcalloc(1, sizeof *q);
	q->api = api;
	ask.stream = q->id = xstrdup(id);
	err = epg_proc_ask(reconciler_epg(api->cfg.reconciler), &ask, on_done,
			   q);
	if (err == 0) {
		reply_later_into(reply, &q->call);
		return;
	}
	free(q->id);
	free(q);
	if (err == -ENOENT)
		reply_error(reply, 503, "there is no programme guide: set "
					"epg_days in the settings");
	else
		reply_error(reply, 503, "the process of the programme guide "
					"does not answer: try again later");
}

const struct api_path stream_epg_paths[] = {
	{ "api/stream-epg", PATH_ID, OBSERVER_ALLOWED, .get = epg_get },
	{ 0 },
};
