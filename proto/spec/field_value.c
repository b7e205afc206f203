/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single values of the engine of field.h. */
#include "proto/spec/field_reader.h"

#include "proto/spec/field_limits.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	/* bytes of a scalar or a list that is read as text */
	VALUE_MAX = 4096,
	VALUE_SHOWN = 64, /* bytes of a wrong value in a sentence */
	SHOWN_TEXT = VALUE_SHOWN + sizeof "\"\" ",
	BOUNDS_TEXT = 96,
};

/* Writes the bounds of the row, " between 1 and 9 ms", and returns the text: ""
 * if the row has no upper bound, or has words. */
static const char *print_bounds(const struct field *f, char text[BOUNDS_TEXT])
{
	struct field_limits l = field_limits(f);

	text[0] = '\0';
	if (l.max < INT64_MAX && f->words == NULL)
		(void)snprintf(text, BOUNDS_TEXT,
			       " between %" PRId64 " and %" PRId64 "%s%s",
			       l.min, l.max, f->unit != NULL ? " " : "",
			       f->unit != NULL ? f->unit : "");
	return text;
}

static int judge_words(const struct field *f, const char *value,
		       struct errmsg *error)
{
	char list[OPTION_WORDS_TEXT];
	size_t n = 0;

	for (; f->words[n] != NULL; n++)
		if (strcmp(f->words[n], value) == 0)
			return 0;
	option_words(f->words, n, list);
	return errmsg_fail(error, -EINVAL, "%.20s is not %s", value, list);
}

static int fail_range(const struct field *f, const char *value,
		      struct errmsg *error)
{
	struct field_limits l = field_limits(f);
	char bounds[BOUNDS_TEXT];

	if (f->words != NULL)
		return judge_words(f, value, error);
	if (l.max == INT64_MAX && value[0] == '-')
		return errmsg_fail(error, -EINVAL,
				   "%.20s is less than %" PRId64, value,
				   l.min);
	return errmsg_fail(error, -EINVAL, "%.20s is not%s", value,
			   print_bounds(f, bounds));
}

int field_take_integer(const struct field *f, int64_t n, void *s,
		       struct errmsg *error)
{
	struct field_limits l = field_limits(f);
	bool in_range = n >= l.min && n <= l.max;
	char text[24];

	if (!in_range || f->words != NULL) {
		int r;

		(void)snprintf(text, sizeof text, "%" PRId64, n);
		r = in_range ? judge_words(f, text, error)
			     : fail_range(f, text, error);
		if (r < 0)
			return r;
	}
	field_store(f, s, n);
	return 0;
}

static int take_real(const struct field *f, double x, void *s,
		     struct errmsg *error)
{
	bool bounded = f->min != 0 || f->max != 0;
	char text[32];

	if (bounded && !(x >= (double)f->min && x <= (double)f->max)) {
		(void)snprintf(text, sizeof text, "%g", x);
		return fail_range(f, text, error);
	}
	if (s != NULL && f->size > 0)
		memcpy((char *)s + f->offset, &x, sizeof x);
	return 0;
}

int field_take_bool(const struct field *f, bool on, void *s)
{
	field_store(f, s, on != !!(f->flags & FIELD_NEGATED));
	return 0;
}

static const char *print_choices(const struct field *f,
				 char list[OPTION_WORDS_TEXT])
{
	size_t n = field_choices(f);
	/* an empty first word stands for an absent key: it is not listed */
	size_t first = n > 0 && f->choices[0][0] == '\0' ? 1 : 0;

	option_words(f->choices + first, n - first, list);
	return list;
}

static int take_choice(const struct field *f, const char *value, void *s,
		       struct errmsg *error)
{
	size_t n = field_choices(f);
	char list[OPTION_WORDS_TEXT];

	for (size_t i = 0; f->choices[i] != NULL; i++)
		if (strcmp(f->choices[i], value) == 0) {
			field_store(f, s, (int64_t)(i % n));
			return 0;
		}
	return errmsg_fail(error, -EINVAL, "\"%.32s\" is not %s", value,
			   print_choices(f, list));
}

static int take_string(const struct field *f, const char *value, void *s,
		       struct errmsg *error)
{
	struct field_limits l = field_limits(f);
	size_t len = strlen(value);

