/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/sink.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/shared.h"
#include "common/base/units.h"
#include "common/base/wall.h"
#include "worker/csa/core_choice.h"
#include "worker/csa/scrambler.h"
#include "worker/output/sap.h"
#include "worker/stream/memory.h"
#include "worker/stream/monitor_log.h"

#include <stdlib.h>
#include <string.h>

/* Dropped packets are logged only after this time, when it is known whether the
 * output failed as a whole. */
enum { OUTAGE_SHOWS_S = 3 };

/* The period at which the log repeats that an output overflows. */
enum { OVERFLOW_LOG_MS = 10 * 60 * 1000 };

/* Errors that alternate are logged at most once in this time. */
enum { ERROR_LOG_MS = 60 * 1000 };

uint64_t sink_address(const char *address)
{
	return hash_add(HASH_INIT, address, strlen(address));
}

void sink_init(struct sink *s, unsigned position, const char *address,
	       const char *name, struct rtp_state *place)
{
	uint64_t hash = sink_address(address);

	*s = (struct sink){
		.position = position,
		.place = place,
		.error_log = { .burst = 1, .window_ms = ERROR_LOG_MS },
	};
	/* With another address the receiver is another, too, and the sequence
	 * may begin with any number. */
	if (place->address != hash)
		*place = (struct rtp_state){ .address = hash };
	/* the master has reported unknown options */
	s->valid = output_spec_parse(address, &s->spec, NULL, NULL,
				     &s->error) == 0;
	if (!s->valid) {
		log_error("stream", "output %u: %s", position, s->error.text);
	} else if (s->spec.cbr_kbps > 0) {
		s->cbr = cbr_new(s->spec.cbr_kbps, sink_burst_ms(s));
		s->overflow.log = (struct ratelimit){
			.burst = 1,
			.window_ms = OVERFLOW_LOG_MS,
		};
	} else if (s->spec.no_sync || s->spec.burst_ms > 0) {
		s->sender = xcalloc(1, sizeof *s->sender);
		sender_init(s->sender, &s->output, 1, NULL);
		if (s->spec.no_sync)
			pacer_disable(&s->sender->pacer);
		else
			pacer_set_burst(&s->sender->pacer, s->spec.burst_ms);
	}
	if (s->valid && s->spec.sap)
		s->sap = sap_new(&s->spec, name);
}

static size_t queue_size(const struct sink *s)
{
	return s->cbr != NULL ? cbr_memory_size(s->cbr) : sender_memory_size();
}

/* Lets an output with its own pace store its queue in the memory of the stream.
 * 0, or the error (-errno) why the queue ends with this process. */
static int keep(struct sink *s, int fd, uint64_t now_ns)
{
	size_t lost;
	int err;

	if (!sink_has_pace(s))
		return 0;
	s->queue = stream_memory_queue(fd, s->place, queue_size(s), &err);
	if (s->queue == NULL)
		return err;
	if (s->cbr == NULL) {
		sender_keep(s->sender, s->queue, s->place->address, now_ns);
		return 0;
	}
	lost = cbr_keep(s->cbr, s->queue, s->place->address, now_ns);
	if (lost > 0)
		log_warning("stream", "output %u: cbr=%u: the previous worker "
			    "ended while it sent %zu packets: these may be "
			    "missing", s->position, s->spec.cbr_kbps, lost);
	return 0;
}

void sinks_keep(struct sink *list, size_t n, int fd, uint64_t now_ns)
{
	size_t n_failed = 0, first = 0;
	int first_err = 0;

	for (size_t i = 0; i < n; i++) {
		int err = keep(&list[i], fd, now_ns);

		if (err < 0 && n_failed++ == 0) {
			first = i;
			first_err = err;
		}
	}
	if (n_failed > 0)
		log_warning("stream", "output %u: cannot map the memory of its "
			    "queue: %s (%zu of %zu outputs): if this worker "
			    "ends, packets that wait in these outputs are lost",
			    list[first].position, strerror(-first_err),
			    n_failed, n);
}

void sink_set_psi(struct sink *s, const struct psi *psi,
		  struct csa_choice *csa, struct scrambler_pids *pids)
{
	if (!s->valid || !s->spec.biss.given)
		return;
	s->scrambler = scrambler_new(csa_choose(csa), s->spec.biss.key, pids);
	scrambler_set_psi(s->scrambler, psi);
	if (s->output != NULL)
		output_set_scrambler(s->output, s->scrambler);
}

