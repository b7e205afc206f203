/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The packets with transport_error_indicator in the payload of a datagram: a
 * copy of the datagram from another path replaces them.
 *
 * A payload that is no row of TS packets of 188 bytes has none.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool rtp_damage_is_in(const uint8_t *payload, size_t len);

/* Replaces the packets with transport_error_indicator by those of a copy that
 * have no such indicator.  Returns the number of replaced packets. */
size_t rtp_damage_replace(uint8_t *payload, const uint8_t *copy, size_t len);
