/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches the tables of EN 300 468 and the CAT: notes the time at which each
 * table last arrived, and counts errors of their CRC_32, tables on the PID of
 * another table, and sections that arrive too early or too late (TR 101 290
 * 3.1, 3.2 and 3.5 to 3.8).
 *
 * Packets arrive in bursts, so the positions of sections show whether they are
 * too early, which needs a constant rate.  A sub-table that finds no place
 * among the SI_SUB_TABLES_MAX records is not judged.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "proto/si/desc.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

enum si_slot {
	SI_SLOT_CAT,
	SI_SLOT_NIT,
	SI_SLOT_SDT,
	SI_SLOT_EIT,
	SI_SLOT_RST,
	SI_SLOT_TDT,
	SI_PIDS
};

enum {
	SI_CAT_MAX = SECTION_PSI_MAX,
	SI_CAT_SECTIONS = 4, /* further sections of a CAT are ignored */
	SI_SUB_TABLES_MAX = 512,
	/* Least time between sections of a sub-table (EN 300 468 5.1.4). */
	SI_GAP_MS = 25,
	/* Most services whose EIT present/following is judged. */
	SI_SERVICES_MAX = PSI_PROGRAMS_MAX,
};

/* The last section of a sub-table. */
struct si_sub_table {
	uint32_t name; /* PID, table_id and extension; 0: none */
	uint64_t end;  /* number of the packet in which the section ended */
	uint64_t end_ns; /* arrival of that packet */
};

/* A service of the transport stream with EIT present/following. */
struct si_service {
	uint16_t number;
	/* the last arrival of section 0 (present) and of section 1 (following);
	 * a section that never arrived has the first arrival of the other */
	uint64_t seen_ns[2];
};

struct si_watch {
	struct section_assembler assemblers[SI_PIDS];
	uint64_t seen_ns[SI_TABLES]; /* last arrival by table; 0: none yet */
	uint64_t resumed_ns; /* end of the last silence; 0: there was none */
	/* in this second: sections of tables that must not be on the PID */
	uint32_t wrong[SI_PIDS];
	/* in this second: sections too early (near) or too late after the last
	 * section of their sub-table: the alarm si_repetition has the sum */
	uint32_t near, late;
	uint32_t rst_near; /* in this second: sections of an RST too early after
			    * the last one (TR 101 290 3.7) */
	uint64_t gap_packets; /* packets in SI_GAP_MS; 0: the rate is not
			       * constant */
	uint64_t starts[SI_PIDS]; /* number of the last packet in which a
				   * section began */
	uint32_t tot_errors;    /* TOT with a wrong CRC_32 */
	uint32_t errors_before; /* errors at the last si_watch_errors() */
	/* the CAT by section_number; a length of 0: none */
	uint8_t cat[SI_CAT_SECTIONS][SI_CAT_MAX];
	size_t cat_len[SI_CAT_SECTIONS];
	uint8_t buffers[SI_PIDS][SECTION_MAX];
	struct si_sub_table tables[SI_SUB_TABLES_MAX];
	size_t n_services;
	struct si_service services[SI_SERVICES_MAX];
};

void si_watch_init(struct si_watch *);
/* Takes the nth packet of the multiplex; packets of other PIDs are ignored. */
void si_watch_feed(struct si_watch *, const uint8_t *packet, uint64_t nth,
		   uint64_t now_ns);
/* Ends a silence: sections that it has delayed are not late. */
void si_watch_resume(struct si_watch *, uint64_t now_ns);
/* Forgets the services that the PAT does not name. */
void si_watch_follow(struct si_watch *, const struct psi *);
/* Is section 0 or 1 of EIT present/following of the service overdue (3.6)? */
bool si_service_is_late(const struct si_service *, uint64_t now_ns);
/* The descriptors of a section of the CAT; an empty loop if it did not
 * arrive. */
struct desc_loop si_watch_cat(const struct si_watch *, size_t number);
/* True if no CAT has arrived for so long that a stream with scrambled packets
 * lacks it (2.6). */
bool si_watch_lacks_cat(const struct si_watch *, uint64_t now_ns);
/* The number of sections with a wrong CRC_32 since the last call. */
uint32_t si_watch_errors(struct si_watch *);
/* Sets the rate of the multiplex in bit/s from now on; 0: not constant. */
void si_watch_set_rate(struct si_watch *, uint64_t bps);