void sink_resume(struct sink *s, uint64_t now_ns)
{
	if (s->sender != NULL && s->queue != NULL)
		sender_resume(s->sender, now_ns);
}

void sink_flush(struct sink *s, uint64_t now_ns)
{
	if (s->sender != NULL)
		sender_shorten(s->sender, 0, now_ns);
}

bool sink_stop(struct sink *s)
{
	return s->output != NULL && output_stop(s->output);
}

void sink_done(struct sink *s)
{
	sap_free(&s->sap);
	output_free(&s->output);
	scrambler_free(&s->scrambler);
	link_record_done(&s->link);
	if (s->sender != NULL)
		sender_done(s->sender);
	if (s->queue != NULL)
		shared_unmap(s->queue, queue_size(s));
	s->queue = NULL;
	cbr_free(&s->cbr);
	free(s->sender);
	s->sender = NULL;
}

static struct output_gap gap_of(const struct sink *s)
{
	return s->output != NULL ? output_gap(s->output)
				 : (struct output_gap){ 0 };
}

/* Begins an outage of the output, or notes another error of the same outage.
 * Logs the first error, and another one if it differs. */
static void begin_outage(struct sink *s, const char *error, uint64_t since_ns,
			 uint64_t now_ns)
{
	bool begins = s->error.text[0] == '\0';
	unsigned suppressed;

	if (begins)
		s->outage = (struct sink_outage){
			.since_ns = since_ns,
			.dropped = s->dropped,
		};
	if (begins || (!errmsg_is_alike(s->logged_error.text, error) &&
		       ratelimit_pass(&s->error_log, now_ns / MS,
				      &suppressed))) {
		log_warning("stream", "output %u: %s", s->position, error);
		errmsg_set(&s->logged_error, "%s", error);
	}
	errmsg_set(&s->error, "%s", error);
}

static void close_output(struct sink *s, const struct errmsg *error,
			 uint64_t now_ns)
{
	struct output_gap gap = gap_of(s);

	if (s->output != NULL) {
		struct link_stats last = output_stats(s->output);

		sink_counters(s, &s->closed);
		link_record_close(&s->link, &last);
		output_free(&s->output);
	}
	if (sink_follows(s))
		retry_soon(&s->retry, now_ns);
	else
		retry_failed(&s->retry, now_ns);
	begin_outage(s, error->text, gap.packets > 0 ? gap.since_ns : now_ns,
		     now_ns);
}

/* Ends the outage, if the output was open without an error for a second. */
static void end_outage(struct sink *s, uint64_t now_ns)
{
	struct output_counters c;
	uint64_t tenths;

	if (output_error(s->output) != NULL)
		s->outage.until_ns = now_ns;
	if (s->error.text[0] == '\0' || output_error(s->output) != NULL)
		return;
	sink_counters(s, &c);
	tenths = (s->outage.until_ns - s->outage.since_ns) / (100 * MS);
	log_info("stream", "output %u: open again after %llu.%llu s; %llu "
		 "packets were dropped", s->position,
		 (unsigned long long)tenths / 10,
		 (unsigned long long)tenths % 10,
		 (unsigned long long)(c.dropped - s->outage.dropped));
	s->error.text[0] = '\0';
	s->dropped = c.dropped;
}

/* The reason why accepted packets are not sent, or not on all paths. */
static const char *output_error_of(const struct sink *s)
{
	const char *error = NULL;

	if (s->error.text[0] != '\0')
		return s->error.text;
	if (s->output != NULL)
		error = output_error(s->output);
	if (s->output != NULL && error == NULL)
		error = output_part_error(s->output);
	return error;
}

const char *sink_error(const struct sink *s)
{
	const char *error = output_error_of(s);

	if (error == NULL && s->overflow.error.text[0] != '\0')
		error = s->overflow.error.text;
	return error;
}

void sink_open(struct sink *s, uint64_t now_ns)
{
	struct errmsg error = { 0 };
	int err;

	if (!s->valid || s->spec.kind == OUTPUT_HTTP || s->output != NULL ||
	    !retry_is_due(&s->retry, now_ns))
		return;
	s->output = output_open(&s->spec, &err, &error);
	if (s->output == NULL) {
		close_output(s, &error, now_ns);
		return;
	}
	output_set_asker(s->output, s->asker);
	output_set_scrambler(s->output, s->scrambler);
	s->outage.until_ns = now_ns;
	s->had_error = output_error_of(s) != NULL;
	output_resume_rtp(s->output, s->place);
}

/* Logs the begin and the end of an overflow of cbr, and from time to time how
 * many packets it has dropped. */
