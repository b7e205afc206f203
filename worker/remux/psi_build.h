/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds PAT, PMT and CAT, section by section, with version 0: the caller looks
 * up the version of the content and sets it with section_set_version().
 *
 * Each function that builds a section writes at most SECTION_PSI_MAX bytes and
 * returns their number; 0: there is no such section.
 */
#pragma once

#include "proto/spec/remux_options.h"
#include "worker/remux/ids.h"
#include "worker/remux/pid_plan.h"
#include "worker/remux/remux.h"
#include "worker/remux/selection.h"
#include "worker/ts/pat.h"
#include "worker/ts/section.h"

void section_set_version(uint8_t *section, size_t len, uint8_t version);

struct pat_content {
	uint16_t tsid;
	uint16_t network_pid; /* PID of the NIT; 0: the PAT names no NIT */
	const struct pat_program *programs;
	size_t n_programs;
};

/* pat_build_sections() returns the number of sections of the PAT, at least 1;
 * pat_build() builds one of them. */
size_t pat_build_sections(const struct pat_content *);
size_t pat_build(const struct pat_content *, size_t number,
		 uint8_t ret[SECTION_PSI_MAX]);

struct pmt_content {
	const struct remux_options *options;
	const struct selection *selection;
	const struct pid_plan *plan;
	const struct ids *ids;
	uint16_t pmt_pid;      /* PMT PID in the source */
	/* the added stream, with the PID plan->guest; NULL: none */
	const struct remux_guest *guest;
	uint8_t ait_version;   /* version of the AIT with the PID plan->ait */
	const struct cas_list *cas; /* as in remux_config; NULL: none */
};

/*
 * The PMT has all descriptors of the source, including private ones, except
 * references to streams that are not sent.  PIDs in descriptors are those of
 * the plan.  If the PMT exceeds 1,024 bytes, private descriptors are dropped
 * first, then others that no stream depends on, then the remaining descriptors,
 * and then the last streams.
 */
size_t pmt_build(const struct pmt_content *, uint8_t ret[SECTION_PSI_MAX],
		 struct pmt_omitted *ret_omitted);

/* Writes a section of the source's CAT, whose CRC_32 was checked, with the PIDs
 * of the plan; 0 when it is not a CAT. */
size_t cat_build(const struct remux_options *, const struct pid_plan *,
		 const uint8_t *section, size_t len,
		 uint8_t ret[SECTION_PSI_MAX]);

/* Writes a CAT with the CA_descriptors of the systems in the list alone. */
size_t cat_build_own(const struct cas_list *, uint8_t ret[SECTION_PSI_MAX]);

/* Finds the descriptor loop of a CAT; false: the section is not a CAT, or is
 * malformed. */
bool cat_loop(const uint8_t *section, size_t len, struct desc_loop *ret);
