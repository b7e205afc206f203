/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/scrambler.h"

#include "common/base/alloc.h"
#include "common/base/units.h"

#include <stdlib.h>
#include <string.h>

enum {
	PACKETS = 73 * DATAGRAM_PACKETS,
	/* transport_scrambling_control 10 and 11, as bits of the fourth byte */
	SCRAMBLING_EVEN = 0x80,
	SCRAMBLING_ODD = 0xc0,
	SI_PIDS = 0x20, /* PIDs below are those of tables (EN 300 468 5.1.3) */
	PROGRAMS = 65536,
};

struct scrambler {
	struct csa *csa;
	const struct psi *psi;
	struct scrambler_pids *pids;
	uint8_t parity; /* SCRAMBLING_EVEN or SCRAMBLING_ODD */
	enum scrambler_mode mode;
	unsigned classes; /* classes that are scrambled; bits: 1 << enum
			   * pid_class */
	bool knows;        /* a PMT or components of the last worker are
			    * known */
	/* bits by program number: programs of the PAT whose PMT is missing */
	uint8_t lacks[PROGRAMS / 8];
	bool waits;        /* waits for a PMT: unknown PIDs become null
			    * packets */
	uint32_t changes;  /* psi_changes() when the tables were last checked */
	uint64_t until_ns; /* end of the wait for a PMT */
	size_t n;
	uint8_t packets[PACKETS][TS_PACKET];
};

void scrambler_set_word(struct scrambler *s,
			const uint8_t control_word[CSA_CONTROL_WORD], bool odd)
{
	csa_set(s->csa, control_word);
	s->parity = odd ? SCRAMBLING_ODD : SCRAMBLING_EVEN;
}

void scrambler_set_mode(struct scrambler *s, enum scrambler_mode mode)
{
	s->mode = mode;
}

void scrambler_set_classes(struct scrambler *s, unsigned classes)
{
	s->classes = classes;
}

struct scrambler *scrambler_new(const struct csa_core *core,
				const uint8_t control_word[CSA_CONTROL_WORD],
				struct scrambler_pids *pids)
{
	struct scrambler *s = xcalloc(1, sizeof *s);

	s->csa = csa_new(core);
	s->classes = ~0u;
	scrambler_set_word(s, control_word, false);
	s->pids = pids;
	for (size_t i = 0; i < sizeof pids->bits; i++)
		s->knows |= pids->bits[i] != 0;
	s->waits = !s->knows;
	return s;
}

void scrambler_free(struct scrambler **ps)
{
	struct scrambler *s = *ps;

	*ps = NULL;
	if (s == NULL)
		return;
	csa_free(&s->csa);
	free(s);
}

void scrambler_set_psi(struct scrambler *s, const struct psi *psi)
{
	s->psi = psi;
}

static bool was_component(const struct scrambler *s, uint16_t pid)
{
	return s->pids->bits[pid / 8] >> pid % 8 & 1;
}

static void note_component(struct scrambler *s, uint16_t pid, bool is)
{
	uint8_t bit = (uint8_t)(1u << pid % 8);

	if (is)
		s->pids->bits[pid / 8] |= bit;
	else
		s->pids->bits[pid / 8] &= (uint8_t)~bit;
}

static bool is_component(struct scrambler *s, uint16_t pid)
{
	enum pid_class class = psi_class(s->psi, pid);
	bool is = s->classes >> class & 1;

	switch (class) {
	case PID_VIDEO:
	case PID_AUDIO:
	case PID_SUBTITLE:
	case PID_TELETEXT:
	case PID_OTHER:
		if (is != was_component(s, pid))
			note_component(s, pid, is);
		break;
	case PID_AIT:
	case PID_DATA:
	case PID_PSI:
		if (was_component(s, pid))
			note_component(s, pid, false);
		break;
	case PID_UNKNOWN:
		break;
	}
	return was_component(s, pid);
}

/* Notes the programs whose PMT is missing; true: one of them is new.  *ret: the
 * PMT of some program is missing. */
static bool note_lacks(struct scrambler *s, bool *ret)
{
	const struct psi_program *list;
	size_t n = psi_programs(s->psi, &list);
	uint8_t before[PROGRAMS / 8];
	bool gained = false;

	memcpy(before, s->lacks, sizeof before);
	memset(s->lacks, 0, sizeof s->lacks);
	*ret = false;
	for (size_t i = 0; i < n; i++) {
		unsigned number = list[i].number;

		if (list[i].pmt.data != NULL)
			continue;
		*ret = true;
		s->lacks[number / 8] |= (uint8_t)(1u << number % 8);
		gained |= !(before[number / 8] >> number % 8 & 1);
	}
	return gained;
}

/* Checks the tables.  Ends the wait for PMTs after SCRAMBLER_PMT_MS, because
 * some programs in a PAT never have a PMT. */
static void look(struct scrambler *s, uint64_t now_ns)
{
	uint32_t changes = psi_changes(s->psi);

	if (changes != s->changes) {
		bool lacks, gained = note_lacks(s, &lacks);

		s->knows |= psi_has_pmt(s->psi);
		if (gained) {
			s->until_ns = now_ns + SCRAMBLER_PMT_MS * MS;
			s->waits = true;
		}
		s->waits &= lacks || !s->knows;
		s->changes = changes;
	}
	if (s->knows && s->waits && now_ns >= s->until_ns)
		s->waits = false;
}

static void make_null(uint8_t *p)
{
	memset(p, 0xff, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = TS_PID_NULL >> 8;
	p[3] = 0x10;
}

/* Copies a packet, and adds its payload to the batch. */
static void take(struct scrambler *s, const uint8_t *packet)
{
	uint8_t *p = memcpy(s->packets[s->n++], packet, TS_PACKET);
	uint16_t pid = ts_pid(p);
	bool component = is_component(s, pid);
	size_t offset = ts_payload_offset(p);

	if (s->waits && pid >= SI_PIDS && !component &&
	    psi_class(s->psi, pid) == PID_UNKNOWN) {
		make_null(p);
		return;
	}
	if (component && s->mode == SCRAMBLER_STOP) {
		make_null(p);
		return;
	}
	if (!component || s->mode != SCRAMBLER_ON || ts_scrambling(p) != 0 ||
	    offset == TS_PACKET)
		return;
	p[3] |= s->parity;
	if (csa_add(s->csa, p + offset, TS_PACKET - offset) == 0)
		csa_scramble(s->csa);
}

static void flush(struct scrambler *s, ts_out_fn *out, void *arg)
{
	struct ts_run run = { s->packets[0], s->n };

	if (s->n == 0)
		return;
	csa_scramble(s->csa);
	s->n = 0;
	out(&run, 1, arg);
}

void scrambler_feed(struct scrambler *s, const struct ts_run *runs,
		    size_t n_runs, uint64_t now_ns, ts_out_fn *out, void *arg)
{
	look(s, now_ns);
	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			take(s, runs[i].data + k * TS_PACKET);
			if (s->n == PACKETS)
				flush(s, out, arg);
		}
	}
	flush(s, out, arg);
}
