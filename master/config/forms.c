/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/forms.h"

#include "common/account/credential.h"
#include "master/config/config_fields.h"
#include "master/config/entry.h"
#include "proto/spec/io_type.h"
#include "proto/spec/remux_options.h"
#include "proto/spec/stream_spec.h"

/* Fields that only a request has; the configuration has the hash of the
 * password. */
static const struct field password_rows[] = {
	{ "password", .type = FIELD_STRING, .max = PASSWORD_MAX,
	  .flags = FIELD_SECRET,
	  .help = "New password, whose hash is stored; empty: the old one." },
};
static const struct field_table password_fields = FIELD_ROWS(password_rows);

/* Forms that do not belong to a section. */
static const struct {
	const char *name;
	const struct field_table *fields;
} objects[] = {
	{ "input_options", &io_input_fields },
	{ "remux_options", &remux_fields },
	{ "document", &document_fields },
};

/* Appends the fields of another table of the same object; keys that are already
 * there stay. */
static void add_table(json_t *list, const struct field_table *t)
{
	json_t *more = field_form(t), *form;
	size_t i;

	json_array_foreach(more, i, form)
		if (entry_find(list, "key", json_string_value(
				     json_object_get(form, "key"))) == NULL)
			(void)json_array_append(list, form);
	json_decref(more);
}

/* Adds the options of streams that the settings may have as defaults of all
 * streams. */
static void add_defaults(json_t *settings)
{
	json_t *options = field_form(&stream_option_fields), *form;
	size_t i, k;

	json_array_foreach(options, i, form) {
		if (!(stream_option_fields.rows[i].flags & FIELD_SETTING))
			continue;
		for (k = 0; k < json_array_size(settings); k++)
			if (json_equal(json_object_get(json_array_get(settings,
								      k),
						       "key"),
				       json_object_get(form, "key")))
				break;
		if (k < json_array_size(settings))
			(void)json_array_set(settings, k, form);
		else
			(void)json_array_append(settings, form);
	}
	json_decref(options);
}

static json_t *make_types(const struct io_type *const *types)
{
	json_t *list = json_array();

	for (; *types != NULL; types++)
		(void)json_array_append_new(list, json_pack(
			"{s:s, s:s, s:o}", "type", (*types)->name, "target",
			(*types)->target, "options",
			field_form((*types)->options)));
	return list;
}

static void form_table(const struct config_section *section,
		       const struct field_table *t, void *arg)
{
	json_t *all = arg, *list = json_object_get(all, section->form);

	if (list == NULL)
		(void)json_object_set_new(all, section->form, field_form(t));
	else
		add_table(list, t);
}

json_t *forms_make(void)
{
	json_t *all = json_object();

	(void)json_object_set_new(all, "input", make_types(io_input_types));
	(void)json_object_set_new(all, "output", make_types(io_output_types));
	for (size_t i = 0; i < ARRAY_LEN(objects); i++)
		(void)json_object_set_new(all, objects[i].name,
					  field_form(objects[i].fields));
	config_tables_visit(form_table, all);
	add_table(json_object_get(all, "user"), &password_fields);
	add_defaults(json_object_get(all, "settings"));
	return all;
}
