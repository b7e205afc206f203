/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the Standard Compression Scheme for Unicode (Unicode Technical Standard
 * 6), mode 0x3e of texts in ATSC.
 *
 * Pure.  Only for this folder.
 */
#pragma once

#include "proto/si/bits.h"

/* Receives a character, or a unit of UTF-16. */
typedef void scsu_fn(uint32_t character, void *arg);

/* Calls the function for each character.  False: the text has a reserved tag or
 * ends inside a tag; the function has received the characters in front of
 * it. */
bool scsu_each(struct bytes, scsu_fn *, void *arg);
