/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/report_shape.h"

#include "proto/spec/shape.h"

enum {
	WORD_MAX = 32,
	LIST_MAX = 512,
	COUNTS_MAX = 8,
};

static const struct field count_item = { COUNT };

#define WORD TEXT_TO(WORD_MAX)
#define COUNTS .type = FIELD_LIST, .max = COUNTS_MAX, .item = &count_item
#define LIST(table) LIST_TO(LIST_MAX, table)

static const struct field indicator_rows[] = {
	{ "alarm", WORD },
	{ "priority", COUNT },
	{ "raised", FLAG },
	{ "count", COUNT },
	{ "since", COUNT, MAYBE },
	{ "last", COUNT, MAYBE },
};
static const struct field_table indicator_fields = SHAPE(indicator_rows);

static const struct field pcr_rows[] = {
	{ "pid", COUNT },
	{ "count", COUNT },
	{ "bitrate", COUNT },
	{ "interval_us", COUNT },
	{ "interval_max_us", COUNT },
	{ "arrival_max_us", COUNT },
	{ "accuracy_ns", COUNT, MAYBE },
	{ "jitter_us", COUNT, MAYBE },
	{ "jumps", COUNT },
	{ "announced_jumps", COUNT },
};
static const struct field_table pcr_fields = SHAPE(pcr_rows);

static const struct field program_rows[] = {
	{ "number", COUNT },
	{ "pmt_pid", COUNT },
	{ "pcr_pid", COUNT, MAYBE },
	{ "pmt", FLAG },
};
static const struct field_table program_fields = SHAPE(program_rows);

static const struct field pid_rows[] = {
	{ "pid", COUNT },
	{ "kind", WORD, MAYBE },
	{ "stream_type", COUNT, MAYBE },
	{ "programs", COUNTS },
	{ "packets", COUNT },
	{ "bitrate", COUNT },
	{ "scrambled", COUNT },
	{ "cc_errors", COUNT },
	{ "duplicates", COUNT },
	{ "transport_errors", COUNT },
	{ "pes_errors", COUNT },
	{ "buffer_overflows", COUNT, MAYBE },
	{ "pts", COUNT, MAYBE },
	{ "pts_interval_max_ms", COUNT, MAYBE },
};
static const struct field_table pid_fields = SHAPE(pid_rows);

static const struct field loss_rows[] = {
	{ "network", COUNT },
	{ "recovered", COUNT },
	{ "socket", COUNT },
	{ "sync", COUNT },
};
static const struct field_table loss_fields = SHAPE(loss_rows);

static const struct field iat_rows[] = {
	{ "age_s", COUNT },
	{ "datagrams", COUNT },
	{ "rate", COUNT },
	{ "min_us", COUNT },
	{ "mean_us", COUNT },
	{ "p50_us", COUNT },
	{ "p95_us", COUNT },
	{ "p99_us", COUNT },
	{ "max_us", COUNT },
};
static const struct field_table iat_fields = SHAPE(iat_rows);

static const struct field mdi_rows[] = {
	{ "df_us", COUNT },
	{ "mlr", COUNT },
};
static const struct field_table mdi_fields = SHAPE(mdi_rows);

static const struct field omitted_rows[] = {
	{ "program", COUNT },
	{ "streams", COUNT },
	{ "descriptors", COUNT },
	{ "mux", FLAG },
	{ "ait", FLAG },
};
static const struct field_table omitted_fields = SHAPE(omitted_rows);

static const struct field omitted_sdt_rows[] = {
	{ "descriptors", COUNT },
	{ "provider", FLAG },
	{ "name", FLAG },
};
static const struct field_table omitted_sdt_fields = SHAPE(omitted_sdt_rows);

static const struct field remux_rows[] = {
	{ "table_changes", COUNT },
	{ "broken_sections", COUNT },
	{ "dropped_sections", COUNT },
	{ "omitted", LIST(omitted_fields), MAYBE },
	{ "omitted_sdt", OBJECT(omitted_sdt_fields), MAYBE },
};
static const struct field_table remux_fields = SHAPE(remux_rows);

static const struct field gap_rows[] = {
	{ "below_us", COUNT, MAYBE },
	{ "count", COUNT },
};
static const struct field_table gap_fields = SHAPE(gap_rows);

static const struct field output_rows[] = {
	{ "position", COUNT },
	{ "bitrate", COUNT, MAYBE },
	{ "cbr", COUNT, MAYBE },
	{ "overflow", COUNT, MAYBE },
	{ "packets", COUNT },
	{ "dropped", COUNT },
	{ "late", COUNT },
	{ "gaps", LIST(gap_fields), MAYBE },
};
static const struct field_table output_fields = SHAPE(output_rows);

/* The first part of a report has all fields; further parts only add PIDs. */
static const struct field report_rows[] = {
	{ "watched", FLAG, MAYBE },
	{ "relay", FLAG, MAYBE },
	{ "watched_s", COUNT, MAYBE },
	{ "packets", COUNT, MAYBE },
	{ "null_packets", COUNT, MAYBE },
	{ "sync_errors", COUNT, MAYBE },
	{ "bitrate", COUNT, MAYBE },
	{ "null_bitrate", COUNT, MAYBE },
	{ "tsid", COUNT, MAYBE },
	{ "indicators", LIST(indicator_fields), MAYBE },
	{ "pcr", LIST(pcr_fields), MAYBE },
	{ "programs", LIST(program_fields), MAYBE },
	{ "pids", LIST(pid_fields), MAYBE },
	{ "loss", OBJECT(loss_fields), MAYBE },
	{ "iat", OBJECT(iat_fields), MAYBE },
	{ "mdi", OBJECT(mdi_fields), MAYBE },
	{ "remux", OBJECT(remux_fields), MAYBE },
	{ "outputs", LIST(output_fields), MAYBE },
};
const struct field_table report_fields = SHAPE(report_rows);
