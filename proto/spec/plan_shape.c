/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/plan_shape.h"

#include "common/base/util.h"

enum { NUMBER_MAX = 65535, PID_MAX = 8191, INPUT_MAX = 255, WORD_MAX = 16 };

#define NUMBER .type = FIELD_UINT, .max = NUMBER_MAX
#define PID .type = FIELD_UINT, .max = PID_MAX
#define INPUT .type = FIELD_UINT, .min = 1, .max = INPUT_MAX
#define WORD .type = FIELD_STRING, .max = WORD_MAX
#define MAYBE .flags = FIELD_MAYBE
#define SHAPE(rows) { rows, ARRAY_LEN(rows), .flags = FIELD_STRICT }

static const struct field block_rows[] = {
	{ "first", NUMBER },
	{ "last", NUMBER },
};
static const struct field_table block_fields = SHAPE(block_rows);

static const struct field service_rows[] = {
	{ "pnr", NUMBER },
	{ "out", NUMBER, MAYBE },
	{ "pmt_pid", PID, MAYBE },
	{ "from", WORD },
	{ "clash", INPUT, MAYBE },
};
static const struct field_table service_fields = SHAPE(service_rows);

static const struct field pid_rows[] = {
	{ "pid", PID, MAYBE },
	{ "out", PID, MAYBE },
	{ "from", WORD },
	{ "clash", INPUT, MAYBE },
};
static const struct field_table pid_fields = SHAPE(pid_rows);

/* All but the first part of a plan has the PIDs alone. */
static const struct field rows[] = {
	{ "block", .type = FIELD_OBJECT, .of = &block_fields, MAYBE },
	{ "services", .type = FIELD_LIST, .max = PLAN_SERVICES_MAX,
	  .of = &service_fields, MAYBE },
	{ "pids", .type = FIELD_LIST, .max = PLAN_PIDS_MAX,
	  .of = &pid_fields, MAYBE },
};
const struct field_table plan_fields = SHAPE(rows);
