/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limit of control connections per client address, from the settings. */
#pragma once

#include "common/http/peers.h"

#include <jansson.h>

enum { CONTROL_PEERS_DEFAULT = 128 };

/* settings: the section, or NULL.  Reads connections_per_address, and the
 * proxies from real_ip_trusted.  NULL: no limit. */
struct peers *control_peers(const json_t *settings);
