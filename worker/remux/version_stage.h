/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts the versions of PAT, CAT, PMT and SDT in the output: each change of a
 * table increments its version by one, modulo 32 (ISO/IEC 13818-1 2.4.4.5),
 * also if an earlier content returns, as after a switch to a backup and back.
 *
 * The remuxes of the inputs give each content of a table a version of its own
 * (table_versions.h).  This stage recognises another content by that version.
 * Version and CRC_32 are changed while the packets pass, without whole
 * sections, because CRC_32 is linear.  Each section begins in a packet of its
 * own, as in section_pack().
 *
 * A stream can have more tables in its life than VERSION_COUNTS_MAX.  A new
 * table then takes the entry of the table that has not passed for the longest
 * time, measured in PATs.  At the same time only the tables of PSI_PROGRAMS_MAX
 * programs can pass.
 *
 * Owns a buffer for changed packets; borrows the counts, which may outlive a
 * worker.
 */
#pragma once

#include "worker/ts/packet.h"
#include "worker/ts/psi.h"

enum {
	VERSION_COUNTS_MAX = 512, /* tables; more than PSI_PROGRAMS_MAX + 3 */
	/* sections that continue in later packets: one of each PMT PID, PAT,
	 * CAT and SDT */
	VERSION_PARTS_MAX = PSI_PROGRAMS_MAX + 3,
};

/* Flat: zeroed memory is ready, in damaged memory a version is below 32. */
struct version_counts {
	struct version_count {
		uint32_t table; /* table_id and, of a PMT, program_number; 0:
				 * the entry is free */
		uint8_t source; /* version that the remux gave the content that
				 * was sent last */
		uint8_t version; /* version of that content in the output */
		uint16_t seen; /* number of the PAT, modulo 65536, behind which
				* the table last passed */
	} tables[VERSION_COUNTS_MAX];
};

struct version_stage;

struct version_stage *version_stage_new(struct version_counts *,
					ts_out_fn *out, void *arg);
void version_stage_free(struct version_stage **);

/* Takes packets of the active source, changes the versions, and passes all
 * packets to out(). */
void version_stage_feed(struct version_stage *, const struct ts_run *runs,
			size_t n_runs);

/* Sets the version of a whole section of the active source on this PID, and its
 * CRC_32. */
void version_stage_apply(struct version_stage *, uint16_t pid,
			 uint8_t *section, size_t len);
