/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/desc_apply.h"

#include "common/base/hash.h"
#include "proto/si/desc.h"
#include "worker/remux/section_writer.h"
#include "worker/ts/si_table.h"

#include <errno.h>
#include <string.h>

enum { HEADER = 8 };

/* A section that is copied with changes, and the loop that is being changed. */
struct copy {
	struct desc_edits edits;
	enum edit_table table;
	enum edit_loop loop;
	bool foreign; /* the loop is of another transport stream */
	const uint8_t *from;
	size_t at, end; /* offsets in `from': of the next byte to copy, and of
			 * the CRC_32 */
	struct section_writer out;
};

static struct copy copy_begin(struct desc_edits edits, enum edit_table table,
			      const uint8_t *section, size_t len)
{
	return (struct copy){ .edits = edits, .table = table, .from = section,
			      .end = len - SECTION_CRC };
}

static void open_out(struct copy *c, uint8_t ret[SECTION_PSI_MAX])
{
	const uint8_t *s = c->from;

	section_begin(&c->out, ret, &(struct section_head){
		.table_id = s[0],
		.dvb = s[1] & 0x40,
		.extension = (uint16_t)(s[3] << 8 | s[4]),
		.version = section_version(s),
		.number = s[6],
		.last = s[7],
		.limit = SECTION_PSI_MAX,
	});
	ret[5] = s[5]; /* version with current_next_indicator */
	c->at = HEADER;
}

/* Copies n bytes; false: the section has fewer bytes left. */
static bool pass(struct copy *c, size_t n)
{
	if (c->end - c->at < n)
		return false;
	write_bytes(&c->out, c->from + c->at, n);
	c->at += n;
	return true;
}

static bool is_for(const struct copy *c, const struct desc_edit *e,
		   uint16_t pnr, uint16_t pid)
{
	return e->table == c->table && e->pid == pid && e->loop == c->loop &&
	       !c->foreign && (e->pnr == 0 || e->pnr == pnr);
}

/* The last edit that removes or replaces descriptors of this tag; NULL: no edit
 * does. */
static const struct desc_edit *find_edit(const struct copy *c, uint8_t tag,
					 uint16_t pnr, uint16_t pid)
{
	for (size_t i = c->edits.n; i-- > 0;) {
		const struct desc_edit *e = &c->edits.list[i];

		if (e->action != EDIT_ADD && is_for(c, e, pnr, pid) &&
		    desc_edit_tag(e) == tag)
			return e;
	}
	return NULL;
}

static void write_loop(struct copy *c, struct desc_loop loop, uint16_t pnr,
		       uint16_t pid)
{
	bool done[DESC_EDITS_MAX];
	struct desc d;

	/* new descriptors of the network loop are written into section 0
	 * only */
	memset(done, c->loop == LOOP_NETWORK && c->from[6] > 0, sizeof done);
	while (desc_next(&loop, &d)) {
		const struct desc_edit *e = find_edit(c, d.tag, pnr, pid);
		size_t i = e != NULL ? (size_t)(e - c->edits.list) : 0;

		if (e == NULL)
			write_bytes(&c->out, d.data - 2, 2 + (size_t)d.len);
		else if (!done[i])
			write_bytes(&c->out, e->bytes, e->len);
		if (e != NULL)
			done[i] = true;
	}
	for (size_t i = 0; i < c->edits.n && i < DESC_EDITS_MAX; i++) {
		const struct desc_edit *e = &c->edits.list[i];
		bool hidden = e->action == EDIT_REPLACE &&
			      find_edit(c, e->bytes[0], pnr, pid) != e;

		if (is_for(c, e, pnr, pid) && !done[i] && !hidden &&
		    e->action != EDIT_REMOVE)
			write_bytes(&c->out, e->bytes, e->len);
	}
}

/* Copies a descriptor loop and its length of 12 bits, with the changes.  False:
 * the loop is longer than the section. */
