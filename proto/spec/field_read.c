/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/field.h"

#include "proto/spec/field_limits.h"
#include "proto/spec/option_value.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	/* bytes of a scalar or a list that is read as text */
	VALUE_MAX = 4096,
	PATH_MAX_SHOWN = 160,
	VALUE_SHOWN = 64,
	BOUNDS_TEXT = 96,
	ROWS_MAX = 128, /* rows in a table */
};

/* A value inside its object or list; on the stack of the reader. */
struct place {
	const struct place *up;
	const char *key; /* NULL: the item `index' of a list */
	size_t index;
};

struct reader {
	bool all;              /* an error does not end the reading */
	struct errmsg *error;  /* the first error */
	field_found_fn *found; /* called for every error; may be NULL */
	void *arg;
	unsigned n_errors;
};

static bool is_done(const struct reader *r)
{
	return r->n_errors > 0 && !r->all;
}

static size_t print_place(const struct place *at, char *text, size_t size)
{
	size_t len = at->up != NULL ? print_place(at->up, text, size) : 0;
	int n;

	if (at->key != NULL)
		n = snprintf(text + len, size - len, "%s%s",
			     len > 0 ? "." : "", at->key);
	else
		n = snprintf(text + len, size - len, "[%zu]", at->index);
	return MIN(len + (size_t)MAX(n, 0), size - 1);
}

static void fail(struct reader *r, const struct place *at, const char *format,
		 ...) PRINTF_LIKE(3, 4);

static void fail(struct reader *r, const struct place *at, const char *format,
		 ...)
{
	char path[PATH_MAX_SHOWN] = "", text[256];
	va_list args;

	r->n_errors++;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (at != NULL)
		(void)print_place(at, path, sizeof path);
	if (r->found != NULL)
		r->found(path, text, r->arg);
	if (r->n_errors == 1)
		errmsg_set(r->error, "%s%s%s", path, at != NULL ? ": " : "",
			   text);
}

/* --- single values --- */

/* " between 1 and 9 ms"; "" if the row has no bound, or has words. */
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

static int take_integer(const struct field *f, int64_t n, void *s,
			struct errmsg *error)
{
	struct field_limits l = field_limits(f);
	char text[24];
	int r;

	(void)snprintf(text, sizeof text, "%" PRId64, n);
	if (n < l.min || n > l.max)
		return fail_range(f, text, error);
	r = f->words != NULL ? judge_words(f, text, error) : 0;
	if (r < 0)
		return r;
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

static int take_bool(const struct field *f, bool on, void *s)
{
	field_store(f, s, on != !!(f->flags & FIELD_NEGATED));
	return 0;
}

static int take_choice(const struct field *f, const char *value, void *s,
		       struct errmsg *error)
{
	size_t n = field_choices(f);
	/* an empty first word is the default, which is absent */
	size_t first = n > 0 && f->choices[0][0] == '\0' ? 1 : 0;
	char list[OPTION_WORDS_TEXT];

