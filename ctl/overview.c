/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/overview.h"

#include "common/base/alloc.h"
#include "ctl/api_client.h"
#include "ctl/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Outputs named in one line. */
enum { NAMED_MAX = 8 };

void overview_done(struct overview *o)
{
	for (size_t i = 0; i < o->n; i++) {
		json_decref(o->rows[i].stream);
		json_decref(o->rows[i].status);
	}
	free(o->rows);
	*o = (struct overview){ 0 };
}

/* --- rows --- */

static const char *text_of(const json_t *object, const char *key,
			   const char *without)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : without;
}

const char *row_id(const struct overview_row *row)
{
	return text_of(row->stream, "id", "");
}

const char *row_name(const struct overview_row *row)
{
	return text_of(row->stream, "name", "");
}

bool row_enabled(const struct overview_row *row)
{
	return json_is_true(json_object_get(row->stream, "enable"));
}

bool row_on_air(const struct overview_row *row)
{
	return json_is_true(json_object_get(row->status, "onair"));
}

const char *row_state(const struct overview_row *row)
{
	const char *state =
		text_of(json_object_get(row->status, "worker"), "state", NULL);

	if (!row_enabled(row))
		return "disabled";
	if (row_on_air(row))
		return "on air";
	return state && strcmp(state, "running") != 0 ? state : "OFF AIR";
}

/* The error of the process or of an input that should be active. */
static const char *input_fault(const struct overview_row *row)
{
	json_t *inputs = json_object_get(row->status, "inputs");
	const char *fault = text_of(json_object_get(row->status, "worker"),
				    "alarm", NULL);
	json_t *input;
	size_t i;

	/* prefer the active input; ignore a standby of a stream on air */
	for (int active = 1; active >= 0; active--)
		json_array_foreach(inputs, i, input)
			if (fault == NULL && (active || !row_on_air(row)) &&
			    json_is_true(json_object_get(input, "active")) ==
				    active)
				fault = text_of(input, "error", NULL);
	return fault;
}

/* A new list of outputs with an alarm: position and error. */
static json_t *faulty_outputs(const struct overview_row *row)
{
	json_t *output, *list = json_array();
	size_t i;

	json_array_foreach(json_object_get(row->status, "outputs"), i, output)
		if (text_of(output, "fault", NULL) != NULL)
			(void)json_array_append_new(
				list, json_pack("{s:O, s:O}", "position",
						json_object_get(output,
								"position"),
						"fault",
						json_object_get(output,
								"fault")));
	return list;
}

bool row_output_fault(const struct overview_row *row)
{
	json_t *faulty = faulty_outputs(row);
	size_t n = json_array_size(faulty);

	json_decref(faulty);
	return n > 0;
}

/* Appends "output 2: error"; for several outputs "3 outputs cannot send (2, 4,
 * 5); output 2: error". */
static void put_outputs(struct buf *to, const json_t *faulty)
{
	size_t n = json_array_size(faulty), i;
	const json_t *first = json_array_get(faulty, 0), *one;

	if (n > 1)
		buf_printf(to, "%zu outputs cannot send (", n);
	json_array_foreach((json_t *)faulty, i, one)
		if (n > 1 && i < NAMED_MAX)
			buf_printf(to, "%s%" JSON_INTEGER_FORMAT,
				   i > 0 ? ", " : "",
				   json_integer_value(json_object_get(
					   one, "position")));
	if (n > 1)
		buf_printf(to, "%s); ", n > NAMED_MAX ? ", ..." : "");
	if (n > 0)
		buf_printf(to, "output %" JSON_INTEGER_FORMAT ": %s",
			   json_integer_value(json_object_get(first,
							      "position")),
			   text_of(first, "fault", ""));
}

bool row_fault(const struct overview_row *row, struct errmsg *ret)
{
	const char *fault = input_fault(row);
	json_t *faulty = faulty_outputs(row);
	struct buf text = { 0 };
	bool is;

	buf_printf(&text, "%s", fault != NULL ? fault : "");
	if (fault != NULL && json_array_size(faulty) > 0)
		buf_printf(&text, "; ");
	put_outputs(&text, faulty);
	json_decref(faulty);
	is = buf_len(&text) > 0;
	if (is)
		errmsg_set(ret, "%.*s", (int)buf_len(&text),
			   (const char *)buf_head(&text));
	buf_done(&text);
	return is;
}

