/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes one word of a log line from text of a client. */
#pragma once

#include <stddef.h>

/*
 * Copies text and codes bytes by percent signs: "a b" becomes "a%20b".  ASCII
 * letters and digits, "-._@+/~,*", and other characters of UTF-8 apart from
 * blanks, controls and marks of direction stay.  A program that reads the log
 * cannot take a part of the word for another field of the line.  A long text is
 * cut at a whole character; size counts the final NUL.
 */
void log_word(const char *text, char *ret, size_t size);
