/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/describe.h"

#include "master/config/config_fields.h"
#include "proto/spec/io_type.h"
#include "proto/spec/remux_options.h"
#include "proto/spec/stream_spec.h"

#include <string.h>

/* Adds the keys of another table of the same object; keys that the schema
 * already has stay. */
static void add_table(json_t *schema, const struct field_table *t)
{
	static const char *const parts[] = { "properties",
					     "patternProperties" };
	json_t *more = field_describe(t);

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		json_t *from = json_object_get(more, parts[i]);
		json_t *to = json_object_get(schema, parts[i]);

		if (to != NULL)
			(void)json_object_update_missing(to, from);
		else if (from != NULL)
			(void)json_object_set(schema, parts[i], from);
	}
	json_decref(more);
}

static json_t *describe_types(const struct io_type *const *types, bool inputs)
{
	json_t *all = json_object();

	for (; *types != NULL; types++) {
		json_t *schema = field_describe((*types)->options);

		if (inputs) {
			add_table(schema, &io_input_fields);
			add_table(schema, &remux_fields);
		}
		(void)json_object_set_new(all, (*types)->name, schema);
	}
	return all;
}

static void describe_table(const struct config_section *section,
			   const struct field_table *t, void *arg)
{
	json_t *all = arg, *schema = json_object_get(all, section->key);

	if (schema == NULL)
		(void)json_object_set_new(all, section->key,
					  field_describe(t));
	else
		add_table(schema, t);
}

json_t *config_describe(void)
{
	json_t *all = json_object(), *settings, *stream;

	config_tables_visit(describe_table, all);
	/* adds the keys of streams that the settings may have for all
	 * streams */
	stream = json_object_get(json_object_get(all, "make_stream"),
				 "properties");
	settings = json_object_get(json_object_get(all, "settings"),
				   "properties");
	for (size_t i = 0; i < stream_option_fields.n; i++) {
		const struct field *f = &stream_option_fields.rows[i];

		if (f->flags & FIELD_SETTING)
			(void)json_object_set(settings, f->key,
					      json_object_get(stream, f->key));
	}
	(void)json_object_set_new(all, "inputs",
				  describe_types(io_input_types, true));
	(void)json_object_set_new(all, "outputs",
				  describe_types(io_output_types, false));
	return all;
}

static void widen_table(const struct config_section *section,
			const struct field_table *t, void *arg)
{
	field_widen(t, json_object_get(arg, section->key));
}

json_t *config_schema(void)
{
	json_t *parts = config_describe();
	json_t *whole = field_describe(&document_fields);
	json_t *keys = json_object_get(whole, "properties");

	config_tables_visit(widen_table, parts);
	for (size_t i = 0; i < n_config_sections; i++) {
		const char *key = config_sections[i].key;
		json_t *entry = json_object_get(parts, key);
		json_t *section = json_object_get(keys, key);

		if (!config_sections[i].list)
			(void)json_object_update_missing(section, entry);
		else if (strcmp(key, "users") == 0)
			(void)json_object_set(section, "additionalProperties",
					      entry);
		else
			(void)json_object_update_new(section, json_pack(
				"{s:s, s:O}", "type", "array", "items",
				entry));
	}
	field_widen(&document_fields, whole);
	(void)json_object_set_new(whole, "$schema", json_string(
		"https://json-schema.org/draft/2020-12/schema"));
	(void)json_object_set_new(whole, "title", json_string(
		"Configuration of Sluice"));
	json_decref(parts);
	return whole;
}
