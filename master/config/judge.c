/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t append(struct judge *j, const char *format, ...)
	PRINTF_LIKE(2, 3);

static size_t append(struct judge *j, const char *format, ...)
{
	size_t mark = strlen(j->path);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(j->path + mark, sizeof j->path - mark, format, args);
	va_end(args);
	return mark;
}

size_t judge_down(struct judge *j, const char *key)
{
	return append(j, "%s%s", j->path[0] != '\0' ? "." : "", key);
}

size_t judge_down_index(struct judge *j, size_t i)
{
	return append(j, "[%zu]", i);
}

void judge_up(struct judge *j, size_t mark)
{
	j->path[mark] = '\0';
}

void judge_say(struct judge *j, enum check_severity severity,
	       const char *format, ...)
{
	char text[256];
	va_list args;

	if (severity != CHECK_WARNING)
		j->faults++;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (j->found != NULL)
		j->found(severity, j->path, text, j->arg);
}

static void judge_each(struct judge *j, const json_t *list,
		       enum judge_form form)
{
	size_t i;
	const json_t *value;

	json_array_foreach((json_t *)list, i, value) {
		size_t mark = judge_down_index(j, i);

		if (form == FORM_OBJECTS && !json_is_object(value))
			judge_say(j, CHECK_FAULT, "is not an object");
		if (form == FORM_STRINGS && !json_is_string(value))
			judge_say(j, CHECK_FAULT, "is not a string");
		judge_up(j, mark);
	}
}

static const char *form_fault(const json_t *value, enum judge_form form)
{
	switch (form) {
	case FORM_STRING:
		return json_is_string(value) ? NULL : "is not a string";
	case FORM_BOOLEAN:
		return json_is_boolean(value) ? NULL : "is not true or false";
	case FORM_NUMBER:
		return json_is_number(value) ? NULL : "is not a number";
	case FORM_WHOLE:
		return json_is_integer(value) && json_integer_value(value) >= 0
			       ? NULL
			       : "is not a whole number";
	case FORM_LIST:
	case FORM_OBJECTS:
	case FORM_STRINGS:
		return json_is_array(value) ? NULL : "is not a list";
	case FORM_OBJECT:
		return json_is_object(value) || (json_is_array(value) &&
						 json_array_size(value) == 0)
			       ? NULL
			       : "is not an object";
	}
	return NULL;
}

void judge_members(struct judge *j, const json_t *object,
		   const struct judge_rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const json_t *value = json_object_get(object, rules[i].key);
		const char *fault = NULL;
		size_t mark;

		if (value == NULL && !rules[i].required)
			continue;
		mark = judge_down(j, rules[i].key);
		fault = value == NULL ? "is missing"
				      : form_fault(value, rules[i].form);
		if (fault != NULL)
			judge_say(j, CHECK_FAULT, "%s", fault);
		else
			judge_each(j, value, rules[i].form);
		judge_up(j, mark);
	}
}

static void say_field(const char *path, const char *text, void *arg)
{
	struct judge *j = arg;
	size_t mark = judge_down(j, path);

	judge_say(j, CHECK_FAULT, "%s", text);
	judge_up(j, mark);
}

void judge_fields(struct judge *j, const struct field_table *t,
		  const json_t *object, void *s)
{
	(void)field_check(t, object, s, say_field, j);
}
