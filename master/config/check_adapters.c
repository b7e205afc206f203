/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The adapters of dvb_tune, and the inputs that read them.  An adapter that
 * cannot run is kept: earlier versions stored any. */
#include "master/config/adapter_conf.h"
#include "master/config/judge.h"

#include <string.h>

/* The place of the first adapter with this id; the length of the list: none. */
static size_t find(const json_t *adapters, const char *id)
{
	const json_t *adapter;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)adapters, i, adapter) {
		const char *own = json_string_value(
			json_object_get(adapter, "id"));

		if (own != NULL && strcmp(own, id) == 0)
			return i;
	}
	return json_array_size(adapters);
}

static bool is_enabled(const json_t *adapter)
{
	return json_is_true(json_object_get(adapter, "enable"));
}

void judge_adapters(struct judge *j, const json_t *adapters)
{
	size_t mark = judge_down(j, "dvb_tune"), i;
	const json_t *adapter;

	json_array_foreach((json_t *)(uintptr_t)adapters, i, adapter) {
		const char *id = json_string_value(
			json_object_get(adapter, "id"));
		size_t inner = judge_down_index(j, i), first, outer;

		outer = judge_down(j, "id");
		first = id != NULL ? find(adapters, id) : i;
		if (id == NULL || !check_id(id))
			judge_add(j, CHECK_WARNING, "is not 1 to 64 characters "
				  "of A-Z a-z 0-9 _ . -: the adapter is not "
				  "run");
		else if (first != i)
			judge_add(j, CHECK_WARNING, "\"%.64s\" is already the "
				  "id of dvb_tune[%zu]: the adapter is not "
				  "run", id, first);
		judge_up(j, outer);
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
		adapter = json_array_get(adapters, find(adapters, id));
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
