/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/psi.h"

#include "common/base/alloc.h"
#include "worker/ts/pat.h"
#include "worker/ts/section.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A PID whose sections are assembled: that of the PAT or of a PMT. */
struct table_pid {
	uint16_t pid;
	struct section_assembler assembler;
	uint8_t buffer[SECTION_PSI_MAX];
};

/* A copy of a received section. */
struct kept {
	uint8_t *data;
	size_t len;
};

struct pat_set {
	unsigned n;    /* sections that the PAT has; 0: none received yet */
	unsigned have; /* sections that were received */
	uint8_t version;
	struct kept sections[PSI_PAT_SECTIONS_MAX];
};

struct psi {
	uint8_t classes[TS_PIDS];
	uint8_t codings[TS_PIDS];        /* pmt_coding() */
	uint8_t private_pes[TS_PIDS / 8]; /* bit set: stream_type is 0x06 */

	struct pat_set pat;     /* the valid PAT */
	struct pat_set pat_new; /* replaces pat as soon as it is complete */
	struct psi_section pat_sections[PSI_PAT_SECTIONS_MAX];
	uint16_t tsid, network_pid;

	uint16_t wanted; /* program_number, see psi_want(); 0: none */

	size_t n_programs, n_ignored;
	struct psi_program programs[PSI_PROGRAMS_MAX];
	const struct psi_program *main;

	size_t n_pids;
	/* the PIDs with tables; pids[0] is that of the PAT */
	struct table_pid *pids[1 + PSI_PROGRAMS_MAX];

	unsigned n_video, n_audio;
	uint32_t changes;
	uint32_t crc_errors;
	uint32_t broken;
};

static struct table_pid *table_pid_new(uint16_t pid)
{
	struct table_pid *t = xcalloc(1, sizeof *t);

	t->pid = pid;
	section_init(&t->assembler, t->buffer, sizeof t->buffer);
	return t;
}

static bool kept_is(const struct kept *k, const uint8_t *data, size_t len)
{
	return k->len == len && k->data && memcmp(k->data, data, len) == 0;
}

static void kept_set(struct kept *k, const uint8_t *data, size_t len)
{
	k->data = xrealloc(k->data, len);
	memcpy(k->data, data, len);
	k->len = len;
}

static void pat_set_clear(struct pat_set *set)
{
	for (size_t i = 0; i < PSI_PAT_SECTIONS_MAX; i++)
		free(set->sections[i].data);
	*set = (struct pat_set){ 0 };
}

static void program_done(struct psi_program *p)
{
	free((void *)(uintptr_t)p->pmt.data);
	*p = (struct psi_program){ 0 };
}

static void drop_tables(struct psi *psi)
{
	for (size_t i = 0; i < psi->n_programs; i++)
		program_done(&psi->programs[i]);
	psi->n_programs = psi->n_ignored = 0;
	psi->main = NULL;
	while (psi->n_pids > 1)
		free(psi->pids[--psi->n_pids]);
	pat_set_clear(&psi->pat);
	pat_set_clear(&psi->pat_new);
	memset(psi->pat_sections, 0, sizeof psi->pat_sections);
	psi->tsid = psi->network_pid = 0;
}

/* --- classes and counts --- */

static void index_program(struct psi *psi, struct psi_program *program)
{
	struct pmt pmt;

	program->pcr_pid = TS_PID_NULL;
	program->video_pid = TS_PID_NULL;
	program->audio_pid = TS_PID_NULL;
	if (!program->pmt.data ||
	    pmt_decode(program->pmt.data, program->pmt.len, &pmt) < 0)
		return;

	program->pcr_pid = pmt.pcr_pid;
	for (size_t i = 0; i < pmt.n_streams; i++) {
		const struct pmt_stream *s = &pmt.streams[i];
		uint8_t *class = &psi->classes[s->pid];

		if (s->pid < TS_PID_FREE || s->pid == TS_PID_NULL ||
		    *class == PID_PSI)
			continue;
		if (s->class == PID_VIDEO && program->video_pid == TS_PID_NULL)
			program->video_pid = s->pid;
		if (s->class == PID_AUDIO && program->audio_pid == TS_PID_NULL)
			program->audio_pid = s->pid;
		if (*class != PID_UNKNOWN) /* shared with another program */
			continue;
		*class = (uint8_t)s->class;
		psi->codings[s->pid] = pmt_coding(s);
		if (s->type == 0x06)
			psi->private_pes[s->pid / 8] |=
				(uint8_t)(1 << s->pid % 8);
		psi->n_video += s->class == PID_VIDEO;
		psi->n_audio += s->class == PID_AUDIO;
	}
}

