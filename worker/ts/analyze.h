/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts the packets of one input and decides each second whether the input is
 * on air.
 *
 * Owns the continuity counters and the tables (psi) of the input.  It has no
 * clock: the owner feeds packets and ends each second.  No allocation per
 * packet.
 */
#pragma once

#include "worker/ts/packet.h"
#include "worker/ts/psi.h"

enum {
	/* the default of bitrate_limit without video, and with video */
	ANALYZE_LIMIT_KBPS = 16,
	ANALYZE_LIMIT_VIDEO_KBPS = 128,
	/* PES errors that are tolerated on one PID in a second */
	ANALYZE_PES_ERRORS = 2,
	/* time that is tolerated without packets of video and audio */
	ANALYZE_NO_AV_MS = 2000,
};

struct analyze;

struct analyze_config {
	uint32_t cc_limit;           /* option cc_limit; 0: no limit */
	uint32_t bitrate_limit_kbps; /* option bitrate_limit; 0: default */
	bool no_analyze; /* only count packets and read the tables */
};

/* Why an input is not on air.  If several faults apply, it is the first one of
 * this list; but ANALYZE_NO_AV replaces only ANALYZE_BITRATE. */
enum analyze_fault {
	ANALYZE_FINE,
	ANALYZE_SILENT,    /* no packets */
	ANALYZE_NO_PMT,
	ANALYZE_NO_AV,     /* no video or audio PID of the PMTs has packets */
	ANALYZE_BITRATE,   /* payload_kbps is below limit_kbps */
	ANALYZE_SCRAMBLED,
	ANALYZE_PES,       /* more than ANALYZE_PES_ERRORS on a PID */
	ANALYZE_CC,        /* continuity errors reach cc_limit */
	ANALYZE_DAMAGED,   /* continuity errors and damaged packets together
			    * reach cc_limit */
};

/* The state and the counters of an input in one second. */
struct analyze_report {
	bool onair;             /* fault is ANALYZE_FINE */
	enum analyze_fault fault;
	bool scrambled;         /* a video or audio PID was scrambled */
	bool has_pat, has_pmt;  /* as psi_has_pat() and psi_has_pmt() */
	bool no_av;             /* the PMTs list video or audio, but no packet
				 * of their PIDs arrived */
	uint32_t bitrate_kbps;  /* bit rate of all packets */
	uint32_t payload_kbps;  /* bit rate without null packets */
	uint32_t limit_kbps;    /* lowest payload_kbps of an input on air */
	uint32_t packets;
	uint32_t cc_error;      /* continuity errors */
	uint32_t pes_error;     /* wrong PES starts on video and audio PIDs */
	uint32_t sc_error;      /* scrambled packets, of any PID */
	uint32_t tei;           /* packets with transport_error_indicator */
	uint32_t damaged;       /* tei without null packets */
	uint32_t psi_error;     /* sections with bad CRC_32, or malformed */
	uint32_t video_count;   /* video PIDs in the tables */
	uint32_t audio_count;   /* audio PIDs in the tables */
};

/* The counters of one second. */
struct analyze_counts {
	uint32_t packets;
	uint32_t null_packets;
	uint32_t cc_errors;
	uint32_t pes_errors;    /* wrong PES starts on video and audio PIDs */
	bool pes_bad;           /* a PID had > ANALYZE_PES_ERRORS PES errors */
	uint32_t scrambled_packets;
	bool av;                /* a packet of video or audio arrived */
	bool av_scrambled;      /* a video or audio PID was scrambled */
	uint32_t tei;           /* packets with transport_error_indicator */
	uint32_t damaged;       /* tei without null packets */
	uint32_t psi_errors;    /* sections with bad CRC_32, or malformed */
};

/* Makes the report of analyze_every_second() from counters and tables that the
 * caller keeps. */
void analyze_judge(const struct analyze_config *,
		   const struct analyze_counts *, const struct psi *,
		   unsigned elapsed_ms, struct analyze_report *ret);

/*
 * Sets the fault ANALYZE_NO_AV in the report if no video or audio PID has had
 * packets for ANALYZE_NO_AV_MS (TR 101 290 1.6), or in this second if the bit
 * rate is low, too.  *missing_ms: the time without such packets, which this
 * function updates each second.  The caller sets it to ANALYZE_NO_AV_MS for a
 * new source, so that a source without video and audio packets is off air from
 * its first second on.
 */
void analyze_judge_av(struct analyze_report *, unsigned elapsed_ms,
		      unsigned *missing_ms);

struct analyze *analyze_new(const struct analyze_config *);
void analyze_free(struct analyze **);

/* Forgets tables, continuity and the current second: the source changed. */
void analyze_reset(struct analyze *);

/* Takes received packets, each once, in their order.  A packet without its sync
 * byte is only counted. */
void analyze_feed(struct analyze *, struct ts_run);

/*
 * Ends the second: writes the report of the last elapsed_ms (> 0) and begins
 * the next second.
 *
 * onair is false when the payload bitrate is below the limit, no PMT is
 * known, a video or audio PID carried scrambled packets or had more than
 * ANALYZE_PES_ERRORS wrong PES starts, or cc_limit is set and reached by
 * continuity errors and damaged packets together.  With no_analyze only the
 * bitrate counts, against the limit without video.
 */
void analyze_every_second(struct analyze *, unsigned elapsed_ms,
		    struct analyze_report *ret);

/* The bit rate of a number of packets that arrived in elapsed_ms (> 0). */
uint32_t analyze_kbps(uint32_t packets, unsigned elapsed_ms);

/* For status and log: "scrambled"; NULL for ANALYZE_FINE. */
const char *analyze_fault_name(enum analyze_fault);

/* The tables; borrowed, valid for the life of the analyzer. */
const struct psi *analyze_psi(const struct analyze *);
