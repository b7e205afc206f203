/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages about the programme guide. */
#include "proto/ipc/msg.h"
#include "proto/ipc/msg_tables.h"
#include "proto/si/text.h"
#include "proto/si/text_dictionary.h"

static const struct field source_item = { .type = FIELD_STRING,
					  .size = sizeof(const char *) };
static const struct field epg_start_rows[] = {
	{ "services", FIELD_AT(struct msg_epg_start, services), .min = 1,
	  .max = EPG_SERVICES_MAX },
	{ "days", FIELD_AT(struct msg_epg_start, days), .min = 1,
	  .max = EPG_DAYS_MAX },
	{ "memory", FIELD_AT(struct msg_epg_start, memory_mib), .min = 1,
	  .max = EPG_MEMORY_MAX_MIB },
	{ "saved", FIELD_AT(struct msg_epg_start, saved) },
	{ "dictionary", FIELD_AT(struct msg_epg_start, dictionary),
	  .max = TEXT_DICTIONARY_MAX },
	{ "sources", FIELD_ITEMS(struct msg_epg_start, sources, n_sources),
	  .item = &source_item },
	{ "exports", FIELD_ITEMS(struct msg_epg_start, exports, n_exports),
	  .item = &source_item },
};
const struct field_table epg_start_fields =
	MSG_TABLE(struct msg_epg_start, epg_start_rows);

static const struct field except_item = { .type = FIELD_UINT,
					  .size = sizeof(uint16_t) };
static const struct field epg_stream_rows[] = {
	{ "stream", FIELD_AT(struct msg_epg_stream, stream) },
	{ "was", FIELD_AT(struct msg_epg_stream, was) },
	{ "channel", FIELD_AT(struct msg_epg_stream, channel) },
	{ "codepage", FIELD_AT(struct msg_epg_stream, codepage),
	  .max = TEXT_UTF8 },
	{ "ring", FIELD_AT(struct msg_epg_stream, ring) },
	{ "removed", FIELD_AT(struct msg_epg_stream, removed) },
	{ "own_eit", FIELD_AT(struct msg_epg_stream, own.all) },
	{ "own_except", FIELD_ITEMS(struct msg_epg_stream, own.except,
				    own.n_except), .item = &except_item },
	{ "own_other", FIELD_AT(struct msg_epg_stream, own_other),
	  .max = EIT_OTHER_ALL },
};
const struct field_table epg_stream_fields =
	MSG_TABLE(struct msg_epg_stream, epg_stream_rows);

static const struct field epg_ask_rows[] = {
	{ "stream", FIELD_AT(struct msg_epg_ask, stream) },
	{ "from", FIELD_AT(struct msg_epg_ask, from_s), .max = UINT32_MAX },
	{ "to", FIELD_AT(struct msg_epg_ask, to_s), .max = UINT32_MAX },
	{ "pnr", FIELD_AT(struct msg_epg_ask, pnr), .max = UINT16_MAX },
	{ "max", FIELD_AT(struct msg_epg_ask, max) },
};
const struct field_table epg_ask_fields =
	MSG_TABLE(struct msg_epg_ask, epg_ask_rows);

static const struct field epg_xmltv_rows[] = {
	{ "form", FIELD_AT(struct msg_epg_xmltv, form),
	  .max = EPG_FORMS - 1 },
};
const struct field_table epg_xmltv_fields =
	MSG_TABLE(struct msg_epg_xmltv, epg_xmltv_rows);

static const struct field epg_post_rows[] = {
	{ "export", FIELD_AT(struct msg_epg_post, export),
	  .max = EPG_EXPORTS_MAX - 1 },
	{ "form", FIELD_AT(struct msg_epg_post, form),
	  .max = EPG_FORMS - 1 },
	{ "len", FIELD_AT(struct msg_epg_post, len), .max = EPG_SAVED_MAX },
};
const struct field_table epg_post_fields =
	MSG_TABLE(struct msg_epg_post, epg_post_rows);

static const struct field epg_eit_rows[] = {
	{ "stream", FIELD_AT(struct msg_epg_eit, stream) },
	{ "textcode", FIELD_AT(struct msg_epg_eit, textcode),
	  .max = TEXT_UTF8 },
	{ "country", MSG_WORD(struct msg_epg_eit, country) },
	{ "events", FIELD_AT(struct msg_epg_eit, events) },
};
const struct field_table epg_eit_fields =
	MSG_TABLE(struct msg_epg_eit, epg_eit_rows);

static const struct field epg_stale_rows[] = {
	{ "stream", FIELD_AT(struct msg_epg_stale, stream) },
};
const struct field_table epg_stale_fields =
	MSG_TABLE(struct msg_epg_stale, epg_stale_rows);

static const struct field epg_result_rows[] = {
	{ "len", FIELD_AT(struct msg_epg_result, len), .max = EPG_SAVED_MAX },
	{ "hash", FIELD_AT(struct msg_epg_result, hash) },
	{ "error", MSG_TEXT(struct msg_epg_result, error) },
};
const struct field_table epg_result_fields =
	MSG_TABLE(struct msg_epg_result, epg_result_rows);

static const struct field epg_watch_rows[] = {
	{ "wanted", FIELD_AT(struct msg_epg_watch, wanted) },
};
const struct field_table epg_watch_fields =
	MSG_TABLE(struct msg_epg_watch, epg_watch_rows);

static const struct field epg_present_rows[] = {
	{ "stream", MSG_WORD(struct msg_epg_present, stream) },
	{ "pnr", FIELD_AT(struct msg_epg_present, pnr), .max = UINT16_MAX },
	{ "events", FIELD_AT(struct msg_epg_present, events) },
};
const struct field_table epg_present_fields =
	MSG_TABLE(struct msg_epg_present, epg_present_rows);

static const struct field epg_error_item = {
	.type = FIELD_STRING, .size = sizeof(const char *), .max = MSG_TEXT_MAX
};
static const struct field epg_status_rows[] = {
	{ "streams", FIELD_AT(struct msg_epg_status, streams) },
	{ "services", FIELD_AT(struct msg_epg_status, services) },
	{ "events", FIELD_AT(struct msg_epg_status, events) },
	{ "bytes", FIELD_AT(struct msg_epg_status, bytes) },
	{ "loaded", FIELD_AT(struct msg_epg_status, loaded) },
	{ "changes", FIELD_AT(struct msg_epg_status, changes) },
	{ "replaced", FIELD_AT(struct msg_epg_status, replaced) },
	{ "undefined", FIELD_AT(struct msg_epg_status, undefined) },
	{ "dropped", FIELD_AT(struct msg_epg_status, dropped) },
	{ "broken", FIELD_AT(struct msg_epg_status, broken) },
	{ "compressed", FIELD_AT(struct msg_epg_status, compressed) },
	{ "lost", FIELD_AT(struct msg_epg_status, lost) },
	{ "imports", FIELD_AT(struct msg_epg_status, imports) },
	{ "refused", FIELD_AT(struct msg_epg_status, refused) },
	{ "overlaps", FIELD_AT(struct msg_epg_status, overlaps) },
	{ "endless", FIELD_AT(struct msg_epg_status, endless) },
	{ "gaps", FIELD_AT(struct msg_epg_status, gaps) },
	{ "errors", FIELD_ITEMS(struct msg_epg_status, errors, n_errors),
	  .item = &epg_error_item },
};
const struct field_table epg_status_fields =
	MSG_TABLE(struct msg_epg_status, epg_status_rows);
