/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads CA descriptors (ISO/IEC 13818-1 2.6.16) of a PMT or a CAT.  Pure. */
#pragma once

#include "proto/si/desc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CA_REFS_MAX = 16 };

/* A CA descriptor: the PID with the ECMs (PMT) or EMMs (CAT) of a CA system. */
struct ca_ref {
	uint16_t caid;
	uint16_t pid;
	uint32_t provider; /* provider id; 0: not in the descriptor */
};

struct ca_refs {
	size_t n;
	struct ca_ref list[CA_REFS_MAX];
};

/* Reads the CA descriptors of a loop, without duplicates; ignores those after
 * the first CA_REFS_MAX. */
void ca_refs_read(struct desc_loop, struct ca_refs *ret);

/* Adds a reference.  False: the list already has it, or is full. */
bool ca_refs_add(struct ca_refs *, const struct ca_ref *);

/* Reads the CA descriptors of a CAT section, whose CRC_32 the caller has
 * checked. */
void ca_refs_read_cat(const uint8_t *section, size_t len, struct ca_refs *ret);

bool ca_refs_equal(const struct ca_refs *, const struct ca_refs *);
