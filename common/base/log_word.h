/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text of a client as one word of a log line. */
#pragma once

#include <stddef.h>

/*
 * Copies text and codes all but letters, digits and "-._@+/~,*" by percent
 * signs, byte by byte: "a b" becomes "a%20b".  Letters of UTF-8 stay.  A
 * program that reads the log cannot take a part of the word for another field
 * of the line.  A long text is cut at a whole character; size counts the final
 * NUL.
 */
void log_word(const char *text, char *ret, size_t size);
