/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/cue_command.h"

#include "proto/si/record.h"

#include <errno.h>
#include <string.h>

/* Adds the keys of `more' that the record lacks.  Frees `more'. */
static void add_defaults(json_t *record, json_t *more)
{
	(void)json_object_update_missing(record, more);
	json_decref(more);
}

/* Reads pre_roll (the default if absent) and removes it from the record.  0 or
 * -EINVAL. */
static int take_pre_roll(json_t *record, unsigned *ret_ms,
			 struct errmsg *error)
{
	const json_t *value = json_object_get(record, "pre_roll");
	json_int_t ms = value != NULL ? json_integer_value(value)
				      : CUE_PRE_ROLL_MS;

	if ((value != NULL && !json_is_integer(value)) || ms < 0 ||
	    ms > CUE_PRE_ROLL_MAX_MS)
		return errmsg_fail(error, -EINVAL, "pre_roll: is not a number "
				   "of milliseconds between 0 and %d",
				   CUE_PRE_ROLL_MAX_MS);
	*ret_ms = (unsigned)ms;
	(void)json_object_del(record, "pre_roll");
	return 0;
}

/* Adds the defaults of the command; true: the command has a pts_time. */
static bool complete(json_t *record, const char *command, unsigned pre_roll_ms)
{
	bool timed = pre_roll_ms > 0;

	if (strcmp(command, "time_signal") == 0) {
		if (timed)
			add_defaults(record, json_pack("{s:i}", "pts_time", 0));
		return timed;
	}
	if (strcmp(command, "splice_insert") != 0)
		return false;
	add_defaults(record, json_pack("{s:b}", "cancel", 0));
	if (json_is_true(json_object_get(record, "cancel")))
		return false;
	timed &= json_object_get(record, "components") == NULL;
	add_defaults(record, json_pack("{s:b, s:i, s:i, s:i}",
				       "immediate", pre_roll_ms == 0,
				       "unique_program_id", 0,
				       "avail_num", 0, "avails_expected", 0));
	if (json_object_get(record, "duration") != NULL)
		add_defaults(record, json_pack("{s:b}", "auto_return", 1));
	timed &= json_is_false(json_object_get(record, "immediate"));
	if (timed)
		add_defaults(record, json_pack("{s:i}", "pts_time", 0));
	return timed;
}

int cue_command_read(const json_t *cue, struct cue_command *ret,
		     struct errmsg *error)
{
	uint8_t section[SI_RECORD_BYTES];
	struct cue_command c = { 0 };
	const char *command;
	size_t len;

	if (!json_is_object(cue))
		return errmsg_fail(error, -EBADMSG, "is not an object");
	if (json_object_get(cue, "pts_time") != NULL)
		return errmsg_fail(error, -EINVAL, "pts_time: is never "
				   "given: it follows from pre_roll");
	if (json_object_get(cue, "raw") != NULL)
		return errmsg_fail(error, -EINVAL, "raw: the section has a "
				   "time of its own, which is not that of the "
				   "output: leave raw out");
	if (json_dumpb(cue, NULL, 0, 0) > CUE_TEXT_MAX)
		return errmsg_fail(error, -EBADMSG, "is longer than %d bytes",
				   CUE_TEXT_MAX);
	c.record = json_copy((json_t *)(uintptr_t)cue);
	if (take_pre_roll(c.record, &c.pre_roll_ms, error) < 0) {
		json_decref(c.record);
		return -EINVAL;
	}
	command = json_string_value(json_object_get(c.record, "command"));
	c.timed = complete(c.record, command != NULL ? command : "",
			   c.pre_roll_ms);
	add_defaults(c.record, json_pack("{s:i, s:i, s:b, s:i, s:i, s:i, s:i,"
					 "s:[]}", "table_id", 0xfc,
					 "protocol_version", 0,
					 "encrypted", 0,
					 "encryption_algorithm", 0,
					 "pts_adjustment", 0, "cw_index", 0xff,
					 "tier", 0xfff, "descriptors"));
	if (si_record_encode(c.record, section, &len, error) < 0) {
		json_decref(c.record);
		return -EINVAL;
	}
	if (section[0] != 0xfc) {
		json_decref(c.record);
		return errmsg_fail(error, -EINVAL, "table_id: is not 252");
	}
	*ret = c;
	return 0;
}
