/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a place in the configuration and what is to stand there to the command
 * that brings it about: the API changes whole sections and whole objects.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "ctl/json_path.h"

#include <jansson.h>
#include <stdbool.h>

enum config_effect {
	EFFECT_AT_ONCE,
	EFFECT_RESTARTS,   /* the service restarts by itself */
	EFFECT_AT_RESTART, /* counts from the next restart on */
};

/*
 * value (borrowed; NULL removes) at path in config, which is changed: *ret is
 * the request, a new reference.  restart asks for one where the command does
 * not imply it.  0, or -errno with why.
 */
int config_edit(const struct json_path *, json_t *config, json_t *value,
		bool restart, json_t **ret, enum config_effect *ret_effect,
		struct errmsg *why) MUST_CHECK;
