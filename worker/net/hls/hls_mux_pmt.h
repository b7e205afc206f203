/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The PMT of a programme whose sound comes from elsewhere: the source's,
 * without its sound, with ours.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "worker/net/hls/audio_track.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

struct mux_pmt {
	uint16_t pid;      /* of the sound; TS_PID_NULL: there was none */
	char language[4];
	uint8_t version;
	uint8_t cc;
	size_t len;        /* of the last one; 0: there was none */
	uint8_t section[SECTION_PSI_MAX];
};

void mux_pmt_init(struct mux_pmt *);
/* Of three letters; others are left out. */
void mux_pmt_set_language(struct mux_pmt *, const char *language);

/* Packets of the PMT, as the program says and with the sound (NULL: not known
 * yet, the source's own stays; so it does when no PID is left), to ret; how
 * many. */
size_t mux_pmt_put(struct mux_pmt *, const struct psi *,
		   const struct psi_program *,
		   const struct audio_track_format *, uint8_t *ret);

static inline bool mux_pmt_has_sound(const struct mux_pmt *p)
{
	return p->pid != TS_PID_NULL;
}
