/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interfaces as addresses of inputs and outputs name them: by name, or by an
 * IPv4 address that the interface has.
 */
#pragma once

#include "common/base/util.h"

enum { IFACE_NAME_MAX = 16 }; /* IF_NAMESIZE */

/* The name: text, or that of the interface which has the address now, of
 * several one that is up.  0; -ENODEV when none has it, another -errno when we
 * could not ask; a name is not looked for.  A few calls, however many
 * interfaces there are. */
int iface_name(const char *text, char ret[IFACE_NAME_MAX]) MUST_CHECK;

/* What a failure of it means, for people. */
const char *iface_why(int err);
