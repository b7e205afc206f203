/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/program_filter.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "proto/si/desc.h"
#include "worker/remux/psi_build.h"
#include "worker/ts/pmt.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

enum {
	CAT_SECTIONS = 4,
	SECTION_NUMBER = 6,
};

struct table {
	size_t len; /* 0: there is no section */
	uint8_t data[SECTION_PSI_MAX];
};

struct program_filter {
	uint8_t marks[TS_PIDS];
	struct program_choice choice;
	struct psi *psi;
	struct table pmt; /* the last PMT of the program */
	struct section_assembler cat_in;
	uint8_t buffer[SECTION_PSI_MAX];
	/* sections of the CAT by section_number */
	struct table cat[CAT_SECTIONS];
};

static void mark(struct program_filter *f, uint16_t pid)
{
	f->marks[pid & 0x1fff] = PROGRAM_PASS;
}

static void take_pid(uint16_t pid, const struct desc *ca, void *arg)
{
	(void)ca;
	mark(arg, pid);
}

static void mark_pmt(struct program_filter *f)
{
	struct pmt pmt;

	if (f->pmt.len > 0 && pmt_decode(f->pmt.data, f->pmt.len, &pmt) == 0)
		pmt_each_pid(&pmt, take_pid, f);
}

static void mark_emms(struct program_filter *f)
{
	struct desc_loop loop;
	struct desc d;
	uint16_t pid;

	for (size_t i = 0; i < CAT_SECTIONS; i++) {
		if (f->cat[i].len == 0 ||
		    !cat_loop(f->cat[i].data, f->cat[i].len, &loop))
			continue;
		while (desc_next(&loop, &d))
			if (desc_ca_pid(&d, &pid))
				mark(f, pid);
	}
}

static void keep(struct table *t, const uint8_t *data, size_t len)
{
	if (len > sizeof t->data)
		return;
	memcpy(t->data, data, len);
	t->len = len;
}

static void mark_program(struct program_filter *f)
{
	const struct psi_program *p =
		psi_program_find(f->psi, f->choice.number);

	if (p == NULL) {
		f->pmt.len = 0;
		return;
	}
	if (p->pmt.data != NULL)
		keep(&f->pmt, p->pmt.data, p->pmt.len);
	mark(f, p->pmt_pid);
	mark_pmt(f);
}

/* Marks the PIDs whose tables the filter reads. */
static void mark_tables(struct program_filter *f)
{
	const struct psi_program *programs;
	size_t n = psi_programs(f->psi, &programs);

	f->marks[TS_PID_PAT] = PROGRAM_TABLE;
	for (size_t i = 0; i < n; i++)
		if (f->marks[programs[i].pmt_pid] != 0)
			f->marks[programs[i].pmt_pid] = PROGRAM_TABLE;
	if (f->choice.emms)
		f->marks[SI_PID_CAT] = PROGRAM_TABLE;
}

/* Chooses the PIDs again after a change of the tables. */
static void plan(struct program_filter *f)
{
	const struct psi_program *programs;
	size_t n = psi_programs(f->psi, &programs);
	bool all = !psi_has_pat(f->psi) || n == 1;

	memset(f->marks, all ? PROGRAM_PASS : 0, sizeof f->marks);
	for (uint16_t pid = 0; pid < SI_PIDS_END; pid++)
		mark(f, pid);
	mark(f, psi_network_pid(f->psi));
	mark(f, SI_PID_PSIP);
	for (size_t i = 0; i < PROGRAM_CHOICE_PIDS; i++)
		mark(f, f->choice.pids[i]);
	for (size_t i = 0; i < n && f->choice.tables; i++)
		mark(f, programs[i].pmt_pid);
	mark_program(f);
	if (f->choice.emms)
		mark_emms(f);
	/* the PMT of a program without PCRs names this PID */
	if (!all)
		f->marks[TS_PID_NULL] = 0;
	mark_tables(f);
}

struct program_filter *program_filter_new(const struct program_choice *choice)
{
	struct program_filter *f = xcalloc(1, sizeof *f);

	f->choice = *choice;
	f->psi = psi_new();
	psi_want(f->psi, choice->number);
	section_init(&f->cat_in, f->buffer, sizeof f->buffer);
	plan(f);
	return f;
}

void program_filter_free(struct program_filter **f)
{
	if (*f == NULL)
		return;
	psi_free(&(*f)->psi);
	free(*f);
	*f = NULL;
}

void program_filter_change(struct program_filter *f,
			   const struct program_choice *choice)
{
	f->choice.emms = choice->emms;
	f->choice.tables = choice->tables;
	memcpy(f->choice.pids, choice->pids, sizeof f->choice.pids);
	plan(f);
}

const uint8_t *program_filter_marks(const struct program_filter *f)
{
	return f->marks;
}

/* Takes a packet of the CAT.  True: the CAT has changed, so the PIDs of EMMs
 * may have changed. */
static bool take_cat(struct program_filter *f, const uint8_t *packet)
{
	const uint8_t *section;
	struct desc_loop loop;
	bool changed = false;
	size_t len;

	section_push(&f->cat_in, packet);
	while ((section = section_pull(&f->cat_in, &len)) != NULL) {
		if (!cat_loop(section, len, &loop) ||
		    section[SECTION_NUMBER] >= CAT_SECTIONS)
			continue;

		struct table *t = &f->cat[section[SECTION_NUMBER]];

		if (t->len == len && memcmp(t->data, section, len) == 0)
			continue;
		keep(t, section, len);
		changed = true;
	}
	return changed;
}

void program_filter_feed(struct program_filter *f, const uint8_t *packet)
{
	bool changed = ts_pid(packet) == SI_PID_CAT ? take_cat(f, packet)
						    : psi_feed(f->psi, packet);

	if (changed)
		plan(f);
}
