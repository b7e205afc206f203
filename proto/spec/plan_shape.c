/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/plan_shape.h"

#include "proto/spec/shape.h"

enum { NUMBER_MAX = 65535, PID_MAX = 8191, INPUT_MAX = 255, WORD_MAX = 16 };

#define NUMBER COUNT_TO(NUMBER_MAX)
#define PID COUNT_TO(PID_MAX)
#define INPUT .min = 1, COUNT_TO(INPUT_MAX)
#define WORD TEXT_TO(WORD_MAX)

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

/* The first part of a plan has all fields; further parts only add PIDs. */
static const struct field rows[] = {
	{ "block", OBJECT(block_fields), MAYBE },
	{ "services", LIST_TO(PLAN_SERVICES_MAX, service_fields), MAYBE },
	{ "pids", LIST_TO(PLAN_PIDS_MAX, pid_fields), MAYBE },
};
const struct field_table plan_fields = SHAPE(rows);
