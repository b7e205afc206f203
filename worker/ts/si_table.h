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
	SI_PID_RST = 0x13,
	SI_PID_TDT = 0x14, /* carries TDT and TOT */
	SI_PIDS_END = 0x20, /* PIDs below this one are reserved for tables */
	SI_PID_PSIP = 0x1ffb, /* tables of ATSC (A/65) */
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
	/* EIT schedule, actual: the first and the last table_id */
	EIT_SCHEDULE_TABLE_ID = 0x50,
	EIT_SCHEDULE_LAST_TABLE_ID = 0x5f,
	EIT_LAST_TABLE_ID = 0x6f,
	TDT_TABLE_ID = 0x70,
	RST_TABLE_ID = 0x71, /* running status */
	ST_TABLE_ID = 0x72,  /* stuffing */
	TOT_TABLE_ID = 0x73,
	AIT_TABLE_ID = 0x74,
};

enum si_table {
	SI_PAT,
	SI_CAT,
	SI_PMT,
	SI_NIT,
	SI_SDT, /* SDT or BAT */
	SI_EIT, /* EIT present/following */
	SI_TDT, /* TDT or TOT */
	SI_TABLES, /* any other table; also the number of kinds above */
};

/* The kind of a table.  *ret_actual: the table describes the transport stream
 * that carries it, not another one. */
enum si_table si_table_find(uint8_t table_id, bool *ret_actual);
