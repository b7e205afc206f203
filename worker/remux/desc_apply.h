/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes descriptors in a section of the output as the configuration demands.
 *
 * Each function takes a section with a right CRC_32, writes the changed one
 * with the same version, and returns its length; -ENOSPC: the result would
 * exceed 1,024 bytes; -EBADMSG: a loop is longer than the section.
 */
#pragma once

#include "proto/spec/desc_edit.h"
#include "worker/ts/section.h"

#include <stdbool.h>
#include <stddef.h>

struct desc_edits {
	const struct desc_edit *list;
	size_t n;
};

/* The transport stream of the output, in a NIT or BAT. */
struct desc_transport {
	uint16_t tsid, onid;
	bool any_network; /* the onid of an entry is not compared */
};

int desc_apply_pmt(struct desc_edits, const uint8_t *section, size_t len,
		   uint8_t ret[SECTION_PSI_MAX]);
int desc_apply_sdt(struct desc_edits, const uint8_t *section, size_t len,
		   uint8_t ret[SECTION_PSI_MAX]);
/* Changes the descriptors of the network or bouquet, and those of the transport
 * stream of the output, in a NIT or BAT.  Descriptors that are added to the
 * loop of the network or bouquet, or replace others in it, are written into
 * section 0 of the table. */
int desc_apply_nit(struct desc_edits, struct desc_transport,
		   const uint8_t *section, size_t len,
		   uint8_t ret[SECTION_PSI_MAX]);

/* A hash of the edits of a table; 0: there are none. */
uint32_t desc_edits_hash(struct desc_edits, enum edit_table);
