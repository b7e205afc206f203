/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds a NIT actual (EN 300 468 5.2.1) or a BAT (5.2.2): each section has
 * services of one transport stream.  A BAT has neither delivery systems nor
 * logical channel numbers.
 */
#pragma once

#include "proto/spec/tables_spec.h"
#include "worker/ts/section.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* most services of a transport stream in one section */
	NIT_SERVICES = 64,
	NIT_SECTIONS_MAX = 256,
};

struct nit_service {
	uint16_t pnr;
	uint16_t lcn; /* logical channel number; 0: none */
	uint8_t type;
};

struct nit_transport {
	uint16_t tsid, onid;
	uint32_t private_data_specifier; /* 0: the specifier that belongs to
					  * delivery->lcn */
	const struct delivery_spec *delivery;
	const struct nit_service *services;
	size_t n_services;
};

struct nit_content {
	bool bouquet; /* build a BAT instead of a NIT */
	uint16_t id;  /* network_id or bouquet_id */
	const char *name;
	uint8_t textcode; /* enum text_table of the name */
	const struct nit_transport *transports;
	size_t n_transports;
};

/* The number of sections, at most NIT_SECTIONS_MAX. */
size_t nit_build_sections(const struct nit_content *);

/* Writes section `number' with version 0, and returns its length. */
size_t nit_build(const struct nit_content *, size_t number,
		 uint8_t ret[SECTION_PSI_MAX]);
