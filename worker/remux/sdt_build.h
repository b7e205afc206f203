/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SDT of a stream of one service (EN 300 468 5.2.3). */
#pragma once

#include "proto/si/desc.h"
#include "proto/spec/remux_options.h"
#include "proto/spec/tables_spec.h"
#include "worker/remux/ids.h"
#include "worker/remux/remux.h"
#include "worker/ts/section.h"

enum {
	/* A source that has sent no SDT for this time has none.  TS 101 211 4.4
	 * demands one every 2 s. */
	SDT_AWAIT_MS = 5000,
};

/* The entry of a service in the SDT of the source. */
struct sdt_service {
	uint16_t network; /* original_network_id */
	uint8_t flags;    /* EIT_schedule_flag (2), EIT_present_following_flag
			   * (1) */
	uint8_t status;   /* running_status and free_CA_mode */
	struct desc_loop descriptors; /* borrows the section */
};

/* Finds a service in a section of SDT actual whose CRC_32 was checked.  False:
 * the section does not list the service, or is malformed. */
bool sdt_find(const uint8_t *section, size_t len, uint16_t pnr,
	      struct sdt_service *ret);

/* The origin of the EIT of a service. */
struct eit_origin {
	uint16_t number; /* number of the service in the source */
	enum table_origin eit;
};

/* How the SDT of the output describes EIT and scrambling of its services. */
struct sdt_marks {
	enum table_origin eit; /* origin of the EIT of all services that
				* `origins' does not list */
	const struct eit_origin *origins;
	size_t n_origins;
	bool scrambled;   /* free_CA_mode is 1 for all services */
	bool descrambled; /* free_CA_mode is 0 for all services, unless
			   * `scrambled' */
};

/* Changes EIT flags and free_CA_mode of all services in a section of SDT
 * actual, whose loops may be malformed.  True: the section has changed, and has
 * a new CRC_32. */
bool sdt_mark(const struct sdt_marks *, uint8_t *section, size_t len);

/* Changes free_CA_mode of all events in a section of EIT actual.  True: the
 * section has changed, and has a new CRC_32. */
bool eit_mark(const struct sdt_marks *, uint8_t *section, size_t len);

struct sdt_content {
	const struct remux_options *options;
	const struct service_spec *entry; /* entry of the service in the option
					   * `sdt'; NULL: none */
	const struct ids *ids;
	const struct sdt_service *source; /* entry in the SDT of the source;
					   * NULL: none */
	uint16_t onid; /* original_network_id if `source' is NULL */
	bool has_video; /* if neither options nor source give a service_type:
			 * true: TV, false: radio */
	struct sdt_marks marks;
};

/*
 * Writes the section with version 0 and returns its length, at most
 * SECTION_PSI_MAX.  Type, provider and name are those of the entry, else of the
 * options, else of the source (service_desc.h).  All other descriptors are
 * those of the source.  The description of a service cannot be divided among
 * sections (EN 300 468 5.2.3): a part that has no room beside a longer name is
 * dropped, and *ret_omitted lists it.
 */
size_t sdt_build(const struct sdt_content *, uint8_t ret[SECTION_PSI_MAX],
		 struct sdt_omitted *ret_omitted);
