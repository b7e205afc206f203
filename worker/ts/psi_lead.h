/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selects the sections that go in front of a place where a decoder begins: the
 * whole PAT and all PMTs.
 *
 * Where these exceed PSI_LEAD_PACKETS, only the PAT section that names the main
 * program and the PMT of this program lead: they are all that its decoder
 * needs, and the stream repeats the others.
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
