/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of a mux; for the files of this folder only. */
#pragma once

#include "common/base/units.h"
#include "worker/mux/delay_line.h"
#include "worker/mux/eit_share.h"
#include "worker/mux/lane.h"
#include "worker/mux/mux.h"
#include "worker/mux/mux_counters.h"
#include "worker/mux/mux_kept.h"
#include "worker/mux/spread.h"
#include "worker/mux/waiting.h"
#include "worker/ts/pmt.h"
#include "worker/ts/psi.h"
#include "worker/ts/rap.h"
#include "worker/ts/section.h"

enum {
	MUX_SECTIONS_MAX = 16,     /* of a table that is built */
	MUX_SDT_SOURCE_MAX = 8,    /* of the SDT of an input */
	MUX_CAT_SOURCE_MAX = 4,
	MUX_SERVICES_MAX = 256,    /* of all inputs together */
	MUX_TABLES_SOURCE = 1,     /* number of the tables as a source */
	MUX_AV_MAX = 8,            /* of a service: its silence is that of
				    * these PIDs */
	/* An input may exceed its max, and a file the rate of its service, by
	 * so many percent. */
	MUX_TOLERANCE_PERCENT = 2,
};

/* The duration of a packet, times kbit/s. */
#define PACKET_NS_KBPS (UINT64_C(8000000) * TS_PACKET)

struct mux_section {
	size_t len; /* 0: none */
	uint8_t data[SECTION_PSI_MAX];
};

/* A table that is built. */
struct mux_table {
	unsigned interval_ms; /* of each section */
	size_t n, next;
	uint64_t due_ns; /* of section `next` */
	uint64_t free_ns; /* not before this time */
	struct mux_section sections[MUX_SECTIONS_MAX];
};

/* The PMT of a program, or a section of the PAT: the PID is 0 then, and the
 * number that of the section. */
struct mux_pmt {
	uint16_t number, pid; /* in the output */
	uint8_t input;
	uint16_t service; /* of its input */
	uint64_t due_ns;  /* time at which it is sent next */
	uint64_t sent_ns; /* time at which it was sent last; 0: not yet */
	uint64_t begin_ns; /* not sent before this time: the PAT that names it
			    * precedes it */
	size_t len;       /* bytes of data, the last PMT of its input; 0: none
			   * yet */
	uint8_t data[SECTION_PSI_MAX];
};

/* Assembles the sections of a PID of an input. */
struct mux_collector {
	struct section_assembler assembler;
	uint8_t buffer[SECTION_MAX];
};

/* Why a file is not sent instead of a service. */
enum file_refusal {
	FILE_SUITS, /* or not known yet */
	FILE_NO_PROGRAM,
	FILE_NO_PCR,
	FILE_NO_RATE,
	FILE_NO_START,
	FILE_OTHER_CODINGS,
	FILE_TOO_FAST,
};

/* A service of an input. */
struct mux_service {
	/* its first PIDs of video and audio in the output; without any it is
	 * silent with its input */
	size_t n_av;
	uint16_t av[MUX_AV_MAX];
	uint64_t heard_ns; /* time of the last packet on these PIDs, or of the
			    * first PMT */
	uint64_t listed_ns; /* time when its PMT was first seen; 0: long ago */
	bool unlisted; /* the SDT has an entry that its source has not */
	bool silent;
	bool absent;  /* not in the tables */
	bool carried; /* a service that is not absent brings its pictures */
	bool returns; /* with the packets of this turn */
	uint64_t return_ns; /* start of the search for a picture at which it
			     * returns; 0: no search */
	uint64_t wait_ns; /* while absent: time of the first packets; 0: none */
	bool blocked; /* it has no room */
	bool above_max; /* blocked because its input exceeds its max */
	bool late; /* blocked because turns were late; if neither is true,
		    * because of the rate */
	bool cut; /* blocked, and also the units that have begun are dropped */
	uint64_t blocked_ns, released_ns; /* released_ns 0: not yet */
	unsigned pause_ms; /* the least time for which it stays blocked */
	uint64_t packets, dropped; /* a PID of several services counts for the
				    * first */
	uint64_t before; /* packets and dropped a second ago */
	uint64_t dropped_before; /* the same of dropped alone */
	uint64_t rate;   /* packets per second of the last second */
	uint64_t usual;  /* the same on air: the highest, which fades; 0: not
			  * known yet */
	uint64_t excess; /* packets dropped in the last second */
	uint64_t meter, metered; /* of the current and the last measurement */
	uint64_t fill_meter, fill_metered; /* the same of its filler */
	uint64_t again_ns; /* a filler may be started from this time on */
	struct mux_fill *fill; /* its last picture is sent; NULL: it is not */
	enum file_refusal refusal; /* the last one that was logged */
	bool holds;   /* packets in `held' wait for the decision on a picture */
	struct fifo held; /* packets from that picture on */
	struct rap rap; /* follows its main stream in the packets of the remux,
			 * while it is absent */
};

