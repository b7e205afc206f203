/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The identifiers in the SDT of a stream (EN 300 468 5.2.3), which receivers
 * compare with those of its EIT.
 *
 * Embedded.  Allocates nothing.
 */
#pragma once

#include "worker/ts/packet.h"
#include "worker/ts/section.h"

struct output_sdt {
	bool known; /* the next two are */
	uint16_t tsid, onid;
	struct section_assembler assembler;
	uint8_t buffer[SECTION_PSI_MAX];
};

void output_sdt_init(struct output_sdt *);

/* Takes packets of the stream.  True: the identifiers have changed. */
bool output_sdt_feed(struct output_sdt *, const struct ts_run *runs,
		     size_t n_runs);
