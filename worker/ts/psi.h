/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Follows the PAT and all PMTs of a transport stream.
 *
 * A table stays valid until a complete, valid and different one replaces it:
 * a section with a bad CRC_32 or a malformed loop is counted and ignored.
 * Sections are compared by their bytes, so a change without a new version
 * number is seen.
 * A program that the PAT no longer names is dropped with its PIDs.
 *
 * Owns all tables; pointers are valid until the next psi_feed().  The PAT takes
 * up to twice PSI_PAT_SECTIONS_MAX sections of memory: a new PAT is collected
 * while the old one stays valid.
 */
#pragma once

#include "worker/ts/pmt.h"
#include "worker/ts/packet.h"

enum {
	/* Further programs are ignored, except that of psi_want(). */
	PSI_PROGRAMS_MAX = 256,
	PSI_PAT_SECTIONS_MAX = 256, /* section_number has 8 bits */
};

struct psi;

struct psi_section {
	const uint8_t *data; /* NULL until it is received */
	size_t len;
};

struct psi_program {
	uint16_t number;
	uint16_t pmt_pid;
	uint16_t pcr_pid;   /* 0x1fff: none, or PMT not known */
	uint16_t video_pid; /* the first video of the PMT; 0x1fff: none */
	uint16_t audio_pid; /* the first audio of the PMT; 0x1fff: none */
	struct psi_section pmt; /* the received section, with CRC_32 */
};

struct psi *psi_new(void);
void psi_free(struct psi **);

/* To be called when another source begins: forgets all tables, keeps the error
 * counters. */
void psi_reset(struct psi *);

/* Makes sure that the program with this program_number is followed, even if the
 * PAT lists it behind PSI_PROGRAMS_MAX others.  To be called before the first
 * psi_feed(). */
void psi_want(struct psi *, uint16_t number);

/*
 * Takes a packet whose class is PID_PSI (others are ignored).  True when it
 * changed the tables.
 */
bool psi_feed(struct psi *, const uint8_t *packet);

/* The enum pid_class of each PID, indexed by PID.  The address is fixed for the
 * life of psi. */
const uint8_t *psi_classes(const struct psi *);

static inline enum pid_class psi_class(const struct psi *psi, uint16_t pid)
{
	return (enum pid_class)psi_classes(psi)[pid & 0x1fff];
}

/* Sets a bit for each PID of PAT and PMTs, and for each PID of a stream, PCR or
 * ECM that a PMT names. */
void psi_used_pids(const struct psi *, uint64_t ret[TS_PIDS / 64]);

/* The stream_type of pid in the PMT that lists it; 0: no PMT lists it. */
uint8_t psi_stream_type(const struct psi *, uint16_t pid);
/* The coding of a PID's content, for parsers: pmt_coding(); 0: no PMT lists
 * it. */
uint8_t psi_coding(const struct psi *, uint16_t pid);

/* A counter of the changes of the tables; 0: no table received yet. */
uint32_t psi_changes(const struct psi *);

bool psi_has_pat(const struct psi *);

/* Is the PMT of at least one program known? */
bool psi_has_pmt(const struct psi *);

/* transport_stream_id of the PAT. */
uint16_t psi_tsid(const struct psi *);

/* The network PID of the PAT; 0: none. */
uint16_t psi_network_pid(const struct psi *);

/* The sections of the PAT as received; returns their number, 0 without a PAT.
 * */
size_t psi_pat(const struct psi *, const struct psi_section **ret);

/* The programs in the order of the PAT. */
size_t psi_programs(const struct psi *, const struct psi_program **ret);

/* The number of programs of the PAT that exceed PSI_PROGRAMS_MAX. */
size_t psi_ignored(const struct psi *);

/* Finds a program by its number; NULL: the PAT does not name it. */
const struct psi_program *psi_program_find(const struct psi *,
					   uint16_t number);

/* Does the PMT of the program name a conditional access system? */
bool psi_program_is_scrambled(const struct psi_program *);

/* The first program with video, else the first with audio, else NULL. */
const struct psi_program *psi_main_program(const struct psi *);

/* The PID whose random access points are used: the video PID of the main
 * program, or if it has none, its audio PID; 0x1fff: neither is known. */
uint16_t psi_main_pid(const struct psi *);

/* The number of video and of audio PIDs of all programs; each PID counts
 * once. */
unsigned psi_video_count(const struct psi *);
unsigned psi_audio_count(const struct psi *);

/* The number of sections since psi_new() that had a wrong CRC_32
 * (psi_crc_errors), and of those that were malformed or cut (psi_broken). */
uint32_t psi_crc_errors(const struct psi *);
uint32_t psi_broken(const struct psi *);
