/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ca_pmt.h"

#include <errno.h>
#include <string.h>

static bool is_known(const struct ca_ids *ids, const struct desc *d)
{
	unsigned id;

	if (d->tag != DESC_CA || d->len < 4)
		return false;
	id = (unsigned)d->data[0] << 8 | d->data[1];
	for (size_t i = 0; i < ids->n; i++)
		if (ids->list[i] == id)
			return true;
	return false;
}

static enum ca_pmt_kind judge_loop(struct desc_loop loop,
				   const struct ca_ids *ids)
{
	enum ca_pmt_kind kind = CA_PMT_CLEAR;
	struct desc d;

	while (desc_next(&loop, &d)) {
		if (is_known(ids, &d))
			return CA_PMT_KNOWN;
		if (d.tag == DESC_CA)
			kind = CA_PMT_FOREIGN;
	}
	return kind;
}

enum ca_pmt_kind ca_pmt_judge(const uint8_t *section, size_t len,
			      const struct ca_ids *ids)
{
	enum ca_pmt_kind kind;
	struct pmt pmt;

	if (pmt_decode(section, len, &pmt) < 0)
		return CA_PMT_BROKEN;
	kind = judge_loop(pmt.descriptors, ids);
	for (size_t i = 0; i < pmt.n_streams; i++) {
		enum ca_pmt_kind k =
			judge_loop(pmt.streams[i].descriptors, ids);

		kind = MAX(kind, k);
	}
	return kind;
}

/* Writes a loop: its length, and if a CA descriptor has a CAID of the module,
 * the command and those descriptors.  Returns the number of bytes. */
static size_t put_loop(uint8_t *to, struct desc_loop loop,
		       const struct ca_ids *ids, enum ca_command command)
{
	size_t n = 0;
	struct desc d;

	while (desc_next(&loop, &d)) {
		if (!is_known(ids, &d))
			continue;
		if (n == 0)
			to[2 + n++] = (uint8_t)command;
		to[2 + n] = d.tag;
		to[3 + n] = d.len;
		memcpy(to + 4 + n, d.data, d.len);
		n += 2 + (size_t)d.len;
	}
	to[0] = (uint8_t)(0xf0 | n >> 8);
	to[1] = (uint8_t)n;
	return 2 + n;
}

size_t ca_pmt_make(const uint8_t *section, size_t len, const struct ca_ids *ids,
		   enum ca_command command, uint8_t *to)
{
	struct pmt pmt;
	size_t n = 4;

	/* a stream has five bytes in the CA PMT as in the PMT, and one more for
	 * the command if it has CA descriptors */
	_Static_assert(CA_PMT_MAX >= CA_PMT_SECTION_MAX + PMT_STREAMS_MAX + 16,
		       "each stream may need a byte more");
	if (len > CA_PMT_SECTION_MAX || pmt_decode(section, len, &pmt) < 0)
		return 0;
	to[0] = CA_LIST_ONLY;
	to[1] = (uint8_t)(pmt.program >> 8);
	to[2] = (uint8_t)pmt.program;
	to[3] = (uint8_t)(0xc0 | pmt.version << 1 | pmt.current);
	n += put_loop(to + n, pmt.descriptors, ids, command);
	for (size_t i = 0; i < pmt.n_streams; i++) {
		const struct pmt_stream *s = &pmt.streams[i];

		to[n++] = s->type;
		to[n++] = (uint8_t)(0xe0 | s->pid >> 8);
		to[n++] = (uint8_t)s->pid;
		n += put_loop(to + n, s->descriptors, ids, command);
	}
	return n;
}

/* Keeps the largest CA_enable, which says most about a failure. */
static void take_answer(struct ca_reply *r, uint8_t byte)
{
	if (!(byte & 0x80))
		return;
	byte &= 0x7f;
	r->answer = r->has_answer ? MAX(r->answer, byte) : byte;
	r->has_answer = true;
}

int ca_reply_decode(const uint8_t *data, size_t n, struct ca_reply *ret)
{
	struct ca_reply r = { 0 };

	/* the reply has program, version and CA_enable of the program, then PID
	 * and CA_enable of each stream */
	if (n < 4 || (n - 4) % 3 != 0)
		return -EBADMSG;
	r.program = (uint16_t)(data[0] << 8 | data[1]);
	take_answer(&r, data[3]);
	for (size_t i = 4; i < n; i += 3)
		take_answer(&r, data[i + 2]);
	*ret = r;
	return 0;
}
