/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/ids.h"

#include "proto/si/desc.h"
#include "worker/remux/section_writer.h"
#include "worker/ts/section.h"

#include <errno.h>
#include <stdbool.h>

/* descriptor_tags of EN 300 468 6.2 and ISO/IEC 13818-6 */
enum {
	DESC_DEFERRED_ASSOCIATION = 0x15,
	DESC_SERVICE_LIST = 0x41,
	DESC_LINKAGE = 0x4a,
	DESC_TIME_SHIFTED_SERVICE = 0x4c,
	DESC_TIME_SHIFTED_EVENT = 0x4f,
	DESC_LOGICAL_CHANNEL = 0x83, /* private descriptor of EACEM */
};

enum {
	EIT_HEADER = 14,
	EIT_EVENT = 12,
	SDT_HEADER = 11,
	SDT_SERVICE = 5,
	NIT_HEADER = 8,
	NIT_STREAM = 6,
	SERVICE_LIST_ENTRY = 3,
	LOGICAL_CHANNEL_ENTRY = 4,
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static void change(uint8_t *p, uint16_t from, uint16_t to)
{
	if (get16(p) != from)
		return;
	p[0] = (uint8_t)(to >> 8);
	p[1] = (uint8_t)to;
}

static void change_pnr(const struct ids *ids, uint8_t *p)
{
	if (ids->pnr != 0)
		change(p, ids->pnr, ids->new_pnr);
}

static void change_onid(const struct ids *ids, uint8_t *p)
{
	if (ids->new_onid != 0)
		change(p, get16(p), ids->new_onid);
}

/* Are the transport_stream_id at p and the original_network_id behind it those
 * of the source?  Each network numbers its transport streams, so both must be
 * equal; an unknown original_network_id of the source equals any. */
static bool is_ours(const struct ids *ids, const uint8_t *p)
{
	return get16(p) == ids->tsid &&
	       (ids->onid == 0 || get16(p + 2) == ids->onid);
}

/* Changes the transport_stream_id at p and the program_number at p + pnr_at, if
 * the first is that of the source. */
static void change_both(const struct ids *ids, uint8_t *p, size_t pnr_at)
{
	if (get16(p) != ids->tsid)
		return;
	change(p, ids->tsid, ids->new_tsid);
	change_pnr(ids, p + pnr_at);
}

static void rewrite_desc(const struct ids *ids, uint8_t tag, uint8_t *data,
			 size_t len)
{
	size_t tags;

	switch (tag) {
	case DESC_LINKAGE: /* original_network_id is between transport_stream_id
			    * and service_id */
		if (len < 6 || !is_ours(ids, data))
			break;
		change_onid(ids, data + 2);
		change_both(ids, data, 4);
		break;
	case DESC_DEFERRED_ASSOCIATION:
		/* transport_stream_id and program_number follow a loop of
		 * component tags */
		tags = len > 0 ? data[0] : 0;
		if (len >= 1 + tags + 4)
			change_both(ids, data + 1 + tags, 2);
		break;
	case DESC_TIME_SHIFTED_SERVICE:
	case DESC_TIME_SHIFTED_EVENT:
		if (len >= 2)
			change_pnr(ids, data);
		break;
	}
}

void ids_rewrite_loop(const struct ids *ids, uint8_t *loop, size_t len)
{
	while (len >= 2 && len - 2 >= loop[1]) {
		size_t whole = 2 + (size_t)loop[1];

		rewrite_desc(ids, loop[0], loop + 2, loop[1]);
		loop += whole;
		len -= whole;
	}
}

static bool is_loop(const uint8_t *p, size_t len)
{
	return desc_loop_ok((struct desc_loop){ p, len });
}

/* True if len is the length in the header, and within the limits. */
static bool is_whole(const uint8_t *section, size_t len, size_t least,
		     size_t most)
{
	return len >= least + SECTION_CRC && len <= most &&
	       section_length(section) == len;
}

/* Rewrites a list of entries, each of which ends with a loop of descriptors
 * behind its length.  entry: bytes of an entry up to its loop.  Returns 0;
 * -EBADMSG: a loop exceeds the list. */
static int rewrite_entries(const struct ids *ids, uint8_t *p, uint8_t *end,
			   size_t entry)
{
	while (p < end) {
		size_t loop;

		if ((size_t)(end - p) < entry)
			return -EBADMSG;
		if (entry == SDT_SERVICE) /* an entry of the SDT begins with
					   * service_id */
			change_pnr(ids, p);
		p += entry;
		loop = section_get12(p - 2);
		if ((size_t)(end - p) < loop || !is_loop(p, loop))
			return -EBADMSG;
		ids_rewrite_loop(ids, p, loop);
		p += loop;
	}
	return 0;
}

int ids_rewrite_eit(const struct ids *ids, uint8_t *section, size_t len)
{
	if (!is_whole(section, len, EIT_HEADER, SECTION_MAX) ||
	    rewrite_entries(ids, section + EIT_HEADER,
			    section + len - SECTION_CRC, EIT_EVENT) < 0)
		return -EBADMSG;
	change_pnr(ids, section + 3);
	change(section + 8, ids->tsid, ids->new_tsid);
	change_onid(ids, section + 10);
	section_seal(section, len);
	return 0;
}

int ids_rewrite_sdt(const struct ids *ids, uint8_t *section, size_t len)
{
	if (!is_whole(section, len, SDT_HEADER, SECTION_PSI_MAX) ||
	    rewrite_entries(ids, section + SDT_HEADER,
			    section + len - SECTION_CRC, SDT_SERVICE) < 0)
		return -EBADMSG;
	change(section + 3, ids->tsid, ids->new_tsid);
	change_onid(ids, section + 8);
	section_seal(section, len);
	return 0;
}

/* Rewrites the service lists in the entry of the source's transport stream. */
static void rewrite_stream_loop(const struct ids *ids, uint8_t *loop,
				size_t len)
{
	while (len >= 2 && len - 2 >= loop[1]) {
		size_t whole = 2 + (size_t)loop[1], entry = 0;

		if (loop[0] == DESC_SERVICE_LIST)
			entry = SERVICE_LIST_ENTRY;
		else if (loop[0] == DESC_LOGICAL_CHANNEL)
			entry = LOGICAL_CHANNEL_ENTRY;
		for (size_t at = 2; entry > 0 && at + entry <= whole;
		     at += entry)
			change_pnr(ids, loop + at);
		loop += whole;
		len -= whole;
	}
}

/* Has an entry of the loop both identifiers of the source?  If no entry of the
 * table has them, the NIT of the source has another original_network_id than
 * its SDT. */
static bool has_ours(const struct ids *ids, const uint8_t *p,
		     const uint8_t *end)
{
	while (end - p >= NIT_STREAM && !is_ours(ids, p))
		p += MIN(NIT_STREAM + section_get12(p + 4),
			 (size_t)(end - p));
	return end - p >= NIT_STREAM;
}

/* Finds the loop of transport streams in a section, from its length field on;
 * NULL: the section is too short, or the loop does not end with it. */
static uint8_t *find_streams(uint8_t *section, size_t len)
{
	uint8_t *p = section + NIT_HEADER, *end = section + len - SECTION_CRC;
	size_t loop;

	if (!is_whole(section, len, NIT_HEADER + 2 + 2, SECTION_PSI_MAX))
		return NULL;
	loop = section_get12(p);
	p += 2;
	if ((size_t)(end - p) < loop + 2)
		return NULL;
	p += loop;
	return section_get12(p) == (size_t)(end - p) - 2 ? p : NULL;
}

bool ids_are_listed(const struct ids *ids, const uint8_t *section, size_t len)
{
	const uint8_t *p = find_streams((uint8_t *)(uintptr_t)section, len);

	return ids->onid != 0 && p != NULL &&
	       has_ours(ids, p + 2, section + len - SECTION_CRC);
}

int ids_rewrite_nit(const struct ids *ids, uint8_t *section, size_t len)
{
	uint8_t *p = find_streams(section, len), *end, *network;
	struct ids by = *ids;
	size_t loop;

	if (p == NULL)
		return -EBADMSG;
	network = section + NIT_HEADER + 2;
	loop = (size_t)(p - network);
	if (!is_loop(network, loop))
		return -EBADMSG;
	ids_rewrite_loop(ids, network, loop);
	end = section + len - SECTION_CRC;
	p += 2;
	if (!ids->listed && !has_ours(ids, p, end))
		by.onid = 0;
	for (; p < end; p += loop) {
		bool ours;

		if (end - p < NIT_STREAM)
			return -EBADMSG;
		loop = section_get12(p + 4);
		ours = is_ours(&by, p);
		if (ours) {
			change(p, ids->tsid, ids->new_tsid);
			change_onid(ids, p + 2);
		}
		p += NIT_STREAM;
		if ((size_t)(end - p) < loop || !is_loop(p, loop))
			return -EBADMSG;
		if (ours)
			rewrite_stream_loop(ids, p, loop);
	}
	section_seal(section, len);
	return 0;
}
