/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the names in a stream that refer to other sections (CAS entries and
 * categories), and its texts. */
#include "master/config/entry.h"
#include "master/config/judge.h"
#include "proto/si/text.h"
#include "proto/spec/cas_spec.h"
#include "proto/spec/stream_spec.h"

#include <stdio.h>
#include <string.h>

static void judge_cas_list(struct judge *j, const json_t *stream,
			   const json_t *entries)
{
	size_t mark = judge_down(j, "cas_list"), i;
	const json_t *item;

	json_array_foreach(json_object_get(stream, "cas_list"), i, item) {
		size_t inner = judge_down_index(j, i);
		struct cas_link link = { .id = "" };
		struct errmsg error;

		if (field_read(&cas_list_fields, item, &link, &error) < 0)
			judge_add(j, CHECK_WARNING, "%s", error.text);
		(void)judge_down(j, "cas_id");
		if (link.id[0] == '\0')
			judge_add(j, CHECK_WARNING, "is missing");
		else if (entry_find(entries, "id", link.id) == NULL)
			judge_add(j, CHECK_WARNING, "there is no CAS entry "
				  "\"%.64s\"", link.id);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

/* Judges the categories of groups.  If the document has no categories, any name
 * is allowed. */
static void judge_groups(struct judge *j, const json_t *stream,
			 const json_t *categories)
{
	size_t mark = judge_down(j, "groups");
	const char *category;
	json_t *group;

	json_object_foreach(json_object_get(stream, "groups"), category,
			    group) {
		const json_t *one = entry_find(categories, "name", category);
		const char *name = json_string_value(group);
		size_t inner = judge_down(j, category);

		if (json_array_size(categories) > 0 && one == NULL)
			judge_add(j, CHECK_WARNING, "there is no such "
				  "category");
		else if (one != NULL && name != NULL && name[0] != '\0' &&
			 entry_find(json_object_get(one, "groups"), "name",
			      name) == NULL)
			judge_add(j, CHECK_WARNING, "the category has no group "
				  "\"%.64s\"", name);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

/* Judges the channel number for playlists, a number or text. */
static void judge_number(struct judge *j, const json_t *stream)
{
	const json_t *value = json_object_get(stream, "lcn");
	const char *text = json_string_value(value);
	size_t mark = judge_down(j, "lcn");

	if (text != NULL && text[strspn(text, "0123456789")] != '\0')
		judge_add(j, CHECK_WARNING, "\"%.32s\" is not a number: the "
					    "playlist has no channel number",
			  text);
	else if (text == NULL && value != NULL && !json_is_null(value) &&
		 !json_is_integer(value))
		judge_add(j, CHECK_WARNING, "is not a whole number: the "
					    "playlist has no channel number");
	else if (json_number_value(value) < 0)
		judge_add(j, CHECK_WARNING, "%g is less than 0: the playlist "
					    "has no channel number",
			  json_number_value(value));
	judge_up(j, mark);
}

/* Warns of a name with characters that its character set does not have; such a
 * name is sent in another character set. */
static void judge_texts(struct judge *j, const json_t *stream)
{
	static const char *const keys[] = { "service_name", "service_provider",
					    "network_name", "bouquet_name" };
	struct stream_spec spec;
	char set[32];

	if (stream_spec_parse(stream, &spec, NULL) < 0 ||
	    !text_table_ok(spec.remux.textcode))
		return;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *name = json_string_value(
			json_object_get(stream, keys[i]));
		enum text_table wanted = (enum text_table)spec.remux.textcode;
		enum text_table used = name != NULL
			? text_table_for(name, wanted) : wanted;
		size_t mark = judge_down(j, keys[i]);

		(void)snprintf(set, sizeof set, "ISO 8859-%u", (unsigned)used);
		if (used != wanted)
			judge_add(j, CHECK_WARNING, "the character set of "
						    "textcode %u lacks a "
						    "character of this text: "
						    "the text is sent in %s",
				  (unsigned)wanted,
				  used == TEXT_UTF8 ? "UTF-8" : set);
		judge_up(j, mark);
	}
}

void judge_names(struct judge *j, const json_t *stream, const json_t *document)
{
	const json_t *name = json_object_get(stream, "name");
	size_t mark;

	judge_cas_list(j, stream, json_object_get(document, "cas"));
	judge_groups(j, stream, json_object_get(document, "categories"));
	/* users know the stream by its name */
	mark = judge_down(j, "name");
	if (json_is_string(name) && json_string_length(name) == 0)
		judge_add(j, CHECK_WARNING, "is empty");
	judge_up(j, mark);
	judge_number(j, stream);
	judge_texts(j, stream);
}
