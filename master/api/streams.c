/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands and paths of one stream, but for set-stream. */
#include "master/api/apply.h"
#include "master/api/command.h"
#include "master/streams/reconciler.h"

/* A second reference; whoever holds it does not change the object. */
static json_t *share(const json_t *value)
{
	return json_incref((json_t *)value);
}

const json_t *api_request_stream(struct api *api, const json_t *request,
				 struct reply *reply)
{
	const json_t *id = json_object_get(request, "id");
	const json_t *stream;

	if (!json_is_string(id)) {
		reply_error(reply, 400, "id: is %s",
			    id == NULL ? "missing" : "not a string");
		return NULL;
	}
	stream = config_stream(api->cfg.config, json_string_value(id));
	if (stream == NULL)
		reply_error(reply, 404, "id: there is no stream \"%.64s\"",
			    json_string_value(id));
	return stream;
}

void streams_get(struct api *api, const json_t *request, struct reply *reply)
{
	const json_t *stream = api_request_stream(api, request, reply);
	json_t *body;

	if (stream == NULL)
		return;
	body = json_object();
	(void)json_object_set_new(body, "get-stream", json_string("ok"));
	(void)json_object_set_new(body, "stream", share(stream));
	reply_json(reply, body);
}

void streams_toggle(struct api *api, const json_t *request,
		    struct reply *reply)
{
	const json_t *old = api_request_stream(api, request, reply);
	bool enable = !json_is_true(json_object_get(old, "enable"));
	struct errmsg why;
	json_t *stream;
	const char *id;

	if (old == NULL)
		return;
	stream = json_deep_copy(old);
	id = json_string_value(json_object_get(stream, "id"));
	(void)json_object_set_new(stream, "enable", json_boolean(enable));
	/* what is at fault may be switched off, not on */
	if (enable && apply_judge(api, stream, id, &why, NULL) < 0) {
		reply_error(reply, 400, "%s", why.text);
		json_decref(stream);
		return;
	}
	config_put_stream(api->cfg.config, id, stream);
	apply_stream(api, id, stream);
	apply_announce(api, stream, false);
	apply_waiting(api);
	reply_ok(reply, "toggle-stream");
}

void streams_restart(struct api *api, const json_t *request,
		     struct reply *reply)
{
	const json_t *stream = api_request_stream(api, request, reply);

	if (stream == NULL)
		return;
	fleet_restart_stream(api->cfg.fleet, json_string_value(
						     json_object_get(stream,
								     "id")));
	reply_ok(reply, "restart-stream");
}

void streams_check(struct api *api, const json_t *request,
		   struct reply *reply)
{
	const json_t *stream = api_request_stream(api, request, reply);
	const json_t *with_status = json_object_get(request, "status");
	json_t *body, *status;
	bool ok = false;

	if (stream == NULL)
		return;
	if (with_status != NULL && !json_is_boolean(with_status) &&
	    !json_is_null(with_status)) {
		reply_error(reply, 400, "status: is not true or false");
		return;
	}
	status = status_check(api->cfg.status,
			      json_string_value(json_object_get(stream, "id")),
			      &ok);
	body = json_object();
	if (json_is_true(with_status)) {
		(void)json_object_set_new(body, "status", share(status));
		ok = true;
	}
	(void)json_object_set_new(body, "check-stream",
				  ok ? json_string("ok") : json_false());
	json_decref(status);
	reply_json(reply, body);
}

static void reply_unknown(struct reply *reply, const char *id)
{
	reply_error(reply, 404, "there is no stream \"%.64s\"", id);
}

void streams_info(struct api *api, const char *id, enum status_span span,
		  struct reply *reply)
{
	const json_t *stream = config_stream(api->cfg.config, id);

	(void)span;
	if (stream == NULL)
		reply_unknown(reply, id);
	else
		reply_json(reply, share(stream));
}

void streams_inputs(struct api *api, const char *id, enum status_span span,
		    struct reply *reply)
{
	json_t *status = status_inputs(api->cfg.status, id, api_instance(api));

	(void)span;
	if (status == NULL)
		reply_unknown(reply, id);
	else
		reply_json(reply, status);
}

void streams_outputs(struct api *api, const char *id, enum status_span span,
		     struct reply *reply)
{
	json_t *status = status_outputs(api->cfg.status, id,
					api_instance(api));

	(void)span;
	if (status == NULL)
		reply_unknown(reply, id);
	else
		reply_json(reply, status);
}

void streams_status(struct api *api, const char *id, enum status_span span,
		    struct reply *reply)
{
	json_t *status = status_stream(api->cfg.status, id, span,
				       api_instance(api));

	if (status == NULL)
		reply_unknown(reply, id);
	else
		reply_json(reply, status);
}
