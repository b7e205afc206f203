/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/splice_info.h"

#include "proto/si/fields.h"
#include "proto/si/json.h"

#include <string.h>

enum {
	LENGTH_BITS = 12,
	LENGTH_UNKNOWN = 0xfff, /* splice_command_length of old encoders: the
				 * length follows from the command */
	TIME_BITS = 33,
};

/* --- commands (9.7) --- */

static const struct si_field no_fields[] = { END };

/* Reads or writes a splice_time; if it specifies no time, the object has no key
 * "pts_time". */
static void run_time(struct codec *c)
{
	bool given = codec_bits(c, 1, codec_has(c, "pts_time")) != 0;

	codec_reserved(c, given ? 6 : 7);
	if (given)
		(void)codec_uint(c, "pts_time", TIME_BITS);
}

static void run_component(struct codec *c, const void *immediate)
{
	(void)codec_uint(c, "component_tag", 8);
	if (!*(const bool *)immediate)
		run_time(c);
}

/* Reads or writes a list of objects behind a byte with their number. */
static void run_counted(struct codec *c, const char *key, codec_fn *fn,
			const void *arg)
{
	uint64_t n = codec_bits(c, 8, json_array_size(
					      codec_given_list(c, key)));
	json_t *object = c->object, *list;

	if (c->encode) {
		codec_list(c, key, fn, arg);
		return;
	}
	list = si_put_list(object, key);
	for (; n > 0 && !c->in.cut; n--) {
		c->object = si_add_object(list);
		fn(c, arg);
	}
	c->object = object;
}

static void run_insert_details(struct codec *c)
{
	bool program, duration, immediate;

	(void)codec_flag(c, "out_of_network");
	program = codec_bits(c, 1, !codec_has(c, "components")) != 0;
	duration = codec_bits(c, 1, codec_has(c, "duration")) != 0;
	immediate = codec_flag(c, "immediate");
	codec_reserved(c, 4);
	if (program && !immediate)
		run_time(c);
	if (!program)
		run_counted(c, "components", run_component, &immediate);
	if (duration) {
		(void)codec_flag(c, "auto_return");
		codec_reserved(c, 6);
		(void)codec_uint(c, "duration", TIME_BITS);
	}
	(void)codec_uint(c, "unique_program_id", 16);
	(void)codec_uint(c, "avail_num", 8);
	(void)codec_uint(c, "avails_expected", 8);
}

static void run_insert(struct codec *c)
{
	(void)codec_uint(c, "event_id", 32);
	if (codec_flag(c, "cancel")) {
		codec_reserved(c, 7);
		return;
	}
	codec_reserved(c, 7);
	run_insert_details(c);
}

static const struct si_field splice_insert[] = { CALL(run_insert), END };
static const struct si_field time_signal[] = { CALL(run_time), END };
static const struct si_field private_command[] = {
	UINT("identifier", 32), HEX("private"), END
};
/* splice_schedule() is not decoded: its bytes are shown as hex */
static const struct si_field splice_schedule[] = { HEX("schedule"), END };

static const struct command {
	uint8_t type;
	const char *name;
	const struct si_field *fields;
} commands[] = {
	{ 0x00, "splice_null", no_fields },
	{ 0x04, "splice_schedule", splice_schedule },
	{ 0x05, "splice_insert", splice_insert },
	{ 0x06, "time_signal", time_signal },
	{ 0x07, "bandwidth_reservation", no_fields },
	{ 0xff, "private_command", private_command },
};

static const struct command *find_command(uint64_t type)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (commands[i].type == type)
			return &commands[i];
	return NULL;
}

static void write_command(struct codec *c)
{
	const char *name = codec_given_text(c, "command");
	size_t at = c->out.at, end, i = 0;

	while (i < ARRAY_LEN(commands) && strcmp(commands[i].name, name) != 0)
		i++;
	if (i == ARRAY_LEN(commands)) {
		codec_fault(c, "command", "\"%.40s\" is not a command of "
			    "SCTE 35", name);
		return;
	}
	c->out.at += LENGTH_BITS;
	(void)codec_bits(c, 8, commands[i].type);
	fields_run(c, commands[i].fields);
	end = c->out.at;
	c->out.at = at;
	(void)codec_bits(c, LENGTH_BITS, (end - at - LENGTH_BITS) / 8 - 1);
	c->out.at = end;
}

