/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/rap.h"

#include "worker/ts/pes.h"

/* The meaning of a start code for its access unit. */
enum hint {
	HINT_NONE,  /* the next start code decides */
	HINT_START, /* a decoder can begin here */
	HINT_NOT,   /* a picture that refers to others */
};

/* nal points behind 00 00 01 and has two bytes. */
static enum hint hint_of(uint8_t stream_type, const uint8_t *nal)
{
	bool start, not;
	unsigned type = nal[0];

	switch (stream_type) {
	case 0x01:
	case 0x02:
	case 0x80: /* MPEG-2: sequence header, picture */
		start = type == 0xb3;
		not = type == 0x00;
		break;
	case 0x10: /* MPEG-4: visual object sequence, object layer; VOP */
		start = type == 0xb0 || (type >= 0x20 && type <= 0x2f);
		not = type == 0xb6;
		break;
	case 0x1b: /* H.264: IDR slice, SPS; other slices */
		type &= 0x1f;
		start = type == 5 || type == 7;
		not = type == 1 || type == 2;
		break;
	case 0x24: /* HEVC: IRAP, VPS, SPS; other pictures */
		type = type >> 1 & 0x3f;
		start = (type >= 16 && type <= 23) || type == 32 || type == 33;
		not = type < 16;
		break;
	case 0x33: /* VVC: IDR, CRA, VPS, SPS; other pictures */
		type = nal[1] >> 3;
		start = (type >= 7 && type <= 9) || type == 14 || type == 15;
		not = type <= 3;
		break;
	case 0x42:
	case 0xd2: /* AVS: video sequence, PB picture */
		start = type == 0xb0;
		not = type == 0xb6;
		break;
	case 0xea: /* VC-1: sequence header, frame */
		start = type == 0x0f;
		not = type == 0x0d;
		break;
	default:
		return HINT_NONE;
	}
	return start ? HINT_START : not ? HINT_NOT : HINT_NONE;
}

bool rap_is_start(const uint8_t *packet, uint8_t stream_type,
		  enum pid_class class)
{
	size_t len;

	if (!ts_pusi(packet) || ts_tei(packet) || ts_scrambling(packet))
		return false;
	if (ts_random_access(packet))
		return true;

	const uint8_t *pes = pes_find(packet, &len);

	if (!pes)
		return false;
	if (class == PID_AUDIO)
		return true;
	if (class != PID_VIDEO)
		return false;
	for (size_t i = PES_HEADER + (size_t)pes[8]; i + 5 <= len; i++) {
		const uint8_t *p = pes + i;

		if (p[0] != 0 || p[1] != 0 || p[2] != 1)
			continue;

		enum hint hint = hint_of(stream_type, p + 3);

		if (hint != HINT_NONE)
			return hint == HINT_START;
		i += 2;
	}
	return false;
}
