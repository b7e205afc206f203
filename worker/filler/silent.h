/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Generates silent frames in the coding of a stream's audio, so that a decoder
 * keeps its sample rate and channels.
 *
 * Supported are MPEG audio of all layers, AAC in ADTS and LATM (without a
 * program config element), AC-3 and E-AC-3.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SILENT_SAMPLE = 64,  /* bytes of a frame that are kept as a sample */
	SILENT_FRAME_MAX = 4096, /* most bytes of a frame */
};

struct silent {
	size_t len;       /* bytes of frame */
	uint32_t samples; /* audio samples in the frame */
	uint32_t rate;    /* audio samples in a second */
	uint8_t frame[SILENT_FRAME_MAX];
};

/* Makes a silent frame in the coding of a frame of the stream, whose first len
 * bytes are `sample'.  False: its coding is not supported. */
bool silent_make(const uint8_t *sample, size_t len, struct silent *ret);

/* --- for silent_make() --- */

struct bit_writer;

/* Writes a silent raw_data_block of AAC (ISO/IEC 14496-3 4.4.2.1).  False for a
 * channelConfiguration that needs a program config element. */
bool aac_put_silence(struct bit_writer *, unsigned channel_configuration);

bool silent_make_ac3(const uint8_t *sample, size_t len, struct silent *ret);
bool silent_make_latm(const uint8_t *sample, size_t len, struct silent *ret);
