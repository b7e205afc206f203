/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rewrites sections: replaces transport_stream_id, original_network_id and the
 * number of one service of the source by those of the output.
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
	/* transport_stream_id in the source and in the output */
	uint16_t tsid, new_tsid;
	uint16_t pnr, new_pnr; /* service number in the source and in the
				* output; pnr 0: no service changes its
				* number */
	/* original_network_id in the source, 0: not known; and in the output,
	 * 0: that of the source */
	uint16_t onid, new_onid;
	/* True: some section of the NIT or BAT has an entry with tsid and onid.
	 * So an entry of this table with another onid belongs to another
	 * network. */
	bool listed;
};

/* Rewrites the references in a descriptor loop of SDT, EIT or PMT: linkage,
 * time shifted service and event, DSM-CC association tags. */
void ids_rewrite_loop(const struct ids *, uint8_t *loop, size_t len);

/*
 * Rewrites a section of EIT actual, SDT actual, or NIT or BAT, whose CRC_32 was
 * checked, in place.  Returns 0, or -EBADMSG if a loop does not fit into the
 * section: the section is then unusable.
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
