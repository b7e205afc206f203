/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/tuner_source.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "worker/adapter/cam_source.h"
#include "worker/adapter/dvb/dvb_sec.h"
#include "worker/adapter/dvb/dvb_tuner.h"
#include "worker/adapter/dvb/tuner_watch.h"
#include "worker/adapter/wanted_pids.h"
#include "worker/core/hidden.h"
#include "worker/ts/cc.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	READ_BYTES = 348 * TS_PACKET, /* bytes of one read, less than 64 KiB */
	/* a driver that does not return for so long is reported */
	HANG_S = 5,
	/* A step of the watchdog that has not ended after so long needs a new
	 * process, because the thread would not begin another step. */
	STEP_S = 30,
	STATUS_TIMED_OUT = 0x20,
	CC_UNKNOWN = 0,
};

struct tuner_source {
	struct source base;
	struct errmsg wrong; /* a wrong key; "": the source works */
	struct tuner_spec spec;
	struct dvb_tuner *tuner;
	struct tuner_watch watch;
	uint16_t pat_cc;
	struct section_assembler pat;
	uint8_t pat_buffer[SECTION_PSI_MAX];
	unsigned tunes;      /* dvb_state.tunes for which the tables were
			      * read */
	struct wanted_pids wanted;
	bool chosen;         /* the filters do not match `wanted' yet */
	uint64_t lost;
	uint64_t packets;    /* packets of the current second, and errors as in
			      * watch_facts */
	uint32_t sync_errors;
	uint32_t pat_packets, cc_errors;
	uint32_t pat_sections, pat_errors;
	uint32_t pes_starts, pes_errors;
	bool restarts;       /* a step of the watchdog has not ended yet */
	uint64_t step_ns;    /* start of that step */
	unsigned step_tunes; /* dvb_state.tunes when that step began */
	bool other_way;      /* log_other_way() has logged for this tuning */
	struct dvb_state state; /* at the last every_second() or look() */
	struct errmsg error;
	struct errmsg logged; /* the last error; "": none */
	size_t have;          /* bytes of an incomplete packet at the start of
			       * the buffer */
	uint8_t buffer[READ_BYTES];
};

/* --- packets --- */

static void watch_packet(struct tuner_source *s, const uint8_t *p)
{
	uint16_t pid = ts_pid(p);
	enum pid_class class = psi_class(s->wanted.psi, pid);
	size_t at, len;
	uint32_t wrong;

	/* the PMT may list the T2-MI with any stream_type */
	if (ts_pusi(p) && ts_scrambling(p) == 0 && pid != s->wanted.inner &&
	    (class == PID_VIDEO || class == PID_AUDIO)) {
		/* a PES packet begins with a start code */
		at = ts_payload_offset(p);
		if (at + 3 <= TS_PACKET) {
			s->pes_starts++;
			s->pes_errors += p[at] != 0 || p[at + 1] != 0 ||
					 p[at + 2] != 1;
		}
	}
	if (pid != CAT_PID && class != PID_PSI)
		return;
	if (pid == TS_PID_PAT) {
		/* errors of the PAT only: among all tables they would be too
		 * few to detect */
		wrong = s->pat.crc_errors;
		s->pat_packets++;
		s->cc_errors += cc_step(&s->pat_cc, p) == CC_ERROR;
		section_push(&s->pat, p);
		while (section_pull(&s->pat, &len) != NULL)
			s->pat_sections++;
		wrong = s->pat.crc_errors - wrong;
		s->pat_sections += wrong;
		s->pat_errors += wrong;
	}
	wanted_pids_feed(&s->wanted, p);
}

static void take_packets(struct tuner_source *s, struct batch *batch,
			 const uint8_t *data, size_t n)
{
	size_t first = 0;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = data + i * TS_PACKET;

		if (ts_sync_ok(p)) {
			if (!ts_tei(p))
				watch_packet(s, p);
			continue;
		}
		s->sync_errors++;
		if (i > first)
			batch_add(batch, (struct ts_run){
				.data = data + first * TS_PACKET,
				.n = i - first });
		first = i + 1;
	}
	if (n > first)
		batch_add(batch, (struct ts_run){
			.data = data + first * TS_PACKET, .n = n - first });
	s->packets += n;
}

/* If the driver has accepted another tuning, drops the tables and the
 * incomplete packet. */
static void follow_tuning(struct tuner_source *s, unsigned tunes)
{
	if (tunes == s->tunes)
		return;
	s->tunes = tunes;
	s->have = 0;
	wanted_pids_reset(&s->wanted);
	s->pat_cc = CC_UNKNOWN;
	section_reset(&s->pat);
}

