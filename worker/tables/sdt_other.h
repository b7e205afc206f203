/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds an SDT other (EN 300 468 5.2.3): the services of another transport
 * stream.
 *
 * Pure.
 */
#pragma once

#include "worker/ts/section.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SDT_OTHER_SECTIONS_MAX = 32 };

struct sdt_other_service {
	uint16_t pnr;
	uint8_t type;
	uint8_t status; /* running_status and free_CA_mode, at their bits in the
			 * SDT */
	bool has_present, has_schedule; /* this stream has EIT other of the
					 * service: present/following, and
					 * schedule */
	const char *provider, *name;
	uint8_t textcode; /* enum text_table for provider and name */
};

struct sdt_other {
	uint16_t tsid, onid;
	const struct sdt_other_service *services;
	size_t n;
};

/* Writes the sections with version 0 and their lengths; returns their number.
 * If the sections are full, the remaining services are omitted. */
size_t sdt_other_build(const struct sdt_other *,
		       uint8_t ret[SDT_OTHER_SECTIONS_MAX][SECTION_PSI_MAX],
		       size_t ret_lens[SDT_OTHER_SECTIONS_MAX]);
