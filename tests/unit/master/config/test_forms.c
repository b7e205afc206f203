/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms have every row of the tables that the reader uses. */
#include "master/config/forms.h"

#include "common/base/util.h"
#include "master/config/config_fields.h"
#include "master/config/describe.h"
#include "proto/spec/io_type.h"
#include "proto/spec/remux_options.h"
#include "proto/spec/stream_spec.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The form of a key, borrowed; NULL: the list has none. */
static const json_t *find(const json_t *list, const char *key)
{
	size_t i;
	json_t *form;

	json_array_foreach((json_t *)(uintptr_t)list, i, form)
		if (strcmp(json_string_value(json_object_get(form, "key")),
			   key) == 0)
			return form;
	return NULL;
}

static void expect_rows(const char *name, const json_t *list,
			const struct field_table *t)
{
	static const char types[] = " boolean integer number text list object "
				    "scalar any ";
	char word[32];

	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->rows[i];
		const json_t *form = find(list, f->key);
		const char *help = json_string_value(
			json_object_get(form, "help"));
		const char *type = json_string_value(
			json_object_get(form, "type"));

		cr_assert_not_null(form, "%s lacks %s", name, f->key);
		cr_assert(help != NULL && help[strlen(help) - 1] == '.',
			  "%s: %s has no sentence", name, f->key);
		(void)snprintf(word, sizeof word, " %s ", type);
		cr_expect_not_null(strstr(types, word), "%s: %s: %s", name,
				   f->key, type);
		cr_expect_eq(json_is_true(json_object_get(form, "secret")),
			     !!(f->flags & FIELD_SECRET), "%s: %s", name,
			     f->key);
		cr_expect_eq(json_is_true(json_object_get(form, "observer")),
			     !!(f->flags & FIELD_OBSERVER), "%s: %s", name,
			     f->key);
	}
}

static void expect_types(const json_t *list, const struct io_type *const *types)
{
	size_t n = 0;

	for (; types[n] != NULL; n++) {
		const json_t *type = json_array_get(list, n);

		cr_assert_str_eq(json_string_value(
			json_object_get(type, "type")), types[n]->name);
		cr_assert_gt(json_string_length(
			json_object_get(type, "target")), 0u);
		expect_rows(types[n]->name, json_object_get(type, "options"),
			    types[n]->options);
	}
	cr_assert_eq(n, json_array_size(list));
}

static void expect_table(const struct config_section *s,
			 const struct field_table *t, void *arg)
{
	expect_rows(s->form, json_object_get(arg, s->form), t);
}

Test(forms, have_every_row_of_every_table)
{
	json_t *all = forms_make();

	expect_types(json_object_get(all, "input"), io_input_types);
	expect_types(json_object_get(all, "output"), io_output_types);
	expect_rows("input_options", json_object_get(all, "input_options"),
		    &io_input_fields);
	expect_rows("remux_options", json_object_get(all, "remux_options"),
		    &remux_fields);
	expect_rows("document", json_object_get(all, "document"),
		    &document_fields);
	cr_assert_not_null(find(json_object_get(all, "user"), "password"));
	config_tables_visit(expect_table, all);
	json_decref(all);
}

/* A form writes the numbers of a schema as text. */
static bool same_values(const json_t *schema, const json_t *choices)
{
	const json_t *value;
	size_t i;

	json_array_foreach(schema, i, value) {
		const char *choice = json_string_value(
			json_array_get(choices, i));

		if (choice == NULL)
			return false;
		if (json_is_integer(value)
			? strtoll(choice, NULL, 10) != json_integer_value(value)
			: strcmp(choice, json_string_value(value)) != 0)
			return false;
	}
	return i == json_array_size(choices);
}

/* The schema of `sluice --describe` has the same bounds, defaults and words. */
static void expect_same(const json_t *form, const json_t *schema)
{
	static const char *const pairs[][2] = {
		{ "min", "minimum" }, { "max", "maximum" },
		{ "default", "default" }, { "unit", "unit" },
		{ "help", "description" },
	};
	const char *key = json_string_value(json_object_get(form, "key"));

	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		const json_t *value = json_object_get(schema, pairs[i][1]);

		if (value != NULL)
			cr_expect(json_equal(value, json_object_get(
				form, pairs[i][0])), "%s: %s", key,
				pairs[i][0]);
	}
	if (json_object_get(schema, "enum") != NULL)
		cr_expect(same_values(json_object_get(schema, "enum"),
				      json_object_get(form, "choices")), "%s",
			  key);
}

Test(forms, agree_with_the_description)
{
	json_t *all = forms_make(), *described = config_describe(), *type;
	const json_t *settings = json_object_get(
		json_object_get(described, "settings"), "properties");
	size_t i, k, n = 0;
	json_t *form;

	json_array_foreach(json_object_get(all, "input"), i, type) {
		const json_t *schema = json_object_get(json_object_get(
			json_object_get(described, "inputs"),
			json_string_value(json_object_get(type, "type"))),
			"properties");

		json_array_foreach(json_object_get(type, "options"), k, form) {
			expect_same(form, json_object_get(
				schema, json_string_value(
					json_object_get(form, "key"))));
			n++;
		}
	}
	cr_assert_gt(n, 50u);
	/* a default of all streams is that of the stream's option */
	json_array_foreach(json_object_get(all, "settings"), k, form)
		expect_same(form, json_object_get(settings, json_string_value(
			json_object_get(form, "key"))));
	cr_assert_str_eq(json_string_value(json_object_get(
		find(json_object_get(all, "settings"), "cc_limit"), "unit")),
		"errors/s");
	json_decref(all);
	json_decref(described);
}
