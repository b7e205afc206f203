/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The states of a splice and its data; only for the files of this folder.
 *
 *	                jump, shift, end of a drain
 *	    relay ───────────────────────────────────▶ rewrite
 *	    │   ▲                                      ▲   │
 *	    │   └─ released ─── hold, hold foreign ────┘   │
 *	    │                     ▲                        │
 *	    ├─ packets in doubt ──┴── packets in doubt ────┤
 *	    └───── cut ────▶ drain ◀───────── cut ─────────┘
 *
 * splice.c has the table of states and events.
 */
#pragma once

#include "worker/ts/fifo.h"
#include "worker/splice/clock.h"
#include "worker/splice/cue.h"
#include "worker/splice/splice.h"
#include "worker/ts/audio.h"
#include "worker/ts/pes.h"

enum {
	SPLICE_CHUNK = 256,  /* packets that are changed at a time */
	/* How many packets ahead the search for a jump reads. */
	SPLICE_AHEAD = 512,
	SPLICE_CUES = 64,    /* PIDs with cue messages, at most */
	SPLICE_MS = 1000000, /* in nanoseconds */
};

enum splice_state {
	SPLICE_RELAY,        /* nothing was cut yet: runs pass unchanged */
	SPLICE_REWRITE,      /* packets are copied and changed */
	SPLICE_HOLD,         /* packets after a silence wait for a PCR */
	SPLICE_HOLD_FOREIGN, /* packets of a PID that no table names wait for
			      * other tables or a PCR of a known clock */
	SPLICE_DRAIN,        /* the source before ends its units; packets of
			      * the next one wait */
	/* Only inside one call, so that no event meets them: */
	SPLICE_JUDGE,        /* held packets pass, and no further one will
			      * show whether they are foreign */
	SPLICE_CATCH_UP,     /* packets that waited for the drain pass: the
			      * time is not that of their arrival */
	SPLICE_STATES
};

enum splice_event_type {
	SPLICE_ON_FEED,  /* packets of the active source */
	SPLICE_ON_DRAIN, /* packets of the source before */
	SPLICE_ON_CUT,
	SPLICE_ON_SHIFT,
	SPLICE_ON_DEADLINE,
	SPLICE_EVENTS
};

struct splice_event {
	enum splice_event_type type;
	const struct ts_run *runs; /* of FEED and DRAIN */
	size_t n_runs;
	size_t n; /* packets in them, of FEED */
	const struct switch_point *point; /* of CUT; NULL: not watched */
	bool drain;                       /* of CUT */
	uint64_t ticks;                   /* of SHIFT */
};

/* The evidence of a packet on its source. */
enum splice_sign {
	SPLICE_CONTINUES,
	SPLICE_CUTS,      /* a cut was made in front of it */
	SPLICE_UNDECIDED, /* later packets will show it */
};

/* The last cut. */
enum splice_cut_kind {
	SPLICE_NO_CUT,
	SPLICE_BLIND,  /* announced, to a source that was not watched */
	SPLICE_SWITCH, /* announced, to a switch point */
	SPLICE_JUMP,   /* of the source: PIDs that continue are not cut */
	SPLICE_LAP,    /* likewise, and the clocks are known */
};

/* The decision of splice_admit() on a packet, in bits. */
enum splice_verdict {
	SPLICE_KEEP = 0x01,     /* it goes out; else only its PCR does */
	SPLICE_NO_PCR = 0x02,   /* its PCR does not go out */
	SPLICE_DTS_BACK = 0x04, /* its DTS goes back, which is unavoidable */
};

enum splice_pid_flag {
	PID_UNIT = 0x01,  /* units begin on it (PUSI was seen) */
	PID_WAIT = 0x02,  /* dropped up to the next start of a unit */
	PID_DROP = 0x04,  /* the current unit is dropped */
	PID_OPEN = 0x08,  /* the current unit has no known end */
	PID_DRAIN = 0x10, /* a drain waits for the end of its unit */
	PID_TABLE = 0x20, /* PAT or PMT */
	PID_FRAMES = 0x40, /* audio: its frames are counted */
	PID_CUES = 0x80,   /* cue messages: their times are moved */
	/* With one of these a packet takes the slow path. */
	PID_SPECIAL = PID_WAIT | PID_DROP | PID_DRAIN | PID_TABLE |
		      PID_FRAMES | PID_CUES,
};