static void index_tables(struct psi *psi)
{
	const struct psi_program *with_audio = NULL;

	memset(psi->classes, PID_UNKNOWN, sizeof psi->classes);
	memset(psi->codings, 0, sizeof psi->codings);
	memset(psi->private_pes, 0, sizeof psi->private_pes);
	psi->n_video = 0;
	psi->n_audio = 0;
	psi->main = NULL;
	for (size_t i = 0; i < psi->n_pids; i++)
		psi->classes[psi->pids[i]->pid] = PID_PSI;
	for (size_t i = 0; i < psi->n_programs; i++) {
		struct psi_program *p = &psi->programs[i];

		index_program(psi, p);
		if (!psi->main && p->video_pid != TS_PID_NULL)
			psi->main = p;
		if (!with_audio && p->audio_pid != TS_PID_NULL)
			with_audio = p;
	}
	if (!psi->main)
		psi->main = with_audio;
}

/* --- PAT --- */

/* The state while a new PAT is read into the list of programs. */
struct listing {
	struct psi_program *old; /* the list of the PAT before */
	size_t n_old;
	uint8_t seen[(UINT16_MAX + 1) / 8]; /* bit set of program numbers */
};

static void add_program(struct psi *psi, const struct pat_program *entry,
			struct listing *l)
{
	struct psi_program *p = &psi->programs[psi->n_programs++];

	*p = (struct psi_program){
		.number = entry->number,
		.pmt_pid = entry->pmt_pid,
	};
	for (size_t i = 0; i < l->n_old; i++) {
		struct psi_program *old = &l->old[i];

		if (old->number != entry->number ||
		    old->pmt_pid != entry->pmt_pid)
			continue;
		p->pmt = old->pmt;
		old->pmt = (struct psi_section){ NULL, 0 };
	}
}

/* Lists the programs of a section of the PAT.  The last entry of the list is
 * reserved for the wanted program until that is listed. */
static void list_programs(struct psi *psi, const struct pat *pat,
			  struct listing *l)
{
	size_t room = PSI_PROGRAMS_MAX;

	if (psi->wanted != 0 && !psi_program_find(psi, psi->wanted))
		room--;
	for (size_t i = 0; i < pat->n_programs; i++) {
		const struct pat_program *entry = &pat->programs[i];
		uint8_t *seen = &l->seen[entry->number / 8];
		uint8_t bit = (uint8_t)(1u << entry->number % 8);

		if (*seen & bit)
			continue;
		*seen |= bit;
		if (entry->number == psi->wanted)
			room = PSI_PROGRAMS_MAX;
		if (psi->n_programs < room)
			add_program(psi, entry, l);
		else
			psi->n_ignored++;
	}
}

/* Updates the list of PIDs whose sections are assembled to the PMT PIDs of all
 * programs. */
static void follow_pmt_pids(struct psi *psi)
{
	struct table_pid *old[1 + PSI_PROGRAMS_MAX];
	size_t n_old = psi->n_pids;

	memcpy(old, psi->pids, n_old * sizeof *old);
	psi->n_pids = 1;
	for (size_t i = 0; i < psi->n_programs; i++) {
		uint16_t pid = psi->programs[i].pmt_pid;
		size_t at = 1;

		while (at < psi->n_pids && psi->pids[at]->pid != pid)
			at++;
		if (at < psi->n_pids)
			continue;

		struct table_pid *by_pid = NULL;

		for (size_t j = 1; j < n_old; j++) {
			if (!old[j] || old[j]->pid != pid)
				continue;
			by_pid = old[j];
			old[j] = NULL;
		}
		psi->pids[psi->n_pids++] =
			by_pid ? by_pid : table_pid_new(pid);
	}
	for (size_t j = 1; j < n_old; j++)
		free(old[j]);
}

