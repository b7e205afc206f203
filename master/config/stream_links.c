/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/stream_links.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "master/config/adapter_conf.h"

#include <stdlib.h>
#include <string.h>

static const char scheme[] = "stream://";

enum {
	SCHEME_LEN = sizeof scheme - 1,
	READERS_MAX = 10, /* most readers that a text names */
};

void stream_link_read(const char *address, char ret[IO_FEED_MAX + 1])
{
	size_t len;

	ret[0] = '\0';
	if (address == NULL || strncmp(address, scheme, SCHEME_LEN) != 0)
		return;
	len = strcspn(address + SCHEME_LEN, "#");
	if (len > (memchr(address + SCHEME_LEN, '/', len) != NULL
			   ? (size_t)IO_FEED_MAX : (size_t)IO_ID_MAX))
		return;
	memcpy(ret, address + SCHEME_LEN, len);
	ret[len] = '\0';
}

static bool reads(const json_t *input, const char *id)
{
	char link[IO_FEED_MAX + 1];

	stream_link_read(json_string_value(input), link);
	return link[0] != '\0' && strcmp(link, id) == 0;
}

static bool reads_any(const json_t *stream, const char *id)
{
	const json_t *input;
	size_t i;

	json_array_foreach(json_object_get(stream, "input"), i, input)
		if (reads(input, id))
			return true;
	return false;
}

json_t *stream_links_rename(const json_t *stream, const char *from,
			    const char *to)
{
	json_t *copy, *list, *input;
	const char *rest;
	size_t i;

	if (!reads_any(stream, from))
		return NULL;
	list = json_array();
	json_array_foreach(json_object_get(stream, "input"), i, input) {
		if (!reads(input, from)) {
			(void)json_array_append(list, input);
			continue;
		}
		rest = json_string_value(input);
		rest += strcspn(rest, "#");
		(void)json_array_append_new(
			list, json_sprintf("%s%s%s", scheme, to, rest));
	}
	/* a copy, because a stream object is never changed in place */
	copy = json_copy((json_t *)(uintptr_t)stream);
	(void)json_object_set_new(copy, "input", list);
	return copy;
}

/* True: an input of a stream, or the address of an adapter, reads this
 * stream. */
static bool reads_stream(const json_t *entry, const char *id)
{
	return reads_any(entry, id) ||
	       reads(json_object_get(entry, "address"), id);
}

static bool reads_adapter(const json_t *stream, const char *id)
{
	const json_t *input;
	char link[IO_ID_MAX + 1];
	size_t i;

	json_array_foreach(json_object_get(stream, "input"), i, input) {
		adapter_link_read(json_string_value(input), link);
		if (link[0] != '\0' && strcmp(link, id) == 0)
			return true;
	}
	return false;
}

static char *name_readers(const json_t *list, const char *id,
			  bool is_reader(const json_t *, const char *))
{
	char *text = NULL, *more;
	const json_t *entry;
	size_t i, n = 0;

	json_array_foreach((json_t *)(uintptr_t)list, i, entry) {
		const char *reader = json_string_value(
			json_object_get(entry, "id"));

		if (reader == NULL || !is_reader(entry, id) ||
		    !json_is_true(json_object_get(entry, "enable")) ||
		    n++ >= READERS_MAX)
			continue;
		more = text == NULL ? xstrdup(reader)
				    : xasprintf("%s, %s", text, reader);
		free(text);
		text = more;
	}
	if (n <= READERS_MAX)
		return text;
	more = xasprintf("%s and %zu more", text, n - READERS_MAX);
	free(text);
	return more;
}

char *stream_links_readers(const json_t *list, const char *id)
{
	return name_readers(list, id, reads_stream);
}

char *stream_links_fed(const json_t *streams, const char *adapter)
{
	return name_readers(streams, adapter, reads_adapter);
}
