/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream from elsewhere that goes out with the program, or with the first of
 * several. */
#pragma once

#include <stdint.h>

enum { GUEST_DESCRIPTORS_MAX = 255 };

struct remux_guest {
	uint16_t pid; /* 0: none.  Where it collides it has a free one */
	uint8_t type; /* stream_type; 0: not known, it is in no PMT */
	uint8_t len;
	uint8_t descriptors[GUEST_DESCRIPTORS_MAX];
};
