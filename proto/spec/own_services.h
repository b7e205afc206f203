/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names the services of a stream for which the stream makes an own EIT: all or
 * none, with exceptions.  Also names what it sends as EIT of other transport
 * streams.  Plain data.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OWN_SERVICES_MAX = 128 };

/* What the output sends as EIT of other transport streams. */
enum eit_other {
	EIT_OTHER_PASS,    /* the EIT other of the source */
	/* own EIT: present and following events of the streams in nit_other */
	EIT_OTHER_PRESENT,
	EIT_OTHER_ALL,     /* own EIT: also the schedule of these streams */
};

struct own_services {
	bool all; /* true: all services but those in except; false: only those
		   * in except */
	size_t n_except;
	uint16_t except[OWN_SERVICES_MAX]; /* program numbers */
};

static inline bool own_services_has(const struct own_services *s, uint16_t pnr)
{
	for (size_t i = 0; i < s->n_except; i++)
		if (s->except[i] == pnr)
			return !s->all;
	return s->all;
}
