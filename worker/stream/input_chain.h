/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An input of a stream: reads its packets, changes them as its options demand,
 * and decides whether the result is on air.
 *
 * The verdict is about the packets after the remux, if there is one: a program
 * that was not selected does not count.  For a feed (mpts.h) the verdict is
 * about the received packets.
 *
 * Owns the keeper of the input, its remux and its analyzers.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "proto/spec/stream_spec.h"
#include "worker/failover/failover.h"
#include "worker/failover/loss_window.h"
#include "worker/remux/remux.h"
#include "worker/ca/ca_stage.h"
#include "worker/csa/descrambler.h"
#include "worker/t2mi/t2mi.h"
#include "worker/input/input_keeper.h"
#include "worker/stream/candidate.h"
#include "worker/stream/map_log.h"
#include "worker/stream/monitor_log.h"
#include "worker/stream/omission_log.h"
#include "worker/ts/analyze.h"
#include "worker/ts/cc.h"

enum {
	/* After this many reads without a packet the worker waits for the
	 * socket, if the input has one. */
	CHAIN_EMPTY_READS = 10,
	/* A period shorter than this gets no verdict. */
	CHAIN_JUDGE_MS = 500,
	/* An input that is not on air is read too rarely to show short pauses.
	 * Continuity gaps in this many reads of a second count as a hole. */
	CHAIN_GAPS_MOST = 2,
};

struct cas_list;
struct csa_choice;
struct mux_input;

struct input_chain {
	struct candidate candidate; /* the state that the selector needs */
	unsigned position; /* position in the list of inputs, from 1 */
	struct t2mi *t2mi; /* unpacks T2-MI; NULL: the input has none */
	struct t2mi_counts unpacked; /* counts of t2mi in the last second */
	/* removes the scrambling; NULL: no key and no softcam */
	struct descrambler *descrambler;
	/* asks the softcams for control words, in front of the descrambler;
	 * NULL: no softcam */
	struct ca_stage *ca;
	/* counts of the descrambler in the last second */
	struct descrambler_counts descrambled;
	/* changes packets by the options; NULL: packets stay as they are */
	struct remux *remux;
	struct mux_input *mux; /* adds a PID to the remux; NULL: none */
	/* CC errors in a second that mean off air: option cc_limit of the
	 * input, otherwise of the stream */
	unsigned cc_limit;
	/* alarms that mean off air: bits by enum alarm_id */
	alarm_set fault_alarms;
	bool wanted; /* the policy wants the input open */
	bool tried; /* an opening was tried since `wanted' became true */
	unsigned empty_reads;
	/* counts packets for the verdict; NULL: the monitor does */
	struct analyze *analyze;
	struct monitor_log watch; /* watches the received packets */
	bool alone; /* the stream has no other input, and no filler file */
	/* Finds continuity gaps if the input is not analyzed and the stream has
	 * another input; otherwise NULL. */
	struct loss_finder *finder;
	struct silence silence;
	struct loss_window losses;
	/* when losses last counted as repeated (loss_window.h); 0: never */
	uint64_t lossy_ns;
	/* packets were lost, once or repeatedly, since the last chain_look() */
	bool loss, lossy;
	uint64_t empty_ns; /* time of the last read without packets */
	uint64_t hole_ns; /* time when holed was last set; 0: never */
	uint64_t frozen_ns; /* end of the last second in which the PCR of the
			     * input did not advance; 0: none */
	/* since the last chain_look() packets were lost in a pause
	 * (silence_feed()) or in several reads of an input that is not on air
	 * (CHAIN_GAPS_MOST), or the PCR stood still for a second */
	bool holed;
	unsigned gaps; /* reads with gaps in this second */
	/* ms without video and audio packets, see analyze_judge_av() */
	unsigned no_av_ms;
	bool gap; /* there is a gap that silence_feed() has not received yet */
	uint64_t gap_ns; /* silence_read.before_ns of that gap */
	/* at the last chain_look() the input received no packets, or its
	 * opening had failed */
	bool silent;
	enum failover_level verdict; /* verdict of the last second */
	/* The last judgement that counts was `on air'.  A judgement `off air'
	 * does not count if the input was silent in that second. */
	bool sound;
	uint64_t judged_ns;  /* time of that judgement; 0: none */
	/* time of the first packets after a silence; 0: none yet */
	uint64_t resumed_ns;
	/* The reason why the input is off air, as a constant text.  NULL: it is
	 * on air, or the reason is unknown. */
	const char *fault;
	/* the value of `fault' at the end of the last second, as a sentence
	 * with numbers; "": it was NULL */
	struct errmsg error;
	uint64_t began_ns; /* start of the current second */
	struct analyze_report report; /* report of the last second */
	/* rate received in the last second, before the remux; 0: no remux, or
	 * not measured */
	uint32_t received_kbps;
	/* rate of the received bytes, if the last second had no MPEG-TS packet;
	 * otherwise 0 */
	uint32_t junk_kbps;
	/* only null packets arrived in the last second */
	bool only_nulls;
	struct omission_log omissions;
	struct map_log maps;
	struct input_counters counted; /* input counters of the last second */
	struct failover_sight seen; /* state that the policy was given last */
	enum input_state state; /* state in the last status */
	uint64_t since_s; /* unix time at which the state began */
	struct errmsg trouble; /* error or fault in the last status; "": none */
	uint64_t trouble_s; /* unix time at which that error began */
	/* the last line of the log about the input says that it is down */
	bool logged_down;
	struct ratelimit standby_log;
	/* the program that the keeper reads of a multiplex */
	struct program_choice choice;
	struct input_keeper keeper;
};

