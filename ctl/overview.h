/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All streams with how they are: the configuration, and for each enabled
 * stream its status.
 *
 * Owns what it read.  Streams without an id are left out.
 */
#pragma once

#include "ctl/ctl.h"
#include "ctl/table.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct overview_row {
	json_t *stream; /* as it is configured */
	json_t *status; /* NULL: none, or not enabled */
};

struct overview {
	struct overview_row *rows;
	size_t n;
};

/* with_status: ask for each. */
enum ctl_exit overview_load(struct ctl *, bool with_status,
			    struct overview *ret) MUST_CHECK;
void overview_done(struct overview *);

/* NULL when there is none. */
struct overview_row *overview_find(const struct overview *, const char *id);

/*
 * The row of an id, or of a name that only one stream has; NULL with why
 * (CTL_REFUSED).
 */
struct overview_row *overview_choose(struct ctl *, const struct overview *,
				     const char *word);

/* --sort: id, name, state, rate, cc, viewers; text NULL: state first. */
enum overview_order {
	BY_STATE, BY_ID, BY_NAME, BY_RATE, BY_CC, BY_VIEWERS,
};
int overview_order(const char *text, enum overview_order *ret,
		   struct errmsg *why) MUST_CHECK;
void overview_sort(struct overview *, enum overview_order, bool reverse);

/* What a row says. */
const char *row_id(const struct overview_row *);
const char *row_name(const struct overview_row *);
bool row_enabled(const struct overview_row *);
bool row_on_air(const struct overview_row *);
/* "on air", "OFF AIR", "disabled", or what its process does */
const char *row_state(const struct overview_row *);
/* Does one of its outputs have an alarm? */
bool row_output_fault(const struct overview_row *);
/* Why it is not on air, and which of its outputs cannot send; false when there
 * is nothing to say. */
bool row_fault(const struct overview_row *, struct errmsg *ret);
json_int_t row_number(const struct overview_row *, const char *key);

/* The rows as a table, to be freed. */
struct table *overview_table(const struct overview *);

/* The rows for --json. */
json_t *overview_json(const struct overview *);