static void read_command(struct codec *c)
{
	uint64_t len = bits_take(&c->in, LENGTH_BITS);
	uint64_t type = bits_take(&c->in, 8);
	const struct command *command = find_command(type);
	struct bits outer = c->in;
	struct bytes bytes;

	si_put_string(c->object, "command",
		      command != NULL ? command->name : "reserved");
	if (len == LENGTH_UNKNOWN) {
		if (command != NULL)
			fields_run(c, command->fields);
		else
			c->in.cut = true;
		return;
	}
	bytes = bits_bytes(&outer, (size_t)len);
	c->in = bits_of(bytes.data, bytes.len);
	c->in.cut = outer.cut;
	if (command != NULL)
		fields_run(c, command->fields);
	outer.cut |= c->in.cut;
	c->in = outer;
}

/* --- descriptors (10.3) --- */

static const struct si_field avail[] = { UINT("provider_avail_id", 32), END };

static const struct si_field tai_time[] = {
	UINT("tai_seconds", 48), UINT("tai_ns", 32), UINT("utc_offset", 16), END
};

static void run_offset(struct codec *c, const void *arg)
{
	(void)arg;
	(void)codec_uint(c, "component_tag", 8);
	codec_reserved(c, 7);
	(void)codec_uint(c, "pts_offset", TIME_BITS);
}

static void run_segment(struct codec *c)
{
	bool program = codec_bits(c, 1, !codec_has(c, "components")) != 0;
	bool duration = codec_bits(c, 1, codec_has(c, "duration")) != 0;
	struct codec_scope scope;

	/* the delivery restrictions, unless it is free of them */
	if (codec_bits(c, 1, !codec_has(c, "web_delivery_allowed")) != 0) {
		codec_reserved(c, 5);
	} else {
		(void)codec_flag(c, "web_delivery_allowed");
		(void)codec_flag(c, "no_regional_blackout");
		(void)codec_flag(c, "archive_allowed");
		(void)codec_uint(c, "device_restrictions", 2);
	}
	if (!program)
		run_counted(c, "components", run_offset, NULL);
	if (duration)
		(void)codec_uint(c, "duration", 40);
	(void)codec_uint(c, "upid_type", 8);
	scope = codec_begin(c, 8);
	codec_hex(c, "upid");
	codec_end(c, &scope, "upid");
	(void)codec_uint(c, "segmentation_type", 8);
	(void)codec_uint(c, "segment_num", 8);
	(void)codec_uint(c, "segments_expected", 8);
	/* only some segmentation types have sub-segments, and some encoders
	 * omit these fields */
	if (codec_more(c, "sub_segment_num")) {
		(void)codec_uint(c, "sub_segment_num", 8);
		(void)codec_uint(c, "sub_segments_expected", 8);
	}
}

static void run_segmentation(struct codec *c)
{
	bool cancel;

	(void)codec_uint(c, "event_id", 32);
	cancel = codec_flag(c, "cancel");
	codec_reserved(c, 7);
	if (!cancel)
		run_segment(c);
}

static const struct si_field segmentation[] = { CALL(run_segmentation), END };

static const struct {
	const char *name;
	const struct si_field *fields; /* NULL: its bytes are shown as hex */
} descriptors[] = {
	[0] = { "avail", avail },
	[1] = { "dtmf", NULL },
	[2] = { "segmentation", segmentation },
	[3] = { "time", tai_time },
	[4] = { "audio", NULL },
};

static void run_descriptor(struct codec *c, const void *arg)
{
	uint64_t tag = codec_uint(c, "type_id", 8);
	bool known = tag < ARRAY_LEN(descriptors) &&
		     descriptors[tag].fields != NULL;
	struct codec_scope scope = codec_begin(c, 8);

	(void)arg;
	if (!c->encode)
		si_put_string(c->object, "type_name",
			      tag < ARRAY_LEN(descriptors)
				      ? descriptors[tag].name : "unknown");
	codec_ascii(c, "identifier", 4);
	if (known)
		fields_run(c, descriptors[tag].fields);
	else
		codec_hex(c, "data");
	codec_end(c, &scope, "descriptor");
}

/* --- the section (9.6) --- */

void run_splice_info(struct codec *c)
{
	struct codec_scope scope;
	bool encrypted;

	(void)codec_uint(c, "protocol_version", 8);
	encrypted = codec_flag(c, "encrypted");
	(void)codec_uint(c, "encryption_algorithm", 6);
	(void)codec_uint(c, "pts_adjustment", TIME_BITS);
	(void)codec_uint(c, "cw_index", 8);
	(void)codec_uint(c, "tier", 12);
	if (encrypted) {
		(void)codec_uint(c, "command_length", LENGTH_BITS);
		codec_hex(c, "data");
		return;
	}
	if (c->encode)
		write_command(c);
	else
		read_command(c);
	scope = codec_begin(c, 16);
	codec_list(c, "descriptors", run_descriptor, NULL);
	codec_end(c, &scope, "descriptors");
	/* alignment_stuffing, if bytes are left */
	if (codec_more(c, "stuffing"))
		codec_hex(c, "stuffing");
}
