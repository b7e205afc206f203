/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds a NIT actual (EN 300 468 5.2.1). */
#pragma once

#include "proto/spec/tables_spec.h"
#include "worker/ts/section.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Services of the transport stream in one section. */
	NIT_SERVICES = 64,
};

struct nit_service {
	uint16_t pnr;
	uint16_t lcn; /* 0: none */
	uint8_t type;
};

struct nit_content {
	const struct tables_spec *spec;
	uint8_t textcode; /* enum text_table of the name */
	uint16_t tsid;
	const struct nit_service *services;
	size_t n_services;
};

/* The number of sections, at least 1. */
size_t nit_build_sections(const struct nit_content *);

/* Writes a section with version 0 and returns its length. */
size_t nit_build(const struct nit_content *, size_t number,
		 uint8_t ret[SECTION_PSI_MAX]);
