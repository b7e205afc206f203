/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Locks a configuration file, so that only one master uses it.
 *
 * The lock is on an empty FILE.lock beside the file, because each save replaces
 * the file itself.  The lock belongs to the descriptor: it survives exec and
 * ends when the last copy of the descriptor is closed.  FILE.lock is never
 * removed, because removing it is a race.  Only its owner can read FILE.lock,
 * because every user that can read it can take the lock.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

/* The locked descriptor, to be kept open.  -EWOULDBLOCK: another process holds
 * the lock; another -errno: FILE.lock cannot be opened; both with error. */
int config_lock(const char *path, struct errmsg *error) MUST_CHECK;
