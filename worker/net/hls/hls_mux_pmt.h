/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the PMT of a program with audio of another playlist: the PMT of the
 * video, in which that audio replaces the audio of the video.
 *
 * Pure. Embedded.
 */
#pragma once

#include "worker/net/hls/audio_track.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

struct mux_pmt {
	uint16_t pid;      /* PID of the audio; TS_PID_NULL: none */
	/* ISO 639 code of the separate audio, written if no descriptor names
	 * one; "": unknown */
	char language[4];
	uint8_t version;   /* version_number of the last PMT */
	uint8_t cc;        /* continuity counter of the next PMT packet */
	size_t len;        /* bytes of section; 0: none yet */
	uint8_t section[SECTION_PSI_MAX]; /* the last PMT, without CRC_32 */
};

void mux_pmt_init(struct mux_pmt *);
/* Sets the language of the audio: three letters; a text of another length:
 * unknown. */
void mux_pmt_set_language(struct mux_pmt *, const char *language);

/* Writes the packets of the PMT with this audio to ret, and returns their
 * number; 0: the PMT of the video is malformed.  If the format of the audio is
 * unknown (NULL), or no PID is free, the PMT keeps the audio of the video. */
size_t mux_pmt_put(struct mux_pmt *, const struct psi *,
		   const struct psi_program *,
		   const struct audio_track_format *, uint8_t *ret);

static inline bool mux_pmt_has_audio(const struct mux_pmt *p)
{
	return p->pid != TS_PID_NULL;
}
