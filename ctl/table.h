/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of text cells, printed in aligned columns.
 *
 * The columns are set when the table is made.  A column is as wide as its
 * widest cell, but at most as its `max', and at least as its title.
 */
#pragma once

#include "common/base/buf.h"

#include <jansson.h>

#include <stdbool.h>
#include <stddef.h>

enum { TABLE_COLUMNS_MAX = 12 };

enum table_colour { TABLE_PLAIN, TABLE_GOOD, TABLE_BAD, TABLE_DIM };

/* The format in which table_row_of() shows the value of a key. */
enum table_form {
	CELL_TEXT,
	CELL_NOTE,     /* a text in TABLE_DIM */
	CELL_NUMBER,
	CELL_ERRORS,   /* a number, red if it is not 0 */
	CELL_DURATION, /* a number of seconds, as text_duration() */
};

struct table_column {
	const char *title;
	size_t max;      /* maximum width; 0: no limit */
	bool right;      /* aligned right */
	const char *key; /* NULL: only table_set() fills the column */
	enum table_form form;
};

struct table;

/* Makes a table without rows.  Borrows the titles and keys. */
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

/* How table_write() writes a table. */
struct table_style {
	bool colour;
	size_t width;     /* columns to which lines are truncated; 0: not */
	size_t first_row; /* first row that is written, from 0 */
	size_t max_rows;  /* most rows that are written; 0: all */
	const char *end;  /* written behind each line */
};
/* Appends the titles and the rows. */
void table_write(const struct table *, const struct table_style *,
		 struct buf *to);
