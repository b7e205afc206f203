/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PAT, PMT and CAT made anew, section by section, with version 0: the caller
 * asks for the version of the content and sets it with section_set_version().
 *
 * All write at most SECTION_PSI_MAX bytes and return the length, 0 when there
 * is no such section.
 */
#pragma once

#include "proto/spec/remux_options.h"
#include "worker/remux/guest.h"
#include "worker/remux/ids.h"
#include "worker/remux/pid_plan.h"
#include "worker/remux/selection.h"
#include "worker/ts/pat.h"
#include "worker/ts/section.h"

void section_set_version(uint8_t *section, size_t len, uint8_t version);

struct pat_content {
	uint16_t tsid;
	uint16_t network_pid; /* 0: none is named */
	const struct pat_program *programs;
	size_t n_programs;
};

/* How many sections it takes, at least one. */
size_t pat_build_sections(const struct pat_content *);
size_t pat_build(const struct pat_content *, size_t number,
		 uint8_t ret[SECTION_PSI_MAX]);

struct pmt_content {
	const struct remux_options *options;
	const struct selection *selection;
	const struct pid_plan *plan;
	const struct ids *ids; /* of this program */
	uint16_t pmt_pid;      /* of the source */
	const struct remux_guest *guest; /* on plan->guest; NULL: none */
	uint8_t ait_version;   /* of the AIT that plan->ait carries */
};

/*
 * All descriptors of the source, private ones too, but for those that refer
 * to what does not go out; PIDs inside them are those of the plan.  What does
 * not fit (the source had 1,024 bytes as well) is left out, last first.
 */
size_t pmt_build(const struct pmt_content *, uint8_t ret[SECTION_PSI_MAX]);

/* A section of the source's CAT (its CRC_32 was right), with the PIDs of the
 * plan; 0 when it is none. */
size_t cat_build(const struct remux_options *, const struct pid_plan *,
		 const uint8_t *section, size_t len,
		 uint8_t ret[SECTION_PSI_MAX]);

/* The loop of descriptors in a CAT; false when the section is none. */
bool cat_loop(const uint8_t *section, size_t len, struct desc_loop *ret);
