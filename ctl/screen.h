/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A terminal as a page that is drawn anew, with keys.
 *
 * Plain ECMA-48 sequences; the terminal is as it was after screen_free(), and
 * after the signals that end the program, which come as keys.
 */
#pragma once

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define SCREEN_LINE_END "\033[K\r\n"

enum { SCREEN_END = -1, SCREEN_RESIZED = -2 };

struct screen;

/* Are standard input and output a terminal that can do this? */
bool screen_is_there(void);

struct screen *screen_new(void);
/* NULL-safe; sets *s to NULL. */
void screen_free(struct screen **);

void screen_size(const struct screen *, size_t *ret_columns, size_t *ret_rows);

/* Readable when screen_key() has something. */
int screen_fd(const struct screen *);

/* A character, SCREEN_END, SCREEN_RESIZED, or 0: nothing. */
int screen_key(struct screen *);

/* text is whole lines that end with SCREEN_LINE_END; keys stand at the foot. */
void screen_show(struct screen *, const struct buf *text, const char *keys);
