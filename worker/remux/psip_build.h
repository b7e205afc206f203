/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reduces the tables of ATSC (A/65) on the base PID to one program.
 *
 * A receiver tunes by the VCT and lists its channels: with the VCT of the
 * multiplex those of the other programs would stay empty, and this one would
 * have other numbers and PIDs than the output.  The MGT lists what remains.
 *
 * Pure.
 */
#pragma once

#include "worker/remux/ids.h"
#include "worker/remux/pid_plan.h"
#include "worker/remux/sdt_build.h"

enum {
	PSIP_MGT = 0xc7,
	PSIP_TVCT = 0xc8, /* on air */
	PSIP_CVCT = 0xc9, /* by cable */
	PSIP_RRT = 0xca,
	PSIP_STT = 0xcd,
	PSIP_VCTS = 2,    /* TVCT and CVCT */
	PSIP_VCT_SIZE = 1024,
};

struct psip_program {
	struct ids ids;
	const struct pid_plan *plan;
	struct sdt_marks marks;
};

/* A VCT of the output. */
struct psip_vct {
	size_t len;      /* 0: none */
	uint8_t version;
	uint8_t section; /* of the source, which has the channels */
};

/* Writes a VCT of one section with the channels of the program in this section,
 * whose CRC_32 was checked.  Their services have the PIDs of the output, and no
 * ETM, since the tables of texts do not go out.  The length; 0: it has no such
 * channel; -EBADMSG: it is malformed. */
int psip_vct_build(const struct psip_program *, const uint8_t *section,
		   size_t len, uint8_t ret[PSIP_VCT_SIZE]);

/* Writes an MGT with the VCTs and the RRTs, which its section lists: a table
 * that the MGT does not list is unknown to a receiver.  The length; 0: a VCT of
 * another version is to come, or the output has none; -EBADMSG: it is
 * malformed. */
int psip_mgt_build(const struct psip_vct vcts[PSIP_VCTS],
		   const uint8_t *section, size_t len, uint8_t *ret,
		   size_t size);
