/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the settings say of connections per address. */
#pragma once

#include "common/http/peers.h"

#include <jansson.h>

enum { CONTROL_PEERS_DEFAULT = 128 };

/* settings: the section, or NULL.  connections_per_address, and as proxies
 * those of real_ip_trusted.  NULL: there is no bound. */
struct peers *control_peers(const json_t *settings);