json_int_t row_number(const struct overview_row *row, const char *key)
{
	return json_integer_value(json_object_get(row->status, key));
}

/* --- reading --- */

/* The argument of take_status(). */
struct fill {
	struct ctl *ctl;
	struct overview_row **rows; /* rows of the queried paths */
};

static void take_status(size_t i, const struct client_reply *reply, void *arg)
{
	struct fill *fill = arg;
	json_t *status = NULL;

	/* a stream removed meanwhile has no status */
	if (api_judge(fill->ctl, reply, &status) == CTL_OK)
		fill->rows[i]->status = status;
}

static enum ctl_exit load_status(struct ctl *ctl, struct overview *o)
{
	char **paths = xcalloc(o->n + 1, sizeof *paths);
	struct fill fill = { .ctl = ctl,
			     .rows = xcalloc(o->n + 1, sizeof *fill.rows) };
	size_t n = 0;
	int r;

	for (size_t i = 0; i < o->n; i++) {
		if (!row_enabled(&o->rows[i]))
			continue;
		fill.rows[n] = &o->rows[i];
		paths[n++] = api_path("/api/stream-status/",
				      row_id(&o->rows[i]), "?t=0");
	}
	r = client_get_all(ctl->client, (const char *const *)paths, n,
			   take_status, &fill, &ctl->error);
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
	free(fill.rows);
	if (r < 0)
		return CTL_UNREACHABLE;
	ctl->error.text[0] = '\0';
	return CTL_OK;
}

enum ctl_exit overview_load(struct ctl *ctl, bool with_status,
			    struct overview *ret)
{
	struct overview o = { 0 };
	json_t *config = NULL, *list, *stream;
	enum ctl_exit code = api_load(ctl, &config);
	size_t i;

	if (code != CTL_OK)
		return code;
	list = json_object_get(config, "make_stream");
	o.rows = xcalloc(json_array_size(list) + 1, sizeof *o.rows);
	json_array_foreach(list, i, stream)
		if (json_is_string(json_object_get(stream, "id")))
			o.rows[o.n++].stream = json_incref(stream);
	json_decref(config);
	if (with_status)
		code = load_status(ctl, &o);
	if (code != CTL_OK)
		overview_done(&o);
	else
		*ret = o;
	return code;
}

struct overview_row *overview_find(const struct overview *o, const char *id)
{
	for (size_t i = 0; i < o->n; i++)
		if (strcmp(row_id(&o->rows[i]), id) == 0)
			return &o->rows[i];
	return NULL;
}

struct overview_row *overview_choose(struct ctl *ctl, const struct overview *o,
				     const char *word)
{
	struct overview_row *found = overview_find(o, word);
	size_t n = found ? 1 : 0;

	for (size_t i = 0; found == NULL && i < o->n; i++)
		n += strcmp(row_name(&o->rows[i]), word) == 0 ? 1 : 0;
	for (size_t i = 0; found == NULL && n == 1 && i < o->n; i++)
		if (strcmp(row_name(&o->rows[i]), word) == 0)
			found = &o->rows[i];
	if (found == NULL)
		(void)ctl_fail(ctl, CTL_REFUSED,
			       n > 1 ? "several streams have the name "
				       "\"%.64s\": give the id"
				     : "no stream has the id or the name "
				       "\"%.64s\": see sluicectl stream ls",
			       word);
	return found;
}

/* --- order --- */

int overview_order(const char *text, enum overview_order *ret,
		   struct errmsg *error)
{
	static const char *const names[] = {
		[BY_STATE] = "state", [BY_ID] = "id", [BY_NAME] = "name",
		[BY_RATE] = "rate", [BY_CC] = "cc", [BY_VIEWERS] = "viewers",
	};

	if (text == NULL)
		text = names[BY_STATE];
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*ret = (enum overview_order)i;
			return 0;
		}
	}
	return errmsg_fail(error, -EINVAL,
	                   "--sort: is not id, name, state, rate, "
	                   "cc or viewers");
}

