/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the limit of control connections per client address. */
#pragma once

#include <jansson.h>

struct peers;

/* Makes the limit from the settings (may be NULL); NULL: no limit. */
struct peers *control_peers_new(const json_t *settings);
