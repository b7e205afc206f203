/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object `cue' of the API command of the same name, as a splice command of
 * SCTE 35. */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	/* the default of pre_roll, and its highest value */
	CUE_PRE_ROLL_MS = 4000,
	CUE_PRE_ROLL_MAX_MS = 600000,
	CUE_TEXT_MAX = 16384, /* of the object: twice a section in hex */
};

struct cue_command {
	json_t *record; /* record.h, new; its pts_time is 0 if it is timed */
	bool timed;     /* pts_time is to be set */
	unsigned pre_roll_ms;
};

/* Reads and checks the object.  Its fields are those that the analyzer shows;
 * only command, event_id and out_of_network have no default; pts_time and raw
 * are errors, because the time follows from pre_roll.  pre_roll is in
 * milliseconds; 0: at once.  0, -EINVAL with a sentence that begins with the
 * path of a member, or -EBADMSG with a sentence about the object itself. */
int cue_command_read(const json_t *cue, struct cue_command *ret,
		     struct errmsg *error) MUST_CHECK;
