/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_list.h"

#include <stdlib.h>
#include <string.h>

/* Writes the object, behind a comma unless it is the first one.  Takes the
 * object. */
static void put(struct buf *to, json_t *object, bool first)
{
	char *text = json_dumps(object, JSON_COMPACT);

	buf_printf(to, "%s\n", first ? "" : ",");
	buf_append(to, text, strlen(text));
	free(text);
	json_decref(object);
}

static void set_text(json_t *o, const char *key, const char *text)
{
	if (text[0] != '\0')
		(void)json_object_set_new(o, key, json_string(text));
}

void guide_list_begin(struct buf *to)
{
	buf_printf(to, "{\"channels\": [");
}

void guide_list_channel(struct buf *to, const struct xmltv_channel *c,
			bool first)
{
	json_t *o = json_object();

	set_text(o, "id", c->id);
	set_text(o, "name", c->name);
	set_text(o, "number", c->number);
	set_text(o, "icon", c->icon);
	put(to, o, first);
}

void guide_list_programmes(struct buf *to)
{
	buf_printf(to, "],\n\"programmes\": [");
}

void guide_list_programme(struct buf *to, const char *channel,
			  const struct guide_event *e, bool first)
{
	json_t *o = json_object(), *event = guide_event_write(e);

	set_text(o, "channel", channel);
	(void)json_object_update(o, event);
	json_decref(event);
	put(to, o, first);
}

void guide_list_end(struct buf *to)
{
	buf_printf(to, "]}\n");
}