/* Requests filters for the PIDs of the wanted programs, if they have
 * changed. */
static void want_pids(struct tuner_source *s)
{
	uint16_t pids[DVB_PIDS_MAX];

	if (s->state.whole ||
	    (!s->chosen && !wanted_pids_changed(&s->wanted)))
		return;
	s->chosen = false;
	dvb_tuner_want(s->tuner, pids,
		       wanted_pids_list(&s->wanted, pids, ARRAY_LEN(pids)));
}

static int read_packets(struct source *source, struct batch *batch,
			uint64_t now_ns)
{
	struct tuner_source *s =
		container_of(source, struct tuner_source, base);
	size_t kept = s->have, n_packets;
	const uint8_t *data;
	unsigned tunes;
	ssize_t n;

	(void)now_ns;
	if (s->tuner == NULL)
		return 0;
	n = dvb_tuner_read(s->tuner, s->buffer + kept,
			   sizeof s->buffer - kept, &tunes);
	if (n == -EOVERFLOW) {
		/* the kernel dropped its whole buffer */
		s->lost += DVB_BUFFER / TS_PACKET;
		s->have = 0;
		return 1;
	}
	if (n <= 0)
		return 0;
	follow_tuning(s, tunes);
	data = s->buffer + (kept - s->have);
	s->have += (size_t)n;
	n_packets = s->have / TS_PACKET;
	take_packets(s, batch, data, n_packets);
	batch_flush(batch);
	s->have %= TS_PACKET;
	memmove(s->buffer, data + n_packets * TS_PACKET, s->have);
	want_pids(s);
	return 1;
}

/* --- every second --- */

static void choose(struct source *source,
		   const struct msg_adapter_programs *wanted)
{
	struct tuner_source *s =
		container_of(source, struct tuner_source, base);

	s->wanted.programs = *wanted;
	s->chosen = true;
	if (s->tuner != NULL)
		want_pids(s);
}

static bool has_lock(const struct dvb_state *state)
{
	return state->tuned && state->signal.status & FE_HAS_LOCK;
}

/* The seconds since the start of a driver call that hangs; 0: no call hangs. */
static uint64_t hang_s(const struct dvb_state *state, uint64_t now_ns)
{
	uint64_t waits_s;

	if (state->call == NULL || now_ns <= state->call_ns)
		return 0;
	waits_s = (now_ns - state->call_ns) / SECOND_NS;
	return waits_s >= HANG_S ? waits_s : 0;
}

static void find_error(struct tuner_source *s, uint64_t now_ns)
{
	const struct dvb_state *state = &s->state;
	struct errmsg *e = &s->error;
	uint64_t waits_s = hang_s(state, now_ns);
	char status[DVB_STATUS_TEXT];

	dvb_signal_status(state->signal.status, status);
	if (waits_s > 0)
		errmsg_set(e, "the driver has not returned from %s for "
			   "%llu s", state->call,
			   (unsigned long long)waits_s);
	else if (state->error.text[0] != '\0')
		*e = state->error;
	else if (!state->tuned)
		errmsg_set(e, state->taken ? "tuning" : "opening the device");
	else if (state->signal.status == 0)
		errmsg_set(e, "no signal since the tuning: is the cable "
			   "connected, and the firmware installed?");
	else if (!has_lock(state))
		errmsg_set(e, "no lock, status %s", status);
	else if (s->packets == 0)
		errmsg_set(e, "lock, but no data");
	else if (!state->whole && state->refused > 0)
		errmsg_set(e, "the device has too few PID filters: %u PIDs of "
			   "programs are not received, and the driver refuses "
			   "the whole multiplex: %s",
			   state->refused, strerror(state->whole_error));
	else
		e->text[0] = '\0';
}

static void log_error_once(struct tuner_source *s)
{
	const char *error = s->error.text;
	bool steps = strcmp(error, "tuning") == 0 ||
		     strcmp(error, "opening the device") == 0;

	/* these two states end soon, so they are not logged */
	if (steps)
		return;
	if (error[0] == '\0' && s->logged.text[0] != '\0')
		log_info("adapter", "recovered");
	else if (error[0] != '\0' && !errmsg_is_alike(error, s->logged.text))
		log_warning("adapter", "%s", error);
	s->logged = s->error;
}

/* Logs once for each tuning that the driver does not receive as configured
 * (budget): it receives PIDs of programs instead of the whole multiplex, or the
 * reverse. */
