/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of cells in aligned columns.
 *
 * The columns are fixed at the start; a column is as wide as its widest cell,
 * up to its bound.  Colours are only what the caller says that they are.
 */
#pragma once

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum { TABLE_COLUMNS_MAX = 12 };

enum table_colour { TABLE_PLAIN, TABLE_GOOD, TABLE_BAD, TABLE_DIM };

struct table_column {
	const char *title;
	size_t max;  /* widest; 0: no bound */
	bool right;  /* numbers */
};

struct table;

/* The titles are borrowed. */
struct table *table_new(const struct table_column *, size_t n);
void table_free(struct table **);

/* Begins a row; cells that are not set are empty. */
void table_row(struct table *);
/* Sets a cell of the last row; text is copied. */
void table_set(struct table *, size_t column, enum table_colour,
	       const char *text);

/*
 * Appends titles and rows.  width: lines are cut there; 0: they are not.
 * max_rows bounds the rows (0: all).  Lines end with end.
 */
struct table_style {
	bool colour;
	size_t width;
	size_t max_rows;
	const char *end;
};
void table_write(const struct table *, const struct table_style *,
		 struct buf *to);
