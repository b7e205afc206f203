/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a splice is made of; only for the files of this folder. */
#pragma once

#include "worker/ts/fifo.h"
#include "worker/splice/clock.h"
#include "worker/splice/cue.h"
#include "worker/splice/splice.h"
#include "worker/ts/audio.h"
#include "worker/ts/pes.h"

enum {
	SPLICE_CHUNK = 256,  /* packets that are changed at a time */
	/* How many packets on a jump is looked for behind its first sign. */
	SPLICE_AHEAD = 512,
	SPLICE_CUES = 64,    /* PIDs with cue messages, at most */
	SPLICE_MS = 1000000, /* in nanoseconds */
};

/* What a packet says of its source. */
enum splice_sign {
	SPLICE_GOES_ON,
	SPLICE_CUT_HERE, /* what was fed is cut there now */
	SPLICE_OPEN,     /* that those to come have to tell */
};

/* Why what comes does not go on with what came. */
enum splice_cut_kind {
	SPLICE_NONE,     /* nothing was cut yet */
	SPLICE_ANNOUNCED,
	SPLICE_JUMPED,   /* only what does not go on is taken for new */
	SPLICE_SHIFTED,  /* the same, and the clocks are known */
};

enum splice_pid_flag {
	PID_UNIT = 0x01,  /* units begin on it (PUSI was seen) */
	PID_WAIT = 0x02,  /* dropped up to the next start of a unit */
	PID_DROP = 0x04,  /* the unit that is under way is left out */
	PID_OPEN = 0x08,  /* a unit is under way whose end is not known */
	PID_REST = 0x10,  /* the end of its unit is awaited before a cut */
	PID_TABLE = 0x20, /* PAT or PMT */
	PID_FRAMES = 0x40, /* audio: its frames are counted */
	PID_CUES = 0x80,   /* cue messages: their times are moved */
	/* With one of these a packet is not simply the next. */
	PID_SPECIAL = PID_WAIT | PID_DROP | PID_REST | PID_TABLE | PID_FRAMES |
		      PID_CUES,
};

struct splice_pid {
	uint16_t cut;   /* splice.cut when a packet was seen; 0: never */
	uint16_t left;  /* bytes to come of a unit of known length */
	uint8_t cc;     /* the last counter, as it came */
	uint8_t flags;
	uint8_t track;  /* index and one; 0: none */
	uint8_t clock : 7; /* index; of PIDs that no table ever listed the
			      first */
	uint8_t ghost : 1; /* no table names it, and it may pass all the
			      same */
};

/* What need not outlive the process; beside struct splice_track. */
struct splice_unit {
	uint16_t cut;     /* splice.cut when a unit last passed */
	bool waits;       /* for a random access point to begin at */
	bool leading;     /* pictures may come that ... */
	uint64_t floor;   /* ... are before that PTS (90 kHz, as it came) and
			     need what was cut off */
	uint64_t extra;   /* 90 kHz: added to this stream's stamps alone */
	int64_t lead;     /* 90 kHz: the last DTS less the last PCR */
	uint32_t len;     /* bytes of the last one; 0: not told */
	uint32_t step;    /* 90 kHz: between the last two DTS */
	/* the audio frames of this unit */
	struct audio_walk walk;
	uint32_t samples;
	uint32_t rate;
	bool counted;     /* those of the units before were as long as they
			     played */
};

struct splice_cue {
	uint16_t pid; /* 0: free */
	struct cue cue;
};

/* What is fed, from the packet that is looked at on. */
struct splice_cursor {
	const struct ts_run *runs;
	size_t n_runs;
	size_t at;    /* in runs[0] */
	size_t index; /* since the feed began */
};

/* What each packet touches stands together, in front of PIDs in the order of
 * their numbers: whoever comes back to a stream when others had their turn has
 * few pages and cache lines to find again. */
