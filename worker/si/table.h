/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reads the body of each table; only for record.c and the table files. */
#pragma once

#include "worker/si/desc.h"
#include "worker/si/json.h"

struct si_section {
	uint8_t table_id;
	uint16_t extension; /* table_id_extension */
	struct bits body;   /* behind the header, before the CRC_32 */
	const uint8_t *data; /* all of it */
	size_t len;
};

/* Puts the fields of the body into the record; s->body.cut when it ends before
 * them. */
typedef void si_table_fn(struct si_section *s, json_t *record);

si_table_fn si_pat, si_pmt, si_cat, si_nit, si_sdt, si_bat, si_eit, si_tdt,
	si_tot;

/* Takes a loop of descriptors and the twelve bits of length before it. */
static inline struct desc_loop si_take_loop(struct bits *b)
{
	struct bytes bytes = bits_bytes(b, (size_t)bits_take(b, 12));

	return (struct desc_loop){ bytes.data, bytes.len };
}
