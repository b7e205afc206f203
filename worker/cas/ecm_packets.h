/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The packets of an ECM or EMM, as a generator sends them.  The stream sets
 * their PID and counters. */
#pragma once

#include "worker/ts/packet.h"

/* Each returns the number of packets that it wrote; 0: the data is malformed,
 * or needs more than max packets. */

/* A section (without pointer_field). */
size_t ecm_packets_make(const uint8_t *section, size_t len, uint8_t *ret,
			size_t max);

/* Whole packets. */
size_t ecm_packets_copy(const uint8_t *packets, size_t len, uint8_t *ret,
			size_t max);
