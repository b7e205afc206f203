/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/config_edit.h"

#include <errno.h>
#include <string.h>

/* The part of a section that a command replaces. */
enum form {
	WHOLE,     /* the whole section */
	BY_ID,     /* an element of a list, named by its "id" */
	BY_KEY,    /* a member of an object, named by its key */
	BY_NUMBER, /* an element of a list, named by its position from 0 */
};

struct section {
	const char *key; /* in the configuration */
	const char *command, *field; /* the command, and its key for the new
				      * value */
	enum form form;
	enum config_effect effect;
};

static const struct section sections[] = {
	{ "settings", "set-settings", "settings", WHOLE, EFFECT_RESTARTS },
	{ "auth", "set-auth", "auth", WHOLE, EFFECT_AT_ONCE },
	{ "log", "set-log", "set", WHOLE, EFFECT_AT_ONCE },
	{ "make_stream", "set-stream", "stream", BY_ID, EFFECT_AT_ONCE },
	{ "dvb_tune", "set-adapter", "adapter", BY_ID, EFFECT_AT_ONCE },
	{ "softcam", "set-softcam", "softcam", BY_ID, EFFECT_AT_ONCE },
	{ "cas", "set-cas", "cas", BY_ID, EFFECT_AT_ONCE },
	{ "users", "set-user", "user", BY_KEY, EFFECT_AT_ONCE },
	{ "servers", "set-server", "server", BY_NUMBER, EFFECT_AT_ONCE },
	{ "categories", "set-category", "category", BY_NUMBER,
	  EFFECT_AT_ONCE },
};

/* Returns the section that the path is in; NULL: only set-config can change the
 * path, because it is a whole list or a section without a command. */
static const struct section *find(const struct json_path *path)
{
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (strcmp(sections[i].key, path->steps[0]) == 0)
			return sections[i].form == WHOLE || path->n_steps > 1
				       ? &sections[i] : NULL;
	return NULL;
}

static json_t *removal(void)
{
	return json_pack("{s:b}", "remove", 1);
}

/* Adds the changed, new or removed element of a list to the request.  With a
 * changed or removed element also adds its old id or position. */
static void by_element(const struct section *s, const struct json_path *path,
		       json_t *before, json_t *after, json_t *request)
{
	json_t *old = json_object_get(before, s->key);
	json_t *new = json_object_get(after, s->key);
	ssize_t at = json_path_index(old, path->steps[1]);
	size_t n = json_array_size(new);
	json_t *id;

	if (at < 0) { /* the element is new, and is the last one */
		(void)json_object_set(request, s->field,
				      json_array_get(new, n - 1));
		return;
	}
	id = s->form == BY_NUMBER
		     ? json_integer(at)
		     : json_incref(json_object_get(
			       json_array_get(old, (size_t)at), "id"));
	if (id != NULL)
		(void)json_object_set_new(request, "id", id);
	if (n < json_array_size(old))
		(void)json_object_set_new(request, s->field, removal());
	else
		(void)json_object_set(request, s->field,
				      json_array_get(new, (size_t)at));
}

static json_t *make_request(const struct section *s,
			    const struct json_path *path, json_t *before,
			    json_t *after)
{
	json_t *request = json_pack("{s:s}", "cmd", s->command);
	json_t *whole = json_object_get(after, s->key);

	switch (s->form) {
	case WHOLE:
		/* an empty object removes the section, except auth */
		if (whole == NULL && strcmp(s->key, "auth") != 0)
			(void)json_object_set_new(request, s->field,
						  json_object());
		else if (whole != NULL)
			(void)json_object_set(request, s->field, whole);
		break;
	case BY_ID:
	case BY_NUMBER:
		by_element(s, path, before, after, request);
		break;
	case BY_KEY:
		whole = json_deep_copy(json_path_get(path, 2, after));
		/* cipher cannot be set: the service keeps the stored one */
		if (json_is_object(whole))
			(void)json_object_del(whole, "cipher");
		(void)json_object_set_new(request, "id",
					  json_string(path->steps[1]));
		(void)json_object_set_new(request, s->field,
					  whole ? whole : removal());
		break;
	}
	return request;
}

int config_edit(const struct json_path *path, json_t *config, json_t *value,
		bool restart, json_t **ret, enum config_effect *ret_effect,
		struct errmsg *error)
{
	const struct section *s;
	json_t *before;
	int r;

	if (path->n_steps == 0) {
		if (!json_is_object(value))
			return errmsg_fail(error, -EINVAL, "the configuration "
					   "is an object");
		*ret = json_pack("{s:s, s:O}", "cmd", "upload", "config",
				 value);
		*ret_effect = EFFECT_AT_RESTART;
		return 0;
	}
	s = find(path);
	before = json_deep_copy(config);
	if (s != NULL && path->n_steps > 1 &&
	    json_object_get(config, s->key) == NULL)
		(void)json_object_set_new(config, s->key,
					  s->form == BY_ID ||
							  s->form == BY_NUMBER
						  ? json_array()
						  : json_object());
	r = json_path_put(path, config, value, error);
	if (r == 0) {
		*ret = s ? make_request(s, path, before, config)
			 : json_pack("{s:s, s:s, s:O*, s:b}", "cmd",
				     "set-config", "key", path->steps[0],
				     "data",
				     json_object_get(config, path->steps[0]),
				     "restart", restart);
		*ret_effect = s         ? s->effect
			      : restart ? EFFECT_RESTARTS
			      : strcmp(path->steps[0], "users") == 0
				      ? EFFECT_AT_ONCE
				      : EFFECT_AT_RESTART;
	}
	json_decref(before);
	return r;
}
