/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/epg_keys.h"

#include "common/base/alloc.h"
#include "proto/si/text.h"
#include "proto/spec/stream_spec.h"

#include <stdlib.h>

static struct own_services own_of(const json_t *stream,
				  enum eit_other *ret_other)
{
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	struct own_services own;
	struct errmsg error;

	/* errors are ignored here: the worker of the stream reports them */
	(void)!stream_spec_parse(stream, spec, &error);
	own = tables_spec_own_eits(&spec->tables);
	*ret_other = spec->tables.eit_other;
	free(spec);
	return own;
}

json_t *epg_keys_new(const json_t *stream)
{
	enum eit_other other;
	struct own_services own = own_of(stream, &other);
	json_t *keys = json_pack("{s:O*, s:O*}", "xmltv_id",
		json_object_get(stream, "xmltv_id"), "epg_codepage",
		json_object_get(stream, "epg_codepage"));
	json_t *except = json_array();

	if (own.all)
		(void)json_object_set_new(keys, "own_eit", json_true());
	if (other != EIT_OTHER_PASS)
		(void)json_object_set_new(keys, "own_other",
					  json_integer(other));
	for (size_t i = 0; i < own.n_except; i++)
		(void)json_array_append_new(except,
					    json_integer(own.except[i]));
	if (own.n_except > 0)
		(void)json_object_set(keys, "own_except", except);
	json_decref(except);
	return keys;
}

void epg_keys_fill(const json_t *keys, struct msg_epg_stream *ret)
{
	const char *channel = json_string_value(
		json_object_get(keys, "xmltv_id"));
	json_int_t page = json_integer_value(
		json_object_get(keys, "epg_codepage"));
	const json_t *item;
	size_t i;

	ret->channel = channel != NULL ? channel : "";
	ret->codepage = page > 0 && page <= TEXT_UTF8 ? (unsigned)page : 0;
	ret->own.all = json_is_true(json_object_get(keys, "own_eit"));
	ret->own_other = (unsigned)json_integer_value(
		json_object_get(keys, "own_other"));
	ret->own.n_except = 0;
	json_array_foreach(json_object_get(keys, "own_except"), i, item)
		ret->own.except[ret->own.n_except++] =
			(uint16_t)json_integer_value(item);
}