static void rebuild_programs(struct psi *psi)
{
	struct listing *l = xcalloc(1, sizeof *l);

	l->n_old = psi->n_programs;
	l->old = xcalloc(l->n_old + 1, sizeof *l->old);
	memcpy(l->old, psi->programs, l->n_old * sizeof *l->old);
	psi->n_programs = psi->n_ignored = 0;
	psi->network_pid = 0;
	for (unsigned i = 0; i < psi->pat.n; i++) {
		const struct kept *k = &psi->pat.sections[i];
		struct pat pat;
		int r = pat_decode(k->data, k->len, &pat);

		assert(r == 0);
		(void)r;
		psi->tsid = pat.tsid;
		if (psi->network_pid == 0)
			psi->network_pid = pat.network_pid;
		psi->pat_sections[i] = (struct psi_section){ k->data, k->len };
		list_programs(psi, &pat, l);
	}
	for (size_t i = 0; i < l->n_old; i++)
		program_done(&l->old[i]);
	free(l->old);
	free(l);
	follow_pmt_pids(psi);
}

static bool on_pat(struct psi *psi, const uint8_t *section, size_t len)
{
	struct pat_set *set = &psi->pat_new;
	struct pat pat;

	if (pat_decode(section, len, &pat) < 0) {
		psi->broken++;
		return false;
	}
	if (!pat.current)
		return false;

	unsigned n = pat.last_section_number + 1u;

	if (set->n == 0 && psi->pat.n == n &&
	    kept_is(&psi->pat.sections[pat.section_number], section, len))
		return false;
	if (set->n != n || set->version != pat.version)
		pat_set_clear(set);
	set->n = n;
	set->version = pat.version;
	set->have += set->sections[pat.section_number].data == NULL;
	kept_set(&set->sections[pat.section_number], section, len);
	if (set->have < n)
		return false;

	bool is_same = psi->pat.n == n;

	for (unsigned i = 0; is_same && i < n; i++)
		is_same = kept_is(&psi->pat.sections[i], set->sections[i].data,
				  set->sections[i].len);
	if (is_same) {
		pat_set_clear(set);
		return false;
	}
	pat_set_clear(&psi->pat);
	psi->pat = *set;
	*set = (struct pat_set){ 0 };
	rebuild_programs(psi);
	return true;
}

/* --- PMT --- */

static bool on_pmt(struct psi *psi, uint16_t pid, const uint8_t *section,
		   size_t len)
{
	struct pmt pmt;

	if (pmt_decode(section, len, &pmt) < 0) {
		psi->broken++;
		return false;
	}
	if (!pmt.current)
		return false;

	for (size_t i = 0; i < psi->n_programs; i++) {
		struct psi_program *p = &psi->programs[i];

		if (p->number != pmt.program || p->pmt_pid != pid)
			continue;

		struct kept k = { (uint8_t *)(uintptr_t)p->pmt.data,
				  p->pmt.len };

		if (kept_is(&k, section, len))
			return false;
		kept_set(&k, section, len);
		p->pmt = (struct psi_section){ k.data, k.len };
		return true;
	}
	return false;
}

/* --- public --- */

struct psi *psi_new(void)
{
	struct psi *psi = xcalloc(1, sizeof *psi);

	psi->pids[0] = table_pid_new(TS_PID_PAT);
	psi->n_pids = 1;
	psi->classes[TS_PID_PAT] = PID_PSI;
	return psi;
}

void psi_free(struct psi **psi)
{
	if (!*psi)
		return;
	drop_tables(*psi);
	free((*psi)->pids[0]);
	free(*psi);
	*psi = NULL;
}

void psi_reset(struct psi *psi)
{
	drop_tables(psi);
	section_reset(&psi->pids[0]->assembler);
	psi->changes = 0;
	index_tables(psi);
}

void psi_want(struct psi *psi, uint16_t number)
{
	psi->wanted = number;
}

