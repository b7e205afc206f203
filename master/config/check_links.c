/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges streams that read other streams: the other stream exists, and no
 * stream reads itself, directly or through adapters.  Judges softcams that
 * inputs name: they exist. */
#include "master/config/judge.h"
#include "master/config/link_graph.h"
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

void judge_links(struct judge *j, const json_t *stream,
		 const struct link_graph *g, const char *self)
{
	size_t mark = judge_down(j, "input"), i;
	char link[IO_FEED_MAX + 1], name[IO_LINK_MAX + 1];
	const json_t *input;

	json_array_foreach(json_object_get(stream, "input"), i, input) {
		size_t inner = judge_down_index(j, i);
		const json_t *source;

		link_graph_name(json_string_value(input), name);
		stream_link_read(json_string_value(input), link);
		source = json_object_get(g->streams, link);
		/* self: id by which others still read the stream; NULL: none.
		 * A link with a slash is no id, but an input of an mpts. */
		if (name[0] != '\0' &&
		    link_graph_leads(g, name, id_of(stream), self))
			judge_add(j, CHECK_FAULT, "stream \"%.64s\" would "
						  "receive what it sends "
						  "itself", id_of(stream));
		else if (strchr(link, '/') != NULL)
			judge_add(j, CHECK_FAULT, "stream: \"%.64s\" is not an "
				  "id: it has only A-Z a-z 0-9 _ . -", link);
		else if (link[0] != '\0' && source == NULL)
			judge_add(j, CHECK_WARNING, "there is no stream "
				  "\"%.64s\"", link);
		else if (link[0] != '\0' && is_enabled(stream) &&
			 !is_enabled(source))
			judge_add(j, CHECK_WARNING, "stream \"%.64s\" is "
				  "disabled", link);
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

		/* fast way out, because few inputs name a softcam */
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
