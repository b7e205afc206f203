/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of the cas workers, with the master and with streams. */
#include "proto/ipc/msg.h"
#include "proto/ipc/msg_tables.h"

enum {
	PERIOD_MAX_MS = 6553500,
	REPETITION_MAX_MS = 65535,
	PACKET_DIGITS = 2 * MSG_CAS_PACKET,
};

static const struct field stream_cas_rows[] = {
	{ "place", FIELD_AT(struct msg_stream_cas, place),
	  .max = CAS_LIST_MAX - 1 },
};
const struct field_table stream_cas_fields =
	MSG_TABLE(struct msg_stream_cas, stream_cas_rows);

static const struct field start_rows[] = {
	{ "entry", FIELD_AT(struct msg_cas_start, entry) },
};
const struct field_table cas_start_fields =
	MSG_TABLE(struct msg_cas_start, start_rows);

static const struct field emmg_rows[] = {
	{ "error", MSG_TEXT(struct msg_cas_emmg, error),
	  .flags = FIELD_MAYBE },
	{ "udp", FIELD_AT(struct msg_cas_emmg, udp) },
};
const struct field_table cas_emmg_fields =
	MSG_TABLE(struct msg_cas_emmg, emmg_rows);

static const struct field link_rows[] = {
	{ "stream", MSG_WORD(struct msg_cas_link, stream) },
	{ "ac", FIELD_AT(struct msg_cas_link, ac), .max = 2 * MSG_CAS_AC_MAX },
};
const struct field_table cas_link_fields =
	MSG_TABLE(struct msg_cas_link, link_rows);

#define AT(member) FIELD_AT(struct msg_cas_terms, member)
#define DELAYS .min = INT16_MIN, .max = INT16_MAX
static const struct field terms_rows[] = {
	{ "up", AT(up) },
	{ "error", MSG_TEXT(struct msg_cas_terms, error),
	  .flags = FIELD_MAYBE },
	{ "period", AT(period_ms), .max = PERIOD_MAX_MS },
	{ "delay_start", AT(delay_start_ms), DELAYS },
	{ "delay_stop", AT(delay_stop_ms), DELAYS },
	{ "ac_start", AT(ac_start_ms), DELAYS },
	{ "ac_stop", AT(ac_stop_ms), DELAYS },
	{ "transition", AT(transition) },
	{ "transition_start", AT(transition_start_ms), DELAYS },
	{ "transition_stop", AT(transition_stop_ms), DELAYS },
	{ "repetition", AT(repetition_ms), .max = REPETITION_MAX_MS },
	{ "lead", AT(lead), .max = MSG_CAS_LEAD_MAX },
};
const struct field_table cas_terms_fields =
	MSG_TABLE(struct msg_cas_terms, terms_rows);
#undef DELAYS
#undef AT

static const struct field words_rows[] = {
	{ "number", FIELD_AT(struct msg_cas_words, number),
	  .max = UINT16_MAX },
	{ "period", FIELD_AT(struct msg_cas_words, period_ms),
	  .max = PERIOD_MAX_MS },
	{ "words", FIELD_AT(struct msg_cas_words, words),
	  .min = 2 * MSG_CW_COUNT * MSG_CAS_WORD,
	  .max = 2 * MSG_CW_COUNT * MSG_CAS_WORD, .flags = FIELD_SECRET },
};
const struct field_table cas_words_fields =
	MSG_TABLE(struct msg_cas_words, words_rows);

static const struct field ecm_rows[] = {
	{ "number", FIELD_AT(struct msg_cas_ecm, number), .max = UINT16_MAX },
	{ "packets", FIELD_AT(struct msg_cas_ecm, packets),
	  .min = PACKET_DIGITS, .max = MSG_CAS_ECM_PACKETS * PACKET_DIGITS },
};
const struct field_table cas_ecm_fields =
	MSG_TABLE(struct msg_cas_ecm, ecm_rows);

static const struct field emm_rows[] = {
	{ "packets", FIELD_AT(struct msg_cas_emm, packets),
	  .min = PACKET_DIGITS, .max = MSG_CAS_EMM_PACKETS * PACKET_DIGITS },
};
const struct field_table cas_emm_fields =
	MSG_TABLE(struct msg_cas_emm, emm_rows);

#define AT(member) FIELD_AT(struct msg_cas_status, member)
static const struct field status_rows[] = {
	{ "streams", AT(streams) },
	{ "ecms", AT(ecms) },
	{ "emms", AT(emms) },
	{ "emmgs", AT(emmgs) },
	{ "error", MSG_TEXT(struct msg_cas_status, error),
	  .flags = FIELD_MAYBE },
};
const struct field_table cas_status_fields =
	MSG_TABLE(struct msg_cas_status, status_rows);
#undef AT