bool psi_feed(struct psi *psi, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	struct table_pid *t;
	const uint8_t *section;
	bool changed = false;
	size_t len, i = 0;

	while (i < psi->n_pids && psi->pids[i]->pid != pid)
		i++;
	if (i == psi->n_pids)
		return false;
	t = psi->pids[i];
	section_push(&t->assembler, packet);
	while ((section = section_pull(&t->assembler, &len))) {
		uint8_t table_id = section_table_id(section);

		if (t->pid == TS_PID_PAT && table_id == PAT_TABLE_ID)
			changed |= on_pat(psi, section, len);
		else if (t->pid != TS_PID_PAT && table_id == PMT_TABLE_ID)
			changed |= on_pmt(psi, t->pid, section, len);
	}
	psi->crc_errors += t->assembler.crc_errors;
	psi->broken += t->assembler.broken;
	t->assembler.crc_errors = 0;
	t->assembler.broken = 0;
	if (changed) {
		index_tables(psi);
		psi->changes++;
	}
	return changed;
}

const uint8_t *psi_classes(const struct psi *psi)
{
	return psi->classes;
}

static void mark_pid(uint16_t pid, const struct desc *ca, void *arg)
{
	uint64_t *set = arg;

	(void)ca;
	if (pid != TS_PID_NULL)
		set[pid / 64] |= UINT64_C(1) << pid % 64;
}

void psi_used_pids(const struct psi *psi, uint64_t ret[TS_PIDS / 64])
{
	struct pmt pmt;

	memset(ret, 0, TS_PIDS / 8);
	for (size_t i = 0; i < psi->n_pids; i++)
		mark_pid(psi->pids[i]->pid, NULL, ret);
	for (size_t i = 0; i < psi->n_programs; i++) {
		const struct psi_section *s = &psi->programs[i].pmt;

		if (s->data != NULL && pmt_decode(s->data, s->len, &pmt) == 0)
			pmt_each_pid(&pmt, mark_pid, ret);
	}
}

uint8_t psi_stream_type(const struct psi *psi, uint16_t pid)
{
	pid &= 0x1fff;
	return psi->private_pes[pid / 8] >> pid % 8 & 1 ? 0x06
							: psi->codings[pid];
}

uint8_t psi_coding(const struct psi *psi, uint16_t pid)
{
	return psi->codings[pid & 0x1fff];
}

uint32_t psi_changes(const struct psi *psi)
{
	return psi->changes;
}

bool psi_has_pat(const struct psi *psi)
{
	return psi->pat.n > 0;
}

bool psi_has_pmt(const struct psi *psi)
{
	for (size_t i = 0; i < psi->n_programs; i++)
		if (psi->programs[i].pmt.data)
			return true;
	return false;
}

uint16_t psi_tsid(const struct psi *psi)
{
	return psi->tsid;
}

uint16_t psi_network_pid(const struct psi *psi)
{
	return psi->network_pid;
}

size_t psi_pat(const struct psi *psi, const struct psi_section **ret)
{
	*ret = psi->pat_sections;
	return psi->pat.n;
}

size_t psi_programs(const struct psi *psi, const struct psi_program **ret)
{
	*ret = psi->programs;
	return psi->n_programs;
}

size_t psi_ignored(const struct psi *psi)
{
	return psi->n_ignored;
}

const struct psi_program *psi_program_find(const struct psi *psi,
					   uint16_t number)
{
	for (size_t i = 0; i < psi->n_programs; i++)
		if (psi->programs[i].number == number)
			return &psi->programs[i];
	return NULL;
}

bool psi_program_is_scrambled(const struct psi_program *p)
{
	struct desc d;
	struct pmt pmt;
	bool found;

	if (p->pmt.data == NULL ||
	    pmt_decode(p->pmt.data, p->pmt.len, &pmt) < 0)
		return false;
	found = desc_find(pmt.descriptors, DESC_CA, &d);
	for (size_t i = 0; i < pmt.n_streams && !found; i++)
		found = desc_find(pmt.streams[i].descriptors, DESC_CA, &d);
	return found;
}

const struct psi_program *psi_main_program(const struct psi *psi)
{
	return psi->main;
}

uint16_t psi_main_pid(const struct psi *psi)
{
	if (!psi->main)
		return TS_PID_NULL;
	if (psi->main->video_pid != TS_PID_NULL)
		return psi->main->video_pid;
	return psi->main->audio_pid;
}

unsigned psi_video_count(const struct psi *psi)
{
	return psi->n_video;
}

unsigned psi_audio_count(const struct psi *psi)
{
	return psi->n_audio;
}

uint32_t psi_crc_errors(const struct psi *psi)
{
	return psi->crc_errors;
}

uint32_t psi_broken(const struct psi *psi)
{
	return psi->broken;
}
