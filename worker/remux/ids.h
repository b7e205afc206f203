/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The numbers of a transport stream and of a service in it, as they come and
 * as they go out, and sections rewritten from the one to the other.
 *
 * Only what names this very stream or service is changed; sections keep their
 * length.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ids {
	uint16_t tsid, new_tsid;
	uint16_t pnr, new_pnr; /* pnr 0: no service changes its number */
};

static inline bool ids_change(const struct ids *ids)
{
	return ids->tsid != ids->new_tsid || ids->pnr != ids->new_pnr;
}

/* The references to it in a loop of descriptors of SDT, EIT or PMT: linkage,
 * time shifted service and event, DSM-CC association tags. */
void ids_rewrite_loop(const struct ids *, uint8_t *loop, size_t len);

/*
 * A section of EIT actual, SDT actual, or NIT or BAT, whose CRC_32 was right:
 * rewritten in its place.  0, or -EBADMSG when its loops do not fit into each
 * other: then what stands there is no use.
 */
int ids_rewrite_eit(const struct ids *, uint8_t *section,
		    size_t len) MUST_CHECK;
int ids_rewrite_sdt(const struct ids *, uint8_t *section,
		    size_t len) MUST_CHECK;
int ids_rewrite_nit(const struct ids *, uint8_t *section,
		    size_t len) MUST_CHECK;
