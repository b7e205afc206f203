/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A remux between a stream that a test builds and a judge of its output. */
#pragma once

#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/remux/remux.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

#define MS (PCR_HZ / 1000)

enum { OUT_MAX = 8192 };

/* The output, judged packet by packet. */
struct sink {
	size_t n;
	uint8_t data[OUT_MAX][TS_PACKET];
	const uint8_t *from[OUT_MAX];
	struct cc cc;
	unsigned cc_errors;
	struct psi *psi;
};

struct bench {
	struct build *in;
	struct sink *out;
	struct table_versions *versions;
	struct remux *remux;
	size_t fed;
};

struct bench bench_new(const struct remux_options *);
/* One of several sources, from 1, of a stream; si outlives it. */
struct bench bench_new_source(const struct remux_options *,
			      struct si_versions *si, uint32_t source);
/* The bench of a stream that is scrambled. */
struct bench bench_new_cas(const struct remux_options *,
			   const struct cas_list *);
/* The bench of a stream whose input is descrambled. */
struct bench bench_new_descrambled(const struct remux_options *);
/* The same with the keys eit, also of services. */
struct bench bench_new_eit(const struct remux_options *, enum table_origin,
			   const struct service_spec *list, size_t n);
/* The bench of a stream with the key onid. */
struct bench bench_new_onid(const struct remux_options *, uint16_t onid);
/* The bench of a stream that names services. */
struct bench bench_new_services(const struct remux_options *,
				const struct service_spec *list, size_t n);
/* Expects that no section was broken. */
void bench_done(struct bench *);

/* Sends the packets that were built since the last call. */
void feed(struct bench *);
/* Packets of a PID that came out. */
size_t count(const struct bench *, uint16_t pid);
/* The fields of the tables in the output. */
const struct psi_program *program(const struct bench *, size_t i);

void pat(struct bench *, uint8_t version, const struct build_entry *,
	 size_t n);
/* PCR in the video; audio may be 0. */
void pmt(struct bench *, struct build_entry, uint8_t version, uint16_t video,
	 uint16_t audio);
/* A section with extension 7 and version 0. */
void put_table(struct bench *, uint16_t pid, uint8_t table_id,
	       const char *body, size_t len);

/* 1 on 0x100 with 0x101 and 0x102, 2 on 0x200 with 0x201 and 0x202. */
extern const struct build_entry two[2];
void two_programs(struct bench *);
/* Packets of both, each lasting a millisecond: 18 a round. */
void play(struct bench *, size_t rounds);

/* The sections of a PID that came out; expects that they are whole. */
struct sections {
	size_t n;
	struct section_assembler assembler;
	uint8_t buffer[4096];
	uint8_t last[4096];
	size_t len;
};
void collect(const struct bench *, uint16_t pid, struct sections *);
