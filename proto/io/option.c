/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/io/option.h"

#include "proto/option_value.h"

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

static int read_option(const struct io_option *o, const char *value, void *spec,
		       struct errmsg *why)
{
	void *field = (char *)spec + o->offset;
	int r = 0;

	switch (o->form) {
	case IO_TEXT:
		return read_text(o, value, field, why);
	case IO_FLAG:
		r = option_flag(value, field, why);
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

int io_option_set(const struct io_option *options, const char *key,
		  const char *value, void *spec, struct errmsg *why)
{
	const struct io_option *o = find_in(options, key);

	return o != NULL ? read_option(o, value, spec, why) : 0;
}

/* An option that repeats is reported once. */
static bool was_before(const struct address *a, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(a->options[j].key, a->options[i].key) == 0)
			return true;
	return false;
}

static void remark(const struct address *a, size_t i,
		   const struct io_reader *rd, const char *format, ...)
	PRINTF_LIKE(4, 5);

static void remark(const struct address *a, size_t i,
		   const struct io_reader *rd, const char *format, ...)
{
	char text[192];
	va_list args;

	if (rd->remark == NULL || was_before(a, i))
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	rd->remark(text, rd->arg);
}

/* One that stands alone and should not. */
static void look_for_need(const struct address *a, size_t i,
			  const struct io_reader *rd)
{
	const char *key = a->options[i].key;

	for (const struct io_need *n = rd->needs; n != NULL && n->key != NULL;
	     n++)
		if (strcmp(n->key, key) == 0 &&
		    address_option(a, n->other) == NULL)
			remark(a, i, rd, "%s: does nothing without %s", key,
			       n->other);
}

/* An option that no list of the type has. */
static int read_other(const struct address *a, size_t i,
		      const struct io_reader *rd, struct errmsg *why)
{
	const char *key = a->options[i].key;
	const char *value = a->options[i].value;
	int r = -ENOENT;

	if (rd->remux != NULL)
		r = remux_option_read(rd->remux, key,
				      value != NULL ? value : "", why);
	if (r == -EINVAL)
		errmsg_prefix(why, "%.64s: ", key);
	if (r != -ENOENT)
		return r;
	remark(a, i, rd, "option \"%.64s\" is not known", key);
	return 0;
}

int io_options_read(const struct address *a, const struct io_reader *rd,
		    struct errmsg *why)
{
	for (size_t i = 0; i < a->n_options; i++) {
		const char *value = a->options[i].value;
		const struct io_option *o = find_option(rd, a->options[i].key);
		int r;

		if (o == NULL)
			r = read_other(a, i, rd, why);
		else
			r = read_option(o, value != NULL ? value : "",
					rd->spec, why);
		if (r < 0)
			return r;
		look_for_need(a, i, rd);
	}
	return 0;
}
