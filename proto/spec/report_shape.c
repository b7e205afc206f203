/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/report_shape.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum kind {
	COUNT,  /* a whole number, not negative */
	FLAG,
	WORD,
	COUNTS, /* a list of such numbers */
	OBJECT,
	LIST,   /* of objects */
};

enum {
	WORD_MAX = 32,
	LIST_MAX = 512,
	COUNTS_MAX = 8,
};

struct field {
	const char *key;
	enum kind kind;
	bool maybe;
	const struct shape *of; /* OBJECT, LIST */
};

struct shape {
	size_t n;
	const struct field *fields;
};

#define SHAPE(list) { ARRAY_LEN(list), list }

static const struct field indicator_fields[] = {
	{ "alarm", WORD, false, NULL },
	{ "priority", COUNT, false, NULL },
	{ "raised", FLAG, false, NULL },
	{ "count", COUNT, false, NULL },
	{ "since", COUNT, true, NULL },
	{ "last", COUNT, true, NULL },
};
static const struct shape indicator = SHAPE(indicator_fields);

static const struct field pcr_fields[] = {
	{ "pid", COUNT, false, NULL },
	{ "count", COUNT, false, NULL },
	{ "bitrate", COUNT, false, NULL },
	{ "interval_us", COUNT, false, NULL },
	{ "interval_max_us", COUNT, false, NULL },
	{ "arrival_max_us", COUNT, false, NULL },
	{ "accuracy_ns", COUNT, true, NULL },
	{ "jitter_us", COUNT, true, NULL },
	{ "jumps", COUNT, false, NULL },
	{ "announced_jumps", COUNT, false, NULL },
};
static const struct shape pcr = SHAPE(pcr_fields);

static const struct field program_fields[] = {
	{ "number", COUNT, false, NULL },
	{ "pmt_pid", COUNT, false, NULL },
	{ "pcr_pid", COUNT, true, NULL },
	{ "pmt", FLAG, false, NULL },
};
static const struct shape program = SHAPE(program_fields);

static const struct field pid_fields[] = {
	{ "pid", COUNT, false, NULL },
	{ "kind", WORD, true, NULL },
	{ "stream_type", COUNT, true, NULL },
	{ "programs", COUNTS, false, NULL },
	{ "packets", COUNT, false, NULL },
	{ "bitrate", COUNT, false, NULL },
	{ "scrambled", COUNT, false, NULL },
	{ "cc_errors", COUNT, false, NULL },
	{ "duplicates", COUNT, false, NULL },
	{ "transport_errors", COUNT, false, NULL },
	{ "pes_errors", COUNT, false, NULL },
	{ "buffer_overflows", COUNT, true, NULL },
	{ "pts", COUNT, true, NULL },
	{ "pts_interval_max_ms", COUNT, true, NULL },
};
static const struct shape pid = SHAPE(pid_fields);

static const struct field loss_fields[] = {
	{ "network", COUNT, false, NULL },
	{ "recovered", COUNT, false, NULL },
	{ "socket", COUNT, false, NULL },
	{ "sync", COUNT, false, NULL },
};
static const struct shape loss = SHAPE(loss_fields);

static const struct field iat_fields[] = {
	{ "age_s", COUNT, false, NULL },
	{ "datagrams", COUNT, false, NULL },
	{ "rate", COUNT, false, NULL },
	{ "min_us", COUNT, false, NULL },
	{ "mean_us", COUNT, false, NULL },
	{ "p50_us", COUNT, false, NULL },
	{ "p95_us", COUNT, false, NULL },
	{ "p99_us", COUNT, false, NULL },
	{ "max_us", COUNT, false, NULL },
};
static const struct shape iat = SHAPE(iat_fields);

static const struct field mdi_fields[] = {
	{ "df_us", COUNT, false, NULL },
	{ "mlr", COUNT, false, NULL },
};
static const struct shape mdi = SHAPE(mdi_fields);

static const struct field remux_fields[] = {
	{ "table_changes", COUNT, false, NULL },
	{ "broken_sections", COUNT, false, NULL },
	{ "dropped_sections", COUNT, false, NULL },
};
static const struct shape remux = SHAPE(remux_fields);

