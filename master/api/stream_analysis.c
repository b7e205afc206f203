/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET api/stream-analysis/{id} and api/stream-plan/{id}: the analysis of a
 * stream, or the plan of a multiplex, by the stream's worker. */
#include "common/base/alloc.h"
#include "master/api/command.h"
#include "master/streams/mpts.h"
#include "master/streams/reconciler.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* A request that waits for the worker. */
struct question {
	struct api *api;   /* may be freed when call is NULL */
	struct call *call; /* NULL when the client has left */
	enum analysis_kind kind;
	char *id;
};

static json_t *finish_answer(const struct question *q, const json_t *answer)
{
	const json_t *stream = config_stream(q->api->cfg.config, q->id);
	json_t *name = json_object_get(stream, "name");
	const char *instance = api_instance(q->api);
	struct stream_proc_info info = { 0 };
	json_t *body = json_object();

	(void)json_object_set_new(body, "timestamp", json_integer(time(NULL)));
	if (instance != NULL)
		(void)json_object_set_new(body, "instance",
					  json_string(instance));
	(void)json_object_set_new(body, "id", json_string(q->id));
	if (json_is_string(name))
		(void)json_object_set(body, "name", name);
	(void)json_object_update(body, (json_t *)answer);
	if (q->kind == ANALYSIS_PLAN)
		return body;
	(void)reconciler_get_stream(q->api->cfg.reconciler, q->id, &info);
	(void)json_object_set_new(body, "viewers_cut",
				  json_integer((json_int_t)info.viewers_cut));
	return body;
}

static void on_answer(json_t *answer, const char *error, void *arg)
{
	struct question *q = arg;
	struct call *call = q->call;

	if (call != NULL && answer != NULL)
		reply_json(call_reply(call), finish_answer(q, answer));
	else if (call != NULL)
		reply_error(call_reply(call), 503, "%s", error);
	free(q->id);
	free(q);
	if (call != NULL)
		call_finish(call);
}

static void ask(struct api *api, const char *id, enum analysis_kind kind,
		struct reply *reply)
{
	struct question *q = xcalloc(1, sizeof *q);
	int err;

	q->api = api;
	q->kind = kind;
	q->id = xstrdup(id);
	err = reconciler_analyze(api->cfg.reconciler, id, kind, on_answer, q);
	if (err == 0) {
		reply_later_into(reply, &q->call);
		return;
	}
	free(q->id);
	free(q);
	reply_error(reply, 503, err == -EBUSY ? "too many clients wait for the "
						"analysis of this stream: try "
						"again"
					      : "the stream does not run");
}

static void streams_analysis(struct api *api, const char *id,
			     enum status_span span, struct reply *reply)
{
	(void)span;
	if (config_stream(api->cfg.config, id) != NULL)
		ask(api, id, ANALYSIS_PACKETS, reply);
	else
		reply_error(reply, 404, "there is no stream \"%.64s\"", id);
}

static void streams_plan(struct api *api, const char *id,
			 enum status_span span, struct reply *reply)
{
	const json_t *stream = config_stream(api->cfg.config, id);

	(void)span;
	if (stream == NULL)
		reply_error(reply, 404, "there is no stream \"%.64s\"", id);
	else if (!mpts_is_mux(stream))
		reply_error(reply, 400, "the stream has no plan: it is not an "
			    "mpts of several inputs");
	else
		ask(api, id, ANALYSIS_PLAN, reply);
}

const struct api_path stream_analysis_paths[] = {
	{ "api/stream-analysis", PATH_ID, OBSERVER_ALLOWED,
	  .get = streams_analysis },
	{ "api/stream-plan", PATH_ID, OBSERVER_ALLOWED,
	  .get = streams_plan },
	{ 0 },
};