/* Off air first, then streams with an output error, on air, disabled. */
static int rank(const struct overview_row *row)
{
	if (!row_enabled(row))
		return 3;
	if (!row_on_air(row))
		return 0;
	return row_output_fault(row) ? 1 : 2;
}

static int more_first(const struct overview_row *a,
		      const struct overview_row *b, const char *key)
{
	json_int_t x = row_number(a, key), y = row_number(b, key);

	return x > y ? -1 : x < y;
}

static int compare(const struct overview_row *a, const struct overview_row *b,
		   enum overview_order by)
{
	int r = 0;

	switch (by) {
	case BY_STATE:
		r = rank(a) - rank(b);
		break;
	case BY_NAME:
		r = strcmp(row_name(a), row_name(b));
		break;
	case BY_RATE:
		r = more_first(a, b, "bitrate");
		break;
	case BY_CC:
		r = more_first(a, b, "cc_error");
		break;
	case BY_VIEWERS:
		r = more_first(a, b, "sessions");
		break;
	case BY_ID:
		break;
	}
	return r != 0 ? r : strcmp(row_id(a), row_id(b));
}

struct sorting {
	enum overview_order by;
	bool reverse;
};

static int by_order(const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;
	int r = compare(a, b, s->by);

	return s->reverse ? -r : r;
}

void overview_sort(struct overview *o, enum overview_order by, bool reverse)
{
	struct sorting s = { by, reverse };

	qsort_r(o->rows, o->n, sizeof *o->rows, by_order, &s);
}

/* --- output --- */

struct table *overview_table(const struct overview *o)
{
	static const struct table_column columns[] = {
		{ "ID", 24, false, NULL, CELL_TEXT },
		{ "NAME", 32, false, NULL, CELL_TEXT },
		{ "STATE", 12, false, NULL, CELL_TEXT },
		{ "RATE", 0, true, NULL, CELL_TEXT },
		{ "CC", 0, true, "cc_error", CELL_ERRORS },
		{ "PES", 0, true, "pes_error", CELL_ERRORS },
		{ "SCR", 0, true, "sc_error", CELL_ERRORS },
		{ "VIEWERS", 0, true, "sessions", CELL_NUMBER },
		{ "FAULT", 0, false, NULL, CELL_TEXT },
	};
	struct table *t = table_new(columns, ARRAY_LEN(columns));

	for (size_t i = 0; i < o->n; i++) {
		const struct overview_row *row = &o->rows[i];
		struct errmsg error;
		char rate[32];

		table_row_of(t, row->status);
		table_set(t, 0, TABLE_PLAIN, row_id(row));
		table_set(t, 1, TABLE_PLAIN, row_name(row));
		table_set(t, 2, !row_enabled(row) ? TABLE_DIM
				: row_on_air(row) ? TABLE_GOOD : TABLE_BAD,
			  row_state(row));
		if (row->status == NULL)
			continue;
		text_rate(rate, row_number(row, "bitrate"));
		table_set(t, 3, TABLE_PLAIN, rate);
		if (row_fault(row, &error))
			table_set(t, 8, TABLE_BAD, error.text);
	}
	return t;
}

json_t *overview_json(const struct overview *o)
{
	static const char *const numbers[] = { "bitrate", "cc_error",
					       "pes_error", "sc_error",
					       "sessions" };
	json_t *list = json_array();

	for (size_t i = 0; i < o->n; i++) {
		const struct overview_row *row = &o->rows[i];
		struct errmsg fault;
		json_t *one = json_pack("{s:s, s:s, s:b, s:b, s:s, s:s*, "
					"s:o}",
					"id", row_id(row), "name",
					row_name(row), "enable",
					row_enabled(row), "onair",
					row_on_air(row), "state",
					row_state(row), "fault",
					row_fault(row, &fault) ? fault.text
							       : NULL,
					"output_faults", faulty_outputs(row));

		for (size_t k = 0; k < ARRAY_LEN(numbers); k++)
			(void)json_object_set_new(
				one, numbers[k],
				json_integer(row_number(row, numbers[k])));
		(void)json_array_append_new(list, one);
	}
	return list;
}
