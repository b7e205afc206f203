/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration file was changed by another program. */
#include "master/api/alarms.h"
#include "master/api/apply.h"
#include "master/api/certificate.h"
#include "master/api/call.h"
#include "master/api/edit.h"
#include "master/auth/auth.h"
#include "master/config/write_paths.h"

#include <string.h>

/* True when every member of a that needs a restart is the same in b. */
static bool keeps(const json_t *a, const json_t *b)
{
	static const char *const live[] = { STREAMS, "gid", "users", "log" };
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)a, key, value) {
		bool is_live = false;

		for (size_t i = 0; i < ARRAY_LEN(live); i++)
			is_live |= strcmp(live[i], key) == 0;
		if (!is_live && !json_equal(value, json_object_get(b, key)))
			return false;
	}
	return true;
}

/* Stops, announces and starts the streams that differ from the old list. */
static void follow(struct api *api, const json_t *old)
{
	const json_t *stream;
	size_t i;

	json_array_foreach(old, i, stream) {
		const char *id = edit_text(stream, "id");
		json_t *marker;

		if (id == NULL || config_stream(api->cfg.config, id) != NULL)
			continue;
		apply_removal(api, id);
		apply_warn_readers(api, id, NULL, NULL);
		marker = edit_removal(id, false);
		apply_announce(api, marker, false);
		json_decref(marker);
	}
	json_array_foreach(config_section(api->cfg.config, STREAMS), i,
			   stream) {
		const char *id = edit_text(stream, "id");

		if (json_equal(json_array_get(old, edit_find(old, "id", id)),
			       stream))
			continue;
		apply_stream(api, id, stream);
		apply_warn_readers(api, id, stream, NULL);
		apply_announce(api, stream, true);
	}
	apply_waiting(api);
}

bool api_reload(struct api *api, const json_t *document)
{
	json_t *old = json_copy(
		(json_t *)(uintptr_t)config_document(api->cfg.config));
	const json_t *settings = config_settings(api->cfg.config);
	bool can;

	/* settings that wait for a restart are not in force */
	(void)json_object_del(old, "settings");
	if (settings != NULL)
		(void)json_object_set(old, "settings",
				      (json_t *)(uintptr_t)settings);
	can = keeps(old, document) && keeps(document, old);

	/* the file was changed by hand: it says what the service may write */
	if (can) {
		write_paths_add_document(api->cfg.write_paths, document);
		config_replace(api->cfg.config, document);
		follow(api, json_object_get(old, STREAMS));
		/* the files of the certificate may have changed */
		certificate_apply(api);
		if (api->cfg.auth != NULL)
			auth_users_changed(api->cfg.auth);
		event_review(api);
		if (api->cfg.set_log != NULL)
			api->cfg.set_log(api->cfg.arg);
		alarms_set_reload(api->alarms, NULL);
	}
	json_decref(old);
	return can;
}
