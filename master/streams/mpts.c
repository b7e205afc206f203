/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/mpts.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "proto/spec/stream_spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char link_scheme[] = "stream://";

bool mpts_is_mux(const json_t *stream)
{
	const char *type = json_string_value(json_object_get(stream, "type"));

	return type != NULL && strcmp(type, "mpts") == 0 &&
	       json_array_size(json_object_get(stream, "input")) > 1;
}

bool mpts_has_clock(const json_t *stream)
{
	const char *tdt = json_string_value(json_object_get(stream, "tdt"));

	if (stream_spec_has_clock(stream))
		return true;
	return mpts_is_mux(stream) &&
	       (tdt == NULL || strcmp(tdt, table_origins[ORIGIN_PASS]) == 0);
}

static bool has_filler(const struct remux_options *o)
{
	return o->absent == ABSENT_STILL || o->absent == ABSENT_FILE;
}

static const char *filler_of(const struct remux_options *o)
{
	return o->absent == ABSENT_STILL ? "still" : o->absent_path;
}

/* True: the multiplex reads this input itself, so it has no feed (mpts.h): a
 * stream:// input that inserts no PID of another stream (mux=) and has no
 * filler (absent=), an invalid stream:// input, or NULL. */
static bool is_link(const char *address)
{
	struct input_spec *spec;
	bool plain;

	if (address == NULL)
		return true;
	if (strncmp(address, link_scheme, sizeof link_scheme - 1) != 0)
		return false;
	spec = xcalloc(1, sizeof *spec);
	plain = input_spec_parse(address, spec, NULL, NULL, NULL) < 0 ||
		(spec->mux[0] == '\0' && !has_filler(&spec->remux));
	free(spec);
	return plain;
}

static void add(char **text, const char *key, unsigned value)
{
	char *longer = xasprintf("%s%s%s=%u", *text,
				 strchr(*text, '#') != NULL ? "&" : "#", key,
				 value);

	free(*text);
	*text = longer;
}

static void add_word(char **text, const char *key, const char *value)
{
	char *longer = xasprintf("%s%s%s=%s", *text,
				 strchr(*text, '#') != NULL ? "&" : "#", key,
				 value);

	free(*text);
	*text = longer;
}

static void add_flag(char **text, const char *key)
{
	char *longer = xasprintf("%s%s%s", *text,
				 strchr(*text, '#') != NULL ? "&" : "#", key);

	free(*text);
	*text = longer;
}

/* Adds the options of an input that apply in the multiplex.  The multiplex
 * keeps a PID or number that the feed has already set: map.PID=PID, with the
 * same PID twice. */
static void add_options(char **text, const struct remux_options *o)
{
	char key[24];

	if (o->pid_base != 0)
		add(text, "pid_base", o->pid_base);
	if (o->pid_block != 0)
		add(text, "pid_block", o->pid_block);
	if (o->priority != PRIORITY_DEFAULT)
		add(text, "priority", o->priority);
	if (o->rate_min != 0)
		add(text, "rate_min", o->rate_min);
	if (o->rate_max != 0)
		add(text, "rate_max", o->rate_max);
	if (o->absent == ABSENT_REMOVE)
		add(text, "absent", o->absent_s);
	/* the filler of the multiplex, for a single service that is absent, or
	 * if the filler of the feed does not fit */
	if (has_filler(o))
		add_word(text, "absent", filler_of(o));
	if (o->set_pnr != 0)
		add(text, "set_pnr", o->set_pnr);
	if (o->pass_ca)
		add_flag(text, "cas");
	if (o->cat == TABLE_PASS)
		add_flag(text, "pass_cat");
	if (remux_options_given(o))
		add_flag(text, "pass_data");
	for (size_t i = 0; i < o->n_maps; i++) {
		(void)snprintf(key, sizeof key, "map.%u", o->maps[i].pid);
		add(text, key, o->maps[i].pid);
	}
}

/* Returns the stream:// address by which the multiplex reads a feed: a new
 * reference. */
static json_t *read_feed(const char *id, unsigned position,
			 const char *address)
{
	struct input_spec *spec = xcalloc(1, sizeof *spec);
	char *text = xasprintf("%s%s/%u", link_scheme, id, position);
	json_t *input;

	if (input_spec_parse(address, spec, NULL, NULL, NULL) == 0)
		add_options(&text, &spec->remux);
	input = json_string(text);
	free(text);
	free(spec);
	return input;
}

json_t *mpts_mux(const json_t *stream, const char *id)
{
	json_t *copy = json_copy((json_t *)(uintptr_t)stream);
	json_t *list = json_array(), *input;
	size_t i;

	json_array_foreach(json_object_get(stream, "input"), i, input) {
		const char *address = json_string_value(input);

		if (is_link(address))
			(void)json_array_append(list, input);
		else
			(void)json_array_append_new(list,
				read_feed(id, (unsigned)i + 1, address));
	}
	(void)json_object_set_new(copy, "input", list);
	/* the filler of the mpts is sent by the feeds, not by the multiplex */
	(void)json_object_del(copy, "filler");
	return copy;
}

/* Sets the filler of a feed: the value of absent= if that is a filler; the
 * filler of the mpts if the input has no absent=; none for absent=N
 * (seconds). */
static void add_filler(json_t *feed, const json_t *stream, const char *address)
{
	struct input_spec *spec = xcalloc(1, sizeof *spec);
	const struct remux_options *o = &spec->remux;
	json_t *filler = json_object_get(stream, "filler");

	if (input_spec_parse(address, spec, NULL, NULL, NULL) < 0)
		*spec = (struct input_spec){ 0 };
	if (has_filler(o)) {
		(void)json_object_set_new(feed, "filler",
					  json_string(filler_of(o)));
		/* the filler starts at once when the source is silent */
		(void)json_object_set_new(feed, "backup_start_delay",
					  json_integer(0));
	} else if (filler != NULL && o->absent == ABSENT_NONE) {
		(void)json_object_set(feed, "filler", filler);
	}
	free(spec);
}

json_t *mpts_feed(const json_t *stream, const char *id, unsigned position)
{
	json_t *input = json_array_get(json_object_get(stream, "input"),
				       position - 1);
	const char *name = json_string_value(json_object_get(stream, "name"));
	json_t *feed;

	if (is_link(json_string_value(input)))
		return NULL;
	feed = json_pack("{s:s, s:O, s:[O]}", "type", "spts", "enable",
			 json_object_get(stream, "enable"), "input", input);
	(void)json_object_set_new(feed, "id",
				  json_sprintf("%s/%u", id, position));
	(void)json_object_set_new(feed, "name",
				  json_sprintf("%s/%u",
					       name != NULL ? name : id,
					       position));
	if (json_object_get(stream, "mux_delay") != NULL)
		(void)json_object_set(feed, "mux_delay",
				      json_object_get(stream, "mux_delay"));
	add_filler(feed, stream, json_string_value(input));
	return feed;
}

void mpts_link(const char *id, unsigned position, char ret[IO_FEED_MAX + 1])
{
	(void)snprintf(ret, IO_FEED_MAX + 1, "%s/%u", id, position);
}

bool mpts_is_link(const char *name)
{
	return strchr(name, '/') != NULL;
}
