/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds the command that changes one place of the configuration: the API
 * replaces whole sections and whole objects.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "ctl/json_path.h"

#include <jansson.h>
#include <stdbool.h>

enum config_effect {
	EFFECT_AT_ONCE,
	EFFECT_RESTARTS,   /* the service restarts */
	EFFECT_AT_RESTART, /* effective after the next restart */
};

/*
 * Sets value (borrowed; NULL removes) at path in config, which it changes,
 * except for the path of the whole document.  *ret is the request, a new
 * reference.  restart: the request restarts the service if it is a set-config.
 * 0, or -errno with error.
 */
int config_edit(const struct json_path *, json_t *config, json_t *value,
		bool restart, json_t **ret, enum config_effect *ret_effect,
		struct errmsg *error) MUST_CHECK;
