/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of cells in aligned columns.
 *
 * The columns are fixed.  A column is as wide as its widest cell, up to its
 * limit.
 */
#pragma once

#include "common/base/buf.h"

#include <jansson.h>

#include <stdbool.h>
#include <stddef.h>

enum { TABLE_COLUMNS_MAX = 12 };

enum table_colour { TABLE_PLAIN, TABLE_GOOD, TABLE_BAD, TABLE_DIM };

/* The format in which a cell shows the member `key` of an object. */
enum table_form {
	CELL_TEXT,
	CELL_NOTE,     /* text, dim */
	CELL_NUMBER,
	CELL_ERRORS,   /* a number, red if it is not 0 */
	CELL_DURATION, /* seconds */
};

struct table_column {
	const char *title;
	size_t max;      /* maximum width; 0: no limit */
	bool right;      /* aligned right */
	const char *key; /* NULL: only table_set() fills the column */
	enum table_form form;
};

struct table;

/* Makes a table without rows.  The titles are borrowed. */
struct table *table_new(const struct table_column *, size_t n);
void table_free(struct table **);

/* Adds a row of empty cells. */
void table_row(struct table *);
/* Adds a row and fills the columns that have a key from object (NULL: none).
 * An absent text leaves its cell empty; an absent number is 0. */
void table_row_of(struct table *, const json_t *object);
/* Sets a cell of the last row; copies text. */
void table_set(struct table *, size_t column, enum table_colour,
	       const char *text);

/*
 * table_write() appends titles and rows from first_row on, truncated to width
 * columns (0: not) and to max_rows (0: all).  Each line ends with end.
 */
struct table_style {
	bool colour;
	size_t width;
	size_t first_row;
	size_t max_rows;
	const char *end;
};
void table_write(const struct table *, const struct table_style *,
		 struct buf *to);
