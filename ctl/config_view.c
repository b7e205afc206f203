/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/config_view.h"

#include "common/base/util.h"
#include "proto/spec/value_open.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The sections of the configuration (key) and their names in the reply of
 * api/forms (form). */
static const struct section {
	const char *key, *form;
	bool named; /* the section is an object: its values are the entries */
} sections[] = {
	{ "settings", "settings", false },
	{ "auth", "auth", false },
	{ "log", "log", false },
	{ "users", "user", true },
	{ "make_stream", "stream", false },
	{ "dvb_tune", "adapter", false },
	{ "softcam", "softcam", false },
	{ "cas", "cas", false },
	{ "servers", "server", false },
	{ "categories", "category", false },
	{ "output", "group", false },
};

/* The values of these keys are printed as CONFIG_VIEW_SECRET. */
static const char *const masked[] = { "cipher", "crt_key" };

static bool has_mark(const json_t *field, const char *mark)
{
	return json_is_true(json_object_get(field, mark));
}

static const json_t *find_field(const json_t *form, const char *key)
{
	json_t *field;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)form, i, field) {
		const char *own = json_string_value(
			json_object_get(field, "key"));

		if (own != NULL &&
		    (strcmp(own, key) == 0 ||
		     (has_mark(field, "prefix") &&
		      strncmp(own, key, strlen(own)) == 0)))
			return field;
	}
	return NULL;
}

/* --- with observer_redact --- */

/* Returns an address as observers see it.  The value is a text, or the object
 * {format, host, port} of auth.backend; NULL: it is neither. */
static json_t *open_address(const json_t *value, const void *field)
{
	static const char *const keys[] = { "format", "host", "port" };
	const char *key = json_string_value(json_object_get(field, "key"));
	json_t *copy, *member;

	if (json_is_string(value))
		return value_open_address(key, json_string_value(value));
	if (!json_is_object(value))
		return NULL;
	copy = json_object();
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		member = json_object_get(value, keys[i]);
		if (strcmp(keys[i], "host") == 0 && json_is_string(member))
			(void)json_object_set_new(
				copy, keys[i],
				value_open_address(keys[i],
						   json_string_value(member)));
		else if (member != NULL)
			(void)json_object_set(copy, keys[i], member);
	}
	return copy;
}

static json_t *open_object(const json_t *object, const json_t *form);

/* Returns a copy of the entry with the members that observers receive; NULL:
 * the entry is no object. */
static json_t *open_entry(const json_t *entry, const void *field)
{
	return json_is_object(entry)
		       ? open_object(entry, json_object_get(field, "fields"))
		       : NULL;
}

static bool is_one_of(const json_t *text, const char *const *words)
{
	const char *own = json_string_value(text);

	while (own != NULL && *words != NULL && strcmp(*words, own) != 0)
		words++;
	return own != NULL && *words != NULL;
}

/* Returns the value as an observer receives it; NULL: its type is not that of
 * the field. */
static json_t *open_value(const json_t *value, const json_t *field)
{
	static const char *const numbers[] = { "boolean", "integer", "number",
					       NULL };
	static const char *const objects[] = { "object", NULL };
	const json_t *type = json_object_get(field, "type");

	if (has_mark(field, "address"))
		return value_open_each(value, open_address, field);
	if (json_object_get(field, "fields") != NULL ||
	    is_one_of(json_object_get(field, "item"), objects))
		return value_open_each(value, open_entry, field);
	if (is_one_of(type, numbers))
		return value_open_number(value, NULL);
	if (is_one_of(type, objects))
		return json_is_object(value) ? value_open_items(
				value, value_open_scalar, NULL) : NULL;
	return value_open_each(value, value_open_scalar, NULL);
}

/* Returns a copy of the object with the members that observers receive. */
static json_t *open_object(const json_t *object, const json_t *form)
{
	json_t *copy = json_object(), *value, *shown;
	const char *key;

	json_object_foreach((json_t *)(uintptr_t)object, key, value) {
		const json_t *field = find_field(form, key);

		shown = has_mark(field, "observer") ? open_value(value, field)
						    : NULL;
		if (shown != NULL)
			(void)json_object_set_new(copy, key, shown);
	}
	return copy;
}

static json_t *open_document(const json_t *document, const json_t *forms)
{
	json_t *copy = json_object(), *value, *field, *shown;

	value = json_object_get(document, "gid");
	if (value != NULL)
		(void)json_object_set(copy, "gid", value);
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		const struct section *s = &sections[i];

		value = json_object_get(document, s->key);
		if (value == NULL)
			continue;
		field = json_pack("{s:O*}", "fields",
				  json_object_get(forms, s->form));
		shown = s->named ? value_open_items(value, open_entry, field)
				 : value_open_each(value, open_entry, field);
		json_decref(field);
		if (shown != NULL)
			(void)json_object_set_new(copy, s->key, shown);
	}
	return copy;
}

/* --- without observer_redact --- */

json_t *config_view_of_observer(const json_t *document, const json_t *forms,
				bool reduced)
{
	json_t *view = reduced ? open_document(document, forms)
			       : json_deep_copy(document);
	json_t *user, *softcams;
	const char *login;

	/* without password hashes; softcams have only the members that
	 * observers receive */
	if (!reduced) {
		json_object_foreach(json_object_get(view, "users"), login, user)
			(void)json_object_del(user, "cipher");
		softcams = json_object_get(view, "softcam");
		for (size_t i = 0; i < json_array_size(softcams); i++)
			(void)json_array_set_new(
				softcams, i,
				open_object(json_array_get(softcams, i),
					    json_object_get(forms, "softcam")));
	}
	(void)json_object_del(json_object_get(view, "settings"), "crt_key");
	return view;
}

/* --- masks --- */

static void mask_members(json_t *value)
{
	json_t *member;
	const char *key;
	size_t i;

	for (i = 0; i < ARRAY_LEN(masked); i++)
		if (json_object_get(value, masked[i]) != NULL)
			(void)json_object_set_new(
				value, masked[i],
				json_string(CONFIG_VIEW_SECRET));
	json_object_foreach(value, key, member)
		mask_members(member);
	json_array_foreach(value, i, member)
		mask_members(member);
}

/* Is the last step of the path a key in masked? */
static bool is_masked(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; i < ARRAY_LEN(masked); i++)
		if (dot != NULL && strcmp(dot + 1, masked[i]) == 0)
			return true;
	return false;
}

void config_view_mask(json_t *changes)
{
	static const char *const sides[] = { "from", "to" };
	json_t *change, *value;
	size_t i, k;

	json_array_foreach(changes, i, change)
		for (k = 0; k < ARRAY_LEN(sides); k++) {
			value = json_object_get(change, sides[k]);
			if (value != NULL &&
			    is_masked(json_string_value(
				    json_object_get(change, "path"))))
				(void)json_object_set_new(
					change, sides[k],
					json_string(CONFIG_VIEW_SECRET));
			else
				mask_members(value);
		}
}
