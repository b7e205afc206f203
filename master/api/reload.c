/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration file was changed by another program. */
#include "master/api/apply.h"
#include "master/api/certificate.h"
#include "master/auth/auth.h"

#include <string.h>

/* Sections that can change while the instance runs; all others need a
 * restart. */
static const char *const live[] = { "make_stream", "gid", "users", "log" };

static bool is_live(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(live); i++)
		if (strcmp(live[i], key) == 0)
			return true;
	return false;
}

/* Every member of a that may not change is the same in b. */
static bool keeps(const json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)a, key, value)
		if (!is_live(key) &&
		    !json_equal(value, json_object_get(b, key)))
			return false;
	return true;
}

static const json_t *find(const json_t *streams, const char *id)
{
	const json_t *stream;
	size_t i;

	json_array_foreach(streams, i, stream) {
		const char *other = json_string_value(
			json_object_get(stream, "id"));

		if (other != NULL && strcmp(other, id) == 0)
			return stream;
	}
	return NULL;
}

static void remove_missing(struct api *api, const json_t *old)
{
	const json_t *stream;
	size_t i;

	json_array_foreach(old, i, stream) {
		const char *id = json_string_value(
			json_object_get(stream, "id"));

		if (id == NULL || config_stream(api->cfg.config, id) != NULL)
			continue;
		apply_removal(api, id);
		apply_announce_removal(api, id, false);
	}
}

static void set_changed(struct api *api, const json_t *old)
{
	const json_t *stream;
	size_t i;

	json_array_foreach(config_section(api->cfg.config, "make_stream"), i,
			   stream) {
		const char *id = json_string_value(
			json_object_get(stream, "id"));

		if (json_equal(find(old, id), stream))
			continue;
		apply_stream(api, id, stream);
		apply_announce(api, stream, true);
	}
}

bool api_reload(struct api *api, const json_t *document)
{
	json_t *old = json_copy(
		(json_t *)(uintptr_t)config_document(api->cfg.config));
	const json_t *settings = config_settings(api->cfg.config);
	bool can;

	/* those that wait for a restart do not count as being there */
	(void)json_object_del(old, "settings");
	if (settings != NULL)
		(void)json_object_set(old, "settings",
				      (json_t *)(uintptr_t)settings);
	can = keeps(old, document) && keeps(document, old);

	if (can) {
		config_replace(api->cfg.config, document);
		remove_missing(api, json_object_get(old, "make_stream"));
		set_changed(api, json_object_get(old, "make_stream"));
		apply_waiting(api);
		/* the files may be others than they were */
		certificate_apply(api);
		if (api->cfg.auth != NULL)
			auth_users_changed(api->cfg.auth);
		if (api->cfg.set_log != NULL)
			api->cfg.set_log(api->cfg.arg);
	}
	json_decref(old);
	return can;
}
