/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the SDT of a stream (EN 300 468 5.2.3), for the other tables that are
 * made for the stream.  Receivers compare its identifiers with those of the
 * EIT.  NIT and BAT repeat the types of its services, and own EIT repeat their
 * status.
 *
 * Embedded.  Allocates nothing.
 */
#pragma once

#include "worker/ts/packet.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

/* Bits that output_sdt_feed() returns: what has changed. */
enum {
	OUTPUT_SDT_IDS = 1,
	OUTPUT_SDT_TYPES = 2,
	OUTPUT_SDT_STATUS = 4,
};

struct output_service {
	uint16_t pnr;
	/* service_type; 0: the service has no service descriptor */
	uint8_t type;
	uint8_t status; /* running_status and free_CA_mode, as they are sent */
	uint8_t section; /* number of the section that lists it */
};

struct output_sdt {
	bool known; /* tsid and onid are valid */
	uint16_t tsid, onid;
	size_t n;
	struct output_service services[PSI_PROGRAMS_MAX];
	struct section_assembler assembler;
	uint8_t buffer[SECTION_PSI_MAX];
};

void output_sdt_init(struct output_sdt *);

/* Takes packets of the stream.  Returns what has changed, as bits. */
unsigned output_sdt_feed(struct output_sdt *, const struct ts_run *runs,
			 size_t n_runs);

/* The entry of a service; NULL: the service is not known. */
const struct output_service *output_sdt_find(const struct output_sdt *,
					     uint16_t pnr);
/* The type of a service; 0: it is not known. */
uint8_t output_sdt_type(const struct output_sdt *, uint16_t pnr);
