/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selects the sections that are sent in front of the first packet for a
 * decoder: the whole PAT and all PMTs.
 *
 * If these need more than PSI_LEAD_PACKETS packets, only the PAT section that
 * names the main program and the PMT of this program are selected.  A decoder
 * of that program needs no others, and the stream repeats them anyway.
 *
 * Pure.
 */
#pragma once

#include "worker/ts/psi.h"

enum { PSI_LEAD_PACKETS = 256 };

/* Receives a section as the stream has it, at most SECTION_PSI_MAX bytes. */
typedef void psi_lead_fn(const struct psi_section *, uint16_t pid, void *arg);

/* Passes each selected section to put. */
void psi_lead(const struct psi *, psi_lead_fn *put, void *arg);
