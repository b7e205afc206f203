/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of the messages, a table for each struct of proto/ipc/msg.h.
 * Every table is FIELD_STRICT: a message has all of its keys and no other.
 */
#pragma once

#include "proto/spec/field.h"

enum {
	/* bytes of a text that a worker may send in one field */
	MSG_WORD_MAX = 64,
	MSG_TEXT_MAX = 2048,
};

/* The members of a message, and of a text that a worker sends. */
#define MSG_WORD(type, member) FIELD_AT(type, member), .max = MSG_WORD_MAX
#define MSG_TEXT(type, member) FIELD_AT(type, member), .max = MSG_TEXT_MAX

#define MSG_TABLE(type, rows) FIELD_TABLE(type, rows, .flags = FIELD_STRICT)

/* of a message without fields */
extern const struct field_table msg_no_fields;

/* msg_stream.c: the role stream */
extern const struct field_table stream_start_fields, stream_input_fields,
	stream_link_fields, stream_analyze_fields, stream_kick_fields,
	stream_status_fields, stream_chosen_fields, stream_switched_fields,
	stream_analysis_fields, stream_receivers_fields;
/* the items of stream.status */
extern const struct field_table input_status_fields, output_status_fields;

/* msg_roles.c: the other roles, and every worker */
extern const struct field_table deliver_listen_fields, deliver_mount_fields,
	deliver_list_fields, deliver_kick_fields, deliver_status_fields,
	deliver_viewers_fields, deliver_sessions_fields, auth_hash_fields,
	auth_verify_fields, auth_result_fields, auth_status_fields,
	tls_certificate_fields, tls_result_fields, tls_status_fields,
	scan_start_fields, scan_record_fields, scan_announcement_fields,
	scan_status_fields, softcam_test_fields, softcam_result_fields,
	querier_status_fields, worker_debug_fields, worker_hello_fields,
	worker_log_fields;