	if (len == 0 && l.min > 0)
		return errmsg_fail(error, -EINVAL, "has no value");
	if ((int64_t)len < l.min)
		return errmsg_fail(error, -EINVAL, "has %zu bytes, not "
				   "%" PRId64 " to %" PRId64, len, l.min,
				   l.max);
	if ((int64_t)len > l.max)
		return errmsg_fail(error, -EINVAL,
				   "is longer than %" PRId64 " bytes", l.max);
	if (s == NULL || f->size == 0)
		return 0;
	if (f->type == FIELD_STRING)
		memcpy((char *)s + f->offset, &value, sizeof value);
	else
		memcpy((char *)s + f->offset, value, len + 1);
	return 0;
}

/* --- text --- */

/* Reads decimal digits; a '-' in front is accepted if the row has negative
 * numbers. */
static int read_digits(const struct field *f, const char *text, void *s,
		       struct errmsg *error)
{
	const char *digits = text + (text[0] == '-' ? 1 : 0);
	char bounds[BOUNDS_TEXT];
	bool fits = true;
	int64_t n = 0;

	for (const char *c = digits; *c != '\0' || c == digits; c++) {
		if ((*c < '0' || *c > '9') && f->words != NULL)
			return judge_words(f, text, error);
		if (*c < '0' || *c > '9')
			return errmsg_fail(error, -EINVAL,
					   "\"%.*s\" is not a number%s",
					   VALUE_SHOWN, text,
					   print_bounds(f, bounds));
		fits = fits && n <= (INT64_MAX - (*c - '0')) / 10;
		n = fits ? n * 10 + (*c - '0') : n;
	}
	/* if the row has no negative numbers, "-0" is an error, too */
	if (!fits || (text[0] == '-' && field_limits(f).min >= 0))
		return fail_range(f, text, error);
	return field_take_integer(f, text[0] == '-' ? -n : n, s, error);
}

int field_read_text(const struct field *f, const char *key, const char *text,
		    void *s, struct errmsg *error)
{
	bool on;
	int r;

	switch (f->type) {
	case FIELD_BOOL:
		r = option_flag(text, &on, error);
		return r < 0 ? r : field_take_bool(f, on, s);
	case FIELD_UINT:
	case FIELD_INT:
		return f->choices != NULL ? take_choice(f, text, s, error)
					  : read_digits(f, text, s, error);
	case FIELD_STRING:
	case FIELD_TEXT:
		return take_string(f, text, s, error);
	case FIELD_CUSTOM:
		return f->hook->read != NULL
			       ? f->hook->read(f, key, text, s, error)
			       : 0;
	case FIELD_REAL:
	case FIELD_JSON:
	case FIELD_OBJECT:
	case FIELD_LIST:
		return errmsg_fail(error, -EINVAL, "cannot be read from text");
	case FIELD_NONE:
		break;
	}
	return 0;
}

/* Writes an integer, boolean or string as text; false: it is another value, or
 * its text is too long or has a NUL. */
static bool format_scalar(const json_t *value, char text[VALUE_MAX])
{
	int len = 0;

	if (json_is_integer(value))
		len = snprintf(text, VALUE_MAX, "%lld",
			       (long long)json_integer_value(value));
	else if (json_is_boolean(value))
		len = snprintf(text, VALUE_MAX, "%s",
			       json_is_true(value) ? "true" : "false");
	else if (json_is_string(value) &&
		 json_string_length(value) == strlen(json_string_value(value)))
		len = snprintf(text, VALUE_MAX, "%s",
			       json_string_value(value));
	else
		return false;
	return len < VALUE_MAX;
}

static bool format_list(const json_t *list, char text[VALUE_MAX])
{
	char item_text[VALUE_MAX];
	const json_t *item;
	size_t i, len = 0;

	text[0] = '\0';
	json_array_foreach((json_t *)list, i, item) {
		if (!format_scalar(item, item_text) ||
		    len + strlen(item_text) + 2 > VALUE_MAX)
			return false;
		len += (size_t)snprintf(text + len, VALUE_MAX - len, "%s%s",
					i > 0 ? "," : "", item_text);
	}
	return true;
}

/* The value in front of an error about its type, as in `5 is not a string'.
 * "": it is a list or an object, or may not be shown. */
