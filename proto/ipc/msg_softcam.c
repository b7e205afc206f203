/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of softcam, and those of a stream about softcams. */
#include "proto/ipc/msg.h"
#include "proto/ipc/msg_tables.h"

enum {
	SECTION_DIGITS = 2 * MSG_CAM_SECTION_MAX,
	WORD_DIGITS = 16,
	PROVIDER_MAX = 0xffffff,
	TIMEOUT_MAX_MS = 60000,
	SHIFT_MAX_MS = 10000,
	SKIP_MAX = 1000,
};

static const struct field softcam_test_rows[] = {
	{ "host", FIELD_AT(struct msg_softcam_test, host) },
	{ "port", FIELD_AT(struct msg_softcam_test, port), .min = 1,
	  .max = UINT16_MAX },
	{ "user", FIELD_AT(struct msg_softcam_test, user),
	  .max = MSG_CAM_LOGIN_MAX },
	{ "password", FIELD_AT(struct msg_softcam_test, password),
	  .max = MSG_CAM_LOGIN_MAX, .flags = FIELD_SECRET },
	{ "key", MSG_WORD(struct msg_softcam_test, key),
	  .flags = FIELD_SECRET },
};
const struct field_table softcam_test_fields =
	MSG_TABLE(struct msg_softcam_test, softcam_test_rows);

static const struct field ident_rows[] = {
	{ "id", FIELD_AT(struct msg_softcam_ident, id) },
	{ "sa", FIELD_AT(struct msg_softcam_ident, sa) },
};
static const struct field_table ident_fields =
	MSG_TABLE(struct msg_softcam_ident, ident_rows);

static const struct field softcam_result_rows[] = {
	{ "error", MSG_TEXT(struct msg_softcam_result, error),
	  .flags = FIELD_MAYBE },
	{ "caid", FIELD_AT(struct msg_softcam_result, caid),
	  .max = UINT16_MAX },
	{ "au", FIELD_AT(struct msg_softcam_result, au) },
	{ "ua", FIELD_AT(struct msg_softcam_result, ua),
	  .flags = FIELD_MAYBE },
	{ "idents", FIELD_ITEMS(struct msg_softcam_result, idents, n),
	  .of = &ident_fields },
};
const struct field_table softcam_result_fields =
	MSG_TABLE(struct msg_softcam_result, softcam_result_rows);
const struct field_table softcam_card_fields =
	MSG_TABLE(struct msg_softcam_result, softcam_result_rows);

static const struct field softcam_start_rows[] = {
	{ "host", FIELD_AT(struct msg_softcam_start, host) },
	{ "port", FIELD_AT(struct msg_softcam_start, port), .min = 1,
	  .max = UINT16_MAX },
	{ "user", FIELD_AT(struct msg_softcam_start, user),
	  .max = MSG_CAM_LOGIN_MAX },
	{ "password", FIELD_AT(struct msg_softcam_start, password),
	  .max = MSG_CAM_LOGIN_MAX, .flags = FIELD_SECRET },
	{ "key", MSG_WORD(struct msg_softcam_start, key),
	  .flags = FIELD_SECRET },
	{ "timeout", FIELD_AT(struct msg_softcam_start, timeout_ms), .min = 1,
	  .max = TIMEOUT_MAX_MS },
};
const struct field_table softcam_start_fields =
	MSG_TABLE(struct msg_softcam_start, softcam_start_rows);

static const struct field times_item = { .type = FIELD_UINT,
					 .size = sizeof(uint64_t) };
static const struct field softcam_status_rows[] = {
	{ "up", FIELD_AT(struct msg_softcam_status, up) },
	{ "ecm_rate", FIELD_AT(struct msg_softcam_status, ecm_rate) },
	{ "emm_rate", FIELD_AT(struct msg_softcam_status, emm_rate) },
	{ "hits", FIELD_AT(struct msg_softcam_status, hits) },
	{ "misses", FIELD_AT(struct msg_softcam_status, misses) },
	{ "refused", FIELD_AT(struct msg_softcam_status, refused) },
	{ "timeouts", FIELD_AT(struct msg_softcam_status, timeouts) },
	{ "times", FIELD_ITEMS(struct msg_softcam_status, times, n_times),
	  .item = &times_item },
};
const struct field_table softcam_status_fields =
	MSG_TABLE(struct msg_softcam_status, softcam_status_rows);

/* --- between stream and softcam --- */

static const struct field section_rows[] = {
	{ "name", MSG_WORD(struct msg_cam_section, name) },
	{ "number", FIELD_AT(struct msg_cam_section, number) },
	{ "sid", FIELD_AT(struct msg_cam_section, sid), .max = UINT16_MAX },
	{ "caid", FIELD_AT(struct msg_cam_section, caid), .max = UINT16_MAX },
	{ "provider", FIELD_AT(struct msg_cam_section, provider),
	  .max = PROVIDER_MAX },
	{ "section", FIELD_AT(struct msg_cam_section, section),
	  .max = SECTION_DIGITS },
};
const struct field_table stream_ecm_fields =
	MSG_TABLE(struct msg_cam_section, section_rows);
const struct field_table stream_emm_fields =
	MSG_TABLE(struct msg_cam_section, section_rows);
const struct field_table softcam_ecm_fields =
	MSG_TABLE(struct msg_cam_section, section_rows);
const struct field_table softcam_emm_fields =
	MSG_TABLE(struct msg_cam_section, section_rows);

static const struct field word_rows[] = {
	{ "name", MSG_WORD(struct msg_cam_word, name) },
	{ "number", FIELD_AT(struct msg_cam_word, number) },
	{ "even", FIELD_AT(struct msg_cam_word, even), .max = WORD_DIGITS,
	  .flags = FIELD_SECRET },
	{ "odd", FIELD_AT(struct msg_cam_word, odd), .max = WORD_DIGITS,
	  .flags = FIELD_SECRET },
	{ "error", MSG_WORD(struct msg_cam_word, error) },
};
const struct field_table stream_word_fields =
	MSG_TABLE(struct msg_cam_word, word_rows);
const struct field_table softcam_word_fields =
	MSG_TABLE(struct msg_cam_word, word_rows);

static const struct field cam_rows[] = {
	{ "softcam", MSG_WORD(struct msg_stream_cam, softcam) },
	{ "error", MSG_TEXT(struct msg_stream_cam, error) },
	{ "caid", FIELD_AT(struct msg_stream_cam, caid), .max = UINT16_MAX },
	{ "emm", FIELD_AT(struct msg_stream_cam, emm) },
	{ "ua", MSG_WORD(struct msg_stream_cam, ua) },
	{ "idents", FIELD_ITEMS(struct msg_stream_cam, idents, n),
	  .of = &ident_fields },
	{ "timeout", FIELD_AT(struct msg_stream_cam, timeout_ms), .min = 1,
	  .max = TIMEOUT_MAX_MS },
	{ "shift", FIELD_AT(struct msg_stream_cam, shift_ms),
	  .max = SHIFT_MAX_MS },
	{ "skip_ecm", FIELD_AT(struct msg_stream_cam, skip_ecm),
	  .max = SKIP_MAX },
	{ "ignore_cw", FIELD_AT(struct msg_stream_cam, ignore_cw) },
};
const struct field_table stream_cam_fields =
	MSG_TABLE(struct msg_stream_cam, cam_rows);
