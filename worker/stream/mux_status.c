/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports the inputs and services of a multiplex once a second, in the status
 * and in the log. */
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "common/base/wall.h"
#include "worker/stream/absent_file.h"
#include "worker/stream/mux_stage.h"
#include "worker/ts/analyze.h"

#include <inttypes.h>

/* An overflow of EIT has ended after this time without a drop. */
enum { EIT_CALM_S = 60 };

/* The number in the output of the input's first service that is not sent; 0:
 * all are sent. */
static uint16_t first_blocked(const struct mux_stage *s, size_t i,
			      const struct mux_source_state *state)
{
	struct mux_service_state one;

	for (size_t k = 0; k < state->n_services; k++) {
		mux_service_get(s->mux, i, k, &one);
		if (one.blocked)
			return state->services[k].new_number;
	}
	return 0;
}

static void log_blocked(struct mux_stage *s, size_t i,
			const struct mux_source_state *state)
{
	bool late = state->late_ms > 0;
	struct errmsg what;

	if (state->n_blocked == s->blocked[i] && late == s->late[i])
		return;
	s->blocked[i] = state->n_blocked;
	s->late[i] = late;
	if (state->blocked)
		errmsg_set(&what, "not sent");
	else
		errmsg_set(&what, "%zu of %zu services are not sent, the first "
			   "is %u", state->n_blocked, state->n_services,
			   first_blocked(s, i, state));
	if (state->n_blocked == 0)
		log_info("stream", "input %zu: sent again", i + 1);
	else if (state->above_max)
		log_warning("stream", "input %zu: %s: the input exceeds its "
			    "rate_max: lower the rate of its source, or raise "
			    "rate_max", i + 1, what.text);
	else if (late)
		log_warning("stream", "input %zu: %s: the worker of the "
			    "multiplex ran %u ms late: reduce the load of the "
			    "machine", i + 1, what.text, state->late_ms);
	else
		log_warning("stream", "input %zu: %s: the inputs exceed the "
			    "bitrate: raise bitrate, or the priority of this "
			    "input",
			    i + 1, what.text);
}

/* The number in the output of the input's first service that is absent; 0: none
 * is. */
static uint16_t first_absent(const struct mux_stage *s, size_t i,
			     const struct mux_source_state *state)
{
	struct mux_service_state one;

	for (size_t k = 0; k < state->n_services; k++) {
		mux_service_get(s->mux, i, k, &one);
		if (one.absent)
			return state->services[k].new_number;
	}
	return 0;
}

static void log_absent(struct mux_stage *s, size_t i,
		       const struct mux_source_state *state)
{
	size_t n = state->n_absent;

	if (n == s->absent[i])
		return;
	s->absent[i] = n;
	if (n == 0)
		log_info("stream", "input %zu: on air: the tables list its "
			 "services again", i + 1);
	else if (n == state->n_services)
		log_warning("stream", "input %zu: silent: the tables list its "
			    "services no longer", i + 1);
	else
		log_warning("stream", "input %zu: %zu of %zu services are "
			    "silent: the tables list them no longer; the first "
			    "is %u",
			    i + 1, n, state->n_services,
			    first_absent(s, i, state));
}

static void log_unsent(struct mux_stage *s, size_t i, size_t n)
{
	if (n == s->unsent[i])
		return;
	s->unsent[i] = n;
	if (n > 0)
		log_warning("stream", "input %zu: %zu programs are not sent: "
			    "pid_block of the input has no free number, or the "
			    "multiplex has too many programs", i + 1, n);
	else
		log_info("stream", "input %zu: all programs are sent", i + 1);
}

/* Logs when EIT sections of an input begin to be dropped, and after EIT_CALM_S
 * without a drop how many were dropped.  Logs nothing in between. */
