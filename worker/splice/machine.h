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
#include "worker/splice/pes_split.h"
#include "worker/ts/audio.h"
#include "worker/ts/pes.h"

enum {
	SPLICE_CHUNK = 256,  /* packets in the buffer of changed packets */
	/* The search for a jump reads at most this many packets ahead. */
	SPLICE_AHEAD = 512,
	SPLICE_CUES = 64,    /* most PIDs with cue messages */
	SPLICE_SPLITS = 64,  /* most PES headers that span packets */
	SPLICE_MS = 1000000, /* a millisecond, in ns */
};

enum splice_state {
	SPLICE_RELAY,        /* no cut yet: packets pass unchanged */
	SPLICE_REWRITE,      /* packets are copied and changed */
	SPLICE_HOLD,         /* packets after a silence wait for a PCR */
	SPLICE_HOLD_FOREIGN, /* packets of a PID that no table names wait for
			      * other tables or a PCR of a known clock, those
			      * from a PCR that jumps for the next PCR, those
			      * from a unit that jumps or is odd for a PCR of
			      * its clock, and those from a split PES header for
			      * its rest */
	SPLICE_DRAIN,        /* the previous source ends its units; packets of
			      * the next source wait */
	/* The next two states end within the call: no event arrives in them. */
	SPLICE_JUDGE,        /* held packets are sent; no later packet is
			      * awaited to show whether they are foreign */
	SPLICE_CATCH_UP,     /* packets that waited, e.g. for the drain, are
			      * sent: they arrived before now_ns */
	SPLICE_STATES
};

enum splice_event_type {
	SPLICE_ON_FEED,  /* packets of the active source */
	SPLICE_ON_DRAIN, /* packets of the previous source */
	SPLICE_ON_CUT,
	SPLICE_ON_SHIFT,
	SPLICE_ON_DEADLINE,
	SPLICE_EVENTS
};

struct splice_event {
	enum splice_event_type type;
	const struct ts_run *runs; /* FEED, DRAIN: the packets */
	size_t n_runs;
	size_t n;                  /* FEED: number of packets in runs */
	bool held;                 /* FEED: the packets arrived before now */
	/* CUT: the switch point of the next source; NULL: it has none */
	const struct switch_point *point;
	bool drain;                /* CUT: the previous source still sends */
	uint64_t ticks;            /* SHIFT: 90 kHz that are added to times */
};

/* Whether a packet continues the source on air. */
enum splice_sign {
	SPLICE_CONTINUES,
	SPLICE_CUTS, /* a cut was made in front of it, or its times change */
	SPLICE_UNDECIDED, /* only later packets can show whether it does */
};

/* The kind of the last cut. */
enum splice_cut_kind {
	SPLICE_NO_CUT,
	SPLICE_BLIND, /* splice_cut() without a switch point, or splice_new() */
	SPLICE_SWITCH, /* splice_cut() to a switch point */
	SPLICE_JUMP,   /* the clock jumped, or another source replaced this one;
			* a PID whose counter continues is not cut */
	SPLICE_LAP,    /* splice_shift(), or the source was restarted with the
			* same clock; clocks do not wait for a PCR */
};

/* The decision of splice_admit() on a packet, in bits. */
enum splice_verdict {
	SPLICE_KEEP = 0x01,     /* the packet goes out; without this bit only
				 * its PCR goes out */
	SPLICE_NO_PCR = 0x02,   /* the PCR does not go out */
	SPLICE_BREAK = 0x04,    /* the DTS goes back, or the PCR is ahead of
				 * the time, which is unavoidable */
};

enum splice_pid_flag {
	PID_UNIT = 0x01,  /* the PID has had a packet with PUSI */
	PID_WAIT = 0x02,  /* packets are dropped until a unit begins */
	PID_DROP = 0x04,  /* the current unit is dropped */
	PID_OPEN = 0x08,  /* the length of the current unit is unknown */
	PID_DRAIN = 0x10, /* a drain waits for the end of the current unit */
	PID_TABLE = 0x20, /* the PID has PAT or PMT */
	PID_FRAMES = 0x40, /* the PID has audio, whose frames are counted */
	PID_CUES = 0x80,   /* the PID has cue messages (cue.h) */
	/* With any of these flags splice_is_plain() is false. */
	PID_SPECIAL = PID_WAIT | PID_DROP | PID_DRAIN | PID_TABLE |
		      PID_FRAMES | PID_CUES,
};

