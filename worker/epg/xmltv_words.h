/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts numbers and codes of DVB to the words of XMLTV, and back.
 *
 * Pure.
 */
#pragma once

#include <stdint.h>

/* The words of a content (EN 300 468 6.2.9): content_nibble_level_1 in the high
 * bits, level_2 in the low ones.  NULL: the standard has no word. */
const char *xmltv_genre(uint8_t content);  /* word of level 1 */
const char *xmltv_detail(uint8_t content); /* word of both levels; NULL also for
					    * "general" */

/* Converts a code of three letters to the code of two letters that RFC 5646
 * demands: "eng" to "en".  If there is none, returns lang itself, or "" if lang
 * is not three letters. */
const char *xmltv_lang(const char lang[4]);

/* The content (content_nibble_level_1 << 4 | level_2) of a word that
 * xmltv_genre() or xmltv_detail() can return, or of a part of a genre
 * ("Movie"), in capital or small letters.  level_2 of a genre is 0.  0: it is
 * not such a word. */
uint8_t xmltv_content(const char *word);

/* Writes the code of three letters for a language: "eng" for "en", "en-GB" and
 * "eng"; "und" for a text that is not a code, or an unknown code of two
 * letters. */
void xmltv_lang_read(const char *code, char ret[4]);