struct mux_source {
	struct remux *remux; /* NULL: it cannot run */
	struct remux_place place;
	/* what the configuration demands: the start of the places of the
	 * others */
	uint64_t pids[TS_PIDS / 64];
	uint16_t number;
	unsigned priority;
	uint64_t min, max; /* packets per second; 0: none */
	unsigned min_kbps, max_kbps;
	uint32_t builds; /* remux_builds() when the services were read */
	uint64_t await_ns; /* since then programs that replace others have no
			    * PMT; 0: all have one */
	size_t n_unsent; /* programs, by their number in the source, that had no
			  * PMT when the others were read */
	uint16_t unsent[MUX_SERVICES_MAX];
	size_t n_found; /* programs, of which the first n_services go out */
	size_t n_services;
	struct remux_service services[MUX_SERVICES_MAX];
	struct mux_service *states; /* of the n_found programs */
	/* services of the last mux that were not found yet; NULL: none */
	struct mux_kept_service *kept;
	size_t n_kept;
	struct mux_collector cat, sdt, eit;
	struct mux_section cat_source[MUX_CAT_SOURCE_MAX];
	struct mux_section sdt_source[MUX_SDT_SOURCE_MAX];
	struct mux_collector pmt; /* assembles the PMTs of packets that leave
				   * the line */
	uint16_t pmt_pid; /* PID of the last packet in it */
	struct delay_line line;
	size_t due; /* packets of it that leave in this turn */
	uint64_t source_at; /* packets before its last source began */
	uint64_t heard_ns; /* 0: no packets yet */
	bool silent;
	bool drained; /* it is silent, and all its packets have left */
	unsigned absent_ms; /* silent for so long a service is absent; 0:
			     * never */
	size_t n_absent; /* number of absent services */
	bool absent;     /* all services of the input are absent */
	/* for each PID 1 + the absent service that has it, or 0 if its packets
	 * are sent; NULL: the packets of all PIDs are sent */
	uint16_t *gone;
	bool still; /* its services get a filler while they are silent or
		     * blocked */
	char *file_path; /* file that may be sent instead of the last picture;
			  * NULL: none */
	struct mux_file *file; /* what was read of it; NULL: nothing */
	size_t n_gated;   /* services whose packets are not sent: filled or
			   * blocked */
	size_t n_filled;  /* services with a filler */
	size_t n_blocked; /* services without room */
	bool blocked;     /* all services of the input are blocked */
	size_t n_cut;     /* services */
	uint64_t packets, dropped;
	uint64_t late;   /* those of dropped that turns were too late for */
	uint64_t before; /* packets and dropped a second ago */
	uint64_t rate;   /* packets per second of the last second */
	uint64_t meter, metered; /* of the current and the last measurement */
	int64_t usual; /* packets per second; 0: not known yet */
};

/* Are the units of a PID dropped, and why? */
enum mux_stop {
	MUX_SENT,
	MUX_BLOCKED, /* its service has no room */
	MUX_LATE,    /* its service has no room because turns were late */
	MUX_FILLED,  /* a filler is sent instead */
};

/* The reason why packets of a blocked or filled service are not sent. */
static inline uint8_t mux_stop_of(const struct mux_service *s)
{
	if (!s->blocked)
		return MUX_FILLED;
	return s->late ? MUX_LATE : MUX_BLOCKED;
}

enum mux_lane { LANE_CAT, LANE_SDT, LANE_EIT, MUX_LANES };

