/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All streams: the configuration of each, and the status of each enabled one.
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
	json_t *stream; /* configuration */
	json_t *status; /* NULL: absent, or not enabled */
};

struct overview {
	struct overview_row *rows;
	size_t n;
};

/* with_status: also query the status of each enabled stream. */
enum ctl_exit overview_load(struct ctl *, bool with_status,
			    struct overview *ret) MUST_CHECK;
void overview_done(struct overview *);

/* NULL if there is none. */
struct overview_row *overview_find(const struct overview *, const char *id);

/*
 * The row with this id, or with this name if it is unique; NULL with error in
 * ctl (CTL_REFUSED).
 */
struct overview_row *overview_choose(struct ctl *, const struct overview *,
				     const char *word);

/* --sort: id, name, state, rate, cc, viewers; text NULL: state first. */
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
/* "on air", "OFF AIR", "disabled", or the state of its process */
const char *row_state(const struct overview_row *);
/* Does an output have an alarm? */
bool row_output_fault(const struct overview_row *);
/* The reason for off air, and the outputs that cannot send; false if there is
 * no error. */
bool row_fault(const struct overview_row *, struct errmsg *ret);
json_int_t row_number(const struct overview_row *, const char *key);

/* The rows as a table, which the caller frees. */
struct table *overview_table(const struct overview *);

/* The rows for --json, a new reference. */
json_t *overview_json(const struct overview *);
