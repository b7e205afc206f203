/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/pes.h"

#include <string.h>

enum { PES_TIME = 5 };

/* stream_ids without the optional header (ISO/IEC 13818-1 2.4.3.7) */
static const uint8_t without_header[] = {
	0xbc, /* program_stream_map */
	0xbe, /* padding_stream */
	0xbf, /* private_stream_2 */
	0xf0, /* ECM */
	0xf1, /* EMM */
	0xf2, /* DSM-CC */
	0xf8, /* H.222.1 type E */
	0xff, /* program_stream_directory */
};

const uint8_t *pes_find(const uint8_t *packet, size_t *ret_len)
{
	size_t offset = ts_payload_offset(packet);
	const uint8_t *p = packet + offset;

	if (!ts_pusi(packet) || ts_tei(packet) || ts_scrambling(packet) ||
	    offset + PES_HEADER > TS_PACKET ||
	    p[0] != 0 || p[1] != 0 || p[2] != 1)
		return NULL;
	*ret_len = TS_PACKET - offset;
	return p;
}

bool pes_may_have_options(uint8_t stream_id)
{
	return memchr(without_header, stream_id, sizeof without_header) == NULL;
}

bool pes_has_options(const uint8_t *pes)
{
	return (pes[6] & 0xc0) == 0x80 && pes_may_have_options(pes[3]);
}

bool pes_times(const uint8_t *packet, struct pes_times *ret)
{
	size_t len;
	const uint8_t *pes = pes_find(packet, &len);

	if (!pes || !pes_has_options(pes) || !(pes[7] & 0x80) ||
	    pes[8] < PES_TIME || len < PES_HEADER + PES_TIME)
		return false;

	size_t pts = (size_t)(pes - packet) + PES_HEADER;
	bool has_dts = (pes[7] & 0x40) && pes[8] >= 2 * PES_TIME &&
		       len >= PES_HEADER + 2 * PES_TIME;

	*ret = (struct pes_times){
		.pts = pts,
		.dts = has_dts ? pts + PES_TIME : pts,
	};
	return true;
}

bool pes_pts(const uint8_t *packet, uint64_t *ret)
{
	struct pes_times at;

	if (!pes_times(packet, &at))
		return false;
	*ret = pes_time(packet + at.pts);
	return true;
}

uint64_t pes_time(const uint8_t *p)
{
	return (uint64_t)(p[0] >> 1 & 0x07) << 30 | (uint64_t)p[1] << 22 |
	       (uint64_t)(p[2] >> 1) << 15 | (uint64_t)p[3] << 7 | p[4] >> 1;
}

void pes_set_time(uint8_t *p, uint64_t time)
{
	p[0] = (uint8_t)((p[0] & 0xf1) | (time >> 30 & 0x07) << 1);
	p[1] = (uint8_t)(time >> 22);
	p[2] = (uint8_t)((time >> 15 & 0x7f) << 1 | (p[2] & 0x01));
	p[3] = (uint8_t)(time >> 7);
	p[4] = (uint8_t)((time & 0x7f) << 1 | (p[4] & 0x01));
}
