/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object `cue` of the command of this name: a splice command (SCTE 35). */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	CUE_PRE_ROLL_MS = 4000, /* SCTE 67: at least 4 s */
	CUE_PRE_ROLL_MAX_MS = 600000,
	CUE_TEXT_MAX = 16384, /* of the object: twice a section in hex */
};

struct cue_command {
	json_t *record; /* record.h, new; its pts_time is 0 if it is timed */
	bool timed;     /* pts_time is to be set */
	unsigned pre_roll_ms;
};

/*
 * Judges the object: fields as the analyzer shows them, which have defaults but
 * for command, event_id and out_of_network, and pre_roll in milliseconds, 0: at
 * once.  -EINVAL: the sentence begins with the path of the value.
 */
int cue_command_read(const json_t *cue, struct cue_command *ret,
		     struct errmsg *error) MUST_CHECK;
