/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/json_path.h"

#include "common/base/alloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void json_path_done(struct json_path *path)
{
	free(path->text);
	*path = (struct json_path){ 0 };
}

/* Adds the step at *at, which may begin with '.' or '[', to the path; moves *at
 * to the end of the step. */
static int take_step(char **at, bool first, struct json_path *path,
		     struct errmsg *error)
{
	bool bracket = **at == '[';
	char *start = *at, *end;

	if (bracket || (**at == '.' && !first))
		start++;
	end = start + strcspn(start, bracket ? "]" : ".[");
	if (bracket && *end != ']')
		return errmsg_fail(error, -EINVAL, "']' is missing");
	if (end == start)
		return errmsg_fail(error, -EINVAL, "a step is empty");
	if (path->n_steps == JSON_PATH_STEPS)
		return errmsg_fail(error, -EINVAL, "has more than %d steps",
				   JSON_PATH_STEPS);
	path->steps[path->n_steps++] = start;
	*at = end;
	return 0;
}

/* Splits path->text at the ends of the steps. */
static int parse(const char *text, struct json_path *path, struct errmsg *error)
{
	char *ends[JSON_PATH_STEPS];
	char *at = path->text;
	int r = 0;

	if (text[0] == '\0' || strcmp(text, ".") == 0)
		return 0;
	for (size_t i = 0; r == 0 && *at != '\0'; i++) {
		r = take_step(&at, i == 0, path, error);
		if (r < 0)
			break;
		ends[i] = at;
		if (*at == ']')
			at++;
		if (*at != '\0' && *at != '.' && *at != '[')
			r = errmsg_fail(error, -EINVAL,
					"'.' or '[' is missing after ']'");
	}
	for (size_t i = 0; r == 0 && i < path->n_steps; i++)
		*ends[i] = '\0';
	return r;
}

int json_path_parse(const char *text, struct json_path *ret,
		    struct errmsg *error)
{
	struct json_path path = { .text = xstrdup(text) };
	int r = parse(text, &path, error);

	if (r < 0) {
		errmsg_prefix(error, "path \"%.128s\": ", text);
		json_path_done(&path);
		return r;
	}
	*ret = path;
	return 0;
}

ssize_t json_path_index(const json_t *list, const char *step)
{
	size_t n = json_array_size(list);
	char *end;
	unsigned long number;

	for (size_t i = 0; i < n; i++) {
		const char *id = json_string_value(
			json_object_get(json_array_get(list, i), "id"));

		if (id != NULL && strcmp(id, step) == 0)
			return (ssize_t)i;
	}
	if (step[0] < '0' || step[0] > '9')
		return -ENOENT;
	errno = 0;
	number = strtoul(step, &end, 10);
	return *end == '\0' && errno == 0 && number < n ? (ssize_t)number
							: -ENOENT;
}

json_t *json_path_get(const struct json_path *path, size_t n, json_t *root)
{
	for (size_t i = 0; i < n && root != NULL; i++) {
		if (json_is_array(root)) {
			ssize_t at = json_path_index(root, path->steps[i]);

			root = at < 0 ? NULL
				      : json_array_get(root, (size_t)at);
		} else {
			root = json_object_get(root, path->steps[i]);
		}
	}
	return root;
}

/* May value be appended to the list, as the element that step names? */
static bool is_next(const json_t *list, const char *step, const json_t *value)
{
	const char *id = json_string_value(json_object_get(value, "id"));
	char number[32];

	(void)snprintf(number, sizeof number, "%zu", json_array_size(list));
	return (id != NULL && strcmp(id, step) == 0) ||
	       strcmp(number, step) == 0;
}

/* Returns -ENOENT; error names the first step that the document lacks. */
static int fail_step(const struct json_path *path, json_t *root,
		     struct errmsg *error)
{
	size_t n = 0;
	json_t *at = root;

	while (n + 1 < path->n_steps &&
	       json_path_get(path, n + 1, root) != NULL)
		at = json_path_get(path, ++n, root);
	if (json_is_array(at) && n == 1 &&
	    strcmp(path->steps[0], "make_stream") == 0)
		return errmsg_fail(error, -ENOENT, "no stream has the id "
				   "\"%.64s\"", path->steps[n]);
	if (json_is_array(at))
		return errmsg_fail(error, -ENOENT, "%.64s has no entry with "
				   "the id or the position \"%.64s\"",
				   path->steps[n - 1], path->steps[n]);
	if (json_is_object(at))
		return errmsg_fail(error, -ENOENT, "%.64s%sthere is no "
				   "\"%.64s\"", n > 0 ? path->steps[n - 1] : "",
				   n > 0 ? ": " : "", path->steps[n]);
	return errmsg_fail(error, -ENOENT, "%.64s is not an object: it has no "
			   "\"%.64s\"", path->steps[n - 1], path->steps[n]);
}

int json_path_put(const struct json_path *path, json_t *root, json_t *value,
		  struct errmsg *error)
{
	json_t *parent = json_path_get(path, path->n_steps - 1, root);
	const char *last = path->steps[path->n_steps - 1];

	if (json_is_array(parent)) {
		ssize_t at = json_path_index(parent, last);

		if (at >= 0 && value == NULL)
			(void)json_array_remove(parent, (size_t)at);
		else if (at >= 0)
			(void)json_array_set(parent, (size_t)at, value);
		else if (value != NULL && is_next(parent, last, value))
			(void)json_array_append(parent, value);
		else if (json_is_object(value))
			return errmsg_fail(error, -ENOENT, "no entry has the "
					   "id \"%.64s\": a new one contains "
					   "\"id\": \"%.64s\"", last, last);
		else
			return fail_step(path, root, error);
		return 0;
	}
	if (!json_is_object(parent))
		return fail_step(path, root, error);
	if (value != NULL && json_object_set(parent, last, value) < 0)
		return errmsg_fail(error, -EINVAL, "a key that is not UTF-8 "
				   "cannot be set");
	if (value == NULL && json_object_del(parent, last) < 0)
		return errmsg_fail(error, -ENOENT, "there is no \"%s\"", last);
	return 0;
}
