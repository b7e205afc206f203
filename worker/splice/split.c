/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers of PES whose time stamps lie in several packets: the packets wait
 * until all of the header has arrived, and each of them gets its part of the
 * moved header. */
#include "worker/splice/machine.h"

#include "common/base/util.h"

#include <string.h>

enum {
	OPTIONS = 7, /* offset of PTS_DTS_flags and further ones */
};

/* Does a PES begin in the packet that has stamps behind its end? */
static bool begins_split(const uint8_t *p)
{
	size_t at = ts_payload_offset(p), len, need;

	if (!ts_pusi(p) || !ts_has_payload(p) || ts_tei(p) ||
	    ts_scrambling(p) || at + STAMPS_HEADER_MAX <= TS_PACKET ||
	    at >= TS_PACKET)
		return false;
	len = TS_PACKET - at;
	need = stamps_header_len(p + at, len);
	return need > len;
}

/* Adds the payload of the next packet of the PID.  False: it is not the next
 * one, or has no part of this PES. */
static bool add(struct splice_split *h, const uint8_t *p)
{
	size_t at = ts_payload_offset(p), n;

	if (ts_pusi(p) || ts_scrambling(p) ||
	    ts_cc(p) != ((h->cc + 1) & 0x0f) || at > TS_PACKET)
		return false;
	n = MIN(TS_PACKET - at, sizeof h->bytes - h->len);
	memcpy(h->bytes + h->len, p + at, n);
	h->len = (uint8_t)(h->len + n);
	h->cc = ts_cc(p);
	return true;
}

enum splice_split_sign splice_split_read(const struct splice *s,
					 const struct splice_cursor *at,
					 struct splice_split *ret)
{
	const uint8_t *p = splice_cursor_get(at);
	struct splice_cursor c = *at;
	size_t from, need;

	if (!begins_split(p))
		return SPLIT_NONE;
	from = ts_payload_offset(p);
	*ret = (struct splice_split){ .pid = ts_pid(p), .cc = ts_cc(p),
				      .len = (uint8_t)(TS_PACKET - from) };
	memcpy(ret->bytes, p + from, ret->len);
	while (splice_cursor_next(&c)) {
		p = splice_cursor_get(&c);
		if (ts_pid(p) != ret->pid || !ts_sync_ok(p) || ts_tei(p) ||
		    !ts_has_payload(p) || ts_cc(p) == ret->cc)
			continue;
		if (!add(ret, p))
			return SPLIT_LOST;
		need = stamps_header_len(ret->bytes, ret->len);
		if (need > ret->len)
			continue;
		ret->len = (uint8_t)need;
		ret->cc = ts_cc(splice_cursor_get(at));
		return need > 0 ? SPLIT_WHOLE : SPLIT_NONE;
	}
	return s->state == SPLICE_JUDGE ? SPLIT_LOST : SPLIT_WAITS;
}

static void forget(struct splice *s, struct splice_split *h)
{
	*h = s->splits[--s->n_splits];
}

static struct splice_split *find(struct splice *s, uint16_t pid)
{
	for (size_t i = 0; i < s->n_splits; i++)
		if (s->splits[i].pid == pid)
			return &s->splits[i];
	return NULL;
}

/* A PES without the times of another clock: its header has stuffing alone. */
static void drop_times(uint8_t *payload, size_t len)
{
	if (len > OPTIONS)
		payload[OPTIONS] = 0;
}

void splice_split_begin(struct splice *s, uint8_t *copy,
			enum splice_split_sign sign,
			const struct splice_split *header,
			struct stamps_move by)
{
	size_t at = ts_payload_offset(copy), len = TS_PACKET - at;
	struct splice_split *h = find(s, ts_pid(copy));

	if (h != NULL)
		forget(s, h);
	if (sign == SPLIT_NONE)
		return;
	if (sign != SPLIT_WHOLE || s->n_splits == SPLICE_SPLITS) {
		drop_times(copy + at, len);
		return;
	}
	h = &s->splits[s->n_splits++];
	*h = *header;
	stamps_move_header(h->bytes, h->len, by);
	memcpy(copy + at, h->bytes, len);
	h->next = (uint8_t)len;
}

void splice_split_continue(struct splice *s, uint8_t *copy, unsigned cc)
{
	struct splice_split *h = find(s, ts_pid(copy));
	size_t at = ts_payload_offset(copy), n;

	if (h == NULL || ts_pusi(copy) || ts_tei(copy) ||
	    !ts_has_payload(copy) || at > TS_PACKET)
		return;
	/* a duplicate gets the same bytes */
	if (cc == ((h->cc + 1U) & 0x0f)) {
		h->cc = (uint8_t)cc;
		h->from = h->next;
	} else if (cc != h->cc) {
		h->from = h->len;
	}
	if (h->from == h->len) {
		forget(s, h);
		return;
	}
	n = MIN(TS_PACKET - at, (size_t)(h->len - h->from));
	memcpy(copy + at, h->bytes + h->from, n);
	h->next = (uint8_t)(h->from + n);
}
