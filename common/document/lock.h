/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One master for one configuration.
 *
 * The lock is on an empty FILE.lock beside the file, which itself is replaced
 * at every save.  It is the descriptor's: it survives exec with it and ends
 * with the last copy of it.  The file stays, for to remove it is a race.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

/* A descriptor to keep, or -EWOULDBLOCK when another holds the lock, or
 * -errno when there can be none; with error. */
int config_lock(const char *path, struct errmsg *error) MUST_CHECK;
