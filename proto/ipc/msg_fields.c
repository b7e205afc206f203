/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/msg_fields.h"

#include <errno.h>

struct msg_reader read_begin(const json_t *value, struct errmsg *why)
{
	struct msg_reader r = { .object = value, .why = why };

	if (!json_is_object(value))
		r.err = errmsg_fail(why, -EBADMSG, "not an object");
	return r;
}

/* The value of key; NULL after a fault, which a missing one is if needed. */
static const json_t *take(struct msg_reader *r, const char *key, bool needed)
{
	const json_t *value;

	if (r->err < 0)
		return NULL;
	value = json_object_get(r->object, key);
	if (value != NULL)
		r->taken++;
	else if (needed)
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: missing", key);
	return value;
}

uint64_t read_uint(struct msg_reader *r, const char *key, uint64_t min,
		   uint64_t max)
{
	const json_t *value = take(r, key, true);
	json_int_t n;

	if (value == NULL)
		return 0;
	if (!json_is_integer(value)) {
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: no integer", key);
		return 0;
	}
	n = json_integer_value(value);
	if (n < 0 || (uint64_t)n < min || (uint64_t)n > max) {
		r->err = errmsg_fail(r->why, -EBADMSG,
				     "%s: %lld is out of range", key,
				     (long long)n);
		return 0;
	}
	return (uint64_t)n;
}

uint32_t read_u32(struct msg_reader *r, const char *key)
{
	return (uint32_t)read_uint(r, key, 0, UINT32_MAX);
}

uint64_t read_u64(struct msg_reader *r, const char *key)
{
	return read_uint(r, key, 0, INT64_MAX);
}

bool read_bool(struct msg_reader *r, const char *key)
{
	const json_t *value = take(r, key, true);

	if (value != NULL && !json_is_boolean(value))
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: no boolean", key);
	return json_is_true(value);
}

static const char *judge_string(struct msg_reader *r, const char *key,
				const json_t *value, size_t max)
{
	if (!json_is_string(value))
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: no string", key);
	else if (json_string_length(value) > max)
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: too long", key);
	else
		return json_string_value(value);
	return NULL;
}

const char *read_string(struct msg_reader *r, const char *key, size_t max)
{
	const json_t *value = take(r, key, true);
	const char *text = NULL;

	if (value != NULL)
		text = judge_string(r, key, value, max);
	return text != NULL ? text : "";
}

const char *read_string_maybe(struct msg_reader *r, const char *key, size_t max)
{
	const json_t *value = take(r, key, false);

	return value != NULL ? judge_string(r, key, value, max) : NULL;
}

static const json_t *judge_object(struct msg_reader *r, const char *key,
				  const json_t *value)
{
	if (value == NULL || json_is_object(value))
		return value;
	r->err = errmsg_fail(r->why, -EBADMSG, "%s: no object", key);
	return NULL;
}

const json_t *read_object(struct msg_reader *r, const char *key)
{
	return judge_object(r, key, take(r, key, true));
}

const json_t *read_object_maybe(struct msg_reader *r, const char *key)
{
	return judge_object(r, key, take(r, key, false));
}

const json_t *read_list(struct msg_reader *r, const char *key, size_t max)
{
	const json_t *value = take(r, key, true);

	if (value == NULL)
		return NULL;
	if (!json_is_array(value))
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: no list", key);
	else if (json_array_size(value) > max)
		r->err = errmsg_fail(r->why, -EBADMSG,
				     "%s: more than %zu items", key, max);
	else
		return value;
	return NULL;
}

int read_end(struct msg_reader *r)
{
	if (r->err == 0 && json_object_size(r->object) != r->taken)
		r->err = errmsg_fail(r->why, -EBADMSG, "unknown keys");
	return r->err;
}