struct mux {
	struct mux_config cfg;
	struct mux_source *inputs; /* cfg.n_inputs */
	struct lane lanes[MUX_LANES];
	struct mux_table pat, cat, sdt;
	size_t n_pmts;
	struct mux_pmt *pmts; /* the PMTs, behind the sections of the PAT */
	size_t next_pmt; /* index of the one that is due first */
	uint64_t pmt_ns; /* time at which it is due; UINT64_MAX: there is
			  * none */
	uint64_t pmt_every_ns; /* from a section to the same one */
	uint64_t pmt_pids[TS_PIDS / 64];
	struct desc_edit edits[DESC_EDITS_MAX]; /* cfg.edits.list */
	bool edits_crowded; /* it was logged that edits have no room */
	/* sections of inputs that the tables do not have yet */
	bool cat_changed, sdt_changed;
	uint64_t sections_ns; /* time at which they were built from sections */
	uint64_t sdt_due_ns; /* a service that the SDT lacks gets an entry then;
			      * 0: none lacks one */
	struct eit_share *eit;
	uint64_t tdt_s; /* the second of the last TDT */
	uint8_t tdt_cc; /* of the next one */
	bool makes_place; /* in this turn, for a table of another stage */
	struct mux_counters counters;
	uint32_t last_source; /* highest number that was given to a source of
			       * packets */
	uint8_t stopped[TS_PIDS]; /* enum mux_stop */
	/* 1 + the service of its input that has this PID, the first of several,
	 * or 0 */
	uint16_t owner[TS_PIDS];
	/* the same of a PID that blocked services alone have, or 0 */
	uint16_t gate[TS_PIDS];
	uint64_t fed_ns[TS_PIDS]; /* arrival of the last payload; 0: none */
	uint32_t sent[TS_PIDS];   /* packets in this second */
	uint32_t sent_before[TS_PIDS]; /* packets in the last second */
	struct cbr *cbr;
	struct psi *psi; /* of the output */
	uint32_t psi_seen; /* psi_changes() when the SDT was built */
	struct tables_spec tables;
	bool fed; /* packets arrived since the last turn; true at the start */
	uint64_t now_ns;
	uint64_t looked_ns;  /* of the last look at all services */
	uint64_t begin_ns;   /* of the first turn; 0: none yet */
	uint64_t second_ns;  /* start of this second */
	uint64_t heard_ns;   /* of the first packets; 0: none yet */
	bool settled;        /* the programs of the inputs are known */
	uint64_t changed_ns; /* time when a service was last blocked or
			      * released */
	uint64_t calm_ns;    /* since this time the queue is short */
	uint64_t peak;       /* packets: longest queue since that change */
	uint64_t late_ns;    /* of the last late turn; 0: none yet */
	uint64_t late_ms;    /* the longest delay of late turns in a row */
	bool crowded;        /* packets wait for the rate */
	uint64_t schedule_ns; /* from then on a schedule of events is sent */
	uint64_t meter_ns;   /* start of the current measurement of the rates */
	uint64_t metered_ns; /* length of the last measurement */
	uint64_t turn_ns;  /* of the last turn: the places behind it are free */
	uint64_t place_ns; /* of the last packet that was given to cbr */
	uint64_t free_ns;  /* the first place behind what cbr has */
	uint64_t packet_ns; /* from one place to the next */
	bool tables_changed; /* those of the output */
	struct filler *filler; /* of services with `still'; NULL: there are
				* none */
	uint64_t fill_pids[TS_PIDS / 64]; /* of these services */
	bool fills_changed; /* a service has returned */
	uint64_t fill_meter, fill_metered; /* packets of fillers, as those of a
					    * service */
	struct waiting waiting; /* packets that `spread' holds back */
	struct spread spread;
};

/* --- mux.c --- */

/* Converts kbit/s to packets per second. */
static inline uint64_t packets_of(unsigned kbps)
{
	return UINT64_C(1000) * kbps / 8 / TS_PACKET;
}

/* Queues a packet of an input.  If the queue is full, counts it as dropped
 * instead, and calls mux_begin_source(). */
void mux_push(struct mux *, struct mux_source *, const uint8_t *packet);
/* Call it before packets of an input that do not continue its last ones. */
void mux_begin_source(struct mux *, struct mux_source *);