static void watch_overflow(struct sink *s, uint64_t now_ns)
{
	struct sink_overflow *o = &s->overflow;
	unsigned kbps = s->spec.cbr_kbps, suppressed;
	struct cbr_counters c;
	unsigned long long n;
	bool changed;

	cbr_counters(s->cbr, &c);
	if (!o->alarm.raised)
		o->begin = o->before;
	n = c.overflow - o->begin;
	changed = alarm_second(&o->alarm, (uint32_t)(c.overflow - o->before),
			       wall_ms());
	o->before = c.overflow;
	o->error.text[0] = '\0';
	if (!o->alarm.raised) {
		if (changed)
			log_info("stream", "output %u: cbr=%u: overflow ended; "
				 "%llu packets dropped", s->position, kbps, n);
		return;
	}
	errmsg_set(&o->error, "cbr=%u: overflow: packets are dropped: raise cbr"
		   , kbps);
	if (ratelimit_pass(&o->log, now_ns / MS, &suppressed) || changed)
		log_warning("stream", "output %u: cbr=%u: overflow: the stream "
			    "exceeds this rate: %llu packets dropped%s",
			    s->position, kbps, n,
			    changed ? "" : " so far");
}

/* Logs packets that the network did not accept while the output is open.  The
 * end of an outage reports those of the outage.  Packets before the first
 * answer of a peer were not rejected: they are in the status alone. */
static void log_dropped(struct sink *s, uint64_t now_ns)
{
	bool has_error = output_error_of(s) != NULL;
	struct output_gap gap = gap_of(s);
	struct output_counters c;
	unsigned suppressed;

	sink_counters(s, &c);
	/* a new gap may become an outage, whose end reports its packets */
	if (now_ns - gap.since_ns < OUTAGE_SHOWS_S * SECOND_NS)
		c.dropped -= gap.packets;
	if (has_error || s->had_error)
		s->dropped = c.dropped;
	s->had_error = has_error;
	if (c.dropped <= s->dropped ||
	    !ratelimit_pass(&s->dropped_log, now_ns / MS, &suppressed))
		return;
	log_warning("stream", "output %u: %llu packets dropped: the network "
		    "did not accept them", s->position,
		    (unsigned long long)(c.dropped - s->dropped));
	s->dropped = c.dropped;
}

/* Logs the begin and the end of an error of one path. */
static void log_path_error(struct sink *s, uint64_t now_ns)
{
	const char *now = s->output != NULL ? output_part_error(s->output)
					    : NULL;
	const char *text = now != NULL ? now : "";
	unsigned suppressed;

	if (s->error.text[0] != '\0' ||
	    strcmp(s->path_error.text, text) == 0 ||
	    !ratelimit_pass(&s->path_error_log, now_ns / MS, &suppressed))
		return;
	errmsg_set(&s->path_error, "%s", text);
	if (now != NULL)
		log_warning("stream", "output %u: %s", s->position, now);
	else
		log_info("stream", "output %u: all paths are sending again",
			 s->position);
}

/* Measures the rate of the output.  n: for an http output, the packets since
 * the start; other outputs have counters of their own. */
static void measure(struct sink *s, uint64_t n, uint64_t now_ns)
{
	struct sink_rate before = s->rate;
	struct output_counters c = { .packets = n };

	if (s->spec.kind != OUTPUT_HTTP)
		sink_counters(s, &c);
	s->rate = (struct sink_rate){ .packets = c.packets, .at_ns = now_ns };
	if (before.at_ns > 0 && now_ns > before.at_ns)
		s->rate.kbps = (unsigned)((c.packets - before.packets) *
					  TS_PACKET * 8 * (SECOND_NS / 1000) /
					  (now_ns - before.at_ns));
}

/* Counts packets as dropped that the sender had for the output while it was
 * closed.  n: the packets that the sender of the stream has sent; an output
 * with its own sender has its own count.  The cbr counts its packets itself. */
static void count_passed(struct sink *s, uint64_t n)
{
	if (s->sender != NULL)
		n = s->sender->sent;
	if (s->output == NULL && s->cbr == NULL)
		s->closed.dropped += n - s->passed;
	s->passed = n;
}

bool sink_follows(const struct sink *s)
{
	switch (s->spec.kind) {
	case OUTPUT_UDP:
	case OUTPUT_RTP:
		return s->valid;
	case OUTPUT_SRT:
		return s->valid && srt_is_on_interface(&s->spec.srt);
	default:
		return false;
	}
}

/* Does a route decide on which interface packets leave?  A multicast group on a
 * named interface needs no route. */
