/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/si/collect.h"

#include "common/base/alloc.h"
#include "common/base/crc32.h"
#include "common/base/hash.h"
#include "worker/ts/pat.h"
#include "worker/ts/pmt.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>

enum {
	SPLICE_TABLE_ID = 0xfc,
	SPLICE_STREAM_TYPE = 0x86,
	/* bit of splice information, which is not in enum si_table */
	SI_SPLICE = SI_TABLES,
	SI_VCT, /* bit of the VCTs of ATSC (A/65), which are not in enum
		 * si_table */
	TVCT_TABLE_ID = 0xc8,
	CVCT_TABLE_ID = 0xc9,
};

/* The state of a PID that is read. */
struct pid_filter {
	unsigned tables; /* bit n: sections of table n (enum si_table, SI_SPLICE
			  * or SI_VCT) are read on this PID */
	struct section_assembler assembler;
	uint8_t buffer[SECTION_MAX];
};

/* The last version of a section that was passed to on_section(). */
struct seen {
	uint64_t name; /* hash that identifies the section; 0: the entry is
			* free */
	uint32_t content; /* CRC of the bytes of the section */
};

struct collect {
	collect_fn *on_section;
	void *arg;
	size_t n_pmts, n_splices;
	size_t n_seen, n_eits; /* sections in `seen'; EIT among them */
	struct pid_filter *filters[TS_PIDS]; /* for each PID: its state; NULL:
					      * it is not read */
	struct seen seen[2 * COLLECT_SECTIONS];
};

static void add_pid(struct collect *c, uint16_t pid, unsigned table)
{
	struct pid_filter *filter = c->filters[pid];

	if (filter == NULL) {
		filter = c->filters[pid] = xcalloc(1, sizeof *filter);
		section_init(&filter->assembler, filter->buffer, SECTION_MAX);
	}
	filter->tables |= 1u << table;
}

struct collect *collect_new(collect_fn *on_section, void *arg)
{
	struct collect *c = xcalloc(1, sizeof *c);

	c->on_section = on_section;
	c->arg = arg;
	add_pid(c, TS_PID_PAT, SI_PAT);
	add_pid(c, SI_PID_CAT, SI_CAT);
	add_pid(c, SI_PID_NIT, SI_NIT);
	add_pid(c, SI_PID_SDT, SI_SDT);
	add_pid(c, SI_PID_EIT, SI_EIT);
	add_pid(c, SI_PID_TDT, SI_TDT);
	add_pid(c, SI_PID_PSIP, SI_VCT);
	return c;
}

void collect_free(struct collect **cp)
{
	struct collect *c = *cp;

	*cp = NULL;
	if (c == NULL)
		return;
	for (size_t i = 0; i < TS_PIDS; i++)
		free(c->filters[i]);
	free(c);
}

static void report_new(struct collect *c, const uint8_t *section, size_t len,
		       uint16_t pid)
{
	const uint8_t head[] = { (uint8_t)(pid >> 8), (uint8_t)pid,
				 section[0] };
	bool has_syntax = section_has_syntax(section), actual;
	enum si_table table = si_table_find(section[0], &actual);
	/* without CRC_32, because the CRC over bytes and their CRC_32 is always
	 * 0 */
	uint32_t content = crc32_mpeg(
		section, len - (has_syntax || len > 12 ? 4 : 0));
	/* `name' identifies a section in all its versions, by PID, table_id,
	 * extension and section_number, and for SDT and EIT also by the
	 * identifiers of the transport stream */
	uint64_t name = hash_add(HASH_INIT, head, sizeof head);
	struct seen *seen;
	size_t i;

	if (has_syntax && len >= 12) {
		name = hash_add(name, section + 3, 2);
		name = hash_add(name, section + 6, 1);
		if (table == SI_SDT || table == SI_EIT)
			name = hash_add(name, section + 8, 4);
	}
	name = MAX(name, 1);
	i = name % (2 * COLLECT_SECTIONS);
	while (c->seen[i].name != 0 && c->seen[i].name != name)
		i = (i + 1) % (2 * COLLECT_SECTIONS);
	seen = &c->seen[i];
	if (seen->name == name && seen->content == content)
		return;
	if (seen->name == 0 && (c->n_seen == COLLECT_SECTIONS ||
				(table == SI_EIT &&
				 c->n_eits == COLLECT_EITS)))
		return;
	if (!c->on_section(section, len, pid, c->arg))
		return;
	c->n_seen += seen->name == 0;
	c->n_eits += seen->name == 0 && table == SI_EIT;
	*seen = (struct seen){ name, content };
}

static void read_pat(struct collect *c, const uint8_t *section, size_t len)
{
	struct pat pat;

	if (pat_decode(section, len, &pat) < 0 || !pat.current)
		return;
	if (pat.network_pid >= TS_PID_FREE && pat.network_pid != TS_PID_NULL)
		add_pid(c, pat.network_pid, SI_NIT);
	for (size_t i = 0; i < pat.n_programs; i++) {
		uint16_t pid = pat.programs[i].pmt_pid;
		const struct pid_filter *filter = c->filters[pid];

		if (filter != NULL && filter->tables & 1u << SI_PMT)
			continue;
		if (c->n_pmts == COLLECT_PMTS)
			return;
		c->n_pmts++;
		add_pid(c, pid, SI_PMT);
	}
}

static void read_pmt(struct collect *c, const uint8_t *section, size_t len)
{
	struct pmt pmt;

	if (pmt_decode(section, len, &pmt) < 0 || !pmt.current)
		return;
	for (size_t i = 0; i < pmt.n_streams; i++) {
		const struct pmt_stream *s = &pmt.streams[i];
		const struct pid_filter *filter = c->filters[s->pid];

		if (s->type != SPLICE_STREAM_TYPE || s->pid < SI_PIDS_END ||
		    (filter != NULL && filter->tables & 1u << SI_SPLICE))
			continue;
		if (c->n_splices == COLLECT_SPLICES)
			return;
		c->n_splices++;
		add_pid(c, s->pid, SI_SPLICE);
	}
}

/* The bit of this table in the filter of a PID. */
static unsigned table_bit(uint8_t id)
{
	bool actual;
	enum si_table table = si_table_find(id, &actual);

	if (table != SI_TABLES)
		return 1u << table;
	if (id == SPLICE_TABLE_ID)
		return 1u << SI_SPLICE;
	return id == TVCT_TABLE_ID || id == CVCT_TABLE_ID ? 1u << SI_VCT : 0;
}

void collect_feed(struct collect *c, struct ts_run run)
{
	const uint8_t *packet = run.data, *section;
	size_t len;

	for (size_t i = 0; i < run.n; i++, packet += TS_PACKET) {
		uint16_t pid = ts_pid(packet);
		struct pid_filter *filter = c->filters[pid];

		if (filter == NULL)
			continue;
		section_push(&filter->assembler, packet);
		while ((section = section_pull(&filter->assembler, &len)) !=
		       NULL) {
			uint8_t id = section_table_id(section);

			if (!(filter->tables & table_bit(id)))
				continue;
			if (id == PAT_TABLE_ID)
				read_pat(c, section, len);
			else if (id == PMT_TABLE_ID)
				read_pmt(c, section, len);
			report_new(c, section, len, pid);
		}
	}
}