struct splice_pid {
	uint16_t cut;   /* splice.cut when a packet was seen; 0: never */
	uint16_t left;  /* remaining bytes of a unit of known length */
	uint8_t cc;     /* the last counter, as received */
	uint8_t flags;
	uint8_t track;  /* index and one; 0: none */
	uint8_t clock : 7; /* index; the first one if no table ever listed
			      the PID */
	uint8_t unlisted : 1; /* no table names it, and it may pass */
};

/* The state of a track that need not outlive the process; see struct
 * splice_track. */
struct splice_unit {
	uint16_t cut;     /* splice.cut when a unit last passed */
	bool waits;       /* for a random access point to begin at */
	bool leading;     /* pictures may follow that ... */
	uint64_t floor;   /* ... are before that PTS (90 kHz, as received)
			     and need pictures of the other source */
	uint64_t extra;   /* 90 kHz: added to this stream's stamps alone */
	int64_t lead;     /* 90 kHz: the last DTS less the last PCR */
	uint32_t len;     /* bytes of the last one; 0: unknown */
	uint32_t step;    /* 90 kHz: between the last two DTS */
	/* the audio frames of this unit */
	struct audio_walk walk;
	uint32_t samples;
	uint32_t rate;
	bool counted;     /* the frames of earlier units matched their
			     duration */
};

struct splice_cue {
	uint16_t pid; /* 0: free */
	struct cue cue;
};

/* The rest of a feed, from the current packet. */
struct splice_cursor {
	const struct ts_run *runs;
	size_t n_runs;
	size_t at;    /* in runs[0] */
	size_t index; /* since the feed began */
};

/* The fields that each packet touches come first, in front of the PIDs: after
 * other processes have run, few pages and cache lines are cold. */
struct splice {
	struct splice_config config;
	struct splice_continuity *sent; /* the state of the output */
	uint64_t now_ns;
	uint64_t since_ns;  /* the first packets after the cut; 0: none yet */
	uint64_t resumed_ns; /* the first packets after the last silence */
	size_t n_pending;   /* clocks whose place is not known yet */
	size_t no_jump_to;  /* index in the feed: packets before it are known
			     * not to jump, ... */
	size_t known_to;    /* ... not to be of a foreign source */
	uint16_t cut;       /* number of the last one, never 0 */
	enum splice_state state;
	enum splice_cut_kind kind;
	struct psi *psi;
	struct splice_pid pids[TS_PIDS];

	bool pending[SPLICE_CLOCKS];
	bool unsettled[SPLICE_CLOCKS]; /* placed, but no PCR confirmed it */
	struct splice_continuity *own_sent; /* NULL when it is borrowed */
	struct splice_counters counters;

	uint64_t until_ns;  /* the end of a hold or a drain */
	struct fifo held;   /* packets that wait for it */
	size_t n_draining;  /* PIDs whose unit has not ended */
	/* the source that follows the drain */
	enum splice_cut_kind next_kind;
	size_t n_tables;    /* the first packets in held are its tables */
	bool has_phase;
	uint64_t phase;
	uint16_t phase_program;

	uint8_t *buffer;    /* SPLICE_CHUNK packets, from the first cut on */
	size_t n_buffer;

	struct splice_unit units[SPLICE_TRACKS];
	struct splice_cue cues[SPLICE_CUES];
};

/* Did a switch, and not the source itself, cause the last cut? */
static inline bool splice_is_announced(const struct splice *s)
{
	return s->kind == SPLICE_BLIND || s->kind == SPLICE_SWITCH;
}

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

/* Is the cut so recent that PCRs and units of the source may still arrive? */
static inline bool splice_is_recent(const struct splice *s)
{
	return s->now_ns - s->since_ns <
	       (uint64_t)SPLICE_PATIENCE_MS * SPLICE_MS;
}

/* A payload that does not begin a unit. */
static inline void splice_unit_continues(struct splice_pid *ps,
					 const uint8_t *p)
{
	size_t len = TS_PACKET - ts_payload_offset(p);

	ps->left = (uint16_t)(ps->left < len ? 0 : ps->left - len);
}

