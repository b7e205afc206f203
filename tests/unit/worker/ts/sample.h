/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads captured transport streams for tests. The samples are beside the
 * project; a test without its sample is skipped.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stddef.h>
#include <stdint.h>

/* Reads the file, up to max packets; returns their number. */
size_t sample_packets(const char *name, uint8_t (*ret)[TS_PACKET], size_t max);
