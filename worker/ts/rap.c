/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/rap.h"

#include "worker/ts/pes.h"

/* What a start code shows about its access unit. */
enum hint {
	HINT_NONE,  /* the next start code decides */
	HINT_START, /* a decoder can begin here */
	HINT_NOT,   /* a picture that refers to others */
};

/* nal points behind 00 00 01 and has two bytes. */
static enum hint hint_h264(const uint8_t *nal)
{
	switch (nal[0] & 0x1f) {
	case 5: /* IDR slice */
	case 7: /* SPS */
		return HINT_START;
	case 1:
	case 2:
		return HINT_NOT;
	default:
		return HINT_NONE;
	}
}

static enum hint hint_hevc(const uint8_t *nal)
{
	unsigned type = nal[0] >> 1 & 0x3f;

	if ((type >= 16 && type <= 23) || type == 32 || type == 33)
		return HINT_START; /* IRAP, VPS, SPS */
	return type < 16 ? HINT_NOT : HINT_NONE;
}

static enum hint hint_vvc(const uint8_t *nal)
{
	unsigned type = nal[1] >> 3;

	if ((type >= 7 && type <= 9) || type == 14 || type == 15)
		return HINT_START; /* IDR, CRA, VPS, SPS */
	return type <= 3 ? HINT_NOT : HINT_NONE;
}

static enum hint hint_mpeg2(const uint8_t *code)
{
	if (code[0] == 0xb3) /* sequence_header_code */
		return HINT_START;
	return code[0] == 0x00 ? HINT_NOT : HINT_NONE;
}

static enum hint hint_mpeg4(const uint8_t *code)
{
	if (code[0] == 0xb0 || (code[0] >= 0x20 && code[0] <= 0x2f))
		return HINT_START; /* visual object sequence, object layer */
	return code[0] == 0xb6 ? HINT_NOT : HINT_NONE;
}

static enum hint hint_avs(const uint8_t *code)
{
	if (code[0] == 0xb0) /* video_sequence_start_code */
		return HINT_START;
	return code[0] == 0xb6 ? HINT_NOT : HINT_NONE;
}

static enum hint hint_vc1(const uint8_t *code)
{
	if (code[0] == 0x0f) /* sequence header */
		return HINT_START;
	return code[0] == 0x0d ? HINT_NOT : HINT_NONE;
}

typedef enum hint hint_fn(const uint8_t *);

static hint_fn *hint_of_type(uint8_t stream_type)
{
	switch (stream_type) {
	case 0x01:
	case 0x02:
	case 0x80:
		return hint_mpeg2;
	case 0x10:
		return hint_mpeg4;
	case 0x1b:
		return hint_h264;
	case 0x24:
		return hint_hevc;
	case 0x33:
		return hint_vvc;
	case 0x42:
	case 0xd2:
		return hint_avs;
	case 0xea:
		return hint_vc1;
	default:
		return NULL;
	}
}

static bool has_start(const uint8_t *p, const uint8_t *end, hint_fn *hint)
{
	for (; end - p >= 5; p++) {
		if (p[0] != 0 || p[1] != 0 || p[2] != 1)
			continue;

		enum hint h = hint(p + 3);

		if (h != HINT_NONE)
			return h == HINT_START;
		p += 2;
	}
	return false;
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
	hint_fn *hint = hint_of_type(stream_type);

	if (!pes)
		return false;
	if (class == PID_AUDIO)
		return true;
	if (class != PID_VIDEO || !hint || PES_HEADER + (size_t)pes[8] >= len)
		return false;
	return has_start(pes + PES_HEADER + pes[8], pes + len, hint);
}
