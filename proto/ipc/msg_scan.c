/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of the messages of a scan of an adapter. */
#include "common/base/util.h"
#include "proto/ipc/msg_tables.h"

static const struct field transponder_rows[] = {
	{ "number", FIELD_AT(struct msg_scan_transponder, number), .min = 1,
	  .max = SCAN_TRANSPONDERS_MAX },
	{ "tuning", FIELD_AT(struct msg_scan_transponder, tuning) },
	{ "complete", FIELD_AT(struct msg_scan_transponder, complete) },
	{ "status", FIELD_IN(struct msg_scan_transponder, status,
			     &adapter_status_fields) },
};
const struct field_table scan_transponder_fields =
	MSG_TABLE(struct msg_scan_transponder, transponder_rows);

static const struct field service_rows[] = {
	{ "number", FIELD_AT(struct msg_scan_service, number), .min = 1,
	  .max = SCAN_TRANSPONDERS_MAX },
	{ "service", FIELD_AT(struct msg_scan_service, service) },
};
const struct field_table scan_service_fields =
	MSG_TABLE(struct msg_scan_service, service_rows);
