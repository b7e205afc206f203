/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Follows the PAT and all PMTs of a transport stream.
 *
 * A table stays valid until a whole, sound, different one has replaced it: a
 * bad checksum or a broken loop is counted and changes nothing.  Sections are
 * compared by their bytes, so a multiplexer that forgets to raise the version
 * is followed too.  A program that the PAT no longer names is dropped with
 * its PIDs.
 *
 * Owns all it shows; pointers are valid until the next psi_feed().
 */
#pragma once

#include "worker/ts/pmt.h"
#include "worker/ts/packet.h"

enum {
	PSI_PROGRAMS_MAX = 256, /* more than that are not followed */
	PSI_PAT_SECTIONS_MAX = 4,
};

struct psi;

struct psi_section {
	const uint8_t *data; /* NULL when it did not come yet */
	size_t len;
};

struct psi_program {
	uint16_t number;
	uint16_t pmt_pid;
	uint16_t pcr_pid;   /* 0x1fff: none, or PMT not known */
	uint16_t video_pid; /* the first of its PMT; 0x1fff: none */
	uint16_t audio_pid; /* the first of its PMT; 0x1fff: none */
	struct psi_section pmt; /* as it came, with its CRC_32 */
};

struct psi *psi_new(void);
void psi_free(struct psi **);

/* Forgets all tables, keeps the error counters: another source begins. */
void psi_reset(struct psi *);

/*
 * Takes a packet whose class is PID_PSI (others are ignored).  True when the
 * tables changed by it.
 */
bool psi_feed(struct psi *, const uint8_t *packet);

/* Indexed by PID: enum pid_class.  Stays at its place for the life of psi. */
const uint8_t *psi_classes(const struct psi *);

static inline enum pid_class psi_class(const struct psi *psi, uint16_t pid)
{
	return (enum pid_class)psi_classes(psi)[pid & 0x1fff];
}

/* stream_type of the PMT that lists pid; 0 when none does. */
uint8_t psi_stream_type(const struct psi *, uint16_t pid);

/* Goes up by one with each change of the tables; 0: nothing known yet. */
uint32_t psi_changes(const struct psi *);

bool psi_has_pat(const struct psi *);

/* Is the PMT of at least one program known? */
bool psi_has_pmt(const struct psi *);

uint16_t psi_tsid(const struct psi *);

/* The sections of the PAT as they came: n of them, 0 when not known. */
size_t psi_pat(const struct psi *, const struct psi_section **ret);

/* The programs in the order of the PAT. */
size_t psi_programs(const struct psi *, const struct psi_program **ret);

/* By number; NULL when the PAT does not name it. */
const struct psi_program *psi_program_find(const struct psi *,
					   uint16_t number);

/* The first program with video, else the first with audio, else NULL. */
const struct psi_program *psi_main_program(const struct psi *);

/* Where random access points are looked for: the video PID of the main
 * program, else its audio PID, else 0x1fff. */
uint16_t psi_main_pid(const struct psi *);

/* Video and audio PIDs of all programs, each PID once. */
unsigned psi_video_count(const struct psi *);
unsigned psi_audio_count(const struct psi *);

/* Since psi_new(): sections with a wrong CRC_32, and those cut or broken. */
uint32_t psi_crc_errors(const struct psi *);
uint32_t psi_broken(const struct psi *);
