/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds what a PID carries, from its stream_type and descriptors. */
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
	PID_OTHER, /* a PMT lists it with an unknown type */
	PID_PSI,   /* PID of the PAT, or of a PMT that the PAT names */
};

/* The format_identifier of a registration descriptor from its four letters. */
#define FORMAT(a, b, c, d) \
	((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d))

/* The format_identifier of the registration descriptor in the loop; 0: none. */
uint32_t desc_registration(struct desc_loop);

/* Returns the class of a component.  program: the descriptors of its program;
 * stream: those of the component. */
enum pid_class pmt_classify(uint8_t stream_type, struct desc_loop program,
			    struct desc_loop stream);