static void log_other_way(struct tuner_source *s)
{
	const struct dvb_state *state = &s->state;

	if (s->other_way || !state->tuned || state->whole == s->spec.budget)
		return;
	s->other_way = true;
	if (state->whole)
		log_info("adapter", "the device has too few PID filters: it "
			 "delivers the whole multiplex");
	else
		log_info("adapter", "the driver refuses the whole multiplex "
			 "(%s): the device delivers only the PIDs of the "
			 "programs",
			 strerror(state->whole_error));
}

static void take_step(struct tuner_source *s, enum watch_step step,
		      uint64_t now_ns, struct source_report *ret)
{
	static const char *const names[] = {
		[WATCH_RETUNE] = "tuning again",
		[WATCH_REOPEN] = "opening the device again",
		[WATCH_POWER] = "turning the LNB off and on",
		[WATCH_RENEW] = "starting a new process",
	};
	static const enum dvb_request requests[] = {
		[WATCH_RETUNE] = DVB_RETUNE, [WATCH_REOPEN] = DVB_REOPEN,
		[WATCH_POWER] = DVB_POWER,
	};

	log_warning("adapter", "%s: %s", s->watch.reason, names[step]);
	ret->renew = step == WATCH_RENEW;
	if (!ret->renew)
		dvb_tuner_request(s->tuner, requests[step]);
	s->restarts = true;
	s->step_ns = now_ns;
	s->step_tunes = s->state.tunes;
}

/* Waits until the step of the watchdog has ended.  If that takes too long,
 * requests a new process. */
static void await_step(struct tuner_source *s, uint64_t now_ns,
		       struct source_report *ret)
{
	uint64_t waits_ns = now_ns - s->step_ns;

	ret->silent = s->state.tunes == s->step_tunes &&
		      s->state.error.text[0] == '\0';
	s->restarts = ret->silent;
	if (!s->restarts ||
	    waits_ns < STEP_S * SECOND_NS + s->watch.moves_ms * MS)
		return;
	log_warning("adapter", "the last attempt to recover has not ended for "
		    "%llu s: starting a new process",
		    (unsigned long long)(waits_ns / SECOND_NS));
	ret->renew = true;
	s->step_ns = now_ns;
}

static void run_watch(struct tuner_source *s, uint64_t now_ns,
		      struct source_report *ret)
{
	struct watch_facts facts = {
		.now_ns = now_ns,
		.tuned_ns = s->state.tuned_ns,
		.tuned = s->state.tuned,
		.lock = has_lock(&s->state),
		.packets = s->packets,
		.sync_errors = s->sync_errors,
		.pat_packets = s->pat_packets,
		.cc_errors = s->cc_errors,
		.pat_sections = s->pat_sections,
		.pat_errors = s->pat_errors,
		.pes_starts = s->pes_starts,
		.pes_errors = s->pes_errors,
	};
	enum watch_step step;

	if (s->restarts)
		await_step(s, now_ns, ret);
	step = s->restarts ? WATCH_NONE
			   : tuner_watch_second(&s->watch, &facts);
	if (step == WATCH_NONE)
		return;
	take_step(s, step, now_ns, ret);
	ret->dvb.status = 0;
}

static void fill_report(struct tuner_source *s, uint64_t now_ns,
			struct source_report *ret)
{
	const struct dvb_signal *signal = &s->state.signal;

	/* while a call hangs, the last known lock may be gone */
	ret->lock = has_lock(&s->state) && hang_s(&s->state, now_ns) == 0;
	ret->signal = signal->signal;
	ret->snr = signal->snr;
	ret->lost = s->lost;
	ret->tunes = s->state.tunes;
	ret->error = s->error.text[0] != '\0' ? s->error.text : NULL;
	ret->dvb = (struct source_signal){
		.taken = s->state.taken,
		.adapter = s->state.adapter,
		.status = signal->status,
		.signal_raw = signal->signal_raw,
		.snr_raw = signal->snr_raw,
		.signal_db = signal->signal_db,
		.snr_db = signal->snr_db,
		.ber = signal->ber,
		.unc = signal->unc,
		.ber_is_rate = signal->ber_is_rate,
	};
}

static void every_second(struct source *source, uint64_t now_ns,
			 struct source_report *ret)
{
	struct tuner_source *s =
		container_of(source, struct tuner_source, base);
	const char *forbidden;

