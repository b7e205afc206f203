/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Network interfaces in addresses of inputs and outputs: an interface is given
 * by its name or by one of its IPv4 addresses.
 */
#pragma once

#include "common/base/util.h"

enum { IFACE_NAME_MAX = 16 }; /* IF_NAMESIZE */

/* The name of the interface that has the address text now; if several have it,
 * preferably an interface that is up.  Another text is copied unchecked.  0,
 * -ENODEV if no interface has the address, or another -errno if the kernel did
 * not answer.  The number of system calls does not grow with the number of
 * interfaces. */
int iface_name(const char *text, char ret[IFACE_NAME_MAX]) MUST_CHECK;

/* The sentence for a negative errno of iface_name(). */
const char *iface_why(int err);
