/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A full-screen terminal page with keyboard input.
 *
 * Uses plain ECMA-48 sequences.  screen_free() restores the terminal.  A signal
 * that would end the program arrives as the key SCREEN_END, so that the program
 * restores the terminal before it ends.
 */
#pragma once

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define SCREEN_LINE_END "\033[K\r\n"

/* Results of screen_key() that are no characters. */
enum {
	SCREEN_END = -1,     /* a signal ends the program, or the terminal is
			      * closed */
	SCREEN_RESIZED = -2, /* the size of the terminal has changed */
	SCREEN_UP = -3,
	SCREEN_DOWN = -4,
	SCREEN_PAGE_UP = -5,
	SCREEN_PAGE_DOWN = -6,
	SCREEN_OTHER = -7, /* any other key that sends an escape sequence */
};

struct screen;

/* Are standard input and output a terminal that has cursor control? */
bool screen_is_there(void);

struct screen *screen_new(void);
/* NULL-safe; sets *s to NULL. */
void screen_free(struct screen **);

void screen_size(const struct screen *, size_t *ret_columns, size_t *ret_rows);

/* A descriptor that is readable if screen_key() has a key. */
int screen_fd(const struct screen *);

/* Returns the next key, a character or one of the constants above; 0: none.
 * Does not wait. */
int screen_key(struct screen *);

/* Draws the screen.  text: lines, each with SCREEN_LINE_END at its end; keys:
 * the text of the bottom line. */
void screen_show(struct screen *, const struct buf *text, const char *keys);