struct splice_pid {
	uint16_t cut;   /* splice.cut at the last packet; 0: no packet yet */
	uint16_t left;  /* bytes of the current unit that are still to come */
	uint8_t cc;     /* last continuity counter, as received */
	uint8_t flags;  /* enum splice_pid_flag */
	uint8_t track;  /* 1 + index of its track; 0: none */
	uint8_t clock : 6; /* index of its clock; 0 if no table has ever
			    * listed the PID */
	uint8_t former : 1; /* it had packets when the tables changed, and the
			     * new tables do not list it */
	uint8_t unlisted : 1; /* no table lists the PID, and it may pass */
};

#define SPLICE_LEAD_UNKNOWN INT64_MIN

/* The state of a track that need not outlive the process; see struct
 * splice_track. */
struct splice_unit {
	uint16_t cut;     /* splice.cut at the last unit that was sent */
	bool waits;       /* pictures are dropped up to a random access point */
	/* Pictures may follow whose PTS is before floor (90 kHz, as received)
	 * and that need pictures of the previous source. */
	bool leading;
	uint64_t floor;
	uint64_t extra;   /* 90 kHz: added to PTS and DTS of this track alone */
	int64_t lead;     /* 90 kHz: the last DTS minus the last PCR of its
			   * clock, or SPLICE_LEAD_UNKNOWN */
	uint32_t len;     /* bytes of audio in the last unit; 0: unknown */
	uint32_t step;    /* 90 kHz: difference of the last two DTS */
	uint32_t earlier_step; /* 90 kHz: the difference before step */
	uint64_t at_ns;   /* time when the last unit was sent */
	/* 90 kHz: by how much a DTS was further ahead than expected */
	uint32_t ahead;
	uint64_t ahead_ns; /* time when ahead was noted; 0: never */
	/* the PES header of the current unit, in front of its audio frames */
	struct pes_skip skip;
	struct audio_walk walk; /* finds the audio frames of the unit */
	uint32_t samples; /* audio samples of the unit so far */
	uint32_t rate;    /* samples per second; 0: unknown */
	bool counted;     /* samples of the unit before fitted its duration */
};

struct splice_cue {
	uint16_t pid; /* 0: the entry is free */
	struct cue cue;
};

/* A PCR that went out on a PID that no table names. */
struct splice_unlisted {
	bool set;
	uint64_t pcr; /* 27 MHz, as sent */
	struct splice_moment at;
};

/* A move of the PCRs of a clock to a PID that no table names. */
struct splice_move {
	uint64_t at_ns; /* time of the move; 0: none since the last cut */
	size_t clock;   /* index of the clock */
	uint16_t from;  /* the PCR PID before the move, which the tables name */
	uint64_t pcr;   /* 27 MHz: the last PCR before the move, as sent */
	uint8_t cc[TS_PIDS]; /* counter of each PID at the move, as received */
};

/* The packets of a feed from the current packet on. */
struct splice_cursor {
	const struct ts_run *runs;
	size_t n_runs;
	size_t at;    /* index of the current packet in runs[0] */
	size_t index; /* index of the current packet in the feed */
};

/* The members that each packet touches are the first ones, in front of the
 * PIDs.  So few pages and cache lines are cold after other processes have
 * run. */