static const struct field gap_fields[] = {
	{ "below_us", COUNT, true, NULL },
	{ "count", COUNT, false, NULL },
};
static const struct shape gap = SHAPE(gap_fields);

static const struct field output_fields[] = {
	{ "position", COUNT, false, NULL },
	{ "bitrate", COUNT, true, NULL },
	{ "cbr", COUNT, true, NULL },
	{ "packets", COUNT, false, NULL },
	{ "dropped", COUNT, false, NULL },
	{ "late", COUNT, false, NULL },
	{ "gaps", LIST, true, &gap },
};
static const struct shape output = SHAPE(output_fields);

/* All but the first part of a report has the PIDs alone. */
static const struct field report_fields[] = {
	{ "watched", FLAG, true, NULL },
	{ "relay", FLAG, true, NULL },
	{ "watched_s", COUNT, true, NULL },
	{ "packets", COUNT, true, NULL },
	{ "null_packets", COUNT, true, NULL },
	{ "sync_errors", COUNT, true, NULL },
	{ "bitrate", COUNT, true, NULL },
	{ "null_bitrate", COUNT, true, NULL },
	{ "tsid", COUNT, true, NULL },
	{ "indicators", LIST, true, &indicator },
	{ "pcr", LIST, true, &pcr },
	{ "programs", LIST, true, &program },
	{ "pids", LIST, true, &pid },
	{ "loss", OBJECT, true, &loss },
	{ "iat", OBJECT, true, &iat },
	{ "mdi", OBJECT, true, &mdi },
	{ "remux", OBJECT, true, &remux },
	{ "outputs", LIST, true, &output },
};
static const struct shape report = SHAPE(report_fields);

static int judge_object(const json_t *value, const struct shape *shape,
			struct errmsg *why);

static bool is_count(const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool are_counts(const json_t *list)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) > COUNTS_MAX)
		return false;
	json_array_foreach((json_t *)list, i, item)
		if (!is_count(item))
			return false;
	return true;
}

static int judge_list(const json_t *list, const struct field *f,
		      struct errmsg *why)
{
	const json_t *item;
	size_t i;
	int err = 0;

	if (!json_is_array(list) || json_array_size(list) > LIST_MAX)
		return errmsg_fail(why, -EBADMSG, "%s: no list, or too long",
				   f->key);
	json_array_foreach((json_t *)list, i, item) {
		err = judge_object(item, f->of, why);
		if (err < 0) {
			errmsg_prefix(why, "%s[%zu].", f->key, i);
			break;
		}
	}
	return err;
}

static bool is_simple(const json_t *value, enum kind kind)
{
	switch (kind) {
	case COUNT:
		return is_count(value);
	case FLAG:
		return json_is_boolean(value);
	case WORD:
		return json_is_string(value) &&
		       json_string_length(value) <= WORD_MAX;
	default:
		return are_counts(value);
	}
}

static int judge_field(const json_t *value, const struct field *f,
		       struct errmsg *why)
{
	int err;

	if (f->kind == LIST)
		return judge_list(value, f, why);
	if (f->kind != OBJECT)
		return is_simple(value, f->kind)
			       ? 0
			       : errmsg_fail(why, -EBADMSG, "%s: is wrong",
					     f->key);
	err = judge_object(value, f->of, why);
	if (err < 0)
		errmsg_prefix(why, "%s.", f->key);
	return err;
}

static int judge_object(const json_t *value, const struct shape *shape,
			struct errmsg *why)
{
	size_t taken = 0;
	int err = 0;

	if (!json_is_object(value))
		return errmsg_fail(why, -EBADMSG, "not an object");
	for (size_t i = 0; i < shape->n && err == 0; i++) {
		const struct field *f = &shape->fields[i];
		const json_t *field = json_object_get(value, f->key);

		taken += field != NULL;
		if (field != NULL)
			err = judge_field(field, f, why);
		else if (!f->maybe)
			err = errmsg_fail(why, -EBADMSG, "%s: missing",
					  f->key);
	}
	if (err == 0 && json_object_size(value) != taken)
		err = errmsg_fail(why, -EBADMSG, "unknown keys");
	return err;
}

int report_shape_judge(const json_t *value, struct errmsg *why)
{
	return judge_object(value, &report, why);
}
