/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of PIDs and its form in a SAT>IP query: the whole list, or the
 * difference between two lists.
 *
 * Pure.
 */
#pragma once

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SATIP_PIDS_MAX = 128 };

/* PIDs in ascending order, without duplicates. */
struct satip_pids {
	uint16_t list[SATIP_PIDS_MAX];
	size_t n;
};

bool satip_pids_equal(const struct satip_pids *, const struct satip_pids *);

/* Appends the whole list: "pids=0,17,256". */
void satip_pids_print(const struct satip_pids *, struct buf *to);

/* Appends the difference between two lists, which must not be equal:
 * "addpids=256&delpids=17,18". */
void satip_pids_print_change(const struct satip_pids *from,
			     const struct satip_pids *to, struct buf *out);
