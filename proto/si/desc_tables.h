/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names and fields of descriptors, by standard; only for desc*.c. */
#pragma once

#include "proto/si/fields.h"

struct desc_kind {
	const char *name;
	const struct si_field *fields; /* NULL: its bytes are shown as hex */
};

/* By descriptor_tag: desc_mpeg has those of ISO/IEC 13818-1 (0x00 to 0x3f);
 * desc_dvb has those of EN 300 468 (0x40 to 0x7f), by descriptor_tag - 0x40. */
extern const struct desc_kind desc_mpeg[0x40];
extern const struct desc_kind desc_dvb[0x40];
/* By descriptor_tag_extension of the descriptor 0x7f. */
extern const struct desc_kind desc_extensions[0x22];

/* desc_delivery.c: delivery systems */
extern const struct si_field desc_satellite[], desc_cable[], desc_terrestrial[];
extern const struct si_field desc_s2_satellite[], desc_t2[];
/* desc_event.c: events, times and links */
extern const struct si_field desc_short_event[], desc_extended_event[];
extern const struct si_field desc_component[], desc_content[];
extern const struct si_field desc_parental_rating[];
extern const struct si_field desc_local_time_offset[];
extern const struct si_field desc_linkage[], desc_content_identifier[];
