/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the packets of an ECM or EMM from what a generator sent.  The stream
 * sets their PID and continuity counters later. */
#pragma once

#include "worker/ts/packet.h"

/* Both functions return the number of packets that they wrote; 0: the data are
 * malformed, or need more than max packets. */

/* Makes packets of a section, which begins without a pointer_field. */
size_t ecm_packets_make(const uint8_t *section, size_t len, uint8_t *ret,
			size_t max);

/* Copies whole packets. */
size_t ecm_packets_copy(const uint8_t *packets, size_t len, uint8_t *ret,
			size_t max);
