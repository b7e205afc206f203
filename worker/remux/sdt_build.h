/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SDT of a stream of one service (EN 300 468 5.2.3). */
#pragma once

#include "proto/spec/remux_options.h"
#include "worker/remux/ids.h"
#include "worker/ts/desc.h"
#include "worker/ts/section.h"

/* The service in the source's SDT. */
struct sdt_service {
	uint16_t network; /* original_network_id */
	uint8_t flags;    /* EIT_schedule, EIT_present_following */
	uint8_t status;   /* running_status and free_CA_mode */
	struct desc_loop descriptors; /* borrows the section */
};

/* Finds the service in a section of SDT actual whose CRC_32 was checked; false
 * without it, or when the section is malformed. */
bool sdt_find(const uint8_t *section, size_t len, uint16_t pnr,
	      struct sdt_service *ret);

/*
 * Writes the section with version 0 and returns its length, at most
 * SECTION_PSI_MAX.  Type, provider and name are those of the options, else of
 * the source (NULL: none).  Without either, has_video decides the type.  All
 * other descriptors are those of the source, as far as they fit.
 */
size_t sdt_build(const struct remux_options *, const struct ids *,
		 const struct sdt_service *source, bool has_video,
		 uint8_t ret[SECTION_PSI_MAX]);
