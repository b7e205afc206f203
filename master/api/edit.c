/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/edit.h"

#include "common/ws/hub.h"
#include "master/config/entry.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { GID_FIRST = 466560 /* the first id: "a000" in base 36 */ };

const json_t *edit_get(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_null(value) ? NULL : value;
}

const char *edit_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

bool edit_gid(const json_t *request, json_int_t *ret, struct reply *reply)
{
	const json_t *gid = edit_get(request, "gid");

	if (gid != NULL &&
	    (!json_is_integer(gid) || json_integer_value(gid) < 0)) {
		reply_error(reply, 400, "gid: is not a whole number");
		return false;
	}
	*ret = gid != NULL ? json_integer_value(gid) : -1;
	return true;
}

json_int_t edit_number(const json_t *value)
{
	const char *text = json_string_value(value);
	char *end;
	long long n;

	if (json_is_integer(value))
		return json_integer_value(value);
	if (text == NULL || text[0] < '0' || text[0] > '9')
		return -1;
	errno = 0;
	n = strtoll(text, &end, 10);
	return *end == '\0' && errno == 0 ? n : -1;
}

bool edit_object(const json_t *request, const char *key, const json_t **ret,
		 struct reply *reply)
{
	const json_t *value = edit_get(request, key);

	if (value != NULL && !json_is_object(value) &&
	    (!json_is_array(value) || json_array_size(value) > 0)) {
		reply_error(reply, 400, "%s: is not an object", key);
		return false;
	}
	*ret = value;
	return true;
}

bool edit_fits(const json_t *object, const char *key, struct reply *reply)
{
	if (json_dumpb(object, NULL, 0, JSON_COMPACT) <= EDIT_OBJECT_MAX)
		return true;
	reply_error(reply, 400, "%s: is longer than %d bytes", key,
		    EDIT_OBJECT_MAX);
	return false;
}

static bool is_same_object(const json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;

	if (json_object_size(a) != json_object_size(b))
		return false;
	json_object_foreach((json_t *)(uintptr_t)a, key, value) {
		const json_t *other = json_object_get(b, key);

		if (other == NULL || !edit_same(value, other))
			return false;
	}
	return true;
}

static bool is_same_list(const json_t *a, const json_t *b)
{
	if (json_array_size(a) != json_array_size(b))
		return false;
	for (size_t i = 0; i < json_array_size(a); i++)
		if (!edit_same(json_array_get(a, i), json_array_get(b, i)))
			return false;
	return true;
}

static bool is_empty(const json_t *value)
{
	return (json_is_object(value) && json_object_size(value) == 0) ||
	       (json_is_array(value) && json_array_size(value) == 0);
}

/* Recursive: the depth is limited by the nesting that documents may have. */
bool edit_same(const json_t *a, const json_t *b)
{
	if (a == NULL || b == NULL || json_is_null(a) || json_is_null(b))
		return (a == NULL || json_is_null(a)) &&
		       (b == NULL || json_is_null(b));
	if (json_is_number(a) && json_is_number(b))
		return json_equal(a, b) ||
		       (json_typeof(a) != json_typeof(b) &&
			!(json_number_value(a) < json_number_value(b)) &&
			!(json_number_value(a) > json_number_value(b)));
	if (is_empty(a) && is_empty(b))
		return true;
	if (json_is_object(a) && json_is_object(b))
		return is_same_object(a, b);
	if (json_is_array(a) && json_is_array(b))
		return is_same_list(a, b);
	return json_equal(a, b);
}

bool edit_is_as_known(const json_t *request, const char *member,
		      const json_t *now, struct reply *reply)
{
	const json_t *was = json_object_get(request, "was");

	if (was == NULL || edit_same(was, now))
		return true;
	reply_error(reply, 409, "was: the %s has changed meanwhile: \"now\" is "
				"its present value", member);
	(void)json_object_set_new(reply->body, "now",
				  now != NULL ? json_deep_copy(now)
					      : json_null());
	return false;
}

