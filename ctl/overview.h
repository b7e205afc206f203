/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of all streams, with the configuration or with the state of each.
 *
 * Owns the JSON that it read.  overview_load() omits streams without an id.
 */
#pragma once

#include "ctl/ctl.h"
#include "ctl/table.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct overview_row {
	/* after overview_load() the configuration of the stream, otherwise its
	 * entry of the reply of the overview */
	json_t *stream;
	/* the entry of the overview, or the reply of api/stream-status; NULL:
	 * not read */
	json_t *status;
	/* array of the raised alarms in the reply of the overview; NULL:
	 * none */
	json_t *alarms;
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
 * Returns the row with this id, or with this name if only one stream has the
 * name; NULL: there is no such row, and ctl has the error (for CTL_REFUSED).
 */
struct overview_row *overview_choose(struct ctl *, const struct overview *,
				     const char *word);

enum overview_order {
	BY_STATE, BY_ID, BY_NAME, BY_RATE, BY_CC, BY_VIEWERS,
};
/* Reads the value of --sort: id, name, state, rate, cc or viewers; text NULL:
 * state.  0, or -EINVAL with error. */
int overview_order(const char *text, enum overview_order *ret,
		   struct errmsg *error) MUST_CHECK;
void overview_sort(struct overview *, enum overview_order, bool reverse);

/* The following functions return fields of a row; the texts are borrowed. */
const char *row_id(const struct overview_row *);
const char *row_name(const struct overview_row *);
bool row_enabled(const struct overview_row *);
bool row_on_air(const struct overview_row *);
/* True: the stream is on demand, and waits for a viewer. */
bool row_waiting(const struct overview_row *);
/* Returns "on air (input 2, backup)", "OFF AIR (filler plays)", "disabled". */
const char *row_state(const struct overview_row *);
/* True: the stream is enabled, and it is neither waiting nor simply "on air",
 * or it has a fault or an alarm. */
bool row_needs_attention(const struct overview_row *);
/* Does an output have a fault? */
bool row_output_fault(const struct overview_row *);
/* Does an input have a fault?  The overview lists no fault of the active
 * input. */
bool row_input_fault(const struct overview_row *);
/* Returns one line with the error of the stream, the outputs that cannot send
 * and the inputs that are not available, each with the fault of the first of
 * them.  The caller frees it.  NULL: there is no error. */
char *row_fault(const struct overview_row *);
/* Appends row_fault() and the raised alarms; nothing if there are neither. */
void row_put_troubles(const struct overview_row *, struct buf *to);
json_int_t row_number(const struct overview_row *, const char *key);

enum overview_mark {
	OVERVIEW_OLD = 1 << 0,  /* the figures are marked as old */
	OVERVIEW_BARE = 1 << 1, /* the column of errors is omitted */
};

/* Returns the rows as a table, which the caller frees.  marks: bits of enum
 * overview_mark. */
struct table *overview_table(const struct overview *, unsigned marks);

/* Returns the rows as a JSON array for --json, a new reference. */
json_t *overview_json(const struct overview *);