static bool is_routed(const struct sockaddr_any *to, const char *iface)
{
	return iface[0] == '\0' || !sockaddr_is_multicast(to);
}

bool sink_follows_routes(const struct sink *s)
{
	const struct rtp_out_spec *rtp = &s->spec.rtp;

	if (!sink_follows(s) || s->spec.kind == OUTPUT_SRT)
		return false;
	return is_routed(&s->spec.remote, s->spec.iface) ||
	       (s->spec.kind == OUTPUT_RTP && rtp->has_path2 &&
		is_routed(&rtp->path2, rtp->path2_iface));
}

void sink_follow(struct sink *s, uint64_t n, uint64_t now_ns)
{
	struct errmsg error = { 0 };
	unsigned suppressed;
	int moved = 0;

	if (!sink_follows(s))
		return;
	count_passed(s, n);
	if (s->output != NULL) {
		moved = output_follow(s->output, &error);
	} else {
		retry_worked(&s->retry);
		sink_open(s, now_ns);
	}
	if (moved < 0)
		close_output(s, &error, now_ns);
	else if (moved > 0 && ratelimit_pass(&s->moved_log, now_ns / MS,
					     &suppressed))
		log_info("stream", "output %u: addresses or routes changed: "
			 "sending from another address or interface",
			 s->position);
	if (s->sap != NULL)
		sap_follow(s->sap);
}

void sink_second(struct sink *s, uint64_t n, uint64_t now_ns)
{
	struct errmsg error = { 0 };

	if (!s->valid)
		return;
	if (s->spec.kind == OUTPUT_HTTP) {
		measure(s, n, now_ns);
		return;
	}
	count_passed(s, n);
	if (s->cbr != NULL) {
		watch_overflow(s, now_ns);
		cbr_every_second(s->cbr);
	}
	if (s->sender != NULL)
		sender_every_second(s->sender);
	if (s->output == NULL) {
		sink_open(s, now_ns);
	} else if (output_every_second(s->output, &error) < 0) {
		close_output(s, &error, now_ns);
	} else {
		if (retry_is_due(&s->retry, now_ns))
			retry_worked(&s->retry);
		if (output_is_disconnected(s->output))
			begin_outage(s, output_error(s->output), now_ns,
				     now_ns);
		end_outage(s, now_ns);
	}
	if (s->sap != NULL && s->output != NULL)
		sap_every_second(s->sap, now_ns);
	log_dropped(s, now_ns);
	log_path_error(s, now_ns);
	measure(s, n, now_ns);
}

void sink_feed(struct sink *s, const struct ts_run *runs, size_t n_runs,
	       uint64_t now_ns)
{
	if (s->cbr != NULL)
		cbr_feed(s->cbr, runs, n_runs, now_ns);
	else
		sender_feed(s->sender, runs, n_runs, now_ns);
}

static void send_shaped(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct sink *s = arg;

	if (s->output != NULL) {
		output_send(s->output, runs, n_runs, s->now_ns);
		return;
	}
	for (size_t i = 0; i < n_runs; i++)
		s->closed.dropped += runs[i].n;
}

void sink_run(struct sink *s, uint64_t now_ns)
{
	s->now_ns = now_ns;
	if (s->cbr != NULL)
		cbr_run(s->cbr, now_ns, send_shaped, s);
	else
		sender_feed(s->sender, NULL, 0, now_ns);
}

uint64_t sink_next_ns(const struct sink *s)
{
	return s->cbr != NULL ? cbr_next_ns(s->cbr)
			      : sender_next_ns(s->sender);
}

bool sink_is_behind(const struct sink *s)
{
	return s->cbr != NULL ? cbr_is_behind(s->cbr)
			      : sender_is_behind(s->sender);
}

void sink_counters(const struct sink *s, struct output_counters *ret)
{
	struct output_counters now = { 0 };

	if (s->output != NULL)
		output_counters(s->output, &now);
	ret->packets = s->closed.packets + now.packets;
	ret->dropped = s->closed.dropped + now.dropped;
}

const json_t *sink_stats(struct sink *s)
{
	struct link_stats now = { 0 };
	struct cbr_counters c;

	if (s->output != NULL)
		now = output_stats(s->output);
	if (s->cbr != NULL) {
		cbr_counters(s->cbr, &c);
		link_stats_set(&now, LINK_CBR_OVERFLOW, c.overflow);
		link_stats_set(&now, LINK_CBR_LATE, c.late);
	}
	return link_record_report(&s->link, now);
}
