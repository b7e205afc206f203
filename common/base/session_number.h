/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The number that names a session of HLS in the paths of its playlists: 31
 * random bits and a bit that is 1, and 32 bits of the hash of these by a secret
 * key.  A process with the key recognises such a number, so it need not store
 * the numbers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	SESSION_NUMBER_DIGITS = 16, /* hexadecimal, lower case */
	SESSION_NUMBER_TEXT = SESSION_NUMBER_DIGITS + 1, /* with the NUL */
};

/* Makes a new number; it is above 0. */
uint64_t session_number_new(uint64_t key);

/* Was the number made with the key?  One of 2^32 other numbers passes by
 * chance. */
bool session_number_is_of(uint64_t key, uint64_t number);

void session_number_format(uint64_t number, char text[SESSION_NUMBER_TEXT]);
