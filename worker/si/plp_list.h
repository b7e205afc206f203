/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the PLPs of T2-MI (ETSI TS 102 773) in a transport stream: on the PIDs
 * of streams with a T2MI_descriptor in a PMT, and on the PID that gateways use
 * by default.
 *
 * Pure.
 */
#pragma once

#include "worker/ts/packet.h"

#include <jansson.h>

enum { PLP_LIST_PIDS = 4 }; /* PIDs that are read; further ones are ignored */

struct plp_list;

/* Called when another PLP appears on a PID.  plps: the numbers of all PLPs of
 * the PID, borrowed.  False: the owner has no room now, and gets the list again
 * with a later frame. */
typedef bool plp_list_fn(uint16_t pid, const json_t *plps, void *arg);

struct plp_list *plp_list_new(plp_list_fn *, void *arg);
/* NULL-safe; sets *l to NULL. */
void plp_list_free(struct plp_list **l);

/* Takes a whole section of a PMT. */
void plp_list_take_pmt(struct plp_list *, const uint8_t *section, size_t len);

/* Takes packets of the stream. */
void plp_list_feed(struct plp_list *, const struct ts_run *runs,
		   size_t n_runs);
