/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes text in the Standard Compression Scheme for Unicode (Unicode
 * Technical Standard 6), which is mode 0x3e of texts in ATSC.
 *
 * Pure.  Only for this folder.
 */
#pragma once

#include "proto/si/bits.h"

/* Receives a character, or one unit of a surrogate pair of UTF-16. */
typedef void scsu_fn(uint32_t character, void *arg);

/* Calls the function for each character.  False: the text has a reserved tag or
 * ends inside a tag; the function was called for the characters in front of the
 * tag. */
bool scsu_each(struct bytes, scsu_fn *, void *arg);
