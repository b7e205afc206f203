/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses frames of coded audio: MPEG audio (ISO/IEC 11172-3, 13818-3), AAC in
 * ADTS (13818-7) and in LATM (14496-3), AC-3 and E-AC-3 (ETSI TS 102 366).
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes from the start of a frame that audio_frame_parse() reads. */
enum { AUDIO_HEAD = 7 };

enum audio_codec {
	AUDIO_MPEG,
	AUDIO_ADTS,
	AUDIO_LATM,
	AUDIO_AC3,
	AUDIO_EAC3,
};

struct audio_frame {
	enum audio_codec codec;
	uint16_t len;     /* bytes, at least AUDIO_HEAD */
	uint16_t samples; /* 0: the frame only adds channels to another one */
	uint32_t rate;    /* samples in a second; 0: not in the header */
};

/* Reads the head of a frame, of AUDIO_HEAD bytes; false: no frame begins
 * there. */
bool audio_frame_parse(const uint8_t *head, struct audio_frame *ret);

/* Walks from frame to frame through bytes cut anywhere.  Embedded; zeroed
 * memory is ready. */
struct audio_walk {
	uint32_t skip;  /* bytes up to the next frame */
	uint8_t have;   /* bytes collected in head */
	uint8_t head[AUDIO_HEAD];
	bool locked;    /* the last head was valid */
};

/* Takes the next bytes.  True when they complete the head of a frame: *data and
 * *len then begin behind it, and the caller calls again. */
bool audio_walk(struct audio_walk *, const uint8_t **data, size_t *len,
		struct audio_frame *ret);
