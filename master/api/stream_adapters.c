/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/stream_adapters.h"

#include "master/api/command.h"
#include "master/api/edit.h"
#include "master/config/adapter_conf.h"

#include <string.h>

/* A new reference; NULL: it does not read the stream. */
static json_t *rename_one(const json_t *adapter, const char *from,
			  const char *to)
{
	const char *address = edit_text(adapter, "address");
	char link[IO_FEED_MAX + 1];
	json_t *copy;

	adapter_conf_link(adapter, link);
	if (link[0] == '\0' || strcmp(link, from) != 0)
		return NULL;
	copy = json_copy((json_t *)(uintptr_t)adapter);
	(void)json_object_set_new(copy, "address",
				  json_sprintf("stream://%s%s", to, address +
					       strcspn(address, "#")));
	return copy;
}

void stream_adapters_rename(struct api *api, const char *from, const char *to)
{
	json_t *list = edit_list(api, ADAPTERS), *changed = json_array();
	json_t *copy, *message;

	for (size_t i = 0; i < json_array_size(list); i++) {
		copy = rename_one(json_array_get(list, i), from, to);
		if (copy == NULL)
			continue;
		(void)json_array_append(changed, copy);
		(void)json_array_set_new(list, i, copy);
	}
	if (json_array_size(changed) > 0) {
		config_set_section(api->cfg.config, ADAPTERS,
				   json_incref(list));
		api_start_adapters(api);
	}
	for (size_t i = 0; i < json_array_size(changed); i++) {
		message = edit_message("set-adapter");
		(void)json_object_set(message, "adapter",
				      json_array_get(changed, i));
		edit_announce(api, message);
	}
	json_decref(changed);
	json_decref(list);
}