struct splice {
	struct splice_config config;
	struct splice_continuity *sent;
	uint64_t now_ns;
	uint64_t since_ns;  /* the first packets behind the cut; 0: none yet */
	uint64_t resumed_ns; /* the first packets behind the last silence */
	size_t n_pending;   /* clocks whose place is not known yet */
	size_t calm;        /* no jump up to this index of the feed, and ... */
	size_t homely;      /* ... no other source */
	uint16_t cut;       /* counts them, never 0 */
	bool moving;        /* packets are changed; else they only pass */
	bool entered;       /* the last cut was at an entry */
	bool live;          /* what is fed comes now, was not kept back */
	bool doubt;         /* packets are kept back up to a PCR, ... */
	bool foreign;       /* ... the first of a PID that no table names */
	bool urgent;        /* nothing more is kept back */
	bool rest;          /* between splice_cut() and the end of the rest */
	bool goes_back;     /* the DTS of this packet, unavoidably */
	bool drop_pcr;      /* of this packet */
	enum splice_cut_kind kind; /* of the last cut */
	struct psi *psi;
	struct splice_pid pids[TS_PIDS];

	bool pending[SPLICE_CLOCKS];
	bool unsettled[SPLICE_CLOCKS]; /* known, and not checked */
	struct splice_continuity *own_sent; /* NULL when it is borrowed */
	struct splice_counters counters;

	uint64_t doubt_until_ns;
	uint64_t rest_until_ns;
	size_t n_rest;      /* PIDs whose unit has not ended */
	size_t n_tables;    /* the first packets in held are ours */
	struct fifo held;
	bool has_phase;
	uint64_t phase;
	uint16_t phase_program;

	uint8_t *buffer;    /* SPLICE_CHUNK packets, from the first cut on */
	size_t n_buffer;

	struct splice_unit units[SPLICE_TRACKS];
	struct splice_cue cues[SPLICE_CUES];
};

static inline const uint8_t *splice_cursor_get(const struct splice_cursor *c)
{
	return c->runs[0].data + c->at * TS_PACKET;
}

/* At the first packet; there is one. */
static inline struct splice_cursor splice_cursor_of(const struct ts_run *runs,
						    size_t n_runs)
{
	for (; runs[0].n == 0; n_runs--)
		runs++;
	return (struct splice_cursor){ .runs = runs, .n_runs = n_runs };
}

/* False at the end. */
static inline bool splice_cursor_next(struct splice_cursor *c)
{
	c->at++;
	c->index++;
	while (c->n_runs > 0 && c->at >= c->runs[0].n) {
		c->runs++;
		c->n_runs--;
		c->at = 0;
	}
	return c->n_runs > 0;
}

static inline struct splice_moment splice_moment(const struct splice *s)
{
	return (struct splice_moment){ .ns = s->now_ns,
				       .packets = s->sent->packets };
}

static inline void splice_set_cc(struct splice *s, uint16_t pid, unsigned cc)
{
	s->sent->cc[pid] = (uint8_t)(SPLICE_CC_SEEN | (cc & 0x0f));
}

/* Is a cut so recent that things may still come in place? */
static inline bool splice_has_patience(const struct splice *s)
{
	return s->now_ns - s->since_ns <
	       (uint64_t)SPLICE_PATIENCE_MS * SPLICE_MS;
}

/* A payload that does not begin a unit. */
static inline void splice_unit_goes_on(struct splice_pid *ps, const uint8_t *p)
{
	size_t len = TS_PACKET - ts_payload_offset(p);

	ps->left = (uint16_t)(ps->left < len ? 0 : ps->left - len);
}

/* Is it the packet that was expected, with nothing in it for us? */
static inline bool splice_is_plain(const struct splice *s,
				   const struct splice_pid *ps,
				   const uint8_t *p)
{
	return p[0] == TS_SYNC_BYTE && (p[1] & 0xc0) == 0 &&
	       (p[3] & 0x30) == 0x10 && ps->cut == s->cut &&
	       (ps->flags & PID_SPECIAL) == 0 &&
	       ((ps->cc + 1) & 0x0f) == (p[3] & 0x0f);
}

