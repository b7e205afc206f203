/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drops the privileges that a worker does not need, at its start. */
#pragma once

#include "common/base/util.h"

#include <stdint.h>

/*
 * Forbids new privileges.  Drops all capabilities except those in keep (bits
 * 1 << CAP_X), and closes all descriptors except those of
 * proto/ipc/contract.h.  Raises the limit of open files to the hard limit.
 * Makes the kernel end the process with the master, unless a descriptor store
 * keeps workers running.  Lets the OOM killer end the process even if the
 * master is protected from it.  Calls process_shield().  0 or -errno.
 */
int confine(uint64_t keep) MUST_CHECK;

/* Drops all capabilities except those in keep.  0 or -errno. */
int drop_capabilities(uint64_t keep) MUST_CHECK;
