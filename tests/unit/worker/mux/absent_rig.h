/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A multiplex of two inputs, whose sources the test makes, and what is sent. */
#pragma once

#include "tests/unit/worker/ts/build.h"
#include "worker/mux/mux.h"
#include "worker/ts/cc.h"
#include "worker/ts/section.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	INPUTS = 2,
	TICK_MS = 10,
	ABSENT_MS = 1000,
	DELAY_MS = 400,
	RETURN_MS = 5000,
	VIDEO_OUT = 157, PMT_OUT = 156, /* of input 0 */
	OTHER_OUT = 257,
	SECOND_OUT = 173, SECOND_PMT_OUT = 172, /* of the second service */
};

struct absent_rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	struct remux *remux[INPUTS];
	struct build *sources[INPUTS]; /* for their counters */
	struct side {
		struct mux *mux;
		size_t i;
	} sides[INPUTS];
	bool off;       /* input 0 has no packets */
	bool no_intra;  /* it has P pictures alone */
	bool renews;    /* its PMT changes every 100 ms */
	bool two;       /* it has a second service ... */
	bool second_off; /* ... without pictures */
	bool twin; /* ... with the pictures of the first */
	bool own_sound; /* ... and with sound of its own */
	unsigned version; /* of its PMT */
	unsigned between; /* packets of sound inside an I picture */
	unsigned pictures;
	uint64_t now_ns, pcr;

	struct cc cc;
	unsigned cc_errors;
	uint64_t of_pid[TS_PIDS];
	uint64_t pmt_ns, pmt_gap_ns; /* the last PMT_OUT, the longest gap */
	size_t pmt_len;   /* of the first PMT_OUT since it was 0 */
	bool second_began, second_intra; /* as the two below */
	bool began;       /* a packet of the video since the last stop */
	bool began_intra; /* the first one has an I picture */
	struct section_assembler sdt;
	uint8_t sdt_buffer[SECTION_MAX];
	size_t services; /* of the SDT */
	size_t stopped;  /* that are not running */
	uint64_t packets, sdt_at; /* of the output, at the last SDT */
	uint64_t sdt_apart; /* the fewest packets from one SDT to the next */
};

struct absent_rig *absent_rig_of(unsigned absent_ms, unsigned delay_ms);
/* With ABSENT_MS and DELAY_MS. */
struct absent_rig *absent_rig_new(void);
void absent_rig_free(struct absent_rig *);

/* Runs the sources and the multiplex for this time. */
void absent_rig_play(struct absent_rig *, unsigned ms);

/* A multiple of TICK_MS, from first to below end. */
unsigned absent_rig_draw(unsigned *seed, unsigned first, unsigned end);

/* The programs of the PAT of the output. */
size_t absent_rig_programs(const struct absent_rig *);
/* Has the first input an absent service? */
bool absent_rig_is_absent(const struct absent_rig *);
/* The nth service of the first input. */
struct mux_service_state absent_rig_service(const struct absent_rig *,
					    size_t nth);
