/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/category_edit.h"

#include "master/api/category_name.h"
#include "master/api/edit.h"

#include <string.h>

static const char *name_of(const json_t *object)
{
	return edit_text(object, "name");
}

/* --- the category itself --- */

static bool has_name(const json_t *list, const char *name)
{
	return edit_find(list, "name", name) < json_array_size(list);
}

/* Does another category have this name? */
static bool is_taken(const struct category_request *r, const char *name)
{
	const json_t *other;
	size_t i;

	json_array_foreach((json_t *)r->list, i, other) {
		const char *taken = name_of(other);

		if (i != r->place && taken != NULL && strcmp(taken, name) == 0)
			return true;
	}
	return false;
}

static bool judge_name(const struct category_request *r,
		       const struct category_names *names,
		       struct errmsg *error)
{
	const char *name = name_of(r->category);

	if (name == NULL)
		errmsg_set(error, "category name is required");
	else if (!category_name_is_valid(names, name))
		errmsg_set(error, "category name is not valid");
	else if (is_taken(r, name))
		errmsg_set(error, "category name already exists");
	else
		return true;
	return false;
}

/* The groups that stay; NULL with an error. */
static json_t *make_groups(const json_t *wanted,
			   const struct category_names *names,
			   struct errmsg *error)
{
	json_t *groups = json_array();
	const json_t *group;
	size_t i;

	json_array_foreach((json_t *)wanted, i, group) {
		const char *name = name_of(group);

		if (edit_is_removal(group))
			continue;
		if (name == NULL || !category_name_is_valid(names, name))
			errmsg_set(error, "group name is not valid "
				   "(groups[%zu])", i);
		else if (has_name(groups, name))
			errmsg_set(error, "duplicate group name (groups[%zu])",
				   i);
		else {
			(void)json_array_append_new(groups,
						    edit_entry_copy(group));
			continue;
		}
		json_decref(groups);
		return NULL;
	}
	return groups;
}

/* The groups in the order of the names, each once; NULL with an error. */
static json_t *reorder_groups(const json_t *groups, const json_t *order,
			      struct errmsg *error)
{
	size_t n = json_array_size(groups);
	json_t *sorted = json_array();
	const json_t *name;
	size_t i;

	json_array_foreach((json_t *)order, i, name) {
		const char *text = json_string_value(name);
		size_t place = edit_find(groups, "name", text);

		if (place == n || has_name(sorted, text))
			break;
		(void)json_array_append(sorted, json_array_get(groups, place));
	}
	if (i == json_array_size(order) && i == n)
		return sorted;
	errmsg_set(error,
		   "reorder must name every group of the category once");
	json_decref(sorted);
	return NULL;
}

static bool is_list_of_names(const json_t *order)
{
	const json_t *name;
	size_t i;

	json_array_foreach((json_t *)order, i, name)
		if (!json_is_string(name))
			return false;
	return json_is_array(order);
}

json_t *category_make(const struct category_request *r, struct errmsg *error)
{
	struct category_names *names = category_names_new();
	const json_t *wanted = edit_get(r->category, "groups");
	json_t *category, *groups = NULL, *sorted;

	if (judge_name(r, names, error)) {
		if (wanted == NULL || json_is_array(wanted) ||
		    (json_is_object(wanted) && json_object_size(wanted) == 0))
			groups = make_groups(wanted, names, error);
		else
			errmsg_set(error, "group name is not valid "
				   "(groups[0])");
	}
	category_names_free(&names);
	if (groups != NULL && r->reorder != NULL) {
		sorted = NULL;
		if (is_list_of_names(r->reorder))
			sorted = reorder_groups(groups, r->reorder, error);
		else
			errmsg_set(error, "reorder must be an array of group "
				   "names");
		json_decref(groups);
		groups = sorted;
	}
	if (groups == NULL)
		return NULL;
	category = edit_entry_copy(r->category);
	(void)json_object_set_new(category, "groups", groups);
	return category;
}

