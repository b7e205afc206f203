/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sockets, files and devices that the sandbox of an adapter permits. */
#pragma once

#include "worker/core/sandbox.h"

#include <jansson.h>
#include <stdbool.h>

/* Fills ret with the sockets, files and devices that the adapter's address,
 * server or tuner needs, and its slot for a CAM.  net: this program can resolve
 * host names.  The caller releases ret with grants_done(), or
 * worker_enter_sandbox() does. */
void adapter_grants(const json_t *adapter, bool net, struct grants *ret);
