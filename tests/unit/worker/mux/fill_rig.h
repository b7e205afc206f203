/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A multiplex whose first input has two services, of which fillers are sent,
 * and what goes out. */
#pragma once

#include "tests/unit/worker/ts/build.h"
#include "worker/mux/mux.h"
#include "worker/ts/cc.h"
#include "worker/ts/section.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	SERVICES = 2, TICK_MS = 10, GROUP = 50, /* ticks */
	/* in the source */
	PMT = 0x100, VIDEO = 0x110, AUDIO = 0x120, CLOCK = 0x140,
	/* of the second service, when it has moved */
	VIDEO_MOVED = 0x151, AUDIO_MOVED = 0x161,
	PMT_OUT = 156, VIDEO_OUT = 172, AUDIO_OUT = 188, CLOCK_OUT = 120,
	VIDEO_MOVED_OUT = 137, AUDIO_MOVED_OUT = 153,
	EMM = 0x170, CAT_CAID = 0x0b00,
	FILE_VIDEO = 0x30, FILE_AUDIO = 0x31, FILE_OTHER = 0x32,
	FILE_FILL = 0x77,
	KBPS = 4000, /* 26 packets in a tick */
	LEAD_MS = 333, /* of PTS over the clock */
};

struct fill_side {
	struct mux *mux;
	size_t i;
	const bool *restores;
};

/* What was sent on a PID. */
struct fill_sent {
	uint64_t n, intra; /* packets, I pictures */
	uint64_t of_file;  /* packets that its source marks, ... */
	uint64_t unit, last_unit; /* ... and those of a unit in front of them */
	bool has_pts, has_pcr;
	uint64_t pts, pcr;
	size_t n_head; /* bytes of the header of the current unit */
	uint8_t head[14];
	uint64_t pts_gap, pcr_gap; /* the longest ones */
	unsigned back; /* PTS or PCRs that do not grow */
	bool begun, began_intra; /* since `begun' was cleared */
};

struct fill_options {
	bool still, file;
	unsigned max_kbps; /* of the first input; 0: none */
	unsigned absent_ms; /* the same */
	unsigned kbps;
	unsigned base; /* the blocks of the inputs are so much higher */
};

struct fill_rig {
	struct fill_options options;
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	struct fill_side sides[2];
	struct remux *remux[2];
	struct build *ts[2], *file;
	unsigned per_tick[SERVICES], other; /* packets of the videos */
	unsigned off; /* so many of the last services have tables alone */
	bool radio; /* it has no video */
	bool dense; /* ... and its PCRs are in packets of its audio */
	bool blind; /* no packets of video, but of audio */
	bool dead;  /* the first input has no packets ... */
	bool other_dead; /* ... or the other one, ... */
	bool restores; /* ... or those of the remuxes are not its own */
	bool has_cat; /* the other input has a CAT */
	bool apart; /* PCRs have a PID of their own */
	unsigned lead_ms; /* of PTS over the clock */
	bool loud, joins; /* joins: all have the sound of the last service */
	uint8_t version; /* of the PMTs */
	unsigned group;   /* ticks between two I pictures */
	unsigned picture; /* packets that those of the second service have
			   * more */
	bool moved; /* it has other PIDs */
	bool has_file; /* the file of the first input can be read */
	bool reads_file; /* in the last tick it was */
	uint8_t file_coding; /* of its video */
	/* tags of descriptors of private audio; 0: it is MPEG audio */
	uint8_t audio_tag, file_audio_tag;
	unsigned file_lead_ms, file_packets; /* as lead_ms and per_tick */
	unsigned file_others; /* packets of audio that the service has not */
	/* bytes of an audio unit in the packet where it begins; 0: all */
	size_t file_split;
	struct {
		bool program, pcr, start;
	} file_lacks;
	bool no_sdt; /* of the inputs */
	size_t split; /* as file_split, of the units of the second service */
	bool long_units; /* audio has three packets, each in its tick */
	uint64_t now_ns, pcr;
	unsigned ticks;

	struct cc cc;
	unsigned cc_errors;
	struct fill_sent sent[TS_PIDS];
	/* the video of the second service in the PMT that was sent, ... */
	uint16_t listed;
	uint64_t listed_ns; /* ... since then */
	struct section_assembler sdt;
	uint8_t sdt_buffer[SECTION_MAX];
	uint8_t sdt_version, pat_version;
	uint64_t sdts, pats; /* changes of these versions */
	unsigned stopped; /* services of the SDT that are not running */
	uint16_t last_service; /* that the SDT names last */
	uint16_t emm_pid; /* that the CAT names; 0: none */
};

struct fill_rig *fill_rig_of(const struct fill_options *);
struct fill_rig *fill_rig_new(bool still, unsigned kbps);
/* No counter, PCR or PTS of the output was wrong, whatever happened. */
void fill_rig_free(struct fill_rig *);

/* Another mux and other remuxes follow, which know nothing yet; the last mux is
 * returned, and its remuxes live until fill_rig_drop(). */
struct fill_rig_last {
	struct mux *mux;
	struct remux *remux[2];
};
struct fill_rig_last fill_rig_replace(struct fill_rig *);
void fill_rig_drop(struct fill_rig_last *);

/* Runs the sources and the multiplex. */
void fill_play(struct fill_rig *, unsigned ticks);

/* The nth service of the first input. */
struct mux_service_state fill_state(const struct fill_rig *, size_t nth);

/* What is sent on a PID from now on. */
struct fill_sent *fill_watch(struct fill_rig *, uint16_t pid);
