/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/overview.h"

#include "common/base/alloc.h"
#include "ctl/alarm_text.h"
#include "ctl/api_client.h"
#include "ctl/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line names at most so many outputs or inputs. */
enum { NAMED_MAX = 8 };
/* Most columns of the cell STATE. */
enum { STATE_MAX = 64 };

void overview_done(struct overview *o)
{
	for (size_t i = 0; i < o->n; i++) {
		json_decref(o->rows[i].stream);
		json_decref(o->rows[i].status);
		json_decref(o->rows[i].alarms);
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

bool row_waiting(const struct overview_row *row)
{
	return json_is_true(json_object_get(row->status, "waiting"));
}

const char *row_state(const struct overview_row *row)
{
	return text_of(row->status, "state",
		       row_enabled(row) ? "unknown" : "disabled");
}

bool row_needs_attention(const struct overview_row *row)
{
	return row_enabled(row) &&
	       ((strcmp(row_state(row), "on air") != 0 && !row_waiting(row)) ||
		row_output_fault(row) || row_input_fault(row) ||
		json_array_size(row->alarms) > 0);
}

/* Returns a new list of the inputs or outputs with a fault: position, fault and
 * times.  key: the key of this list in the overview; ends: the key of the list
 * of all inputs or outputs in the status of a stream. */
static json_t *faulty(const struct overview_row *row, const char *key,
		      const char *ends)
{
	static const char *const same[] = { "position", "fault",
					    "fault_since", "reason_since" };
	json_t *end, *list = json_array();
	json_t *known = json_object_get(row->status, key);
	size_t i;

	if (known == NULL)
		known = json_object_get(row->status, ends);
	json_array_foreach(known, i, end) {
		json_t *one;

		if (text_of(end, "fault", NULL) == NULL)
			continue;
		one = json_object();
		for (size_t k = 0; k < ARRAY_LEN(same); k++)
			(void)json_object_set(one, same[k],
					      json_object_get(end, same[k]));
		(void)json_array_append_new(list, one);
	}
	return list;
}

static bool has_faulty(const struct overview_row *row, const char *key,
		       const char *ends)
{
	json_t *list = faulty(row, key, ends);
	size_t n = json_array_size(list);

	json_decref(list);
	return n > 0;
}

bool row_output_fault(const struct overview_row *row)
{
	return has_faulty(row, "output_faults", "outputs");
}

bool row_input_fault(const struct overview_row *row)
{
	return has_faulty(row, "input_faults", "inputs");
}

/* Appends "output 2: FAULT"; for several outputs "3 outputs cannot send (2, 4,
 * 5); output 2: FAULT".  what: "output" or "input"; fail: "cannot send" and the
 * like.  Takes the list. */
static void put_faulty(struct buf *to, json_t *take_list, const char *what,
		       const char *fail)
{
	size_t n = json_array_size(take_list), i;
	const json_t *first = json_array_get(take_list, 0), *one;

	if (n > 0 && buf_len(to) > 0)
		buf_printf(to, "; ");
	if (n > 1)
		buf_printf(to, "%zu %ss %s (", n, what, fail);
	json_array_foreach(take_list, i, one)
		if (n > 1 && i < NAMED_MAX)
			buf_printf(to, "%s%" JSON_INTEGER_FORMAT,
				   i > 0 ? ", " : "",
				   json_integer_value(json_object_get(
					   one, "position")));
	if (n > 1)
		buf_printf(to, "%s); ", n > NAMED_MAX ? ", ..." : "");
	if (n > 0) {
		buf_printf(to, "%s %" JSON_INTEGER_FORMAT ": %s", what,
			   json_integer_value(json_object_get(first,
							      "position")),
			   text_of(first, "fault", ""));
		text_since_both(to, api_number(first, "reason_since"),
				api_number(first, "fault_since"), "in error");
	}
	json_decref(take_list);
}

char *row_fault(const struct overview_row *row)
{
	const char *fault = text_of(row->status, "error", NULL);
	const json_t *off = json_object_get(row->status, "off_since");
	struct buf text = { 0 };
	char *all = NULL;

	if (fault != NULL) {
		/* the error of a multiplex of several inputs that is on air is
		 * that of this input only */
		if (row_on_air(row) && row_number(row, "inputs") > 1 &&
		    strcmp(text_of(row->status, "type", ""), "mpts") == 0)
			buf_printf(&text, "input %" JSON_INTEGER_FORMAT ": ",
				   row_number(row, "active_input"));
		buf_printf(&text, "%s", fault);
		text_since_both(&text, row_number(row, "error_since"),
				json_integer_value(off), "off air");
	}
	put_faulty(&text, faulty(row, "output_faults", "outputs"), "output",
		   "cannot send");
	put_faulty(&text, faulty(row, "input_faults", "inputs"), "input",
		   "are not available");
	if (buf_len(&text) > 0)
		all = xstrndup((const char *)buf_head(&text), buf_len(&text));
	buf_done(&text);
	return all;
}

json_int_t row_number(const struct overview_row *row, const char *key)
{
	return json_integer_value(json_object_get(row->status, key));
}

/* --- reading --- */

void overview_take(const json_t *answer, struct overview *ret)
{
	json_t *list = json_object_get(answer, "streams"), *stream;
	json_t *alarms = alarms_by_stream(answer);
	struct overview o = { 0 };
	size_t i;

	o.rows = xcalloc(json_array_size(list) + 1, sizeof *o.rows);
	json_array_foreach(list, i, stream) {
		o.rows[o.n].stream = json_incref(stream);
		o.rows[o.n].status = json_incref(stream);
		o.rows[o.n].alarms = json_incref(
			json_object_get(alarms, row_id(&o.rows[o.n])));
		o.n += 1;
	}
	json_decref(alarms);
	*ret = o;
}

enum ctl_exit overview_query(struct ctl *ctl, struct overview *ret,
			     json_t **ret_answer)
{
	enum ctl_exit code = api_get(ctl, OVERVIEW_PATH, ret_answer);

	if (code == CTL_OK)
		overview_take(*ret_answer, ret);
	return code;
}

enum ctl_exit overview_load(struct ctl *ctl, struct overview *ret)
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

/* The order of states.  0: off air; 1: an output has a fault; 2: an input that
 * is not active has a fault, or there is an alarm; 3: on air or waiting; 4:
 * disabled. */
static int rank(const struct overview_row *row)
{
	if (!row_enabled(row))
		return 4;
	if (row_waiting(row))
		return 3;
	if (!row_on_air(row))
		return 0;
	if (row_output_fault(row))
		return 1;
	return row_input_fault(row) || json_array_size(row->alarms) > 0 ? 2
									: 3;
}

static int more_first(const struct overview_row *a,
		      const struct overview_row *b, const char *key)
{
	json_int_t x = row_number(a, key), y = row_number(b, key);

	return x > y ? -1 : x < y;
}

struct sorting {
	enum overview_order by;
	bool reverse;
};

static int by_order(const void *x, const void *y, void *arg)
{
	const struct overview_row *a = x, *b = y;
	const struct sorting *s = arg;
	int r = 0;

	switch (s->by) {
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
	if (r == 0)
		r = strcmp(row_id(a), row_id(b));
	return s->reverse ? -r : r;
}

void overview_sort(struct overview *o, enum overview_order by, bool reverse)
{
	struct sorting s = { by, reverse };

	qsort_r(o->rows, o->n, sizeof *o->rows, by_order, &s);
}

/* --- output --- */

/* Writes the number of the input that is on air; "-": none is. */
static void put_input(char to[16], const struct overview_row *row)
{
	json_int_t input = row_number(row, "active_input");

	if (input == 0)
		input = row_number(row, "input_id");
	if (json_is_true(json_object_get(row->status, "onair")) &&
	    !json_is_true(json_object_get(row->status, "filler")))
		(void)snprintf(to, 16, "%" JSON_INTEGER_FORMAT, input);
	else
		(void)snprintf(to, 16, "-");
}

void row_put_troubles(const struct overview_row *row, struct buf *to)
{
	char *fault = row_fault(row);

	text_plain(to, fault != NULL ? fault : "");
	if (fault != NULL && json_array_size(row->alarms) > 0)
		buf_printf(to, "; ");
	put_stream_alarms(to, row->alarms, fault != NULL ? fault : "");
	free(fault);
}

struct table *overview_table(const struct overview *o, unsigned marks)
{
	static const struct table_column columns[] = {
		{ "ID", 24, false, NULL, CELL_TEXT },
		{ "NAME", 32, false, NULL, CELL_TEXT },
		{ "STATE", STATE_MAX, false, NULL, CELL_TEXT },
		{ "IN", 0, true, NULL, CELL_TEXT },
		{ "RATE", 0, true, NULL, CELL_TEXT },
		{ "CC", 0, true, "cc_error", CELL_ERRORS },
		{ "PES", 0, true, "pes_error", CELL_ERRORS },
		{ "SCR", 0, true, "sc_error", CELL_ERRORS },
		{ "VIEWERS", 0, true, "sessions", CELL_NUMBER },
		{ "FAULT", 0, false, NULL, CELL_TEXT },
	};
	size_t n = ARRAY_LEN(columns) - (marks & OVERVIEW_BARE ? 1 : 0);
	struct table *t = table_new(columns, n);
	bool old = marks & OVERVIEW_OLD;

	for (size_t i = 0; i < o->n; i++) {
		const struct overview_row *row = &o->rows[i];
		char rate[32], input[16], state[256];
		struct buf text = { 0 };

		table_row_of(t, row->status);
		table_set(t, 0, TABLE_PLAIN, row_id(row));
		table_set(t, 1, TABLE_PLAIN, row_name(row));
		(void)snprintf(state, sizeof state, "%s%s", old ? "? " : "",
			       row_state(row));
		table_set(t, 2, old || !row_enabled(row) ? TABLE_DIM
				: row_on_air(row) || row_waiting(row)
				? TABLE_GOOD : TABLE_BAD,
			  state);
		if (!row_enabled(row))
			continue;
		put_input(input, row);
		table_set(t, 3, TABLE_PLAIN, input);
		text_rate(rate, row_number(row, "bitrate"));
		table_set(t, 4, old ? TABLE_DIM : TABLE_PLAIN, rate);
		if (!(marks & OVERVIEW_BARE))
			row_put_troubles(row, &text);
		if (buf_len(&text) > 0) {
			buf_append(&text, "", 1);
			table_set(t, 9, old ? TABLE_DIM : TABLE_BAD,
				  (const char *)buf_head(&text));
		}
		buf_done(&text);
	}
	return t;
}

json_t *overview_json(const struct overview *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < o->n; i++) {
		const struct overview_row *row = &o->rows[i];
		json_t *one = json_copy(row->status);
		char *fault = row_fault(row);

		if (fault != NULL)
			(void)json_object_set_new(one, "fault",
						  json_string(fault));
		free(fault);
		(void)json_object_set_new(one, "raised",
					  row->alarms != NULL
						  ? json_incref(row->alarms)
						  : json_array());
		(void)json_array_append_new(list, one);
	}
	return list;
}
