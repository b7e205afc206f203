/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads CA descriptors (ISO/IEC 13818-1 2.6.16) of a PMT or a CAT.  Pure. */
#pragma once

#include "proto/si/desc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CA_REFS_MAX = 16 };

/* Where the ECMs or EMMs of a CA system are. */
struct ca_ref {
	uint16_t caid;
	uint16_t pid;
	uint32_t provider; /* 0: not stated */
};

struct ca_refs {
	size_t n;
	struct ca_ref list[CA_REFS_MAX];
};

/* Reads the CA descriptors of a loop, each once; ignores those beyond
 * CA_REFS_MAX. */
void ca_refs_read(struct desc_loop, struct ca_refs *ret);

/* Adds a reference.  False: the list has it already, or is full. */
bool ca_refs_add(struct ca_refs *, const struct ca_ref *);

/* Reads the CA descriptors of a section of the CAT whose CRC_32 was checked. */
void ca_refs_read_cat(const uint8_t *section, size_t len, struct ca_refs *ret);

bool ca_refs_equal(const struct ca_refs *, const struct ca_refs *);
