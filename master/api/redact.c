/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/redact.h"

#include "master/api/certificate.h"
#include "master/config/config_fields.h"
#include "master/config/observed.h"
#include "proto/spec/address_open.h"
#include "proto/spec/value_open.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns a copy with only the fields that observers may read. */
static json_t *keep_open(const struct field_table *fields,
			 const json_t *object)
{
	json_t *copy = json_object();

	for (size_t i = 0; i < fields->n; i++) {
		const struct field *f = &fields->rows[i];
		json_t *value = json_object_get(object, f->key);

		if (f->flags & FIELD_OBSERVER && value != NULL)
			(void)json_object_set(copy, f->key, value);
	}
	return copy;
}

json_t *redact_secrets(const struct field_table *fields, const json_t *object)
{
	json_t *copy = json_copy((json_t *)object);

	for (size_t i = 0; i < fields->n; i++)
		if (fields->rows[i].flags & FIELD_SECRET)
			(void)json_object_del(copy, fields->rows[i].key);
	return copy;
}

json_t *observer_view(const json_t *document)
{
	json_t *view = json_copy((json_t *)document);
	const json_t *softcams = json_object_get(document, "softcam");
	const json_t *users = json_object_get(document, "users");
	const json_t *settings = json_object_get(document, "settings");
	json_t *reduced, *value;
	const char *login;
	size_t i;

	if (settings != NULL)
		(void)json_object_set_new(view, "settings",
					  certificate_hide(settings));
	if (softcams != NULL) {
		reduced = json_array();
		json_array_foreach((json_t *)softcams, i, value)
			(void)json_array_append_new(
				reduced, keep_open(&softcam_fields, value));
		(void)json_object_set_new(view, "softcam", reduced);
	}
	if (users != NULL) {
		reduced = json_copy((json_t *)users);
		json_object_foreach((json_t *)users, login, value)
			if (json_is_object(value))
				(void)json_object_set_new(
					reduced, login,
					redact_secrets(&user_fields, value));
		(void)json_object_set_new(view, "users", reduced);
	}
	return view;
}

/* --- observer_redact --- */

bool observer_is_reduced(const json_t *settings)
{
	return json_is_true(json_object_get(settings, "observer_redact"));
}

/* Makes a JSON string of a text (taken). */
static json_t *take_string(char *text)
{
	json_t *value = json_string(text);

	free(text);
	return value;
}

/* --- the state --- */

/* True: the text of this key is a name or data of the stream, so it is not
 * searched for addresses. */
static bool is_plain(const char *key)
{
	static const char *const keys[] = {
		"id", "name", "channel_id", "channel_name", "input_id",
		"instance", "login", "source", "version", "scan",
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

static json_t *open_state(const json_t *value, const void *arg)
{
	json_t *copy, *item;
	const char *key;

	(void)arg;
	if (json_is_string(value))
		return take_string(address_open_sentence(
			json_string_value(value)));
	if (json_is_array(value))
		return value_open_items(value, open_state, NULL);
	if (!json_is_object(value))
		return json_incref((json_t *)(uintptr_t)value);
	copy = json_object();
	json_object_foreach((json_t *)(uintptr_t)value, key, item)
		(void)json_object_set_new(copy, key,
					  is_plain(key)
						  ? json_incref(item)
						  : open_state(item, NULL));
	return copy;
}

/* --- replies and events --- */

/* A reply or event that has an entry of the configuration. */
struct message {
	const char *name;    /* command, path, or scope of the event */
	const char *section;
	/* member with the entry; NULL: the whole message is the entry */
	const char *member;
};

static const struct message replies[] = {
	{ "get-stream", "make_stream", "stream" },
	{ "api/stream-info", "make_stream", NULL },
	{ "get-adapter", "dvb_tune", "adapter" },
	{ "api/adapter-info", "dvb_tune", NULL },
	{ "get-user", "users", NULL },
};

static const struct message events[] = {
	{ "set-stream", "make_stream", "stream" },
	{ "set-adapter", "dvb_tune", "adapter" },
	{ "set-softcam", "softcam", "softcam" },
	{ "set-cas", "cas", "cas" },
	{ "set-server", "servers", "server" },
	{ "set-user", "users", "user" },
	{ "set-category", "categories", "category" },
	{ "set-auth", "auth", "auth" },
	{ "set-settings", "settings", "settings" },
	{ "log_event", "log", "set" },
	{ "post-output-group", "output", "group" },
};

static const struct message *find_message(const struct message *list, size_t n,
					  const char *name)
{
	for (size_t i = 0; i < n && name != NULL; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	return NULL;
}

/* Returns the message as an observer may receive it, a new reference.  m: which
 * member of the message is an entry of the configuration; NULL: none is. */
static json_t *open_message(const struct message *m, const json_t *message)
{
	const struct config_section *s =
		m != NULL ? config_fields_of(m->section) : NULL;
	const json_t *entry;
	json_t *copy, *shown;

	if (s == NULL)
		return open_state(message, NULL);
	if (m->member == NULL)
		return observed_entry(s, message);
	entry = json_object_get(message, m->member);
	copy = json_copy((json_t *)(uintptr_t)message);
	(void)json_object_del(copy, m->member);
	shown = open_state(copy, NULL);
	json_decref(copy);
	copy = observed_entry(s, entry);
	if (copy != NULL)
		(void)json_object_set_new(shown, m->member, copy);
	return shown;
}

json_t *observer_reduce_reply(const char *name, const json_t *reply)
{
	if (name != NULL && strcmp(name, "load") == 0)
		return observed_document(reply);
	return open_message(find_message(replies, ARRAY_LEN(replies), name),
			    reply);
}

/* Returns the event set-config, {scope, key, data}, as an observer may receive
 * it; data is a section. */
static json_t *open_set_config(const json_t *event)
{
	const char *key = json_string_value(json_object_get(event, "key"));
	const json_t *data = json_object_get(event, "data");
	json_t *copy = json_copy((json_t *)(uintptr_t)event);
	json_t *shown = key != NULL && data != NULL
				? observed_section(key, data)
				: NULL;

	(void)json_object_del(copy, "data");
	if (shown != NULL)
		(void)json_object_set_new(copy, "data", shown);
	return copy;
}

json_t *observer_reduce_event(const json_t *event)
{
	const char *scope = json_string_value(json_object_get(event, "scope"));

	if (scope != NULL && strcmp(scope, "set-config") == 0)
		return open_set_config(event);
	return open_message(find_message(events, ARRAY_LEN(events), scope),
			    event);
}
