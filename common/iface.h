/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interfaces as addresses of inputs and outputs name them: by name, or by an
 * IPv4 address that the interface has.
 */
#pragma once

#include "common/util.h"

#include <stdbool.h>

enum { IFACE_NAME_MAX = 16 }; /* IF_NAMESIZE */

/* Is it an address, and may so be another interface's later? */
bool iface_is_address(const char *text);

/* The name: text, or that of the interface which has the address now.  0, or
 * -ENODEV when none has it; a name is not looked for. */
int iface_name(const char *text, char ret[IFACE_NAME_MAX]) MUST_CHECK;
