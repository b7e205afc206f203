/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limit of control connections per client address, from the settings. */
#pragma once

#include <jansson.h>

struct peers;

/* settings may be NULL.  NULL: no limit. */
struct peers *control_peers_new(const json_t *settings);
