/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the object `cue' of the API command cue, and makes a splice command of
 * SCTE 35 from it. */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	/* default and maximum of pre_roll */
	CUE_PRE_ROLL_MS = 4000,
	CUE_PRE_ROLL_MAX_MS = 600000,
	CUE_TEXT_MAX = 16384, /* bytes of the object as JSON */
};

struct cue_command {
	json_t *record; /* the splice command (record.h), a new reference */
	bool timed;     /* the record has pts_time 0, which the sender replaces
			 * by the time of the splice */
	unsigned pre_roll_ms; /* from the sending to the splice */
};

/* Reads and checks the object.  Its keys are those that the analyzer shows for
 * a splice command, and pre_roll, the milliseconds until the splice (0: at
 * once).  Only command, event_id and out_of_network have no default.  pts_time
 * and raw are errors, because the time follows from pre_roll.  0; -EINVAL with
 * a sentence that begins with the path of a key; or -EBADMSG with a sentence
 * about the object itself. */
int cue_command_read(const json_t *cue, struct cue_command *ret,
		     struct errmsg *error) MUST_CHECK;
