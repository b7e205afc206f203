/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user of the service. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#define SERVICE_USER "sluice"

/*
 * A process of root becomes that user, with the groups of the user and the
 * capabilities to bind low ports and to receive queries of multicast networks,
 * which its programs inherit.  NULL: SERVICE_USER.  The user root stays root.
 * A process of another user stays what it is, and must not ask for a third.
 * 0, or -errno with error.
 */
int service_user_become(const char *name, struct errmsg *error) MUST_CHECK;
