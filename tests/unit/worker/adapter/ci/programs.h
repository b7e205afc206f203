/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scrambled programs for a module. */
#pragma once

#include "tests/unit/worker/ts/build.h"
#include "worker/adapter/ci/ca_list.h"

#include <string.h>

/* Adds a program whose stream has a CA descriptor of 0x0b00, or changes its
 * PMT to this version. */
static inline void programs_put(struct ca_programs *p, uint16_t number,
				uint8_t version)
{
	static const struct build_es streams[] = {
		{ 0x1b, 0x101, "\x09\x04\x0b\x00\xe1\x23", 6 } };
	uint8_t section[CA_PMT_SECTION_MAX];
	size_t i = 0;

	while (i < p->n && p->list[i].number != number)
		i++;
	p->list[i].number = number;
	p->list[i].len = (uint16_t)build_pmt(
		section, (struct build_entry){ number, 0x101 }, version,
		streams, 1);
	memcpy(p->list[i].section, section, p->list[i].len);
	p->n = MAX(p->n, i + 1);
	p->revision++;
}

static inline void programs_drop(struct ca_programs *p, uint16_t number)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].number == number) {
			p->n--;
			memmove(&p->list[i], &p->list[i + 1],
				(p->n - i) * sizeof *p->list);
		}
	p->revision++;
}
