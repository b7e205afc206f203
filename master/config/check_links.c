/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams that read streams: the stream exists, and no stream reads itself.
 * Softcams that inputs name: they exist. */
#include "master/config/judge.h"
#include "master/config/stream_links.h"

#include <string.h>

static const char *id_of(const json_t *stream)
{
	const char *id = json_string_value(json_object_get(stream, "id"));

	return id != NULL ? id : "";
}

static const json_t *find(const json_t *streams, const char *id)
{
	const json_t *stream;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)streams, i, stream)
		if (strcmp(id_of(stream), id) == 0)
			return stream;
	return NULL;
}

static bool is_enabled(const json_t *stream)
{
	return json_is_true(json_object_get(stream, "enable"));
}

/* True when `from` reads `id`, also through others.  seen: visited streams. */
static bool comes_from(const json_t *streams, const char *from, const char *id,
		       json_t *seen)
{
	const json_t *stream = find(streams, from), *input;
	char link[IO_FEED_MAX + 1];
	size_t i;

	if (strcmp(from, id) == 0)
		return true;
	if (stream == NULL || json_object_get(seen, from) != NULL)
		return false;
	(void)json_object_set_new(seen, from, json_true());
	json_array_foreach(json_object_get(stream, "input"), i, input) {
		stream_link_read(json_string_value(input), link);
		if (link[0] != '\0' && comes_from(streams, link, id, seen))
			return true;
	}
	return false;
}

void judge_links(struct judge *j, const json_t *stream, const json_t *streams)
{
	size_t mark = judge_down(j, "input"), i;
	const json_t *input, *source;
	char link[IO_FEED_MAX + 1];

	json_array_foreach(json_object_get(stream, "input"), i, input) {
		size_t inner = judge_down_index(j, i);
		json_t *seen = json_object();

		stream_link_read(json_string_value(input), link);
		source = find(streams, link);
		/* no other stream reads the inputs of an mpts */
		if (strchr(link, '/') != NULL)
			judge_add(j, CHECK_FAULT, "stream: \"%.64s\" is not an "
				  "id: it has only A-Z a-z 0-9 _ . -", link);
		else if (link[0] != '\0' &&
			 comes_from(streams, link, id_of(stream), seen))
			judge_add(j, CHECK_FAULT, "stream \"%.64s\" would play "
				  "what it sends itself", id_of(stream));
		else if (link[0] != '\0' && source == NULL)
			judge_add(j, CHECK_WARNING,
				  "there is no stream \"%.64s\"", link);
		else if (link[0] != '\0' && is_enabled(stream) &&
			 !is_enabled(source))
			judge_add(j, CHECK_WARNING,
				  "stream \"%.64s\" is disabled", link);
		json_decref(seen);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

void judge_cams(struct judge *j, const json_t *stream, const json_t *softcams)
{
	size_t mark = judge_down(j, "input"), i;
	const json_t *input;
	struct input_spec spec;

	json_array_foreach(json_object_get(stream, "input"), i, input) {
		size_t inner = judge_down_index(j, i);
		const char *address = json_string_value(input);

		/* few inputs name one */
		if (address == NULL || strstr(address, "cam=") == NULL ||
		    input_spec_parse(address, &spec, NULL, NULL, NULL) < 0)
			spec.cams.n = 0;
		for (size_t k = 0; k < spec.cams.n; k++)
			if (find(softcams, spec.cams.ids[k]) == NULL)
				judge_add(j, CHECK_WARNING, "there is no "
					  "softcam \"%.64s\"",
					  spec.cams.ids[k]);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}