static void log_eit(struct mux_stage *s, size_t i, uint64_t dropped,
		    uint64_t now_ns)
{
	struct mux_eit_log *l = &s->eit[i];

	if (dropped != l->dropped && l->last_ns == 0) {
		l->begun = l->dropped;
		log_warning("stream", "input %zu: EIT sections dropped: all "
			    "inputs together have more than 752 kbit/s of EIT",
			    i + 1);
	}
	if (dropped != l->dropped) {
		l->last_ns = now_ns;
	} else if (l->last_ns != 0 &&
		   now_ns - l->last_ns > EIT_CALM_S * SECOND_NS) {
		log_info("stream", "input %zu: EIT overflow ended: %" PRIu64
			 " sections dropped", i + 1, dropped - l->begun);
		l->last_ns = 0;
	}
	l->dropped = dropped;
}

/* Writes the state of the nth service of input i, without what is measured in a
 * second. */
static void report_service(const struct mux_stage *s,
			   const struct mux_source_state *in, size_t i,
			   size_t nth, struct msg_service_status *ret)
{
	struct mux_service_state one;

	mux_service_get(s->mux, i, nth, &one);
	*ret = (struct msg_service_status){
		.pnr = in->services[nth].new_number,
		.input = (unsigned)i + 1,
		.pmt_pid = in->services[nth].pmt_pid,
		.onair = !one.silent && !one.blocked && !one.absent,
		.absent = one.absent,
		.filler = one.file     ? SERVICE_FILLER_FILE
			  : one.filled ? SERVICE_FILLER_STILL
				       : SERVICE_FILLER_NONE,
		.priority = in->priority,
		.rate_min_kbps = in->min_kbps,
		.rate_max_kbps = in->max_kbps,
		.dropped = one.dropped,
		.excess = one.excess,
		.eit_dropped = in->eit_dropped,
	};
	mux_service_name(s->mux, i, nth, ret->name, sizeof ret->name);
	ret->n_pids = mux_service_pids(s->mux, i, nth, ret->pids,
				       ARRAY_LEN(ret->pids));
}

void mux_stage_second(struct mux_stage *s, uint64_t packets, uint64_t now_ns,
		      struct msg_stream_status *status)
{
	unsigned ms = 1000;

	if (s->mux == NULL)
		return;
	mux_every_second(s->mux);
	mux_stage_keep(s);
	if (s->second_ns != 0 && now_ns > s->second_ns) {
		/* the second may have ended late */
		ms = (unsigned)MAX((now_ns - s->second_ns + MS / 2) / MS,
				   UINT64_C(1));
		status->sent_kbps = analyze_kbps((uint32_t)packets, ms);
	}
	s->second_ns = now_ns;
	for (size_t i = 0; i < status->n_inputs; i++) {
		struct mux_source_state state;

		mux_source_get(s->mux, i, &state);
		log_blocked(s, i, &state);
		log_absent(s, i, &state);
		log_unsent(s, i, state.n_unsent);
		log_eit(s, i, state.eit_dropped, now_ns);
		if (s->files[i] != NULL)
			absent_file_second(s->files[i], now_ns);
		for (size_t k = 0; k < state.n_services &&
				   status->n_services < MSG_SERVICES_MAX; k++) {
			struct msg_service_status *one =
				&status->services[status->n_services++];

			report_service(s, &state, i, k, one);
			one->bitrate_kbps = analyze_kbps(
				mux_service_packets(s->mux, one->pnr), ms);
		}
	}
}

bool mux_stage_overflows(struct mux_stage *s)
{
	struct mux_source_state state;
	struct cbr_counters c;
	uint64_t sum;

	if (s->mux == NULL)
		return false;
	mux_cbr_counters(s->mux, &c);
	sum = c.overflow;
	for (size_t i = 0; i < mux_inputs(s->mux); i++) {
		mux_source_get(s->mux, i, &state);
		sum += state.dropped - state.late;
	}
	(void)alarm_second(&s->overflow, (uint32_t)(sum - s->overflow_before),
			   (uint64_t)wall_ms());
	s->overflow_before = sum;
	return s->overflow.raised;
}