struct splice {
	struct splice_config config;
	struct splice_continuity *sent; /* the state of the output */
	uint64_t now_ns;    /* time of the current call (CLOCK_MONOTONIC) */
	uint64_t since_ns;  /* time of the first packets after the last cut;
			     * 0: none yet */
	uint64_t resumed_ns; /* time of the first packets after a silence */
	/* Arrival of a PCR that jumps and waits for the next PCR to confirm the
	 * jump; its packet is the first one in held.  0: none waits. */
	uint64_t doubt_ns;
	bool wrong_pcr;     /* the PCR of the current packet must not go out */
	size_t n_pending;   /* number of clocks that are set in pending */
	/* index in the feed: no packet before it jumps */
	size_t no_jump_to;
	/* index in the feed: no packet before it is of another source */
	size_t known_to;
	/* index in the feed of a packet that continues a PID of the tables */
	size_t joined_to;
	/* no_sign: no later packet of the feed shows the source.
	 * no_other_clock: each later PCR on a PID of no table fits a clock. */
	bool no_sign, no_other_clock;
	uint16_t cut;       /* number of the last cut, at least 1 */
	enum splice_state state;
	enum splice_cut_kind kind; /* kind of the last cut */
	struct psi *psi;    /* the tables of the output */
	struct splice_pid pids[TS_PIDS];

	/* the clock is to be placed by its first PCR after the cut */
	bool pending[SPLICE_CLOCKS];
	/* pending because another clock jumped; its tracks are not cut */
	bool bystander[SPLICE_CLOCKS];
	bool unsettled[SPLICE_CLOCKS]; /* placed, but no PCR confirmed it */
	struct splice_watch watches[SPLICE_CLOCKS]; /* PCRs of the source */
	/* for each clock: the last PCR that went out on a PID that no table
	 * names, and continued the clock */
	struct splice_unlisted unlisted[SPLICE_CLOCKS];
	struct splice_continuity *own_sent; /* NULL: `sent` is borrowed */
	struct splice_counters counters;

	uint64_t renewed_ns; /* time of the last change of the tables */
	/* No packet in a hold arrived before began_ns; 0: no hold.  Those from
	 * the index next_at on did not arrive before next_ns; 0: unknown. */
	uint64_t began_ns, next_ns;
	size_t next_at;
	/* start of the first hold in a row that counts against
	 * SPLICE_WAITS_MS; 0: no hold */
	uint64_t held_ns;
	uint64_t until_ns;  /* latest end of a hold or a drain */
	uint64_t drain_end_ns; /* upper limit of until_ns during a drain */
	struct fifo held;   /* packets that wait in a hold or a drain */
	size_t n_draining;  /* number of PIDs with PID_DRAIN */
	enum splice_cut_kind next_kind; /* a cut of this kind ends the drain */
	size_t n_tables;    /* held packets with tables of the next source */
	bool late;          /* the switch point was late: pictures wait longer
			     * for a random access point */
	/* position of the current packet in the feed; NULL: unknown */
	const struct splice_cursor *ahead;
	bool has_phase;     /* phase and phase_program are valid */
	/* 27 MHz: the lead of the PCRs of phase_program over the time */
	uint64_t phase;
	uint16_t phase_program;

	bool split_waits;   /* the first held packet waits for a PES header */
	bool split_waited;  /* the current packets waited for a PES header */
	bool ends;          /* units with an incomplete PES header are lost */
	/* the PES header that begins in the current packet and ends in a later
	 * one; NULL: the packet has the whole header, or no header begins */
	const struct pes_split *header;
	size_t n_splits;
	struct pes_split splits[SPLICE_SPLITS];

	/* SPLICE_CHUNK packets; NULL: packets still pass unchanged */
	uint8_t *buffer;
	size_t n_buffer;    /* packets in buffer */

	struct splice_unit units[SPLICE_TRACKS]; /* state of each track */
	struct splice_cue cues[SPLICE_CUES];
	struct splice_move move; /* the last move of PCRs */
};

/* True if splice_cut() or splice_new() made the last cut, not the source. */
static inline bool splice_is_announced(const struct splice *s)
{
	return s->kind == SPLICE_BLIND || s->kind == SPLICE_SWITCH;
}

static inline const uint8_t *splice_cursor_get(const struct splice_cursor *c)
{
	return c->runs[0].data + c->at * TS_PACKET;
}

