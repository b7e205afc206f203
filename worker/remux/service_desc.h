/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The service descriptor of an SDT (EN 300 468 6.2.33), with the type and the
 * names that the configuration gives to a service of the output.
 *
 * No other module decides these types and names: a generated NIT or BAT takes
 * the types from the SDT of the output, and the guide takes the names from it.
 *
 * Pure.
 */
#pragma once

#include "proto/si/desc.h"
#include "proto/spec/tables_spec.h"
#include "worker/ts/section.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SERVICE_DESC_TAG = 0x48,
	SERVICE_DESC_MAX = 2 + 255,
	MULTILINGUAL_NAME_TAG = 0x5d,
};

struct remux_options;

/* What the configuration gives to a service.  Type 0 and texts "": the source
 * decides. */
struct service_given {
	uint8_t type;
	const char *provider, *name; /* UTF-8 */
	uint8_t textcode; /* enum text_table */
};

/* The type and names of a service: those of its entry in `sdt' (NULL: none),
 * otherwise those of the other options of the stream.  Borrows the texts. */
struct service_given service_given_of(const struct remux_options *,
				      const struct service_spec *);

static inline bool service_is_given(const struct service_given *g)
{
	return g->type != 0 || g->provider[0] != '\0' || g->name[0] != '\0';
}

/* Which texts were cut or omitted for lack of room. */
struct service_cut {
	bool provider, name;
};

/* Writes the descriptor and returns its length.  source: the descriptor of the
 * source, or NULL.  Without it the type is default_type, unless the
 * configuration gives one. */
size_t service_desc_build(const struct service_given *,
			  const struct desc *source, uint8_t default_type,
			  uint8_t ret[SERVICE_DESC_MAX],
			  struct service_cut *ret_cut);

/* The services of a section of SDT actual with their entries of `sdt'. */
struct service_names {
	const struct service_entry {
		uint16_t pnr; /* service_id in the section */
		const struct service_spec *spec;
	} *list;
	size_t n;
	uint8_t textcode;
};

/* Writes a section of SDT actual, which has a valid CRC_32, to ret with the
 * types and names of the list.  Returns the length.  -ENOSPC: it would exceed
 * 1,024 bytes; -EBADMSG: a loop is longer than the section. */
int service_names_apply(const struct service_names *, const uint8_t *section,
			size_t len, uint8_t ret[SECTION_PSI_MAX]);
