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
	MUX_SECTIONS_MAX = 16, /* sections of each table that the mux builds */
	MUX_SDT_SOURCE_MAX = 8,    /* sections of the SDT of an input */
	MUX_CAT_SOURCE_MAX = 4, /* sections of the CAT of an input */
	MUX_SERVICES_MAX = 256,    /* services of all inputs together */
	MUX_TABLES_SOURCE = 1,     /* number of the tables as a source in
				    * mux_counters_feed() */
	MUX_AV_MAX = 8,            /* PIDs of video and audio of a service; it
				    * is silent if none of them has packets */
	/* An input may exceed its max_kbps, and a file the rate of its service,
	 * by this percentage. */
	MUX_TOLERANCE_PERCENT = 2,
};

/* The duration of a packet in ns at 1 kbit/s: divide it by the rate in
 * kbit/s. */
#define PACKET_NS_KBPS (UINT64_C(8000000) * TS_PACKET)

struct mux_section {
	size_t len; /* bytes of data; 0: there is no section */
	uint8_t data[SECTION_PSI_MAX];
};

/* A table that the mux builds and sends. */
struct mux_table {
	unsigned interval_ms; /* from a section to its next copy */
	size_t n, next; /* `n' sections; section `next' is sent next */
	uint64_t due_ns; /* time at which section `next' is sent */
	uint64_t free_ns; /* no section is sent before this time, also if due_ns
			   * is earlier */
	struct mux_section sections[MUX_SECTIONS_MAX];
};

/* The PMT of a program, or a section of the PAT, whose `pid' is 0 and whose
 * `number' is its section number. */
struct mux_pmt {
	uint16_t number, pid; /* service number and PMT PID in the output */
	uint8_t input;
	uint16_t service; /* index of the service in its input */
	uint64_t due_ns;  /* time at which it is sent next */
	uint64_t sent_ns; /* time at which it was sent last; 0: not yet */
	uint64_t begin_ns; /* not sent before this time, at which the PAT that
			    * names it is sent */
	size_t len;       /* bytes of `data', which is the PMT that is sent; 0:
			   * none is known yet, or the section is one of the
			   * PAT */
	uint8_t data[SECTION_PSI_MAX];
};

/* Assembles the sections of a PID of an input. */
struct mux_collector {
	struct section_assembler assembler;
	uint8_t buffer[SECTION_MAX];
};

/* Why the file of an input is not sent as the filler of a service. */
enum file_refusal {
	FILE_SUITS, /* the file suits, or the decision is still open */
	FILE_NO_PROGRAM,
	FILE_NO_PCR,
	FILE_NO_RATE,
	FILE_NO_START,
	FILE_OTHER_CODINGS,
	FILE_TOO_FAST,
};