/* --- the names that others use --- */

void category_change_init(struct category_change *c, const json_t *old,
			  const json_t *wanted)
{
	const json_t *after = edit_get(wanted, "groups");
	const json_t *group;
	size_t i;

	*c = (struct category_change){ .from = name_of(old),
				       .to = name_of(wanted) };
	if (wanted == NULL)
		return;
	c->groups = json_object();
	json_array_foreach(json_object_get(old, "groups"), i, group) {
		const char *before = name_of(group);
		const json_t *now = json_array_get(after, i);

		if (before == NULL)
			continue;
		if (now == NULL || edit_is_removal(now))
			(void)json_object_set_new(c->groups, before,
						  json_null());
		else if (strcmp(before, name_of(now)) != 0)
			(void)json_object_set(c->groups, before,
					      json_object_get(now, "name"));
	}
}

void category_change_done(struct category_change *c)
{
	json_decref(c->groups);
}

/* The new group of the stream, borrowed; NULL: the category or group is
 * removed. */
static json_t *new_group(const struct category_change *c, json_t *group)
{
	const char *name = json_string_value(group);
	json_t *now = name != NULL ? json_object_get(c->groups, name) : NULL;

	if (c->to == NULL || json_is_null(now))
		return NULL;
	return now != NULL ? now : group;
}

json_t *category_change_stream(const struct category_change *c,
			       const json_t *stream)
{
	const json_t *groups = json_object_get(stream, "groups");
	json_t *before = c->from != NULL ? json_object_get(groups, c->from)
					 : NULL;
	json_t *now, *changed, *copy, *value;
	const char *key;

	if (before == NULL)
		return NULL;
	now = new_group(c, before);
	if (now == before && strcmp(c->from, c->to) == 0)
		return NULL;
	changed = json_object();
	json_object_foreach((json_t *)groups, key, value) {
		if (strcmp(key, c->from) != 0)
			(void)json_object_set(changed, key, value);
		else if (now != NULL)
			(void)json_object_set(changed, c->to, now);
	}
	copy = json_copy((json_t *)stream);
	(void)json_object_set_new(copy, "groups", changed);
	return copy;
}

static json_t *change_list(const struct category_change *c,
			   const json_t *list)
{
	json_t *changed = json_array();
	bool any = false;
	json_t *value;
	size_t i;

	json_array_foreach((json_t *)list, i, value) {
		bool gone;
		json_t *now = category_change_value(c, value, &gone);

		any |= gone || now != NULL;
		if (now != NULL)
			(void)json_array_append_new(changed, now);
		else if (!gone)
			(void)json_array_append(changed, value);
	}
	if (any)
		return changed;
	json_decref(changed);
	return NULL;
}

static json_t *change_object(const struct category_change *c,
			     const json_t *object)
{
	json_t *changed = json_object();
	bool any = false;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value) {
		bool ours = strcmp(key, c->from) == 0;
		bool gone;
		json_t *now = category_change_value(c, value, &gone);

		gone |= ours && c->to == NULL;
		any |= ours || gone || now != NULL;
		if (!gone)
			(void)json_object_set(changed, ours ? c->to : key,
					      now != NULL ? now : value);
		json_decref(now);
	}
	if (any)
		return changed;
	json_decref(changed);
	return NULL;
}

json_t *category_change_value(const struct category_change *c,
			      const json_t *value, bool *ret_gone)
{
	const char *text = json_string_value(value);

	*ret_gone = false;
	if (c->from == NULL ||
	    (c->to != NULL && strcmp(c->from, c->to) == 0))
		return NULL;
	if (json_is_array(value))
		return change_list(c, value);
	if (json_is_object(value))
		return change_object(c, value);
	if (text == NULL || strcmp(text, c->from) != 0)
		return NULL;
	*ret_gone = c->to == NULL;
	return c->to != NULL ? json_string(c->to) : NULL;
}
