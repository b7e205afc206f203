/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the categories and their groups as set-category does. */
#include "master/config/category_name.h"
#include "master/config/judge.h"

/* Judges the names of the objects of one list. */
static void judge_list(struct judge *j, const json_t *list,
		       const struct category_names *names)
{
	json_t *known = json_object();
	const json_t *entry;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, entry) {
		const json_t *value = json_object_get(entry, "name");
		const char *name = json_string_value(value);
		size_t mark = judge_down_index(j, i);

		(void)judge_down(j, "name");
		if (name == NULL && json_is_object(entry))
			judge_add(j, CHECK_FAULT, "is %s",
				  value == NULL ? "missing" : "not a string");
		else if (name != NULL && !category_name_is_valid(names, name))
			judge_add(j, CHECK_FAULT, "\"%.64s\" is not "
				  CATEGORY_NAME_RULE, name);
		else if (name != NULL && json_object_get(known, name) != NULL)
			judge_add(j, CHECK_FAULT, "\"%.64s\" is already the "
						  "name of entry [%d]",
				  name, (int)json_integer_value(
					  json_object_get(known, name)));
		else if (name != NULL)
			(void)json_object_set_new(known, name,
						  json_integer((json_int_t)i));
		judge_up(j, mark);
	}
	json_decref(known);
}

void judge_categories(struct judge *j, const json_t *categories)
{
	struct category_names *names = category_names_new();
	size_t mark = judge_down(j, "categories"), i;
	const json_t *category;

	judge_list(j, categories, names);
	json_array_foreach((json_t *)(uintptr_t)categories, i, category) {
		const json_t *groups = json_object_get(category, "groups");
		size_t inner = judge_down_index(j, i);
		size_t deepest = judge_down(j, "groups");

		/* accepts {}, because some clients write an empty list so */
		if (groups != NULL && !json_is_array(groups) &&
		    (!json_is_object(groups) || json_object_size(groups) > 0))
			judge_add(j, CHECK_FAULT, "is not a list");
		else
			judge_list(j, groups, names);
		judge_up(j, deepest);
		judge_up(j, inner);
	}
	judge_up(j, mark);
	category_names_free(&names);
}
