/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drops the privileges that a worker does not need, at its start. */
#pragma once

#include "common/base/util.h"

#include <stdint.h>

/*
 * Allows no new privileges, no capabilities but those in keep (bits 1 << CAP_X)
 * and no descriptors but those of proto/ipc/contract.h; raises the limit of
 * files to the hard limit; ends the process with the master.  0 or -errno.
 */
int confine(uint64_t keep) MUST_CHECK;

/* Drops the capabilities but those in keep.  0 or -errno. */
int drop_capabilities(uint64_t keep) MUST_CHECK;