/* A service of an input. */
struct mux_service {
	/* its first PIDs of video and audio in the output.  If it has none
	 * (n_av is 0), it is silent while its input is silent. */
	size_t n_av;
	uint16_t av[MUX_AV_MAX];
	uint64_t heard_ns; /* arrival of the last packet on the PIDs `av', or,
			    * before that, of its first PMT */
	uint64_t listed_ns; /* arrival of its first PMT, from which on the SDT
			     * waits SDT_AWAIT_MS for an entry of the source; 0:
			     * it does not wait */
	bool unlisted; /* the SDT of its source has no entry for it, so the mux
			* wrote one */
	bool silent;
	bool absent;  /* it is not in the tables */
	bool carried; /* another service, which is not absent, has its main
		       * stream, too */
	bool returns; /* mux_follow_absent() puts it back into the tables */
	uint64_t return_ns; /* start of the search for a picture at which it
			     * returns; 0: no search */
	uint64_t wait_ns; /* while absent: arrival of its first packet after the
			   * silence; 0: none has arrived */
	bool blocked; /* its packets are dropped, because they have no room */
	bool above_max; /* blocked because its input exceeds its max_kbps */
	bool late; /* blocked because mux_turn() was called late.  If above_max
		    * and late are false, it is blocked because of the rate */
	bool cut; /* blocked, and the rest of a PES packet whose begin was sent
		   * is dropped, too */
	uint64_t blocked_ns, released_ns; /* times when it was last blocked and
					   * last released; released_ns 0: it
					   * never was */
	unsigned pause_ms; /* it stays blocked for at least this time */
	uint64_t packets, dropped; /* packets sent, and packets dropped for the
				    * rate.  A packet on a PID that services
				    * share counts for the first of them. */
	uint64_t before; /* `packets' + `dropped' when the last second
			  * ended */
	uint64_t dropped_before; /* `dropped' when the last second ended */
	uint64_t rate;   /* packets per second in the last second, sent and
			  * dropped */
	uint64_t usual;  /* the highest `rate' while it was not silent, which
			  * decreases slowly; 0: not known yet */
	uint64_t excess; /* packets dropped for the rate in the last second */
	uint64_t meter, metered; /* packets that left the line in the
				 * current measurement (meter), and in
				 * the last one (metered) */
	uint64_t fill_meter, fill_metered; /* packets of its filler that were
					    * sent in the current measurement
					    * (fill_meter) and the last one
					    * (fill_metered) */
	uint64_t again_ns; /* no filler is started before this time */
	struct mux_fill *fill; /* a filler is sent instead of it; NULL: no
				* filler */
	enum file_refusal refusal; /* why the file is not sent, as last logged;
				    * FILE_SUITS: nothing was logged since it
				    * was last sent */
	bool holds;   /* `held' has the begin of a picture; later packets decide
		       * whether it is a random access point */
	struct fifo held; /* while `holds' is true: packets from the begin of
			   * that picture on */
	struct rap rap; /* while it is absent: looks for random access points in
			 * its main stream */
};

/* An input of the mux. */
struct mux_source {
	struct remux *remux; /* NULL: it cannot run */
	struct remux_place place;
	/* set of the PIDs that the maps of the input demand, so that other
	 * inputs do not use them */
	uint64_t pids[TS_PIDS / 64];
	uint16_t number;
	unsigned priority;
	uint64_t min, max; /* min_kbps and max_kbps as packets per second; 0: no
			    * limit */
	unsigned min_kbps, max_kbps;
	uint32_t builds; /* remux_builds() when the services were read */
	uint64_t await_ns; /* since this time the mux waits for the PMTs of
			    * programs that replace others; 0: it does not
			    * wait */
	size_t n_unsent; /* length of the list `unsent': source numbers of
			  * programs without a PMT, when the services were last
			  * read */
	uint16_t unsent[MUX_SERVICES_MAX];
	size_t n_found; /* programs with a PMT; the first n_services of them are
			 * sent */
	size_t n_services;
	struct remux_service services[MUX_SERVICES_MAX];
	struct mux_service *states; /* of the n_found programs, in the order of
				     * `services' */
	/* services of the previous mux of the stream that have not appeared in
	 * this one yet; NULL: none */
	struct mux_kept_service *kept;
	size_t n_kept;
	struct mux_collector cat, sdt, eit;
	struct mux_section cat_source[MUX_CAT_SOURCE_MAX];
	struct mux_section sdt_source[MUX_SDT_SOURCE_MAX];
	struct mux_collector pmt; /* assembles the PMTs of packets that leave
				   * the line */
	uint16_t pmt_pid; /* PID of the last packet that `pmt' received */
	struct delay_line line;
	size_t due; /* packets of the line that leave in this mux_turn() */
	uint64_t source_at; /* line.pushed when mux_begin_source() was last
			     * called */
	uint64_t heard_ns; /* arrival of the last packets; 0: no packets yet */
	bool silent;
	bool drained; /* it is silent, and all its packets have left */
	unsigned absent_ms; /* a service that is silent for this time becomes
			     * absent; 0: never */
	size_t n_absent; /* number of absent services */
	bool absent;     /* all services of the input are absent */
	/* for each PID: 0: its packets are sent; k + 1: the absent service k
	 * has it; GONE_ALL: no service has it, and all are absent.  NULL: no
	 * service is absent */
	uint16_t *gone;
	bool still; /* its services get a filler while they are silent or
		     * blocked */
	char *file_path; /* file that may be sent instead of the last picture;
			  * NULL: none */
	struct mux_file *file; /* its streams and packets; NULL: no packets of
				* the file have arrived */
	size_t n_gated;   /* services whose packets are not sent: filled or
			   * blocked */
	size_t n_filled;  /* services with a filler */
	size_t n_blocked; /* blocked services */
	bool blocked;     /* all services of the input are blocked */
	size_t n_cut;     /* blocked services whose `cut' is true */
	uint64_t packets, dropped;
	uint64_t late;   /* packets among `dropped' for which mux_turn() was too
			  * late */
	uint64_t before; /* `packets' + `dropped' when the last second
			  * ended */
	uint64_t rate;   /* packets per second in the last second, sent and
			  * dropped */
	uint64_t meter, metered; /* packets that left the line in the
				 * current measurement (meter), and in
				 * the last one (metered) */
	int64_t usual; /* slow average of the rate, packets per second; 0: not
			* known yet */
};