static bool change_loop(struct copy *c, uint16_t pnr, uint16_t pid)
{
	struct desc_loop loop;
	uint8_t high;
	size_t begin;

	if (c->end - c->at < 2)
		return false;
	high = c->from[c->at] & 0xf0; /* in an SDT: running_status and
				       * free_CA_mode */
	loop.len = section_get12(c->from + c->at);
	loop.data = c->from + c->at + 2;
	if (c->end - c->at - 2 < loop.len)
		return false;
	c->at += 2 + loop.len;
	begin = write_loop_begin(&c->out);
	write_loop(c, loop, pnr, pid);
	write_loop_end(&c->out, begin);
	if (!c->out.full)
		c->out.data[begin] = (uint8_t)((c->out.data[begin] & 0x0f) |
					       high);
	return true;
}

static int finish(struct copy *c)
{
	size_t len = section_end(&c->out);

	return len > 0 ? (int)len : -ENOSPC;
}

static uint16_t number_at(const struct copy *c, size_t offset)
{
	return (uint16_t)(c->from[c->at + offset] << 8 |
			  c->from[c->at + offset + 1]);
}

int desc_apply_pmt(struct desc_edits edits, const uint8_t *section, size_t len,
		   uint8_t ret[SECTION_PSI_MAX])
{
	struct copy c = copy_begin(edits, EDIT_PMT, section, len);
	uint16_t pnr = (uint16_t)(section[3] << 8 | section[4]);

	open_out(&c, ret);
	if (!pass(&c, 2) || !change_loop(&c, pnr, 0))
		return -EBADMSG;
	while (c.at < c.end) {
		uint16_t pid;

		if (c.end - c.at < 5)
			return -EBADMSG;
		pid = number_at(&c, 1) & 0x1fff;
		if (!pass(&c, 3) || !change_loop(&c, pnr, pid))
			return -EBADMSG;
	}
	return finish(&c);
}

int desc_apply_sdt(struct desc_edits edits, const uint8_t *section, size_t len,
		   uint8_t ret[SECTION_PSI_MAX])
{
	struct copy c = copy_begin(edits, EDIT_SDT, section, len);

	open_out(&c, ret);
	if (!pass(&c, 3))
		return -EBADMSG;
	while (c.at < c.end) {
		uint16_t pnr;

		if (c.end - c.at < 5)
			return -EBADMSG;
		pnr = number_at(&c, 0);
		if (!pass(&c, 3) || !change_loop(&c, pnr, 0))
			return -EBADMSG;
	}
	return finish(&c);
}

int desc_apply_nit(struct desc_edits edits, struct desc_transport transport,
		   const uint8_t *section, size_t len,
		   uint8_t ret[SECTION_PSI_MAX])
{
	struct copy c = copy_begin(edits, section[0] == BAT_TABLE_ID
						  ? EDIT_BAT : EDIT_NIT,
				   section, len);
	size_t streams;

	open_out(&c, ret);
	c.loop = LOOP_NETWORK;
	if (!change_loop(&c, 0, 0) || c.end - c.at < 2)
		return -EBADMSG;
	c.loop = LOOP_TRANSPORT;
	c.at += 2;
	streams = write_loop_begin(&c.out);
	while (c.at < c.end) {
		if (c.end - c.at < 6)
			return -EBADMSG;
		c.foreign = number_at(&c, 0) != transport.tsid ||
			    (number_at(&c, 2) != transport.onid &&
			     !transport.any_network);
		if (!pass(&c, 4) || !change_loop(&c, 0, 0))
			return -EBADMSG;
	}
	write_loop_end(&c.out, streams);
	return finish(&c);
}

uint32_t desc_edits_hash(struct desc_edits edits, enum edit_table table)
{
	uint64_t hash = HASH_INIT;
	bool any = false;

	for (size_t i = 0; i < edits.n; i++) {
		const struct desc_edit *e = &edits.list[i];
		const uint16_t head[] = { (uint16_t)e->action, e->pnr, e->pid,
					  (uint16_t)e->loop, e->tag, e->len };

		if (e->table != table)
			continue;
		hash = hash_add(hash, head, sizeof head);
		hash = hash_add(hash, e->bytes, e->len);
		any = true;
	}
	return any ? (uint32_t)(hash ^ hash >> 32) | 1 : 0;
}
