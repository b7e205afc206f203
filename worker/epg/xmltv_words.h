/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The words of XMLTV for numbers and codes of DVB, and back.
 *
 * Pure.
 */
#pragma once

#include <stdint.h>

/* The words of a content (EN 300 468 6.2.9): content_nibble_level_1 in the high
 * bits, level_2 in the low ones.  NULL: the standard has no word. */
const char *xmltv_genre(uint8_t content);  /* of level 1 */
const char *xmltv_detail(uint8_t content); /* of both; NULL also for general */

/* "en" for "eng": RFC 5646 wants the shorter code.  Otherwise lang itself if it
 * has three letters, or "". */
const char *xmltv_lang(const char lang[4]);

/* The content of a word of both tables, or of a part of a genre ("Movie"), in
 * capital or small letters; level_2 is 0 for a genre.  0: it is no such
 * word. */
uint8_t xmltv_content(const char *word);

/* "eng" for "en", "en-GB" and "eng"; "und" for what is no code. */
void xmltv_lang_read(const char *code, char ret[4]);
