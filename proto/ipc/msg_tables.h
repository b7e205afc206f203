/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of the messages, a table for each row of proto/ipc/msg.h.
 * Every table is FIELD_STRICT: a message has all keys of the table, except that
 * those with FIELD_MAYBE may be absent, and no other key.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "proto/spec/field.h"

enum {
	/* most bytes of a short text and of a long text from a worker */
	MSG_WORD_MAX = 64,
	MSG_TEXT_MAX = 2048,
	/* most bytes of the login of a user, or of a name from a backend */
	MSG_LOGIN_MAX = 128,
	MSG_AGENT_MAX = 128,
};

/* Rows for a member with a short text and with a long text from a worker. */
#define MSG_WORD(type, member) FIELD_AT(type, member), .max = MSG_WORD_MAX
#define MSG_TEXT(type, member) FIELD_AT(type, member), .max = MSG_TEXT_MAX

#define MSG_TABLE(type, rows) FIELD_TABLE(type, rows, .flags = FIELD_STRICT)

#define MSG_EXTERN(type, member, ...) \
	extern const struct field_table member##_fields;
#define MSG_NOTHING(...)
MSG_CATALOGUE_TO_WORKER(MSG_EXTERN, MSG_NOTHING)
MSG_CATALOGUE_TO_MASTER(MSG_EXTERN, MSG_NOTHING)
#undef MSG_EXTERN
#undef MSG_NOTHING

/* the names of enum ask_verdict */
extern const char *const ask_verdict_names[];

/* the items of `inputs' and `outputs' in stream.status */
extern const struct field_table input_status_fields, output_status_fields;
