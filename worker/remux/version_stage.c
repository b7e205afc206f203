/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/version_stage.h"

#include "common/base/alloc.h"
#include "common/base/crc32.h"
#include "common/base/util.h"
#include "worker/remux/runs_out.h"
#include "worker/ts/pmt.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

enum {
	VERSIONS = 32,
	PID_CAT = 0x0001,
	TABLE_PAT = 0x00,
	TABLE_CAT = 0x01,
	HEADER = 8,    /* bytes up to the end of last_section_number */
	VERSION_AT = 5,
	CRC_LEN = 4,
	/* The longest time since a table passed that is stored, in PATs. */
	AGE_MAX = 0x8000,
	AGE_CHECK = 0x4000, /* interval in which longer times are reduced to
			     * AGE_MAX, in PATs */
};

/* A section whose CRC_32 is in a later packet. */
struct part {
	uint16_t pid;
	size_t at, len; /* number of the next byte of the section; length of the
			 * section */
	uint32_t change; /* XORed to the CRC_32 */
};

struct version_stage {
	struct version_counts *counts;
	uint16_t pats; /* PATs that have passed, modulo 65536 */
	struct runs_out out;
	size_t n_parts;
	struct part parts[VERSION_PARTS_MAX];
};

struct version_stage *version_stage_new(struct version_counts *counts,
					ts_out_fn *out, void *arg)
{
	struct version_stage *v = xcalloc(1, sizeof *v);

	v->counts = counts;
	for (size_t i = 0; i < VERSION_COUNTS_MAX; i++)
		counts->tables[i].seen = 0;
	v->out.out = out;
	v->out.arg = arg;
	return v;
}

void version_stage_free(struct version_stage **v)
{
	free(*v);
	*v = NULL;
}

/* The length of a section whose version this stage sets, from its first HEADER
 * bytes; 0: the section belongs to another table, is not current, or is
 * malformed. */
static size_t counted_len(uint16_t pid, const uint8_t *s)
{
	size_t len = 3 + ((size_t)(s[1] & 0x0f) << 8 | s[2]);
	bool counts = pid == TS_PID_PAT   ? s[0] == TABLE_PAT
		      : pid == PID_CAT    ? s[0] == TABLE_CAT
		      : pid == SI_PID_SDT ? s[0] == SDT_TABLE_ID
					  : s[0] == PMT_TABLE_ID;

	/* section_syntax_indicator, and current_next_indicator */
	if (!counts || (s[1] & 0x80) == 0 || (s[VERSION_AT] & 1) == 0 ||
	    (pid != SI_PID_SDT && (s[1] & 0x70) != 0x30) ||
	    len < HEADER + CRC_LEN || len > SECTION_PSI_MAX)
		return 0;
	return len;
}

static uint16_t age_of(const struct version_stage *v,
		       const struct version_count *t)
{
	return (uint16_t)(v->pats - t->seen);
}

/* The entry of this table; otherwise a free one; otherwise the entry of the
 * table that has not passed for the longest time. */
static struct version_count *find_count(const struct version_stage *v,
					uint32_t table)
{
	struct version_count *t = v->counts->tables, *oldest = t;

	for (size_t i = 0; i < VERSION_COUNTS_MAX; i++, t++) {
		if (t->table == 0 || t->table == table)
			return t;
		if (age_of(v, t) > age_of(v, oldest))
			oldest = t;
	}
	return oldest;
}

static uint8_t version_of(struct version_stage *v, const uint8_t *s)
{
	bool has_number = s[0] == PMT_TABLE_ID;
	uint32_t table = UINT32_C(1) << 31 | (uint32_t)s[0] << 16 |
			 (has_number ? (uint32_t)s[3] << 8 | s[4] : 0U);
	struct version_count *c = find_count(v, table);
	uint8_t source = s[VERSION_AT] >> 1 & (VERSIONS - 1);

	if (s[0] == TABLE_PAT)
		v->pats++;
	/* Times are modulo 65536, so the age of a table is limited to AGE_MAX:
	 * otherwise an old table would later seem to have passed just now. */
	if (s[0] == TABLE_PAT && v->pats % AGE_CHECK == 0) {
		struct version_count *t = v->counts->tables;

		for (size_t i = 0; i < VERSION_COUNTS_MAX; i++)
			if (age_of(v, &t[i]) > AGE_MAX)
				t[i].seen = (uint16_t)(v->pats - AGE_MAX);
	}
	if (c->table != table)
		*c = (struct version_count){ .table = table, .source = source,
					     .version = source };
	else if (c->source != source)
		c->version = (uint8_t)((c->version + 1) % VERSIONS);
	c->source = source;
	c->seen = v->pats;
	return c->version % VERSIONS;
}

