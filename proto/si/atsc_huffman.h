/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes texts of ATSC that are compressed by Huffman codes (A/65 annex C).
 * The code of a character depends on the character before it.
 *
 * Pure.  Only for this folder.
 */
#pragma once

#include "proto/si/bits.h"

/* The values of compression_type. */
enum atsc_huffman {
	ATSC_HUFFMAN_TITLE = 1,
	ATSC_HUFFMAN_DESCRIPTION = 2,
};

/* Receives a character of ISO 8859-1. */
typedef void atsc_huffman_fn(uint32_t character, void *arg);

/* Calls the function for each character of the text.  If the text has no end
 * code, stops after the last whole character. */
void atsc_huffman_each(struct bytes, enum atsc_huffman, atsc_huffman_fn *,
		       void *arg);
