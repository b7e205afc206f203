/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ca_stage between scrambled packets, whose clear ones it keeps, and softcams
 * whose answers the test decides. */
#pragma once

#include "worker/ca/ca_stage.h"

#include "common/base/units.h"
#include "worker/csa/csa.h"

#include <stddef.h>
#include <stdint.h>

enum {
	PMT_PID = 0x20,
	VIDEO = 0x101,
	AUDIO = 0x102,
	DATA = 0x103, /* sections, one in each packet */
	ECM_A = 0x201, /* of CAID_A */
	ECM_B = 0x202, /* of CAID_B */
	EMM_PID = 0x300,
	CAID_A = 0x0b00,
	CAID_B = 0x0500,
	SID = 7,
	ASKED_MAX = 1024,
	OUT_MAX = 80000,
	PERIOD = 40, /* packets of each component in a crypto period */
};

/* What a softcam was asked. */
struct question {
	char name[65];
	bool emm;
	unsigned number, sid, caid, period;
	uint64_t at_ns;
};

struct rig {
	struct descrambler *descrambler;
	struct ca_stage *stage;
	uint64_t now_ns;
	unsigned n_components; /* of the PMT: video, audio, data */
	uint8_t cc[TS_PIDS];
	size_t n_asked, n_out, n_clear;
	struct question asked[ASKED_MAX];
	uint8_t out[OUT_MAX][TS_PACKET];
	uint8_t clear[OUT_MAX][TS_PACKET];
	struct csa *csa;
};

struct rig *rig_new(const char *cams, unsigned shift_ms);
void rig_free(struct rig *g);
void rig_turn(struct rig *g, unsigned ms);
void rig_put(struct rig *g, const uint8_t *p, const uint8_t *clear);
void rig_put_section(struct rig *g, uint16_t pid, const uint8_t *section,
		     size_t len);
void rig_put_table(struct rig *g, uint16_t pid, uint8_t *s, size_t len);
void rig_put_tables(struct rig *g, uint8_t version, bool of_components);
void rig_word_of(unsigned period, unsigned salt, uint8_t ret[8]);
void rig_put_ecm(struct rig *g, uint16_t pid, unsigned period);
void rig_put_packet(struct rig *g, uint16_t pid, unsigned period,
		    unsigned salt);
void rig_put_period(struct rig *g, unsigned period);
void rig_report(struct rig *g, const char *id, unsigned caid,
		const char *error);
void rig_answer(struct rig *g, const struct question *q, unsigned salt);
void rig_refuse(struct rig *g, const struct question *q, const char *error);
const struct question *rig_last(const struct rig *g);
void rig_assert_clear(struct rig *g);
unsigned rig_scrambled(struct rig *g);