/* Call it after a change of the tables of an input.  It goes through the inputs
 * in the order of the configuration, so that the result does not depend on the
 * order of the changes. */
void mux_follow_tables(struct mux *);
/* Takes CAT and SDT of an input whose source may be silent, from the remux
 * (mux_kept.c). */
void mux_take_made(struct mux *, struct mux_source *);

/* Takes a packet of the PID of CAT, SDT or EIT of an input. */
void mux_take_table(struct mux *, struct mux_source *, const uint8_t *packet);

/* Does the input receive packets?  While it is silent, its remux repeats
 * tables, which do not count: the mux repeats those that it sent. */
static inline bool mux_hears(const struct mux *m, const struct mux_source *in)
{
	return in->heard_ns + MUX_SILENT_MS * MS >= m->now_ns;
}

/* --- mux_tables.c --- */

/* Takes a section of CAT, SDT or EIT of an input, whose CRC_32 was checked. */
void mux_take_section(struct mux *, struct mux_source *, uint16_t pid,
		      uint8_t *section, size_t len);
/* Builds CAT and SDT again if sections of the inputs have changed. */
void mux_follow_sections(struct mux *);
/* Builds PAT, CAT and SDT again. */
void mux_build(struct mux *);
void mux_build_sdt(struct mux *);
/* Queues the sections that are due. */
void mux_schedule(struct mux *, uint64_t unix_ms);

/* The number of the nth service in SDT and EIT of its input. */
uint16_t mux_sdt_number(const struct mux_source *, size_t nth);

/* --- mux_pmts.c --- */

/* Call it after a change of the services of the inputs, or of the PAT. */
void mux_list_pmts(struct mux *);
/* Moves PMTs that were due in the past to the present. */
void mux_begin_pmts(struct mux *);
/* Sends the PMT of the remux for the nth service.  Call it when the next
 * packets belong to this PMT, and no earlier packets wait. */
void mux_renew_pmt(struct mux *, const struct mux_source *, size_t nth);
/* Sends a PMT of the nth service that its filler has held. */
void mux_send_held_pmt(struct mux *, const struct mux_source *, size_t nth,
		       const uint8_t *section, size_t len);
/* Takes a packet of an input with a PID of PMTs, which leaves at_ns. */
void mux_take_pmt(struct mux *, struct mux_source *, const uint8_t *packet,
		  uint64_t at_ns);
/* Adds the PMT that is due at pmt_ns to the packets that wait. */
void mux_send_pmt(struct mux *);

/* --- mux_kept.c --- */

/* Gives the nth service, which is new, the state that it had in the last mux of
 * the stream. */
void mux_resume_service(const struct mux *, struct mux_source *, size_t nth);

/* --- mux_absent.c --- */

/* Updates which services are absent.  True: that has changed. */
bool mux_follow_absent(struct mux *);
/* Judges a packet of an input with absent services.  True: it is sent, because
 * it belongs to another service, or its service returns with it. */
bool mux_takes_absent(struct mux *, struct mux_source *, const uint8_t *packet);
/* Call it after a change of the services of an input, or of those that are
 * absent. */
void mux_renew_gone(struct mux *, struct mux_source *);

/* Adds the PIDs of the nth service, without that of its PMT. */
void mux_add_service_pids(const struct mux_source *, size_t nth,
			  uint64_t set[TS_PIDS / 64]);

/* --- mux_services.c --- */

/* Call it after a change of the tables of an input. */
void mux_read_services(struct mux *, struct mux_source *);
void mux_free_services(struct mux_source *);
/* The first video of the nth service, or else its first audio; false: it has
 * none. */
bool mux_main_stream(const struct mux_source *, size_t nth,
		     struct pmt_stream *ret);
/* Decodes the PMT that the remux has for the nth program; false: it has
 * none. */
bool mux_service_pmt(const struct mux_source *, size_t nth, struct pmt *ret);
/* Updates which inputs and services are silent.  True: that has changed. */
bool mux_look_for_silence(struct mux *);

/* --- mux_places.c --- */

/* Counts the packets that leave in this turn. */
void mux_count_due(struct mux *);
/* Gives a packet of the output to cbr: its place is not before at_ns. */
void mux_give(struct mux *, const uint8_t *packet, uint64_t at_ns);
/* Gives some of the packets that wait ahead of their time, so that n more have
 * room. */
