/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reduces the tables of ATSC (A/65) on the base PID to one program.
 *
 * A receiver lists the channels of the VCT and tunes by it.  In the VCT of the
 * source the channels of the other programs would be empty, and the channel of
 * this program would have numbers and PIDs that the output does not have.  The
 * MGT lists the tables that remain.
 *
 * Pure.
 */
#pragma once

#include "worker/remux/ids.h"
#include "worker/remux/pid_plan.h"
#include "worker/remux/sdt_build.h"

enum {
	PSIP_MGT = 0xc7,
	PSIP_TVCT = 0xc8, /* VCT of terrestrial broadcast */
	PSIP_CVCT = 0xc9, /* VCT of cable */
	PSIP_RRT = 0xca,
	PSIP_STT = 0xcd,
	PSIP_VCTS = 2,    /* kinds of VCT: TVCT and CVCT */
	PSIP_VCT_SIZE = 1024,
};

struct psip_program {
	struct ids ids;
	const struct pid_plan *plan;
	struct sdt_marks marks;
};

/* A VCT of the output. */
struct psip_vct {
	size_t len; /* bytes of its section; 0: the output has no such VCT */
	uint8_t version;
	uint8_t section; /* number of the section of the source that has the
			  * channels */
};

/* Writes a VCT of one section, with the channels that the program has in the
 * given section, whose CRC_32 was checked.  The channels have the PIDs of the
 * output.  ETM_location is 0, because the text tables (ETT) are not sent.
 * Returns the length; 0: the section has no channel of the program; -EBADMSG:
 * the section is malformed, or the VCT would be too long. */
int psip_vct_build(const struct psip_program *, const uint8_t *section,
		   size_t len, uint8_t ret[PSIP_VCT_SIZE]);

/* Writes an MGT that lists the VCTs of the output, and the RRTs of the section.
 * A receiver does not know a table that the MGT does not list.  Returns the
 * length; 0: the output has no VCT, or has a VCT with another version than the
 * section lists; -EBADMSG: the section is malformed, or the MGT would be too
 * long. */
int psip_mgt_build(const struct psip_vct vcts[PSIP_VCTS],
		   const uint8_t *section, size_t len, uint8_t *ret,
		   size_t size);
