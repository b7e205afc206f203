/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/table.h"

#include "common/base/alloc.h"
#include "ctl/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

struct cell {
	char *text; /* NULL: empty */
	enum table_colour colour;
};

struct table {
	struct table_column columns[TABLE_COLUMNS_MAX];
	size_t n_columns;
	struct cell *cells; /* n_rows * n_columns */
	size_t n_rows;
	size_t room; /* allocated rows */
};

struct table *table_new(const struct table_column *columns, size_t n)
{
	struct table *t = xcalloc(1, sizeof *t);

	assert(n <= TABLE_COLUMNS_MAX);
	memcpy(t->columns, columns, n * sizeof *columns);
	t->n_columns = n;
	return t;
}

void table_free(struct table **table)
{
	struct table *t = *table;

	if (t == NULL)
		return;
	for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
		free(t->cells[i].text);
	free(t->cells);
	free(t);
	*table = NULL;
}

void table_row(struct table *t)
{
	if (t->n_rows == t->room) {
		t->room = t->room ? t->room * 2 : 64;
		t->cells = xrealloc(t->cells, t->room * t->n_columns *
						      sizeof *t->cells);
	}
	memset(t->cells + t->n_rows * t->n_columns, 0,
	       t->n_columns * sizeof *t->cells);
	t->n_rows++;
}

void table_set(struct table *t, size_t column, enum table_colour colour,
	       const char *text)
{
	struct cell *cell;

	assert(t->n_rows > 0 && column < t->n_columns);
	cell = &t->cells[(t->n_rows - 1) * t->n_columns + column];
	free(cell->text);
	*cell = (struct cell){ xstrdup(text), colour };
}

void table_row_of(struct table *t, const json_t *object)
{
	table_row(t);
	for (size_t i = 0; i < t->n_columns && object != NULL; i++) {
		const struct table_column *c = &t->columns[i];
		const json_t *value = c->key != NULL
					      ? json_object_get(object, c->key)
					      : NULL;
		json_int_t number = json_integer_value(value);
		char text[32];

		if (c->key == NULL)
			continue;
		if (c->form == CELL_TEXT || c->form == CELL_NOTE) {
			if (json_is_string(value))
				table_set(t, i, c->form == CELL_NOTE
							? TABLE_DIM
							: TABLE_PLAIN,
					  json_string_value(value));
			continue;
		}
		if (c->form == CELL_DURATION)
			text_duration(text, number);
		else
			(void)snprintf(text, sizeof text,
				       "%" JSON_INTEGER_FORMAT, number);
		table_set(t, i, c->form == CELL_ERRORS && number > 0
					? TABLE_BAD : TABLE_PLAIN, text);
	}
}

/* The state of table_write(). */
struct writer {
	const struct table *t;
	const struct table_style *style;
	size_t widths[TABLE_COLUMNS_MAX];
	struct buf *to;
};

/* Appends a line.  The last cell that is not empty gets no padding. */
static void write_line(struct writer *w, const struct cell *cells)
{
	static const char *const colours[] = {
		[TABLE_PLAIN] = "",
		[TABLE_GOOD] = "\033[32m",
		[TABLE_BAD] = "\033[31;1m",
		[TABLE_DIM] = "\033[2m",
	};
	const struct table *t = w->t;
	size_t last = t->n_columns, used = 0;

	while (last > 0 && cells[last - 1].text == NULL)
		last--;
	for (size_t i = 0; i < last; i++) {
		size_t gap = i > 0 ? GAP : 0;
		size_t room = w->style->width > 0
				      ? w->style->width - MIN(w->style->width,
							      used + gap)
				      : (size_t)-1;
		size_t width = w->widths[i];
		bool colour = w->style->colour &&
			      cells[i].colour != TABLE_PLAIN;

		if (room == 0)
			break;
		if (i == last - 1 && !t->columns[i].right)
			width = MIN(width, text_width(cells[i].text));
		width = MIN(width, room);
		buf_printf(w->to, "%*s", (int)gap, "");
		if (colour)
			buf_printf(w->to, "%s", colours[cells[i].colour]);
		text_fit(w->to, cells[i].text ? cells[i].text : "", width,
			 t->columns[i].right);
		if (colour)
			buf_printf(w->to, "\033[0m");
		used += gap + width;
	}
	buf_printf(w->to, "%s", w->style->end);
}

void table_write(const struct table *t, const struct table_style *style,
		 struct buf *to)
{
	struct cell titles[TABLE_COLUMNS_MAX] = { 0 };
	struct writer w = { .t = t, .style = style, .to = to };
	size_t first = MIN(style->first_row, t->n_rows), end = t->n_rows;

	if (style->max_rows > 0)
		end = first + MIN(style->max_rows, t->n_rows - first);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct table_column *c = &t->columns[i];
		size_t title = text_width(c->title), width = title;

		for (size_t row = first; row < end; row++) {
			const struct cell *cell =
				&t->cells[row * t->n_columns + i];

			if (cell->text != NULL)
				width = MAX(width, text_width(cell->text));
		}
		w.widths[i] = c->max > 0 ? MIN(width, MAX(c->max, title))
					 : width;
		titles[i] = (struct cell){ (char *)c->title, TABLE_DIM };
	}
	write_line(&w, titles);
	for (size_t row = first; row < end; row++)
		write_line(&w, t->cells + row * t->n_columns);
}
