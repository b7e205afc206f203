/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/lnb_sharers.h"

#include "common/base/log.h"
#include "master/api/edit.h"
#include "master/config/adapter_conf.h"
#include "master/config/lnb_sharing.h"

#include <string.h>

json_t *lnb_sharers_misfits(const json_t *list)
{
	json_t *misfits = json_object();
	const json_t *adapter;
	struct errmsg error;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, adapter) {
		const char *id = edit_text(adapter, "id");

		if (id != NULL &&
		    json_is_true(json_object_get(adapter, "enable")) &&
		    !lnb_sharing_fits(list, adapter, &error) &&
		    adapter_conf_can_run(adapter, NULL))
			(void)json_object_set_new(misfits, id,
						  json_string(error.text));
	}
	return misfits;
}

json_t *lnb_sharers_stopped(const json_t *before, const json_t *after)
{
	json_t *stopped = lnb_sharers_misfits(after), *unused;
	const char *id;
	void *next;

	json_object_foreach_safe(stopped, next, id, unused) {
		json_t *keys = adapter_conf_wanted(
			before, json_array_get(before,
					       edit_find(before, "id", id)));

		if (keys == NULL)
			(void)json_object_del(stopped, id);
		json_decref(keys);
	}
	return stopped;
}

static bool names(const json_t *adapter, const char *feeder)
{
	const char *id = edit_text(adapter, "lnb_adapter");

	return id != NULL && strcmp(id, feeder) == 0 &&
	       json_is_true(json_object_get(adapter, "lnb_sharing"));
}

json_t *lnb_sharers_rename(json_t *list, const char *from, const char *to)
{
	json_t *changed = json_array();

	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *copy = json_array_get(list, i);

		if (!names(copy, from))
			continue;
		copy = json_copy(copy);
		(void)json_object_set_new(copy, "lnb_adapter",
					  json_string(to));
		(void)json_array_append(changed, copy);
		(void)json_array_set_new(list, i, copy);
	}
	return changed;
}

json_t *lnb_sharers_of(const json_t *list, const char *feeder)
{
	json_t *ids = json_array();
	const json_t *adapter;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, adapter)
		if (names(adapter, feeder) && edit_text(adapter, "id") != NULL)
			(void)json_array_append(
				ids, json_object_get(adapter, "id"));
	return ids;
}

void lnb_sharers_log(const json_t *before, const json_t *now)
{
	const char *id, *known, *text;
	const json_t *value;

	json_object_foreach((json_t *)(uintptr_t)now, id, value) {
		known = edit_text(before, id);
		text = json_string_value(value);
		if (known == NULL || strcmp(known, text) != 0)
			log_warning("adapter", "%s: stopped: %s", id, text);
	}
}
