/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rewrites sections from the numbers of the source (transport stream and one
 * service) to those of the output.
 *
 * Only references to this transport stream or service change: another network
 * may have the same transport_stream_id.  Sections keep their length.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ids {
	uint16_t tsid, new_tsid;
	uint16_t pnr, new_pnr; /* pnr 0: no service changes its number */
	/* original_network_id; 0: it is not known, and that of the source */
	uint16_t onid, new_onid;
	/* A section of the NIT or BAT has an entry with the tsid and the onid.
	 * An entry of this table with another onid is of another network. */
	bool listed;
};

/* Rewrites the references in a descriptor loop of SDT, EIT or PMT: linkage,
 * time shifted service and event, DSM-CC association tags. */
void ids_rewrite_loop(const struct ids *, uint8_t *loop, size_t len);

/*
 * Rewrites a section of EIT actual, SDT actual, or NIT or BAT, whose CRC_32 was
 * checked, in place.  0, or -EBADMSG when its loops overlap: the section is
 * then unusable.
 */
int ids_rewrite_eit(const struct ids *, uint8_t *section,
		    size_t len) MUST_CHECK;
int ids_rewrite_sdt(const struct ids *, uint8_t *section,
		    size_t len) MUST_CHECK;
int ids_rewrite_nit(const struct ids *, uint8_t *section,
		    size_t len) MUST_CHECK;
/* Has the section of a NIT or BAT, of any content, an entry with the tsid and a
 * known onid? */
bool ids_are_listed(const struct ids *, const uint8_t *section, size_t len);