static inline void splice_pass_plain(struct splice *s, struct splice_pid *ps,
				     const uint8_t *p)
{
	uint16_t pid = ts_pid(p);

	ps->cc = p[3] & 0x0f;
	if (ps->left > 0)
		splice_unit_goes_on(ps, p);
	splice_set_cc(s, pid, s->sent->cc[pid] + 1U);
}

/* --- packet.c: PIDs --- */

/* Counts a packet on its PID, which goes out (or does not) with the counter
 * state->cc then has. */
void splice_count(struct splice *, const uint8_t *packet, bool keep);

/*
 * Notes what a packet means for its PID and its clock.  False when it is left
 * out, though its PCR goes out if it has one.
 */
bool splice_admit(struct splice *, const uint8_t *packet);

/* --- programs.c: which clock a PID belongs to --- */

/* The tables of what goes out have changed. */
void splice_programs_renew(struct splice *);

/* Is it a PID of a program of ours, or of its PCRs? */
bool splice_is_named(const struct splice *, uint16_t pid);

/* Of the PCRs on a PID; -1 when they are none of a clock of ours. */
int splice_clock_of_pcr(struct splice *, uint16_t pid);

/* --- units.c: PES and their time stamps --- */

/* What is added to the stamps of a packet of this PID. */
struct stamps_move splice_move_of(const struct splice *, uint16_t pid);

/* Does this packet begin a PES whose time does not go on with that of its
 * stream?  pcr: a PCR of its clock close by (as it came), or NULL. */
bool splice_unit_jumps(const struct splice *, const uint8_t *packet,
		       const uint64_t *pcr);

/* Is the time of the PES that begins here far from its clock? */
bool splice_unit_is_strange(const struct splice *, const uint8_t *packet);

/* ... though its clock goes on: its stream's stamps are moved alone.  False
 * when there is nothing that they could go on with. */
bool splice_unit_mend(struct splice *, const uint8_t *packet);

/* A packet of a unit that goes out: counts its audio frames. */
void splice_unit_count(struct splice *, const uint8_t *packet);

/* A unit begins: notes its times; false when it is to be left out. */
bool splice_unit_begin(struct splice *, const uint8_t *packet);

/* --- jump.c: cuts --- */

void splice_begin_cut(struct splice *, enum splice_cut_kind);

/* Places clocks by the PCRs to come, as far as they are there. */
void splice_place(struct splice *, struct splice_cursor);

/* Is the counter of a packet not the next one of its PID? */
bool splice_has_gap(const struct splice *, const uint8_t *packet);

/* Is it one by which those of PIDs that no table names can be judged? */
bool splice_tells(const struct splice *, const uint8_t *packet);

/* Looks at the packet at the cursor before anything is done with it. */
enum splice_sign splice_find_jump(struct splice *,
				  const struct splice_cursor *);

/* Notes the PCR of a packet of the source; false when it is not to go out: it
 * was kept back while the clock went on. */
bool splice_note_pcr(struct splice *, const uint8_t *packet);

/* --- move.c: what goes out changed --- */

/* Room for a packet, which goes out with the next flush. */
uint8_t *splice_append(struct splice *, const uint8_t *packet);
void splice_flush(struct splice *);

/* Takes a packet that goes out into account. */
void splice_follow_tables(struct splice *, const uint8_t *packet);

/* All from the cursor on, changed as is needed.  looked: splice_find_jump()
 * has seen the first. */
void splice_move_on(struct splice *, struct splice_cursor, bool looked);

/* --- splice.c --- */

/* What was kept back in doubt goes out. */
void splice_end_doubt(struct splice *);

/* All from the cursor on is kept back: it is foreign. */
void splice_begin_doubt(struct splice *, struct splice_cursor);

/* --- rest.c: what is kept back --- */

void splice_hold(struct splice *, const struct ts_run *runs, size_t n_runs);

/* The rest has ended, or has to: what was kept back goes out. */
void splice_end_rest(struct splice *);
