/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The head of a message in the form of HTTP, as RTSP and SSDP use it: a first
 * line, fields, an empty line.
 *
 * The reader is tolerant, because the servers are: a line may end with LF
 * alone, the names of fields have any case, and a line that is no field is
 * skipped.  Pure; all texts point into the data of the caller.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAD_MAX = 8192 };

/* A text inside other data; not terminated. */
struct slice {
	const char *at;
	size_t len;
};

/* The length of the head in bytes, with the empty line that ends it; 0: the
 * head is not complete yet. */
size_t head_length(const void *data, size_t len);

/* Takes the next line, without its end and without blanks around it, from the
 * front of *rest; false: no line is left. */
bool head_line(struct slice *rest, struct slice *ret);

/* Takes the next field from the front of *rest and splits it at the first
 * colon; lines without a colon are skipped.  False: no field is left. */
bool head_field(struct slice *rest, struct slice *name, struct slice *value);

/* Takes the part of *rest in front of the next separator, without blanks around
 * it; false: no part is left.  "a;;b" has three parts. */
bool slice_part(struct slice *rest, char separator, struct slice *ret);

/* Splits a part at the first separator; false: there is none, and *value is
 * empty. */
bool slice_split(struct slice part, char separator, struct slice *name,
		 struct slice *value);

/* Is the slice equal to the text, in upper or lower case? */
bool slice_is(struct slice, const char *text);
bool slice_begins(struct slice, const char *text);

/* Reads the whole slice as a decimal number; false: it is not a number, or it
 * is larger than max. */
bool slice_number(struct slice, uint32_t max, uint32_t *ret);

/* Copies a slice of printable ASCII into text, which has size bytes; false: the
 * slice is empty, too long or has other characters, and nothing is copied. */
bool slice_copy(struct slice, char *text, size_t size);
