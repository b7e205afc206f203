/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to the user of the service. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#define SERVICE_USER "sluice"

/*
 * If root runs the process, changes to the user name (NULL: SERVICE_USER) and
 * its groups; keeps the capabilities to bind low ports and to receive queries
 * of multicast networks, which started programs inherit.  The name root changes
 * nothing.  If another user runs the process, it stays so; name must then be
 * NULL or that user.  Returns 0, or -errno with error.
 */
int service_user_become(const char *name, struct errmsg *error) MUST_CHECK;