static const char *print_value(const struct field *f, const json_t *value,
			       char text[SHOWN_TEXT])
{
	size_t len;

	if (f->flags & FIELD_SECRET || json_is_array(value) ||
	    json_is_object(value))
		return "";
	if (json_is_string(value)) {
		(void)snprintf(text, SHOWN_TEXT, "\"%.*s\" ", VALUE_SHOWN,
			       json_string_value(value));
		return text;
	}
	len = json_dumpb(value, text, SHOWN_TEXT - 2,
			 JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
	if (len == 0 || len > SHOWN_TEXT - 2)
		return "";
	memcpy(text + len, " ", sizeof " ");
	return text;
}

/* Writes the error about a value that is no string. */
static int fail_string(const struct field *f, const json_t *value,
		       struct errmsg *error)
{
	char text[SHOWN_TEXT], list[OPTION_WORDS_TEXT];

	return errmsg_fail(error, -EINVAL, "%sis not %s",
			   print_value(f, value, text),
			   f->choices != NULL ? print_choices(f, list)
					      : "a string");
}

/* Reads a value as user interfaces store it (field_reader.h). */
int field_read_loose(const struct field *f, const json_t *value, void *s,
		     struct errmsg *error)
{
	char text[VALUE_MAX];
	bool ok;

	if (f->type == FIELD_STRING && !json_is_string(value))
		return fail_string(f, value, error);
	/* a member may borrow the string of the value, but not `text', which
	 * ends with this function */
	if (f->type != FIELD_CUSTOM && json_is_string(value))
		return field_read_text(f, f->key, json_string_value(value), s,
				       error);
	ok = json_is_array(value) && f->flags & FIELD_COMMAS
		     ? format_list(value, text)
		     : format_scalar(value, text);
	if (!ok)
		return errmsg_fail(error, -EINVAL,
				   "is not text or a number, or is too "
				   "long");
	return text[0] != '\0' ? field_read_text(f, f->key, text, s, error)
			       : 0;
}

/* --- JSON --- */

int field_take_string(const struct field *f, const char *text, void *s,
		      struct errmsg *error)
{
	if (text == NULL)
		return errmsg_fail(error, -EINVAL, "is not a string");
	return f->choices != NULL ? take_choice(f, text, s, error)
				  : take_string(f, text, s, error);
}

int field_fail_integer(const struct field *f, struct errmsg *error)
{
	char bounds[BOUNDS_TEXT];

	return errmsg_fail(error, -EINVAL, "is not a whole number%s",
			   print_bounds(f, bounds));
}

static int read_string(const struct field *f, const json_t *value, void *s,
		       struct errmsg *error)
{
	return json_is_string(value)
		       ? field_take_string(f, json_string_value(value), s,
					   error)
		       : fail_string(f, value, error);
}

int field_read_scalar(const struct field *f, const json_t *value, void *s,
		      struct errmsg *error)
{
	char text[SHOWN_TEXT], bounds[BOUNDS_TEXT];

	switch (f->type) {
	case FIELD_BOOL:
		if (!json_is_boolean(value))
			return errmsg_fail(error, -EINVAL,
					   "%sis not true or false",
					   print_value(f, value, text));
		return field_take_bool(f, json_is_true(value), s);
	case FIELD_UINT:
	case FIELD_INT:
		if (f->choices != NULL)
			return read_string(f, value, s, error);
		if (!json_is_integer(value))
			return errmsg_fail(error, -EINVAL,
					   "%sis not a whole number%s",
					   print_value(f, value, text),
					   print_bounds(f, bounds));
		return field_take_integer(f, json_integer_value(value), s,
					  error);
	case FIELD_REAL:
		if (!json_is_number(value))
			return errmsg_fail(error, -EINVAL,
					   "%sis not a number%s",
					   print_value(f, value, text),
					   print_bounds(f, bounds));
		return take_real(f, json_number_value(value), s, error);
	case FIELD_STRING:
	case FIELD_TEXT:
		return read_string(f, value, s, error);
	case FIELD_CUSTOM:
		return f->hook->read_json != NULL
			       ? f->hook->read_json(f, value, s, error)
			       : field_read_loose(f, value, s, error);
	default:
		return 0;
	}
}