	if (s->tuner == NULL) {
		ret->error = s->wrong.text;
		return;
	}
	dvb_tuner_get(s->tuner, &s->state);
	forbidden = s->state.forbidden;
	cam_source_second(s->base.cam, s->wanted.psi,
			  s->state.taken    ? s->state.adapter
			  : s->state.absent ? CAM_GONE
					    : CAM_KEEPS);
	find_error(s, now_ns);
	fill_report(s, now_ns, ret);
	run_watch(s, now_ns, ret);
	follow_tuning(s, s->state.tunes);
	want_pids(s);
	/* If only the sandbox hides the device, because the device was created
	 * after this process started, the error would name the permissions of
	 * the user.  Then this process exits, because its sandbox has no rule
	 * for the folder.  The check does not open the device; only the thread
	 * does. */
	if (forbidden[0] == '\0' ||
	    !hidden_when_refused(forbidden, R_OK | W_OK))
		log_error_once(s);
	log_other_way(s);
	s->packets = 0;
	s->sync_errors = 0;
	s->pat_packets = s->cc_errors = 0;
	s->pat_sections = s->pat_errors = 0;
	s->pes_starts = s->pes_errors = 0;
}

static void look(struct source *source, struct source_report *ret)
{
	struct tuner_source *s =
		container_of(source, struct tuner_source, base);

	if (s->tuner == NULL) {
		ret->error = s->wrong.text;
		return;
	}
	dvb_tuner_get(s->tuner, &s->state);
	fill_report(s, mono_ns(), ret);
	follow_tuning(s, s->state.tunes);
	want_pids(s);
}

static void source_free(struct source *source)
{
	struct tuner_source *s =
		container_of(source, struct tuner_source, base);

	cam_source_free(&s->base.cam);
	dvb_tuner_free(&s->tuner);
	wanted_pids_done(&s->wanted);
	free(s);
}

static bool retune(struct source *source, const json_t *adapter)
{
	struct tuner_source *s =
		container_of(source, struct tuner_source, base);
	struct tuner_spec spec;

	if (s->tuner == NULL || tuner_spec_parse(adapter, &spec, NULL) < 0)
		return false;
	cam_source_set(s->base.cam, &spec);
	wanted_pids_carrier(&s->wanted, adapter);
	cam_source_carry(s->base.cam, s->wanted.inner);
	s->chosen = true;
	/* with an unchanged tuning, reception continues */
	s->spec.ca = spec.ca;
	s->spec.timeout_s = s->watch.timeout_s = spec.timeout_s;
	memcpy(s->spec.lnb_adapter, spec.lnb_adapter, sizeof spec.lnb_adapter);
	if (memcmp(&s->spec, &spec, sizeof spec) == 0)
		return true;
	s->spec = spec;
	s->other_way = false;
	s->watch = (struct tuner_watch){
		.moves_ms = dvb_sec_moves_ms(&spec),
		.timeout_s = spec.timeout_s,
		.powers = spec.satellite && !spec.lnb_sharing,
		/* s->state is still that of the previous tuning */
		.packet_ns = mono_ns(),
	};
	dvb_tuner_set(s->tuner, &spec);
	return true;
}

static const struct source_ops ops = {
	.free = source_free,
	.read = read_packets,
	.every_second = every_second,
	.look = look,
	.retune = retune,
	.choose = choose,
};

struct source *tuner_source_new(const json_t *adapter,
				const struct dvb_ops *dvb, void *ctx)
{
	struct tuner_source *s = xcalloc(1, sizeof *s);
	struct dvb_tuner_config cfg = { .root = DVB_FOLDER, .spec = &s->spec,
					.ops = dvb, .ctx = ctx };
	int err = 0;

	s->base.ops = &ops;
	section_init(&s->pat, s->pat_buffer, sizeof s->pat_buffer);
	wanted_pids_init(&s->wanted);
	wanted_pids_carrier(&s->wanted, adapter);
	s->wanted.programs.all = true;
	/* no table names the PID of the T2-MI, so its filter is set at once */
	s->chosen = s->wanted.inner != 0;
	if (tuner_spec_parse(adapter, &s->spec, &s->wrong) < 0)
		return &s->base;
	s->watch.moves_ms = dvb_sec_moves_ms(&s->spec);
	s->watch.timeout_s = s->spec.timeout_s;
	s->watch.powers = s->spec.satellite && !s->spec.lnb_sharing;
	s->base.cam = cam_source_new(&s->spec, dvb, ctx);
	cam_source_carry(s->base.cam, s->wanted.inner);
	s->tuner = dvb_tuner_new(&cfg, &err);
	if (s->tuner == NULL)
		errmsg_set(&s->wrong, "cannot start a thread: %s",
			   strerror(-err));
	return &s->base;
}

struct source *tuner_source_open(const json_t *adapter, struct ev_loop *loop,
				 uint64_t now_ns)
{
	(void)loop, (void)now_ns;
	return tuner_source_new(adapter, &dvb_system, NULL);
}
