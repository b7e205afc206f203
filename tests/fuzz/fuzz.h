/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by all fuzz targets: called by libFuzzer, or by replay.c. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns 0; a fault ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Replay tries the n-th part of the variants of a sample; 1 if the target says
 * nothing.  For a target whose run takes milliseconds. */
extern unsigned replay_part;
