/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/redact.h"

#include "master/api/certificate.h"
#include "master/config/config_fields.h"

#include <stddef.h>

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
