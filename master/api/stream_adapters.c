/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/stream_adapters.h"

#include "master/api/command.h"
#include "master/api/edit.h"
#include "master/config/adapter_conf.h"

void stream_adapters_rename(struct api *api, const char *from, const char *to)
{
	json_t *list = edit_list(api, ADAPTERS), *changed = json_array();
	json_t *copy, *message;

	for (size_t i = 0; i < json_array_size(list); i++) {
		copy = adapter_conf_rename_link(json_array_get(list, i), from,
						to);
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
