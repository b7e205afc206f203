/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes of descriptors in the tables of the output: an entry of the list
 * `descriptors' of a stream.  Plain data.
 */
#pragma once

#include "proto/spec/field.h"

#include <stdint.h>

enum {
	DESC_EDITS_MAX = 16,
	DESC_EDIT_BYTES = 257, /* tag, length, 255 bytes */
};

enum edit_table { EDIT_PMT, EDIT_SDT, EDIT_NIT, EDIT_BAT };
enum { EDIT_TABLES = EDIT_BAT + 1 };
enum edit_action { EDIT_ADD, EDIT_REPLACE, EDIT_REMOVE };
/* The loop of descriptors in a NIT or BAT that the edit changes:
 * LOOP_TRANSPORT: that of the transport stream; LOOP_NETWORK: the first loop,
 * of the network or bouquet. */
enum edit_loop { LOOP_TRANSPORT, LOOP_NETWORK };

struct desc_edit {
	enum edit_table table;
	enum edit_action action;
	enum edit_loop loop;
	uint16_t pnr; /* program number in the output; 0: all programs */
	uint16_t pid; /* PID of a component in the output; 0: the descriptors of
		       * the program itself */
	uint8_t tag;  /* EDIT_REMOVE: tag of the descriptors to remove */
	uint16_t len; /* bytes of the descriptor; 0: none is given */
	uint8_t bytes[DESC_EDIT_BYTES]; /* the descriptor, with its header */
};

/* The tag of the descriptors that the edit adds, replaces or removes. */
static inline uint8_t desc_edit_tag(const struct desc_edit *e)
{
	return e->len > 0 ? e->bytes[0] : e->tag;
}

extern const struct field_table desc_edit_fields;
