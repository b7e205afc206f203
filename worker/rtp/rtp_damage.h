/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the packets with transport_error_indicator in the payload of a
 * datagram, and replaces them by those of a copy from another path.
 *
 * A payload that is not a sequence of 188-byte TS packets has no such packets.
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if a packet of the payload has transport_error_indicator. */
bool rtp_damage_is_in(const uint8_t *payload, size_t len);

/* Replaces the packets with transport_error_indicator by those of a copy that
 * have no such indicator.  Returns the number of replaced packets. */
size_t rtp_damage_replace(uint8_t *payload, const uint8_t *copy, size_t len);