struct chain_config {
	unsigned position;
	bool is_filler; /* the file of the option filler */
	const char *address;
	const struct stream_spec *stream; /* borrowed for the call */
	struct csa_choice *csa; /* borrowed for the call */
	/* CA systems that scramble the output, see remux_config; outlives the
	 * chain */
	const struct cas_list *cas;
	bool alone; /* the stream has no other input, and no filler file */
	/* The place of an input of a multiplex, see remux_config; NULL: the
	 * stream sends one input at a time. */
	const struct remux_place *place;
	/* Table versions of the stream; they outlive the chain. */
	struct table_versions *versions;
	/* versions of passed SI tables; outlive the chain */
	struct si_versions *si;
	ts_out_fn *decapsulated; /* receives the packets out of T2-MI */
	ts_out_fn *descrambled; /* receives the packets of the descrambler */
	ts_out_fn *remuxed; /* receives the packets of the remux */
	void *arg;
	/* Sends a question to a softcam (-errno: not sent); NULL: no
	 * softcams. */
	int (*ask)(const struct msg *, void *arg);
	void *ask_arg;
};

/* Parses the address; opens nothing. */
void chain_init(struct input_chain *, const struct chain_config *);
void chain_done(struct input_chain *);

/* Opens or closes the input.  It opens with the next chain_read(). */
void chain_want(struct input_chain *, bool wanted, uint64_t now_ns);

/* Reads waiting packets into the batch; opens the input when it is time. */
void chain_read(struct input_chain *, struct batch *, uint64_t now_ns);

/* Counts received packets for the state of the input; does not change them. */
void chain_watch(struct input_chain *, const struct ts_run *runs,
		 size_t n_runs, uint64_t now_ns);

/* Writes the state for the policy; true: it differs from the state before, or
 * there was a hole or a loss since the last call. */
bool chain_look(struct input_chain *, uint64_t now_ns,
		struct failover_sight *ret);

/* Call it once a second: judges the input by the counts of this second, and
 * resets these counts. */
void chain_second(struct input_chain *, uint64_t now_ns);

/* The reason why the input may not be on air now; NULL: it may, or no reason is
 * known yet. */
const char *chain_fault(const struct input_chain *, uint64_t now_ns);

/* The next two functions are in chain_choice.c. */
/* Lets an input read only one program of a multiplex in the ring of another
 * worker, if the stream sends only that program. */
void chain_choose(struct input_chain *, const struct stream_spec *);
/* Sets whether an input that reads only one program of a multiplex reads the
 * PMTs of the others as well, because a scan reports them. */
void chain_show_tables(struct input_chain *, bool all);

/* Takes the message stream.cam or stream.word of a softcam. */
void chain_take_cam(struct input_chain *, const struct msg *, uint64_t now_ns);

/* The options in the address of the input that the failover policy needs. */
struct failover_input_config chain_policy(const struct input_chain *);
