/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PMT of a programme with audio of another playlist: the source's PMT, with
 * that audio in place of its own.
 *
 * Pure. Embedded.
 */
#pragma once

#include "worker/net/hls/audio_track.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

struct mux_pmt {
	uint16_t pid;      /* PID of the audio; TS_PID_NULL: none */
	char language[4];
	uint8_t version;
	uint8_t cc;
	size_t len;        /* length of the last PMT; 0: none */
	uint8_t section[SECTION_PSI_MAX];
};

void mux_pmt_init(struct mux_pmt *);
/* Sets the language: three letters; other lengths are ignored. */
void mux_pmt_set_language(struct mux_pmt *, const char *language);

/* Writes PMT packets with this audio (NULL: unknown, keeps the source's own
 * audio, as when no PID is free) to ret; returns their number. */
size_t mux_pmt_put(struct mux_pmt *, const struct psi *,
		   const struct psi_program *,
		   const struct audio_track_format *, uint8_t *ret);

static inline bool mux_pmt_has_audio(const struct mux_pmt *p)
{
	return p->pid != TS_PID_NULL;
}