/* Is it the expected packet, without anything that is noted or changed? */
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
		splice_unit_continues(ps, p);
	splice_set_cc(s, pid, s->sent->cc[pid] + 1U);
}

/* --- packet.c: PIDs --- */

/* Counts a packet on its PID.  Then sent->cc has its counter in the output, or
 * for a dropped packet the counter of the packet before. */
void splice_count(struct splice *, const uint8_t *packet, bool keep);

/* Updates PID and clock by a packet.  Returns bits of enum splice_verdict. */
unsigned splice_admit(struct splice *, const uint8_t *packet);

/* --- programs.c: which clock a PID belongs to --- */

/* The tables of the output have changed. */
void splice_programs_renew(struct splice *);

/* Does a table of the output name this PID, or is it one of its PCRs? */
bool splice_is_named(const struct splice *, uint16_t pid);

/* The index of the clock whose PCRs this PID has; -1: none. */
int splice_clock_of_pcr(struct splice *, uint16_t pid);

/* --- units.c: PES and their time stamps --- */

/* The offsets for the stamps of a packet of this PID. */
struct stamps_move splice_move_of(const struct splice *, uint16_t pid);

/* Does a PES begin here whose time does not continue its stream? pcr: a PCR of
 * its clock close by (as received), or NULL. */
bool splice_unit_jumps(const struct splice *, const uint8_t *packet,
		       const uint64_t *pcr);

/* Is the time of the PES that begins here far from its clock? */
bool splice_unit_is_strange(const struct splice *, const uint8_t *packet);

/* The PES that begins here jumps, but its clock does not: moves the stamps of
 * its stream alone.  False when nothing went out that they could continue. */
bool splice_unit_rejoin(struct splice *, const uint8_t *packet);

/* A packet of a unit that goes out: counts its audio frames. */
void splice_unit_count(struct splice *, const uint8_t *packet);

/* A unit begins: notes its times.  SPLICE_KEEP unless it is dropped, and
 * SPLICE_DTS_BACK. */
unsigned splice_unit_begin(struct splice *, const uint8_t *packet);

/* --- jump.c: cuts --- */

/* From now on packets are changed. */
void splice_rewrite(struct splice *);

void splice_begin_cut(struct splice *, enum splice_cut_kind);

/* Places clocks by the PCRs that follow, as far as they are there. */
void splice_place(struct splice *, struct splice_cursor);

/* Is the counter of a packet not the next one of its PID? */
bool splice_has_gap(const struct splice *, const uint8_t *packet);

/* Does it show whether packets of PIDs that no table names are foreign? */
bool splice_shows_source(const struct splice *, const uint8_t *packet);

/* Checks the packet at the cursor before anything else is done with it. */
enum splice_sign splice_find_jump(struct splice *,
				  const struct splice_cursor *);

/* Notes the PCR of a packet of the source.  False when it must not go out: it
 * was held while the clock continued. */
bool splice_note_pcr(struct splice *, const uint8_t *packet);

/* --- rewrite.c: changed packets --- */

/* Room for a packet, which goes out with the next flush. */
uint8_t *splice_append(struct splice *, const uint8_t *packet);
void splice_flush(struct splice *);

/* Reads the tables from a packet that goes out. */
void splice_follow_tables(struct splice *, const uint8_t *packet);

/* Sends the packets from the cursor on, changed as needed.  checked:
 * splice_find_jump() has seen the first. */
void splice_send_changed(struct splice *, struct splice_cursor, bool checked);

/* --- drain.c: announced cuts, as events --- */

/* Ends the drain: held packets of the new source go out.  Reads no event. */
void splice_end_drain(struct splice *, const struct splice_event *);

/* Starts the drain of the current source, or cuts it at once. */
void splice_begin_drain(struct splice *, const struct splice_event *);

/* Packets of the source before. */
void splice_feed_drain(struct splice *, const struct splice_event *);

/* --- splice.c --- */

void splice_hold(struct splice *, const struct ts_run *runs, size_t n_runs);

/* The packet at the cursor is foreign: it waits, with all that follow. */
void splice_hold_foreign(struct splice *, struct splice_cursor);