bool edit_section_is_as_known(const struct api *api, const json_t *request,
			      const char *key, struct reply *reply)
{
	char noun[64];

	(void)snprintf(noun, sizeof noun, "section %s", key);
	return edit_is_as_known(request, noun,
				config_section(api->cfg.config, key), reply);
}

bool edit_is_removal(const json_t *object)
{
	return json_is_true(json_object_get(object, "remove"));
}

json_t *edit_copy(const json_t *object)
{
	json_t *copy = json_is_object(object) ? json_deep_copy(object)
					      : json_object();
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(copy, next, key, value)
		if (json_is_null(value))
			(void)json_object_del(copy, key);
	return copy;
}

json_t *edit_entry_copy(const json_t *object)
{
	json_t *copy = edit_copy(object);

	(void)json_object_del(copy, "remove");
	(void)json_object_del(copy, "up");
	return copy;
}

json_t *edit_list(const struct api *api, const char *key)
{
	const json_t *list = config_section(api->cfg.config, key);

	return json_is_array(list) ? json_copy((json_t *)list) : json_array();
}

size_t edit_find(const json_t *list, const char *key, const char *text)
{
	return entry_place(list, 0, key, text);
}

const json_t *edit_entry(const struct api *api, const char *key,
			 const char *id)
{
	const json_t *list = config_section(api->cfg.config, key);

	return json_array_get(list, edit_find(list, "id", id));
}

const json_t *edit_named(const struct api *api, const char *key,
			 const char *noun, const json_t *request,
			 struct reply *reply)
{
	const json_t *id = json_object_get(request, "id");
	const json_t *entry;

	if (!json_is_string(id)) {
		reply_error(reply, 400, "id: is %s",
			    id == NULL ? "missing" : "not a string");
		return NULL;
	}
	entry = edit_entry(api, key, json_string_value(id));
	if (entry == NULL)
		reply_error(reply, 404, "id: there is no %s \"%.64s\"",
			    noun, json_string_value(id));
	return entry;
}

void edit_next_id(const struct api *api, json_int_t *gid,
		  char text[GID_TEXT_MAX])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

	if (*gid < 0)
		*gid = config_gid(api->cfg.config);
	if (*gid < 0)
		*gid = GID_FIRST;
	do {
		char reversed[GID_TEXT_MAX];
		json_int_t left = *gid;
		size_t n = 0;

		do {
			reversed[n++] = digits[left % 36];
			left /= 36;
		} while (left > 0);
		for (size_t i = 0; i < n; i++)
			text[i] = reversed[n - 1 - i];
		text[n] = '\0';
		*gid = *gid < INT64_MAX ? *gid + 1 : 0;
	} while (edit_entry(api, STREAMS, text) != NULL ||
		 edit_entry(api, ADAPTERS, text) != NULL);
}

void edit_set_gid(struct api *api, json_int_t gid)
{
	if (gid >= 0)
		config_set_gid(api->cfg.config, gid);
}

json_t *edit_message(const char *scope)
{
	json_t *message = json_object();

	(void)json_object_set_new(message, "scope", json_string(scope));
	return message;
}

void edit_announce(struct api *api, json_t *message)
{
	hub_broadcast(api->cfg.hub, message, HUB_AT_ONCE);
	json_decref(message);
}

void edit_add_gid(const struct api *api, json_t *message)
{
	json_int_t gid = config_gid(api->cfg.config);

	if (gid >= 0)
		(void)json_object_set_new(message, "gid", json_integer(gid));
}

json_t *edit_removal(const char *id, bool up)
{
	json_t *marker = json_object();

	(void)json_object_set_new(marker, "id", json_string(id));
	(void)json_object_set_new(marker, "remove", json_true());
	(void)json_object_set_new(marker, "up", json_boolean(up));
	return marker;
}