/* Whether the packets of a PID are dropped, and why. */
enum mux_stop {
	MUX_SENT,
	MUX_BLOCKED, /* its service is blocked because of the rate of the output
		      * or max_kbps */
	MUX_LATE,    /* its service is blocked because mux_turn() was called
		      * late */
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
	struct mux_source *inputs; /* cfg.n_inputs entries */
	struct lane lanes[MUX_LANES];
	struct mux_table pat, cat, sdt;
	size_t n_pmts;
	struct mux_pmt *pmts; /* the PMTs, behind the sections of the PAT */
	size_t next_pmt; /* index of the entry of `pmts' that is due first */
	uint64_t pmt_ns; /* time at which that entry is due; UINT64_MAX: `pmts'
			  * is empty */
	uint64_t pmt_every_ns; /* from a section of PAT or PMT to its next
				* copy */
	uint64_t pmt_pids[TS_PIDS / 64]; /* set of the PMT PIDs of the output */
	struct desc_edit edits[DESC_EDITS_MAX]; /* memory of cfg.edits.list */
	bool edits_crowded; /* it was logged that the SDT has no room for some
			     * edits */
	/* true: the CAT, or the SDT, must be built again, because sections of
	 * the inputs or PMTs of the output have changed, or sdt_due_ns has
	 * come */
	bool cat_changed, sdt_changed;
	uint64_t sections_ns; /* time at which CAT or SDT was last built because
			       * of cat_changed or sdt_changed */
	uint64_t sdt_due_ns; /* time at which a service whose source sends no
			      * SDT entry gets one; 0: no service waits for
			      * that */
	struct eit_share *eit;
	uint64_t tdt_s; /* Unix time in seconds of the last TDT that was sent or
			 * skipped */
	uint8_t tdt_cc; /* counter of the next TDT packet, before
			 * mux_counters_feed() */
	bool makes_place; /* the next mux_turn() sends a null packet that
			   * another stage replaces by a packet of a table */
	struct mux_counters counters;
	uint32_t last_source; /* highest number of a source in
			       * mux_counters_feed() */
	uint8_t stopped[TS_PIDS]; /* for each PID: enum mux_stop */
	/* for each PID: 1 + the index in its input of the first service that
	 * has it; 0: no service has it */
	uint16_t owner[TS_PIDS];
	/* as `owner', but 0 if a service that is neither blocked nor filled has
	 * the PID.  A PID that only a filler has belongs to its service. */
	uint16_t gate[TS_PIDS];
	uint64_t fed_ns[TS_PIDS]; /* for each PID: arrival of the last packet
				   * with payload; 0: none */
	uint32_t sent[TS_PIDS];   /* packets that were sent in this second */
	uint32_t sent_before[TS_PIDS]; /* packets that were sent in the last
					* second */
	struct cbr *cbr;
	struct psi *psi; /* PAT and PMTs of the output, as sent */
	uint32_t psi_seen; /* psi_changes() when the SDT was built */
	struct tables_spec tables;
	bool fed; /* packets have arrived since the last mux_turn(); true at the
		   * start */
	uint64_t now_ns;
	uint64_t looked_ns;  /* when mux_look_for_silence() last checked all
			      * services */
	uint64_t begin_ns;   /* time of the first mux_turn(); 0: none yet */
	uint64_t second_ns;  /* start of this second */
	uint64_t heard_ns;   /* arrival of the first packets of any input; 0:
			      * none yet */
	bool settled;        /* sending has begun, because the programs of the
			      * inputs are known or SETTLE_MS are over */
	uint64_t changed_ns; /* time when a service was last blocked or
			      * released */
	uint64_t calm_ns;    /* since this time the queue is short, and no
			      * service was blocked for the rate or released */
	uint64_t peak;       /* packets: longest queue soon after changed_ns */
	uint64_t late_ns;    /* time of the last mux_turn() that was late; 0:
			      * none yet */
	uint64_t late_ms;    /* the longest delay in a series of late calls of
			      * mux_turn() */
	bool crowded;        /* many packets wait for the rate, so that EIT
			      * schedules are sent slowly */
	uint64_t schedule_ns; /* while crowded: no section of an EIT schedule is
			       * sent before this time */
	uint64_t meter_ns;   /* start of the current measurement of rates */
	uint64_t metered_ns; /* length of the last measurement in ns */
	uint64_t turn_ns;  /* time of the last mux_turn(): later positions of
			    * the output are free */
	uint64_t place_ns; /* position in time of the last packet that cbr
			    * received */
	uint64_t free_ns;  /* first position behind all packets that cbr has */
	uint64_t packet_ns; /* duration of a packet at the rate of the output */
	bool tables_changed; /* psi has changed since spread_follow() */
	struct filler *filler; /* keeps the last pictures of services with
				* `still'; NULL: no input has `still' */
	uint64_t fill_pids[TS_PIDS / 64]; /* set of the PIDs of services with
					   * `still' */
	bool fills_changed; /* a filler has ended since mux_follow_fills() */
	uint64_t fill_meter, fill_metered; /* packets of all fillers in the
					    * current measurement (fill_meter)
					    * and the last one (fill_metered) */
	struct waiting waiting; /* packets that leave later: those that `spread'
				 * delays, those of fillers, and all but the
				 * first packet of a section of PAT or PMT */
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
/* Call it before mux_push() of packets that do not continue the last ones of
 * the input. */
void mux_begin_source(struct mux *, struct mux_source *);

/* Call it after a change of the tables of an input.  It goes through the inputs
 * in the order of the configuration, so that the result does not depend on the
 * order of the changes. */
void mux_follow_tables(struct mux *);
/* Takes CAT and SDT of an input from its remux, because the source may be
 * silent (mux_kept.c). */
void mux_take_made(struct mux *, struct mux_source *);

/* Takes a packet of the PID of CAT, SDT or EIT of an input. */
void mux_take_table(struct mux *, struct mux_source *, const uint8_t *packet);

/* Does the input receive packets?  While it is silent, its remux repeats
 * tables, which do not count as packets. */
static inline bool mux_hears(const struct mux *m, const struct mux_source *in)
{
	return in->heard_ns + MUX_SILENT_MS * MS >= m->now_ns;
}

/* --- mux_tables.c --- */

/* Takes a section of CAT, SDT or EIT of an input, whose CRC_32 was checked. */
void mux_take_section(struct mux *, struct mux_source *, uint16_t pid,
		      uint8_t *section, size_t len);
/* Builds the CAT if cat_changed is true, and the SDT if sdt_changed is true, at
 * most once in a second. */
void mux_follow_sections(struct mux *);
/* Builds PAT, CAT and SDT again, and calls mux_list_pmts(). */
void mux_build(struct mux *);
void mux_build_sdt(struct mux *);
/* Queues the sections of CAT, SDT, EIT and TDT that are due. */
void mux_schedule(struct mux *, uint64_t unix_ms);

/* The number that the nth service has in the SDT and EIT that its remux
 * sends. */
uint16_t mux_sdt_number(const struct mux_source *, size_t nth);

/* --- mux_pmts.c --- */

/* Call it after a change of the services of the inputs, or of the PAT. */
void mux_list_pmts(struct mux *);
/* Moves PMTs that were due in the past to the present. */
void mux_begin_pmts(struct mux *);
/* From now on the PMT that the remux has for the nth service is sent, unless
 * mux_fill_holds_pmt() stores it.  Call it when the next packets belong to this
 * PMT, and no earlier packets wait. */
void mux_renew_pmt(struct mux *, const struct mux_source *, size_t nth);
/* Sends a PMT of the nth service that its filler has held. */
void mux_send_held_pmt(struct mux *, const struct mux_source *, size_t nth,
		       const uint8_t *section, size_t len);
/* Takes a packet of an input with a PMT PID, which leaves the line at at_ns. */
void mux_take_pmt(struct mux *, struct mux_source *, const uint8_t *packet,
		  uint64_t at_ns);
/* Sends the entry of `pmts' that is due at pmt_ns, a section of the PAT or a
 * PMT: the first packet at once, the others through `waiting'. */
void mux_send_pmt(struct mux *);

/* --- mux_kept.c --- */

/* Gives the nth service, which is new, the state that it had in the last mux of
 * the stream. */
void mux_resume_service(const struct mux *, struct mux_source *, size_t nth);

/* --- mux_absent.c --- */

/* Updates which services are absent.  True: a service has become absent or has
 * returned. */
bool mux_follow_absent(struct mux *);
/* Judges a packet of an input with absent services.  True: it is sent, because
 * it belongs to another service, or its service returns with it. */
bool mux_takes_absent(struct mux *, struct mux_source *, const uint8_t *packet);
/* Updates `gone'.  Call it after a change of the services of an input, or of
 * which of them are absent. */
void mux_renew_gone(struct mux *, struct mux_source *);

/* Adds the PIDs of the nth service to the set, without its PMT PID. */
void mux_add_service_pids(const struct mux_source *, size_t nth,
			  uint64_t set[TS_PIDS / 64]);

/* --- mux_services.c --- */

/* Reads the services of an input from its remux.  Call it after a change of the
 * tables of the input. */
void mux_read_services(struct mux *, struct mux_source *);
void mux_free_services(struct mux_source *);
/* The first video of the nth service, or else its first audio; false: it has
 * none. */
bool mux_main_stream(const struct mux_source *, size_t nth,
		     struct pmt_stream *ret);
/* Decodes the PMT that the remux has for the nth program; false: it has
 * none. */
bool mux_service_pmt(const struct mux_source *, size_t nth, struct pmt *ret);
/* Updates which inputs and services are silent.  True: a service has become
 * silent, or is no longer silent. */
bool mux_look_for_silence(struct mux *);

/* --- mux_places.c --- */

/* Sets `due' of each input: the packets that leave its line by now_ns. */
void mux_count_due(struct mux *);
/* Passes a packet to cbr, which sends it at at_ns, or at now_ns if that is
 * earlier, or behind the packets that cbr already has. */
void mux_give(struct mux *, const uint8_t *packet, uint64_t at_ns);
/* Passes packets that wait to cbr ahead of their time, until n more packets
 * have room in `waiting'. */
void mux_make_room(struct mux *, size_t n);
/* Drops the `due' packets of all inputs. */
void mux_drop_due(struct mux *);
/* Call it when sending starts: drops packets that are too late to be sent. */
void mux_drop_late(struct mux *);
/* Passes to cbr all packets that leave by now_ns, each with its position. */
void mux_place_due(struct mux *);

/* --- mux_gates.c --- */

/* The number of parts of an input that can be blocked: its services; without
 * any 1, the input itself. */
static inline size_t mux_units(const struct mux_source *in)
{
	return MAX(in->n_services, (size_t)1);
}

/* Updates `owner'.  Call it after a change of the services of any input. */
void mux_renew_owners(struct mux *);
/* Updates `gate'.  Call it after a service of the input was blocked, cut,
 * filled or released. */
void mux_renew_gates(struct mux *, struct mux_source *);
/* The service that a packet of this PID is counted for; NULL: none. */
static inline struct mux_service *mux_owner(const struct mux *m,
					    const struct mux_source *in,
					    uint16_t pid)
{
	size_t at = m->owner[pid];

	return at > 0 && at <= in->n_services ? &in->states[at - 1] : NULL;
}
/* How many of the `due' packets of an input are sent.  Packets of services that
 * are cut or filled do not count. */
size_t mux_count_sent(const struct mux *, const struct mux_source *);
/* Counts the `due' packets of an input for the rates of its services. */
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

/* Starts and ends fillers.  True: a filler has started or ended. */
bool mux_follow_fills(struct mux *);
/* Adds the packets of the fillers to those that wait. */
void mux_run_fills(struct mux *);
void mux_free_fill(struct mux_service *);
/* Call it after a change of the tables of an input: ends a filler if a service
 * on air has one of its PIDs now, or if its own service is not sent any more or
 * has no main stream.  A filler whose service has other PIDs or codings stays
 * until the service returns, as does its PMT. */
void mux_check_fills(struct mux *, struct mux_source *);
/* The PIDs of the filler of a service; NULL: it has no filler. */
const uint64_t *mux_fill_pids(const struct mux_service *);
/* True if the service has a filler that still needs the PMT that was sent last,
 * because the new one has other streams. */
bool mux_fill_keeps_pmt(const struct mux_service *);
/* True: the filler stores this PMT of the service, which must wait until the
 * service returns.  False: it can be sent. */
bool mux_fill_holds_pmt(struct mux_service *, const uint8_t *section,
			size_t len);
/* Takes a packet that arrives of a service with a filler, and looks for the
 * picture at which the service returns. */
void mux_watch_fill(const struct mux_source *, struct mux_service *,
		    const uint8_t *packet);
/* Judges the first packet of the line, which belongs to a service with a
 * filler.  True: the service returns at this packet, and the filler has
 * ended. */
bool mux_fill_ends(struct mux *, struct mux_source *, struct mux_service *,
		   const uint8_t *packet);
/* Is this PTS later than the last PTS that was sent on the PID?  Also true if
 * it is 5 s or more earlier, which is another time base, or if the last PTS is
 * not known. */
bool mux_fill_follows(const struct mux *, uint16_t pid, uint64_t pts);
/* Does a PES packet begin in this packet for whose PTS mux_fill_follows() is
 * false?  The packet is the first one of the line. */
bool mux_fill_precedes(const struct mux *, const struct delay_line *line,
		       const uint8_t *packet);

/* --- mux_file.c --- */

void mux_free_file(struct mux_source *);
/* Does the service have a filler that sends the file instead of the last
 * picture? */
bool mux_fill_has_file(const struct mux_service *);

/* --- mux_rate.c --- */

/* The rate of all fillers, in packets per second. */
uint64_t mux_fill_rate(const struct mux *);

/* Blocks services that do not fit into the rate, and releases blocked services
 * that fit again. */
void mux_limit(struct mux *);
