/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/category_edit.h"

#include "master/api/edit.h"
#include "master/config/category_name.h"
#include "master/config/entry.h"

#include <stdio.h>
#include <string.h>

/* Explains in ret why a category or group, whose path in the request is
 * `place', has no valid name. */
static void explain_name(const json_t *object, const char *place,
			 struct errmsg *ret)
{
	const json_t *value = json_object_get(object, "name");
	const char *name = json_string_value(value);

	if (name != NULL)
		errmsg_set(ret, "%s.name: \"%.64s\" is not "
			   CATEGORY_NAME_RULE, place, name);
	else if (json_is_object(object))
		errmsg_set(ret, "%s.name: is %s", place,
			   value == NULL ? "missing" : "not a string");
	else
		errmsg_set(ret, "%s: is not an object with a name", place);
}

static bool judge_name(const struct category_request *r,
		       const struct category_names *names,
		       struct errmsg *error, struct errmsg *detail)
{
	const char *name = edit_text(r->category, "name");
	size_t n = json_array_size(r->list);
	size_t other = edit_find(r->list, "name", name);

	if (other == r->place)
		other = entry_place(r->list, other + 1, "name", name);
	if (name == NULL)
		errmsg_set(error, "category name is required");
	else if (!category_name_is_valid(names, name))
		errmsg_set(error, "category name is not valid");
	else if (other < n)
		errmsg_set(error, "category name already exists");
	else
		return true;
	if (name != NULL && other < n)
		errmsg_set(detail, "category.name: \"%.64s\" is already the "
			   "name of categories[%zu]", name, other);
	else
		explain_name(r->category, "category", detail);
	return false;
}

/* Returns the groups without those to be removed, a new reference; NULL with
 * error: a name is not valid or not unique. */
static json_t *make_groups(const json_t *wanted,
			   const struct category_names *names,
			   struct errmsg *error, struct errmsg *detail)
{
	json_t *groups = json_array();
	const json_t *group;
	char place[48];
	size_t i;

	json_array_foreach((json_t *)wanted, i, group) {
		const char *name = edit_text(group, "name");

		if (edit_is_removal(group))
			continue;
		(void)snprintf(place, sizeof place, "category.groups[%zu]", i);
		if (name == NULL || !category_name_is_valid(names, name)) {
			errmsg_set(error, "group name is not valid "
				   "(groups[%zu])", i);
			explain_name(group, place, detail);
		} else if (edit_find(groups, "name", name) <
			   json_array_size(groups)) {
			errmsg_set(error, "duplicate group name (groups[%zu])",
				   i);
			errmsg_set(detail, "%s.name: another group has "
				   "\"%.64s\"", place, name);
		} else {
			(void)json_array_append_new(groups,
						    edit_entry_copy(group));
			continue;
		}
		json_decref(groups);
		return NULL;
	}
	return groups;
}

/* Returns the groups in the order of the names in order, a new reference; NULL
 * with error. */
static json_t *reorder_groups(const json_t *groups, const json_t *order,
			      struct errmsg *error)
{
	size_t n = json_array_size(groups);
	bool is_list = json_is_array(order);
	json_t *sorted = json_array();
	const json_t *name;
	size_t i;

	json_array_foreach((json_t *)order, i, name) {
		const char *text = json_string_value(name);
		size_t place = edit_find(groups, "name", text);

		is_list &= text != NULL;
		if (place < n && edit_find(sorted, "name", text) ==
					 json_array_size(sorted))
			(void)json_array_append(sorted,
						json_array_get(groups, place));
	}
	if (is_list && json_array_size(order) == n &&
	    json_array_size(sorted) == n)
		return sorted;
	errmsg_set(error, "%s", is_list
		? "reorder must name every group of the category once"
		: "reorder must be an array of group names");
	json_decref(sorted);
	return NULL;
}

json_t *category_make(const struct category_request *r, struct errmsg *error,
		      struct errmsg *detail)
{
	struct category_names *names = category_names_new();
	const json_t *wanted = edit_get(r->category, "groups");
	json_t *category, *groups = NULL, *sorted;

	detail->text[0] = '\0';
	if (judge_name(r, names, error, detail)) {
		if (wanted == NULL || json_is_array(wanted) ||
		    (json_is_object(wanted) && json_object_size(wanted) == 0))
			groups = make_groups(wanted, names, error, detail);
		else {
			errmsg_set(error, "group name is not valid "
				   "(groups[0])");
			errmsg_set(detail, "category.groups: is not a list");
		}
	}
	category_names_free(&names);
	if (groups != NULL && r->reorder != NULL) {
		sorted = reorder_groups(groups, r->reorder, error);
		json_decref(groups);
		groups = sorted;
	}
	if (groups == NULL)
		return NULL;
	category = edit_entry_copy(r->category);
	(void)json_object_set_new(category, "groups", groups);
	return category;
}

void category_change_init(struct category_change *c, const json_t *old,
			  const json_t *wanted)
{
	const json_t *after = edit_get(wanted, "groups");
	const json_t *group;
	size_t i;

	*c = (struct category_change){ .from = edit_text(old, "name"),
				       .to = edit_text(wanted, "name") };
	if (wanted == NULL)
		return;
	c->groups = json_object();
	json_array_foreach(json_object_get(old, "groups"), i, group) {
		const char *before = edit_text(group, "name");
		const json_t *now = json_array_get(after, i);

		if (before == NULL)
			continue;
		if (now == NULL || edit_is_removal(now))
			(void)json_object_set_new(c->groups, before,
						  json_null());
		else if (strcmp(before, edit_text(now, "name")) != 0)
			(void)json_object_set(c->groups, before,
					      json_object_get(now, "name"));
	}
}

json_t *category_change_stream(const struct category_change *c,
			       const json_t *stream)
{
	const json_t *groups = json_object_get(stream, "groups");
	json_t *before = c->from != NULL ? json_object_get(groups, c->from)
					 : NULL;
	const char *name = json_string_value(before);
	json_t *now, *changed, *copy, *value;
	const char *key;

	if (before == NULL)
		return NULL;
	now = name != NULL ? json_object_get(c->groups, name) : NULL;
	if (now == NULL)
		now = before;
	if (now == before && c->to != NULL && strcmp(c->from, c->to) == 0)
		return NULL;
	changed = json_object();
	json_object_foreach((json_t *)groups, key, value) {
		if (strcmp(key, c->from) != 0)
			(void)json_object_set(changed, key, value);
		else if (c->to != NULL && !json_is_null(now))
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
