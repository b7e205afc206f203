/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/io_option.h"

#include "proto/spec/option_value.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct io_option *find_in(const struct io_option *options,
				       const char *key)
{
	for (; options != NULL && options->key != NULL; options++) {
		size_t len = strlen(options->key);

		if (strncmp(options->key, key, len) == 0 &&
		    (key[len] == '\0' || options->form == IO_GROUP))
			return options;
	}
	return NULL;
}

static const struct io_option *find_option(const struct io_reader *rd,
					   const char *key)
{
	const struct io_option *o = find_in(rd->options, key);

	return o != NULL ? o : find_in(rd->general, key);
}

static int read_text(const struct io_option *o, const char *value, char *ret,
		     struct errmsg *why)
{
	size_t len = strlen(value);

	if (len == 0 && o->min > 0)
		return errmsg_fail(why, -EINVAL, "%s: has no value", o->key);
	if (len < o->min)
		return errmsg_fail(why, -EINVAL, "%s: has %zu bytes, not "
				   "%u to %u", o->key, len, (unsigned)o->min,
				   (unsigned)o->max);
	if (len > o->max)
		return errmsg_fail(why, -EINVAL, "%s: is longer than %u bytes",
				   o->key, (unsigned)o->max);
	memcpy(ret, value, len + 1);
	return 0;
}

static int read_number(const struct io_option *o, const char *value,
		       unsigned *ret, struct errmsg *why)
{
	uint64_t n;
	int r = address_number(o->key, value, o->min, o->max, &n, why);

	if (r == 0)
		*ret = (unsigned)n;
	return r;
}

static int read_flag(const char *value, bool negated, bool *ret,
		     struct errmsg *why)
{
	int r = option_flag(value, ret, why);

	if (r == 0)
		*ret ^= negated;
	return r;
}

/* "is not this, that or another" */
static int fail_word(const char *const *words, size_t n, const char *value,
		     struct errmsg *why)
{
	char list[96] = "";
	size_t len = 0;

	for (size_t i = 0; i < n && len < sizeof list; i++)
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s",
					i == 0	    ? ""
					: i + 1 < n ? ", "
						    : " or ",
					words[i]);
	return errmsg_fail(why, -EINVAL, "\"%.32s\" is not %s", value, list);
}

static int read_word(const char *const *words, size_t n, const char *value,
		     unsigned *ret, struct errmsg *why)
{
	for (size_t i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], value) == 0) {
			*ret = (unsigned)(i % n);
			return 0;
		}
	return fail_word(words, n, value, why);
}

static int read_option(const struct io_option *o, const char *value,
		       const struct io_reader *rd, struct errmsg *why)
{
	void *field = (char *)rd->spec + o->offset;
	int r = 0;

	switch (o->form) {
	case IO_TEXT:
		return read_text(o, value, field, why);
	case IO_FLAG:
	case IO_NO_FLAG:
		r = read_flag(value, o->form == IO_NO_FLAG, field, why);
		break;
	case IO_WORD:
		r = read_word(rd->words, (size_t)o->max, value, field, why);
		break;
	case IO_NUMBER:
		return read_number(o, value, field, why);
	case IO_GROUP:
	case IO_IGNORED:
		break;
	}
	if (r < 0)
		errmsg_prefix(why, "%s: ", o->key);
	return r;
}

/* An option that repeats is reported once. */
static bool was_before(const struct address *a, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(a->options[j].key, a->options[i].key) == 0)
			return true;
	return false;
}

static void remark(const struct io_reader *rd, const char *format, ...)
	PRINTF_LIKE(2, 3);

static void remark(const struct io_reader *rd, const char *format, ...)
{
	char text[192];
	va_list args;

	if (rd->remark == NULL)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	rd->remark(text, rd->arg);
}

/* One that stands alone and should not, or where another one says more. */
static void look_for_need(const struct address *a, const char *key,
			  const struct io_need *n, const struct io_reader *rd)
{
	for (; n != NULL && n->key != NULL; n++) {
		bool there = address_option(a, n->other) != NULL;

		if (strcmp(n->key, key) == 0 && there == n->beside)
			remark(rd, "%s: does nothing %s %s", key,
			       n->beside ? "beside" : "without", n->other);
	}
}

static void look_for_sense(const struct address *a, size_t i,
			   const struct io_reader *rd)
{
	const char *key = a->options[i].key;

	if (was_before(a, i))
		return;
	look_for_need(a, key, rd->needs, rd);
	look_for_need(a, key, rd->general_needs, rd);
	for (const char *const *idle = rd->idle; idle != NULL && *idle != NULL;
	     idle++)
		if (strcmp(*idle, key) == 0)
			remark(rd, "%s: does nothing here", key);
}

/* An option that no list of the type has. */
static int read_other(const struct io_reader *rd, const char *key,
		      const char *value, bool repeats, struct errmsg *why)
{
	const struct field *f = rd->remux != NULL
					? field_find(&remux_fields, key)
					: NULL;

	if (f != NULL) {
		int r = field_read_text(f, key, value, rd->remux, why);

		if (r < 0)
			errmsg_prefix(why, "%.64s: ", key);
		return r;
	}
	if (!repeats)
		remark(rd, "option \"%.64s\" is not known", key);
	return 0;
}

static int read_one(const struct io_reader *rd, const char *key,
		    const char *value, bool repeats, struct errmsg *why)
{
	const struct io_option *o = find_option(rd, key);

	return o != NULL ? read_option(o, value, rd, why)
			 : read_other(rd, key, value, repeats, why);
}

int io_query_read(const char *query, const struct io_reader *rd,
		  struct errmsg *why)
{
	char text[ADDRESS_TEXT_MAX + 1], *rest = text, *item;

	(void)snprintf(text, sizeof text, "%s", query);
	while ((item = strsep(&rest, "&")) != NULL) {
		char none[] = "", *value = strchr(item, '=');
		int r;

		if (value != NULL)
			*value++ = '\0';
		else
			value = none;
		if (item[0] == '\0')
			continue;
		if (!option_percent_decode(value))
			return errmsg_fail(why, -EINVAL,
					   "%.32s: has a broken %% escape",
					   item);
		r = read_one(rd, item, value, false, why);
		if (r < 0)
			return r;
	}
	return 0;
}

int io_options_read(const struct address *a, const struct io_reader *rd,
		    struct errmsg *why)
{
	for (size_t i = 0; i < a->n_options; i++) {
		const char *value = a->options[i].value;
		int r = read_one(rd, a->options[i].key,
				 value != NULL ? value : "", was_before(a, i),
				 why);

		if (r < 0)
			return r;
		look_for_sense(a, i, rd);
	}
	return 0;
}
