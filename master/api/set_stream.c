/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command set-stream: create, replace, rename, remove. */
#include "master/api/apply.h"
#include "master/api/edit.h"
#include "master/api/object_edit.h"
#include "master/api/stream_edit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void remove_stream(struct api *api, const struct object_edit *e,
			  struct reply *reply)
{
	if (!object_edit_can_remove(e, reply))
		return;
	config_remove_stream(api->cfg.config, e->old_id);
	edit_set_gid(api, e->gid);
	apply_removal(api, e->old_id);
	apply_announce_removal(api, e->old_id, false);
	apply_waiting(api);
	reply_ok(reply, "set-stream");
}

/* Which id the object is to have; NULL after a reply. */
static const char *choose_id(struct api *api, struct object_edit *e,
			     const json_t *stream, char text[GID_TEXT_MAX],
			     struct reply *reply)
{
	const json_t *own = json_object_get(stream, "id");
	const char *id = json_string_value(own);

	if (own != NULL && id == NULL) {
		reply_error(reply, 400, "stream.id: is not a string");
		return NULL;
	}
	if (id == NULL && e->id == NULL) {
		edit_next_id(api, &e->next, text);
		return text;
	}
	if (id == NULL)
		return e->id;
	/* a new stream may be named twice, but not be renamed */
	if (e->id != NULL && e->old_id == NULL && strcmp(id, e->id) != 0) {
		reply_error(reply, 404, "id: there is no stream \"%.64s\"",
			    e->id);
		return NULL;
	}
	if ((e->old_id == NULL || strcmp(id, e->old_id) != 0) &&
	    config_stream(api->cfg.config, id) != NULL) {
		reply_error(reply, 400, e->id != NULL
			    ? "stream.id: \"%.64s\" is the id of another stream"
			    : "stream.id: \"%.64s\" exists; to change it send "
			      "its id beside \"stream\", too", id);
		return NULL;
	}
	return id;
}

/* All is judged: nothing fails from here on.  Takes stream. */
static void put_stream(struct api *api, const struct object_edit *e,
		       json_t *stream)
{
	const char *id = json_string_value(json_object_get(stream, "id"));

	edit_set_gid(api, e->gid >= 0 ? e->gid : e->next);
	config_put_stream(api->cfg.config, e->old_id, stream);
	if (e->old_id != NULL && strcmp(e->old_id, id) != 0)
		apply_removal(api, e->old_id);
	apply_stream(api, id, stream);
	if (e->old_id != NULL)
		apply_announce_removal(api, e->old_id, true);
	apply_announce(api, stream, true);
	apply_waiting(api);
}

static void store_stream(struct api *api, struct object_edit *e,
			 struct reply *reply)
{
	json_t *stream = edit_entry_copy(e->wanted);
	char text[GID_TEXT_MAX];
	const char *id = choose_id(api, e, stream, text, reply);
	struct buf odd = { 0 };
	struct errmsg why;

	if (id == NULL) {
		json_decref(stream);
		return;
	}
	if (json_object_get(stream, "id") == NULL)
		(void)json_object_set_new(stream, "id", json_string(id));
	if (apply_judge(api, stream, e->old_id, &why, &odd) < 0) {
		reply_error(reply, 400, "%s", why.text);
		json_decref(stream);
		buf_done(&odd);
		return;
	}
	stream_edit_versions(stream);
	put_stream(api, e, stream);
	reply_ok(reply, "set-stream");
	apply_warn(api, id, &odd, reply);
}

void streams_set(struct api *api, const json_t *request, struct reply *reply)
{
	struct object_edit e;

	if (!object_edit_read(&e, "stream", request, reply))
		return;
	if (e.id != NULL && config_stream(api->cfg.config, e.id) != NULL)
		e.old_id = e.id;
	if (e.remove)
		remove_stream(api, &e, reply);
	else
		store_stream(api, &e, reply);
}
