/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A synthetic source for tests: H.264-like pictures and MPEG audio in one
 * program, at a constant rate, as real as counters, clocks and units go.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stddef.h>
#include <stdint.h>

enum {
	SOURCE_PMT = 0x100,
	SOURCE_VIDEO = 0x101, /* and the PCRs */
	SOURCE_AUDIO = 0x102,
	SOURCE_RATE = 1000,   /* packets in a second */
	SOURCE_FRAME = 3600,  /* 90 kHz, of a picture */
	SOURCE_AUDIO_FRAMES = 3, /* in a PES, 24 ms each */
	SOURCE_MAX = 4096,    /* packets at once */
};

struct source {
	/* to be chosen before the first source_make() */
	uint64_t start;    /* 90 kHz: its clock at the first packet */
	unsigned lead_ms;  /* from clock to DTS */
	unsigned gop;      /* pictures from one that decoding can begin with to
			    * the next */
	/* two B pictures follow each other picture but the first of a gop,
	 * which has 1 + 3 n pictures */
	bool reordered;
	bool no_audio, no_pcr;
	/* no packet has random_access_indicator, and the header of each picture
	 * has a packet of its own; decoding can begin with IDR pictures */
	bool header_alone;
	/* other pictures have private data in their PES headers that looks
	 * like an IDR picture */
	bool false_start;
	size_t head; /* the most bytes of a PES in its first packet; 0: all */
	uint16_t program;
	uint16_t shift;    /* added to the PIDs of video and audio, ... */
	bool same_audio;   /* ... to that of audio not, ... */
	uint16_t pmt_shift; /* ... and to that of the PMT */
	unsigned tables_every; /* in packets */
	uint8_t first_cc;  /* of each PID */

	uint64_t packets;  /* made */
	unsigned pictures, sounds;
	uint64_t tables_at, pcr_at; /* in packets */
	size_t n_video, n_audio;    /* packets that are due */
	size_t i_video, i_audio;
	uint8_t cc[TS_PIDS];
	bool begun;
	uint8_t video[64 * TS_PACKET], audio[16 * TS_PACKET];
	uint8_t data[SOURCE_MAX * TS_PACKET];
};

struct source *source_new(uint64_t start);
/* As a new one, in the memory of the old one. */
void source_again(struct source *, uint64_t start);

/* The next n packets; valid until the next call. */
struct ts_run source_make(struct source *, size_t n);

/* So many go by without being seen. */
void source_skip(struct source *, size_t n);

/* The clock of the next packet, 90 kHz. */
uint64_t source_clock(const struct source *);