/* The bits by which the CRC_32 of a section changes if `change' is XORed to its
 * byte number `at'. */
static uint32_t crc_change(uint8_t change, size_t at, size_t len)
{
	uint8_t bytes[SECTION_PSI_MAX] = { 0 };
	size_t n = len - CRC_LEN - at;
	uint32_t zeros = crc32_mpeg(bytes, n);

	bytes[0] = change;
	return crc32_mpeg(bytes, n) ^ zeros;
}

/* Changes the bytes of the CRC_32 that are among the next n bytes of the
 * section.  True: a byte was changed. */
static bool change_crc(struct part *part, uint8_t *bytes, size_t n)
{
	bool changed = false;

	for (size_t i = 0; i < CRC_LEN; i++) {
		size_t at = part->len - CRC_LEN + i;

		if (at < part->at || at >= part->at + n)
			continue;
		bytes[at - part->at] ^= (uint8_t)(part->change >>
						  (8 * (CRC_LEN - 1 - i)));
		changed = true;
	}
	part->at += n;
	return changed;
}

/* Sets the version of a section whose first n bytes are present.  *ret: the
 * changes that remain for later packets.  False: the version stays. */
static bool begin_section(struct version_stage *v, uint16_t pid, uint8_t *s,
			  size_t n, struct part *ret)
{
	size_t len = n >= HEADER ? counted_len(pid, s) : 0;
	uint8_t before, version;

	if (len == 0 || (len > n && v->n_parts == VERSION_PARTS_MAX))
		return false;
	before = s[VERSION_AT];
	version = version_of(v, s);
	s[VERSION_AT] = (uint8_t)((before & 0xc1) | version << 1);
	if (s[VERSION_AT] == before)
		return false;
	*ret = (struct part){
		.pid = pid,
		.len = len,
		.change = crc_change(before ^ s[VERSION_AT], VERSION_AT, len),
	};
	(void)change_crc(ret, s, n);
	return true;
}

void version_stage_apply(struct version_stage *v, uint16_t pid,
			 uint8_t *section, size_t len)
{
	struct part part;

	(void)begin_section(v, pid, section, len, &part);
}

static struct part *find_part(struct version_stage *v, uint16_t pid)
{
	for (size_t i = 0; i < v->n_parts; i++)
		if (v->parts[i].pid == pid)
			return &v->parts[i];
	return NULL;
}

/* Changes version and CRC_32 in a copy of a packet.  False: it is unchanged. */
static bool change_packet(struct version_stage *v, uint8_t *p)
{
	size_t at = ts_payload_offset(p);
	struct part *part = find_part(v, ts_pid(p)), next;
	bool changed;

	if (!ts_sync_ok(p) || ts_tei(p) || ts_scrambling(p) != 0 ||
	    at >= TS_PACKET)
		return false;
	if (!ts_pusi(p)) {
		changed = part != NULL &&
			  change_crc(part, p + at, TS_PACKET - at);
		if (part != NULL && part->at >= part->len)
			*part = v->parts[--v->n_parts];
		return changed;
	}
	/* the rest of the former section on this PID was lost */
	if (part != NULL)
		*part = v->parts[--v->n_parts];
	if (p[at] != 0 || at + 1 >= TS_PACKET ||
	    !begin_section(v, ts_pid(p), p + at + 1, TS_PACKET - at - 1, &next))
		return false;
	if (next.at < next.len)
		v->parts[v->n_parts++] = next;
	return true;
}

static void pass(struct version_stage *v, const uint8_t *packets, size_t n)
{
	if (n == 0)
		return;
	runs_out_pass(&v->out, packets);
	v->out.runs[v->out.n_runs - 1].n += n - 1;
}

void version_stage_feed(struct version_stage *v, const struct ts_run *runs,
			size_t n_runs)
{
	for (size_t i = 0; i < n_runs; i++) {
		size_t from = 0;

		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			uint8_t copy[TS_PACKET];

			if (v->n_parts == 0 && !ts_pusi(p))
				continue;
			memcpy(copy, p, TS_PACKET);
			if (!change_packet(v, copy))
				continue;
			pass(v, runs[i].data + from * TS_PACKET, k - from);
			memcpy(runs_out_new(&v->out), copy, TS_PACKET);
			from = k + 1;
		}
		pass(v, runs[i].data + from * TS_PACKET, runs[i].n - from);
	}
	runs_out_flush(&v->out);
}