/* Returns a cursor at the first packet; the runs must not be empty. */
static inline struct splice_cursor splice_cursor_of(const struct ts_run *runs,
						    size_t n_runs)
{
	for (; runs[0].n == 0; n_runs--)
		runs++;
	return (struct splice_cursor){ .runs = runs, .n_runs = n_runs };
}

/* Moves the cursor to the next packet.  False: there is none. */
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

/* True if the last cut is so recent that PCRs and units of the source may still
 * arrive. */
static inline bool splice_is_recent(const struct splice *s)
{
	return s->now_ns - s->since_ns <
	       (uint64_t)SPLICE_PATIENCE_MS * SPLICE_MS;
}

/* True if the last cut is recent, or still waits for its first packets. */
static inline bool splice_is_just_cut(const struct splice *s)
{
	return s->since_ns == 0 || splice_is_recent(s);
}

/* True if the clock is placed, and a PCR has confirmed its place. */
static inline bool splice_is_settled(const struct splice *s, size_t clock)
{
	return !s->pending[clock] && !s->unsettled[clock];
}

/* Counts the payload of a packet that does not begin a unit. */
static inline void splice_unit_continues(struct splice_pid *ps,
					 const uint8_t *p)
{
	size_t len = TS_PACKET - ts_payload_offset(p);

	ps->left = (uint16_t)(ps->left < len ? 0 : ps->left - len);
}

/* True if the packet is the expected one of its PID, and has no fields that the
 * splice notes or changes. */
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

/* Updates the continuity counter of the PID by a packet: sent->cc becomes its
 * counter in the output, or stays the last one if the packet is dropped. */
void splice_count(struct splice *, const uint8_t *packet, bool keep);

/* Updates the state of PID and clock by a packet, and decides what is sent of
 * the packet.  Returns bits of enum splice_verdict. */
unsigned splice_admit(struct splice *, const uint8_t *packet);

/* --- programs.c: which clock a PID belongs to --- */
/* Updates the clocks after a change of the output's tables. */
void splice_programs_renew(struct splice *);

/* True if a table of the output lists this PID, or if it is the PCR PID of a
 * program. */
bool splice_is_named(const struct splice *, uint16_t pid);

/* The index of the clock whose PCRs this PID has; -1: none. */
int splice_clock_of_pcr(struct splice *, uint16_t pid);

/* --- units.c: PES and their time stamps --- */

/* Returns by how much the time stamps in packets of this PID are moved. */
struct stamps_move splice_move_of(const struct splice *, uint16_t pid);

/* True if a PES begins in the packet and its DTS jumps against its clock, or
 * without a clock against the last DTS.  pcr: a near PCR (as received) or
 * NULL. */
bool splice_unit_jumps(const struct splice *, const uint8_t *packet,
		       const uint64_t *pcr);

/* True if a PES begins in the packet and its DTS goes back, or is far ahead of
 * the last one: its clock may have jumped. */
bool splice_unit_is_odd(const struct splice *, const uint8_t *packet);

/* True if a PES begins in the packet and its distance to its clock has changed.
 * Lost units do not change it.  pcr: the PCR of its clock to compare with (as
 * received); NULL: the clock as it was. */
bool splice_unit_leaves_clock(const struct splice *, const uint8_t *packet,
			      const uint64_t *pcr);

/* Returns by how much (90 kHz) the DTS of the PES that begins in the packet is
 * before the expected one; 0: unknown. */
int64_t splice_unit_late_by(const struct splice *, const uint8_t *packet);

/* True if the time of the PES that begins here is far from its clock. */
bool splice_unit_is_strange(const struct splice *, const uint8_t *packet);

/* For a PES that jumps while its clock does not: moves the stamps of its stream
 * only.  False: no unit of the stream was sent since the cut. */
bool splice_unit_rejoin(struct splice *, const uint8_t *packet);

/* Call it when the source of this clock has jumped ahead, and its times are
 * moved by `ticks' less from now on (90 kHz).  Units of the new time that were
 * already sent had too late a time: corrects the last times of the tracks. */
void splice_unit_amend(struct splice *, size_t clock, int64_t ticks);

