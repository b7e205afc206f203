/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table_ids and PIDs of the tables (ISO/IEC 13818-1, EN 300 468). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	SI_PID_CAT = 0x01,
	SI_PID_NIT = 0x10, /* unless the PAT names another one */
	SI_PID_SDT = 0x11,
	SI_PID_EIT = 0x12,
	SI_PID_TDT = 0x14, /* and TOT */
	SI_PIDS_END = 0x20, /* PIDs below are reserved for tables */
};

/* PAT_TABLE_ID and PMT_TABLE_ID are in pat.h and pmt.h. */
enum {
	CAT_TABLE_ID = 0x01,
	NIT_TABLE_ID = 0x40,
	NIT_OTHER_TABLE_ID = 0x41,
	SDT_TABLE_ID = 0x42,
	SDT_OTHER_TABLE_ID = 0x46,
	BAT_TABLE_ID = 0x4a,
	EIT_TABLE_ID = 0x4e,
	EIT_OTHER_TABLE_ID = 0x4f,
	EIT_SCHEDULE_TABLE_ID = 0x50, /* the first and the last of them */
	EIT_SCHEDULE_LAST_TABLE_ID = 0x5f,
	EIT_LAST_TABLE_ID = 0x6f,
	TDT_TABLE_ID = 0x70,
	TOT_TABLE_ID = 0x73,
	AIT_TABLE_ID = 0x74,
};

enum si_table {
	SI_PAT,
	SI_CAT,
	SI_PMT,
	SI_NIT,
	SI_SDT, /* and BAT */
	SI_EIT, /* present and following */
	SI_TDT, /* and TOT */
	SI_TABLES, /* another table */
};

/* *ret_actual: it describes its own transport stream, not another one. */
enum si_table si_table_find(uint8_t table_id, bool *ret_actual);
