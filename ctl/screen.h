/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A full-screen terminal page with keyboard input.
 *
 * Uses plain ECMA-48 sequences.  screen_free() restores the terminal.  Signals
 * that end the program arrive as keys, so the terminal is restored then too.
 */
#pragma once

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define SCREEN_LINE_END "\033[K\r\n"

enum {
	SCREEN_END = -1,
	SCREEN_RESIZED = -2,
	SCREEN_UP = -3,
	SCREEN_DOWN = -4,
	SCREEN_PAGE_UP = -5,
	SCREEN_PAGE_DOWN = -6,
	SCREEN_OTHER = -7, /* a key without a meaning here */
};

struct screen;

/* Are standard input and output a capable terminal? */
bool screen_is_there(void);

struct screen *screen_new(void);
/* NULL-safe; sets *s to NULL. */
void screen_free(struct screen **);

void screen_size(const struct screen *, size_t *ret_columns, size_t *ret_rows);

/* Readable if screen_key() has a key. */
int screen_fd(const struct screen *);

/* Returns the next key, a character or one of the constants above; 0: none.
 * Does not wait. */
int screen_key(struct screen *);

/* Draws the screen.  text: whole lines that end with SCREEN_LINE_END; keys:
 * the bottom line. */
void screen_show(struct screen *, const struct buf *text, const char *keys);
