/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the ids of adapters and softcams, and the inputs that read
 * adapters. */
#include "master/config/adapter_conf.h"
#include "master/config/entry.h"
#include "master/config/judge.h"

static bool is_enabled(const json_t *adapter)
{
	return json_is_true(json_object_get(adapter, "enable"));
}

void judge_ids(struct judge *j, const json_t *document, const char *section,
	       const char *consequence)
{
	const json_t *list = json_object_get(document, section), *entry;
	size_t mark = judge_down(j, section), i;

	json_array_foreach((json_t *)(uintptr_t)list, i, entry) {
		const char *id = json_string_value(
			json_object_get(entry, "id"));
		size_t inner = judge_down_index(j, i);
		size_t first = id != NULL ? entry_place(list, 0, "id", id) : i;

		(void)judge_down(j, "id");
		if (json_is_object(entry) && (id == NULL || !check_id(id)))
			judge_add(j, CHECK_FAULT, "is not 1 to 64 characters "
				  "of A-Z a-z 0-9 _ . -: %s", consequence);
		else if (first != i)
			judge_add(j, CHECK_FAULT, "\"%.64s\" is already the "
				  "id of %s[%zu]: %s", id, section, first,
				  consequence);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

void judge_feeds(struct judge *j, const json_t *stream, const json_t *adapters)
{
	size_t mark = judge_down(j, "input"), i;
	const json_t *input;
	char id[IO_ID_MAX + 1];

	json_array_foreach(json_object_get(stream, "input"), i, input) {
		size_t inner = judge_down_index(j, i);
		const json_t *adapter;

		adapter_link_read(json_string_value(input), id);
		adapter = entry_find(adapters, "id", id);
		if (id[0] != '\0' && adapter == NULL)
			judge_add(j, CHECK_WARNING,
				  "there is no adapter \"%.64s\"", id);
		else if (id[0] != '\0' && is_enabled(stream) &&
			 !is_enabled(adapter))
			judge_add(j, CHECK_WARNING,
				  "adapter \"%.64s\" is disabled", id);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}
