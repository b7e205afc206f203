/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives up, at start, what a worker does not need. */
#pragma once

#include "common/base/util.h"

#include <stdint.h>

/*
 * No new privileges, no capabilities but those in keep (bits 1 << CAP_X), no
 * descriptors but those of proto/ipc/contract.h, as many files as the hard
 * limit allows, and death together with the master.  0 or -errno.
 */
int confine(uint64_t keep) MUST_CHECK;

/* Gives up what was kept, too.  0 or -errno. */
int confine_further(void) MUST_CHECK;