/* Counts the audio frames in a packet that is sent. */
void splice_unit_count(struct splice *, const uint8_t *packet);

/* Notes the times of a unit that begins.  Returns SPLICE_KEEP unless the unit
 * is dropped, and SPLICE_BREAK if the DTS goes back. */
unsigned splice_unit_begin(struct splice *, const uint8_t *packet);

/* --- pcr_jump.c: PCRs --- */

/* Makes a reading of a PCR of a clock, as received.  Its packet comes `ahead'
 * packets behind the current one. */
struct splice_reading splice_reading(const struct splice *, size_t clock,
				     uint64_t pcr, size_t ahead);

/* The verdict on a PCR of a clock.  gap: packets in front of it may be
 * missing. */
enum splice_pcr splice_judge_pcr(const struct splice *, size_t clock,
				 struct splice_reading, bool gap);

/* Moves the cursor to the first PCR of the clock from there on, and writes the
 * PCR to *ret.  False: there is none nearby. */
bool splice_find_pcr(struct splice *, struct splice_cursor *, size_t clock,
		     uint64_t *ret);

/* Compares the PCR at `odd', which jumps, with the next PCR of its clock.
 * SPLICE_CUTS: the next PCR continues `odd'.  SPLICE_CONTINUES: it continues
 * the clock as it was.  SPLICE_UNDECIDED: no PCR follows yet.  packets: number
 * of packets from the current packet to `odd'. */
enum splice_sign splice_confirm(struct splice *,
				const struct splice_cursor *odd, size_t clock,
				size_t packets);

/* Looks for a jump at the PCR of the packet at the cursor, and makes a cut in
 * front of it.  SPLICE_UNDECIDED: the next PCR decides.  SPLICE_CUTS: a cut was
 * made, or the PCR must not be sent; packets are changed from there on. */
enum splice_sign splice_judge_jump(struct splice *,
				   const struct splice_cursor *, uint64_t pcr);

/* --- jump.c: cuts --- */

/* Starts to copy and change packets, which have passed unchanged so far. */
void splice_rewrite(struct splice *);

/* Makes a cut: from here on all PIDs begin again, and, except at a lap, all
 * clocks that are used wait for a PCR that places them. */
void splice_begin_cut(struct splice *, enum splice_cut_kind);

/* Call it before another feed or cut: forgets what is known of the packets that
 * follow in the feed. */
void splice_forget_ahead(struct splice *);

/* Makes a cut in front of the packet at the cursor: this clock of the source
 * has jumped; -1: the source is another one. */
void splice_cut_here(struct splice *, const struct splice_cursor *, int clock);

/* True if the clock of the PES that begins in the packet is a bystander, and
 * the PES does not show a jump.  A PES with times then places the clock. */
bool splice_unit_stays(struct splice *, const uint8_t *packet);

/* True if a clock waits for a PCR that places it or confirms its place. */
bool splice_awaits_pcrs(const struct splice *);

/* Places clocks by their first PCRs among the SPLICE_AHEAD packets from the
 * cursor on. */
void splice_place(struct splice *, struct splice_cursor);

/* True if the counter of a packet is not the next one of its PID. */
bool splice_has_gap(const struct splice *, const uint8_t *packet);

/* True if this PCR, further ahead in the feed, jumps.  Packets in front of it
 * may be missing. */
bool splice_jumps_ahead(const struct splice *, size_t clock, uint64_t pcr);

/* Looks for a jump of the source at the packet at the cursor, and makes a cut
 * in front of it; to be called first for each packet. */
enum splice_sign splice_find_jump(struct splice *,
				  const struct splice_cursor *);

/* Notes the PCR of a packet of the source.  Returns bits: SPLICE_NO_PCR if the
 * PCR is late (unless jumps are kept), is wrong alone, jumps during a drain,
 * belongs to no clock that is placed, or was held while the clock continued;
 * SPLICE_BREAK if it is unavoidably ahead of the time. */
unsigned splice_note_pcr(struct splice *, const uint8_t *packet);

/* --- foreign.c: PIDs that no table names --- */