	for (size_t i = 0; f->choices[i] != NULL; i++)
		if (strcmp(f->choices[i], value) == 0) {
			field_store(f, s, (int64_t)(i % n));
			return 0;
		}
	option_words(f->choices + first, n - first, list);
	return errmsg_fail(error, -EINVAL, "\"%.32s\" is not %s", value, list);
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

/* Decimal digits with a '-' where the row has negative numbers. */
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
	/* "-0" is an error where no number is negative */
	if (!fits || (text[0] == '-' && field_limits(f).min >= 0))
		return fail_range(f, text, error);
	return take_integer(f, text[0] == '-' ? -n : n, s, error);
}

int field_read_text(const struct field *f, const char *key, const char *text,
		    void *s, struct errmsg *error)
{
	bool on;
	int r;

	switch (f->type) {
	case FIELD_BOOL:
		r = option_flag(text, &on, error);
		return r < 0 ? r : take_bool(f, on, s);
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

/* The value as text; false when it is none that can be written so. */
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

/* As user interfaces store it: any scalar, or what stands in the text. */
static int read_loose(const struct field *f, const json_t *value, void *s,
		      struct errmsg *error)
{
	char text[VALUE_MAX];
	bool ok;

	if (f->type == FIELD_STRING && !json_is_string(value))
		return errmsg_fail(error, -EINVAL, "is not a string");
	/* a string that is borrowed cannot be one of this stack */
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

static int read_string(const struct field *f, const json_t *value, void *s,
		       struct errmsg *error)
{
	const char *text = json_string_value(value);

	if (text == NULL)
		return errmsg_fail(error, -EINVAL, "is not a string");
	return f->choices != NULL ? take_choice(f, text, s, error)
				  : take_string(f, text, s, error);
}

static int read_scalar(const struct field *f, const json_t *value, void *s,
		       struct errmsg *error)
{
	char bounds[BOUNDS_TEXT];

	switch (f->type) {
	case FIELD_BOOL:
		if (!json_is_boolean(value))
			return errmsg_fail(error, -EINVAL,
					   "is not true or false");
		return take_bool(f, json_is_true(value), s);
	case FIELD_UINT:
	case FIELD_INT:
		if (f->choices != NULL)
			return read_string(f, value, s, error);
		if (!json_is_integer(value))
			return errmsg_fail(error, -EINVAL,
					   "is not a whole number%s",
					   print_bounds(f, bounds));
		return take_integer(f, json_integer_value(value), s, error);
	case FIELD_REAL:
		if (!json_is_number(value))
			return errmsg_fail(error, -EINVAL, "is not a number%s",
					   print_bounds(f, bounds));
		return take_real(f, json_number_value(value), s, error);
	case FIELD_STRING:
	case FIELD_TEXT:
		return read_string(f, value, s, error);
	case FIELD_CUSTOM:
		return f->hook->read_json != NULL
			       ? f->hook->read_json(f, value, s, error)
			       : read_loose(f, value, s, error);
	default:
		return 0;
	}
}

static void read_object(struct reader *r, const struct place *at,
			const struct field_table *, const json_t *, void *s);

static void read_list(struct reader *r, const struct place *at,
		      const struct field *f, const json_t *list, void *s)
{
	size_t n = json_array_size(list);
	char *item = s != NULL && f->size > 0 ? (char *)s + f->offset : NULL;
	struct errmsg error;

	if (!json_is_array(list)) {
		fail(r, at, "is not a list");
		return;
	}
	if (f->max > 0 && n > (size_t)f->max) {
		fail(r, at, "has %zu items, more than %" PRId64, n, f->max);
		return;
	}
	if (n < (size_t)f->min) {
		fail(r, at, "has %zu items, less than %" PRId64, n, f->min);
		return;
	}
	for (size_t i = 0; i < n && !is_done(r); i++) {
		struct place inner = { .up = at, .index = i };
		const json_t *value = json_array_get(list, i);

		if (f->of != NULL)
			read_object(r, &inner, f->of, value, item);
		else if (f->item != NULL &&
			 read_scalar(f->item, value, item, &error) < 0)
			fail(r, &inner, "%s", error.text);
		item = item != NULL ? item + f->size : NULL;
	}
	if (item != NULL)
		memcpy((char *)s + f->count, &n, sizeof n);
}

static void read_value(struct reader *r, const struct place *at,
		       const struct field *f, const json_t *value, void *s)
{
	bool empty = f->flags & FIELD_LIST_OK && json_is_array(value) &&
		     json_array_size(value) == 0;
	char *member = s != NULL && f->size > 0 ? (char *)s + f->offset : NULL;
	struct errmsg error;

	switch (f->type) {
	case FIELD_LIST:
		read_list(r, at, f, value, s);
		break;
	case FIELD_OBJECT:
		read_object(r, at, f->of, empty ? NULL : value, member);
		break;
	case FIELD_JSON:
		if (!json_is_object(value) && !empty)
			fail(r, at, "is not an object");
		else if (f->of != NULL)
			read_object(r, at, f->of, empty ? NULL : value, NULL);
		if (member != NULL)
			memcpy(member, &value, sizeof value);
		break;
	case FIELD_NONE:
		break;
	default:
		if (read_scalar(f, value, s, &error) < 0)
			fail(r, at, "%s", error.text);
	}
}

static bool is_absent(const json_t *value, bool loose)
{
	return value == NULL ||
	       (loose && (json_is_null(value) ||
			  (json_is_string(value) &&
			   json_string_length(value) == 0)));
}

static void read_member(struct reader *r, const struct place *at,
			const struct field *f, const json_t *value, bool loose,
			void *s)
{
	struct place inner = { .up = at, .key = f->key };
	struct errmsg error;

	if (!loose || f->type >= FIELD_JSON)
		read_value(r, &inner, f, value, s);
	else if (read_loose(f, value, s, &error) < 0)
		fail(r, &inner, "%s", error.text);
}

/* The row of key; the search begins at the row after the one found last, as
 * most objects were written from the same table. */
static const struct field *next_row(const struct field_table *t,
				    const char *key, size_t *cursor)
{
	for (size_t n = t->n, i = *cursor; n > 0; n--, i++) {
		i = i < t->n ? i : 0;
		if (strcmp(t->rows[i].key, key) == 0) {
			*cursor = i + 1;
			return &t->rows[i];
		}
	}
	return NULL;
}

/* Rows without a value. */
static void read_absent(struct reader *r, const struct place *at,
			const struct field_table *t, const uint64_t *seen,
			void *s)
{
	for (size_t i = 0; i < t->n && !is_done(r); i++) {
		const struct field *f = &t->rows[i];
		struct place inner = { .up = at, .key = f->key };

		if (seen[i / 64] >> (i % 64) & 1)
			continue;
		if (f->flags & FIELD_REQUIRED ||
		    (t->flags & FIELD_STRICT && !(f->flags & FIELD_MAYBE)))
			fail(r, &inner, "is missing");
		else if (t->flags & FIELD_STRICT && s != NULL && f->size > 0)
			field_init_member(f, s);
	}
}

/* The sentence begins with the field: "port: is odd". */
static void fail_together(struct reader *r, const struct place *at,
			  const char *sentence)
{
	size_t len = strcspn(sentence, ":");
	char key[32];
	struct place inner = { .up = at, .key = key };

	(void)snprintf(key, sizeof key, "%.*s", (int)len, sentence);
	fail(r, &inner, "%s", sentence + len + strspn(sentence + len, ": "));
}

static void read_object(struct reader *r, const struct place *at,
			const struct field_table *t, const json_t *object,
			void *s)
{
	bool strict = t->flags & FIELD_STRICT, loose = t->flags & FIELD_LOOSE;
	uint64_t seen[ROWS_MAX / 64] = { 0 };
	unsigned before = r->n_errors;
	size_t cursor = 0;
	struct errmsg error;
	const char *key;
	const json_t *value;

	/* NULL: it has no key */
	if (object != NULL && !json_is_object(object)) {
		fail(r, at, "is not an object");
		return;
	}
	assert(t->n <= ROWS_MAX);
	if (s != NULL && !strict)
		field_init(t, s);
	json_object_foreach((json_t *)object, key, value) {
		const struct field *f = next_row(t, key, &cursor);
		struct place inner = { .up = at, .key = key };

		if (f == NULL && strict)
			fail(r, &inner, "is not known");
		if (f != NULL && !is_absent(value, loose)) {
			seen[(f - t->rows) / 64] |= UINT64_C(1)
						    << (f - t->rows) % 64;
			read_member(r, at, f, value, loose, s);
		}
		if (is_done(r))
			return;
	}
	read_absent(r, at, t, seen, s);
	if (s != NULL && t->judge != NULL && r->n_errors == before &&
	    t->judge(s, &error) < 0)
		fail_together(r, at, error.text);
}

int field_read(const struct field_table *t, const json_t *object, void *ret,
	       struct errmsg *error)
{
	struct reader r = { .all = t->flags & FIELD_LOOSE, .error = error };

	read_object(&r, NULL, t, object, ret);
	return r.n_errors > 0 ? -EINVAL : 0;
}

unsigned field_check(const struct field_table *t, const json_t *object,
		     void *s, field_found_fn *found, void *arg)
{
	struct reader r = { .all = true, .found = found, .arg = arg };

	read_object(&r, NULL, t, object, s);
	return r.n_errors;
}