void mux_make_room(struct mux *, size_t n);
/* Drops the packets that leave in this turn. */
void mux_drop_due(struct mux *);
/* Call it at the start: drops packets that are too late to be sent. */
void mux_drop_late(struct mux *);
/* Gives the packets that leave in this turn to cbr, each with its place. */
void mux_place_due(struct mux *);

/* --- mux_gates.c --- */

/* How many units of an input can be blocked: its services, or 1, the input, if
 * it has none. */
static inline size_t mux_units(const struct mux_source *in)
{
	return MAX(in->n_services, (size_t)1);
}

/* Call it after a change of the services: updates which service has which
 * PID. */
void mux_renew_owners(struct mux *);
/* Call it after a change of which services of an input are blocked, cut or
 * filled. */
void mux_renew_gates(struct mux *, struct mux_source *);
/* The service that a packet of this PID is counted for; NULL: none. */
static inline struct mux_service *mux_owner(const struct mux *m,
					    const struct mux_source *in,
					    uint16_t pid)
{
	size_t at = m->owner[pid];

	return at > 0 && at <= in->n_services ? &in->states[at - 1] : NULL;
}
/* How many packets of the input are sent in this turn.  Those of services that
 * are cut do not count. */
size_t mux_count_sent(const struct mux *, const struct mux_source *);
/* Counts the packets of this turn for the rates of its services. */
void mux_meter_services(const struct mux *, struct mux_source *);
/* As mux_admits(), also for PIDs with services that are blocked or filled. */
bool mux_judge(struct mux *, struct mux_source *, const uint8_t *packet);
/* True if the packet is sent; false: it is dropped for the rate, or a filler is
 * sent instead. */
static inline bool mux_admits(struct mux *m, struct mux_source *in,
			      const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	struct mux_service *owner;

	if (in->n_gated > 0 || m->stopped[pid] != MUX_SENT)
		return mux_judge(m, in, packet);
	owner = mux_owner(m, in, pid);
	if (owner != NULL)
		owner->packets++;
	return true;
}

/* --- mux_fill.c --- */

/* Starts and ends fillers.  True: for a service another source is sent. */
bool mux_follow_fills(struct mux *);
/* Adds the packets of the fillers to those that wait. */
void mux_run_fills(struct mux *);
void mux_free_fill(struct mux_service *);
/* Call it after a change of the tables: ends the fillers whose PIDs a service
 * on air has now.  A filler whose service has other PIDs or codings stays until
 * the service returns, as does its PMT. */
void mux_check_fills(struct mux *, struct mux_source *);
/* The PIDs of the filler; NULL: there is none. */
const uint64_t *mux_fill_pids(const struct mux_service *);
/* True if the PMT that was sent last is the one that the filler needs. */
bool mux_fill_keeps_pmt(const struct mux_service *);
/* True: the filler stores this PMT of the service, which must wait until the
 * service returns.  False: it can be sent. */
bool mux_fill_holds_pmt(struct mux_service *, const uint8_t *section,
			size_t len);
/* Takes a packet that arrives of a service with a filler, and looks for the
 * picture at which the service returns. */
void mux_watch_fill(const struct mux_source *, struct mux_service *,
		    const uint8_t *packet);
/* Judges the first packet of the line, of a service with a filler.  True: the
 * service returns here, and the filler has ended. */
bool mux_fill_ends(struct mux *, struct mux_source *, struct mux_service *,
		   const uint8_t *packet);
/* Is a unit with this PTS shown behind the last one of a filler? */
bool mux_fill_follows(const struct mux *, uint16_t pid, uint64_t pts);
/* Is the unit that begins here shown in front of the last one of a filler?
 * line: that of the packet, which is its first one. */
bool mux_fill_precedes(const struct mux *, const struct delay_line *line,
		       const uint8_t *packet);

/* --- mux_file.c --- */

void mux_free_file(struct mux_source *);
/* Is the file sent instead of the last picture? */
bool mux_fill_has_file(const struct mux_service *);

/* --- mux_rate.c --- */

/* The rate of all fillers, in packets per second. */
uint64_t mux_fill_rate(const struct mux *);

/* Chooses the services that do not fit into the rate. */
void mux_limit(struct mux *);