/* True if a PAT or PMT of another source begins here, after a gap in the
 * counter.  The known source may change its tables while packets are lost. */
bool splice_is_other_table(const struct splice *, const uint8_t *packet);

/* True if the packet shows whether packets of PIDs that no table names belong
 * to another source. */
bool splice_shows_source(const struct splice *, const uint8_t *packet);

/* Makes a cut at a packet that must not go out with the clock of another
 * source; SPLICE_CONTINUES for any other packet.  unit: the packet, or a copy
 * with the whole header of its PES. */
enum splice_sign splice_judge_foreign(struct splice *, const uint8_t *unit,
				      const struct splice_cursor *);

/* True if the source was restarted with the same clock, so that the gap in the
 * counter at the cursor is no loss.  Its PCRs have moved to a PID that no table
 * names: a short time ago, or at a packet behind the cursor.  Since then the
 * old PCR PID has no packets, and the PID with the gap had none.  False: the
 * source is the same one, and packets were lost. */
bool splice_is_restarted(const struct splice *, struct splice_cursor);

/* Notes a PCR of a PID that no table names, which goes out. */
void splice_note_unlisted(struct splice *, const uint8_t *packet, uint64_t pcr);

/* Call it before a cut: the clocks continue behind the PCRs that were noted by
 * splice_note_unlisted(). */
void splice_follow_unlisted(struct splice *);

/* --- split.c: headers of PES in several packets --- */

/* Reads the header of the PES that begins at the cursor.  HEAD_WHOLE: *ret is
 * set.  HEAD_LOST: the rest was lost, or did not arrive in time. */
enum pes_head_sign splice_split_read(const struct splice *,
				     const struct splice_cursor *,
				     struct pes_split *ret);

/* Returns the packet; if splice.header is set, a copy in `whole' with the whole
 * header of the PES that begins in the packet, without its payload. */
const uint8_t *splice_split_join(const struct splice *, const uint8_t *packet,
				 uint8_t whole[TS_PACKET]);

/* Is there room in `splits' for another header of the PID? */
bool splice_split_fits(struct splice *, uint16_t pid);

/* Moves the time stamps of a PES header that spans packets, and writes its
 * first part into `copy'.  An incomplete header loses its time stamps. */
void splice_split_begin(struct splice *, uint8_t *copy,
			enum pes_head_sign, const struct pes_split *,
			struct stamps_move);

/* Writes the next part of a moved PES header into the copy of a later packet.
 * cc: its counter, as received.  Only while there are splits. */
void splice_split_continue(struct splice *, uint8_t *copy, unsigned cc);

/* --- rewrite.c: changed packets --- */

/* Returns room in the buffer with a copy of the packet, which is sent with the
 * next flush. */
uint8_t *splice_append(struct splice *, const uint8_t *packet);
/* Sends the packets in the buffer. */
void splice_flush(struct splice *);

/* Reads the tables in a packet that is sent; updates clocks if they change. */
void splice_follow_tables(struct splice *, const uint8_t *packet);

/* Sends the packets from the cursor on, changed as needed.  checked:
 * splice_find_jump() has checked the first packet. */
void splice_send_changed(struct splice *, struct splice_cursor, bool checked);

/* --- drain.c: announced cuts, as events --- */

/* Ends the drain: makes the cut and sends the held packets of the new source.
 * The event is not used. */
void splice_end_drain(struct splice *, const struct splice_event *);

/* Starts the drain of the current source.  If no unit is incomplete, makes the
 * cut at once. */
void splice_begin_drain(struct splice *, const struct splice_event *);

/* Takes packets of the previous source until its units have ended. */
void splice_feed_drain(struct splice *, const struct splice_event *);

/* --- splice.c --- */

/* Copies the packets to the end of held. */
void splice_hold(struct splice *, const struct ts_run *runs, size_t n_runs);

/* Holds the packet at the cursor, which may be foreign or jump, or waits for
 * the rest of its PES header, and all packets after it. */
void splice_hold_foreign(struct splice *, struct splice_cursor);
