/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The content of a PID, by stream_type and descriptors. */
#pragma once

#include "proto/si/desc.h"

#include <stdint.h>

/* The content of a PID according to the tables. */
enum pid_class {
	PID_UNKNOWN, /* no table names it */
	PID_VIDEO,
	PID_AUDIO,
	PID_SUBTITLE,
	PID_TELETEXT,
	PID_AIT,
	PID_DATA,  /* private sections, DSM-CC, SCTE 35, metadata */
	PID_OTHER, /* listed, of an unknown type */
	PID_PSI,   /* PAT, or a PMT PID that the PAT names */
};

/* A format_identifier of a registration descriptor. */
#define FORMAT(a, b, c, d) \
	((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d))

/* The format_identifier of the registration descriptor in the loop; 0: none. */
uint32_t desc_registration(struct desc_loop);

/* The class of a stream from its type, the descriptors of its program and its
 * own. */
enum pid_class pmt_classify(uint8_t stream_type, struct desc_loop program,
			    struct desc_loop stream);
