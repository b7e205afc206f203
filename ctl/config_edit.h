/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds the command that changes one value of the configuration.  The commands
 * of the API replace whole sections or whole entries, so the rest of the
 * section or entry is sent unchanged.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "ctl/json_path.h"

#include <jansson.h>
#include <stdbool.h>

enum config_effect {
	EFFECT_AT_ONCE,
	EFFECT_RESTARTS,   /* the command restarts the control process */
	EFFECT_AT_RESTART, /* has an effect after the next restart */
};

/*
 * Sets the value at a path in config, and writes the request for this change to
 * *ret, a new reference.  value: borrowed; NULL: removes the path.  If the path
 * is the whole document, config is not changed.  restart: if the request is a
 * set-config, it restarts the control process.  0, or -errno with error.
 */
int config_edit(const struct json_path *, json_t *config, json_t *value,
		bool restart, json_t **ret, enum config_effect *ret_effect,
		struct errmsg *error) MUST_CHECK;
