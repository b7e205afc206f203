/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All streams: the configuration of each, or the state of each.
 *
 * Owns the JSON that it read.  It omits streams without an id.
 */
#pragma once

#include "ctl/ctl.h"
#include "ctl/table.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct overview_row {
	json_t *stream; /* configuration, or an entry of the overview */
	json_t *status; /* the same entry, or a stream status; NULL: not read */
	json_t *alarms; /* of the overview: all that are raised; NULL: none */
};

struct overview {
	struct overview_row *rows;
	size_t n;
};

#define OVERVIEW_PATH "/api/overview"

/* Loads the configuration of each stream. */
enum ctl_exit overview_load(struct ctl *, struct overview *ret) MUST_CHECK;
/* Queries the state of each stream.  *ret_answer is the whole answer, a new
 * reference. */
enum ctl_exit overview_query(struct ctl *, struct overview *ret,
			     json_t **ret_answer) MUST_CHECK;
/* Takes the state of each stream from an answer (borrowed) of
 * overview_query(). */
void overview_take(const json_t *answer, struct overview *ret);
void overview_done(struct overview *);

/* Returns the row with this id; NULL: none. */
struct overview_row *overview_find(const struct overview *, const char *id);

/*
 * The row with this id, or with this name if it is unique; NULL with error in
 * ctl (CTL_REFUSED).
 */
struct overview_row *overview_choose(struct ctl *, const struct overview *,
				     const char *word);

/* overview_order() reads --sort: id, name, state, rate, cc, viewers; text
 * NULL: state. */
enum overview_order {
	BY_STATE, BY_ID, BY_NAME, BY_RATE, BY_CC, BY_VIEWERS,
};
int overview_order(const char *text, enum overview_order *ret,
		   struct errmsg *error) MUST_CHECK;
void overview_sort(struct overview *, enum overview_order, bool reverse);

/* Fields of a row. */
const char *row_id(const struct overview_row *);
const char *row_name(const struct overview_row *);
bool row_enabled(const struct overview_row *);
bool row_on_air(const struct overview_row *);
/* True: the stream is on demand, and waits for a viewer. */
bool row_waiting(const struct overview_row *);
/* Returns "on air (input 2, backup)", "OFF AIR (filler plays)", "disabled". */
const char *row_state(const struct overview_row *);
/* True: it is enabled, and its state is neither waiting nor simply "on air",
 * or it is enabled and has a fault or an alarm. */
bool row_needs_attention(const struct overview_row *);
/* Does an output have a fault? */
bool row_output_fault(const struct overview_row *);
/* Does an input have a fault?  In the overview, the active one has none. */
bool row_input_fault(const struct overview_row *);
/* Returns the error of the stream, and which outputs cannot send and which
 * inputs are not available, with the fault of the first of each; free() it.
 * NULL: there is no error. */
char *row_fault(const struct overview_row *);
/* Appends row_fault() and the raised alarms; nothing without either. */
void row_put_troubles(const struct overview_row *, struct buf *to);
json_int_t row_number(const struct overview_row *, const char *key);

enum overview_mark {
	OVERVIEW_OLD = 1 << 0,  /* marks the figures as old */
	OVERVIEW_BARE = 1 << 1, /* without the column of errors */
};

/* The rows as a table, which the caller frees.  marks: overview_mark. */
struct table *overview_table(const struct overview *, unsigned marks);

/* The rows for --json, a new reference. */
json_t *overview_json(const struct overview *);
