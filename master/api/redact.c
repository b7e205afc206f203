/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/redact.h"

#include "master/api/certificate.h"
#include "master/config/config_fields.h"
#include "proto/spec/address_secrets.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A copy with only the fields that observers may read. */
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

/* A softcam keeps id and name, and the marks of its removal. */
static json_t *reduce_softcam(const json_t *softcam)
{
	static const char *const marks[] = { "remove", "up" };
	json_t *copy = keep_open(&softcam_fields, softcam);

	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		json_t *value = json_object_get(softcam, marks[i]);

		if (value != NULL)
			(void)json_object_set(copy, marks[i], value);
	}
	return copy;
}

/* {format, host, port}: a login may be in front of the host. */
static json_t *reduce_backend(const json_t *backend)
{
	static const char *const keys[] = { "format", "port" };
	const char *host = json_string_value(json_object_get(backend, "host"));
	json_t *copy = json_object();

	if (!json_is_object(backend)) {
		json_decref(copy);
		return observer_reduce(backend);
	}
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_t *value = json_object_get(backend, keys[i]);

		if (value != NULL)
			(void)json_object_set(copy, keys[i], value);
	}
	if (host != NULL && strrchr(host, '@') != NULL)
		host = strrchr(host, '@') + 1;
	if (host != NULL)
		(void)json_object_set_new(copy, "host",
					  json_stringn(host,
						       strcspn(host, "/?#")));
	return copy;
}

/* An object with a password is a login at another host. */
static bool is_hidden(const char *key, bool is_login)
{
	static const char *const always[] = { "cipher", "securetoken",
					      "crt_key", "biss", "pass",
					      "password" };
	static const char *const of_login[] = { "user", "login", "key" };

	for (size_t i = 0; i < ARRAY_LEN(always); i++)
		if (strcmp(key, always[i]) == 0)
			return true;
	for (size_t i = 0; is_login && i < ARRAY_LEN(of_login); i++)
		if (strcmp(key, of_login[i]) == 0)
			return true;
	return false;
}

static json_t *reduce_member(const char *key, const json_t *value)
{
	if (strcmp(key, "softcam") == 0 && json_is_object(value))
		return reduce_softcam(value);
	if (strcmp(key, "backend") == 0)
		return reduce_backend(value);
	return observer_reduce(value);
}

json_t *observer_reduce(const json_t *value)
{
	bool is_login = json_object_get(value, "pass") != NULL;
	char *hidden = json_is_string(value)
			       ? address_hide_secrets(json_string_value(value))
			       : NULL;
	json_t *copy, *item;
	const char *key;
	size_t i;

	if (hidden != NULL) {
		copy = json_string(hidden);
		free(hidden);
		return copy;
	}
	if (json_is_array(value)) {
		copy = json_array();
		json_array_foreach((json_t *)(uintptr_t)value, i, item)
			(void)json_array_append_new(copy,
						    observer_reduce(item));
		return copy;
	}
	if (!json_is_object(value))
		return json_incref((json_t *)(uintptr_t)value);
	copy = json_object();
	json_object_foreach((json_t *)(uintptr_t)value, key, item)
		if (!is_hidden(key, is_login))
			(void)json_object_set_new(copy, key,
						  reduce_member(key, item));
	return copy;
}
