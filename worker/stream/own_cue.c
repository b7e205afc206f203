/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/own_cue.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "proto/ipc/msg.h"
#include "proto/si/cue_command.h"
#include "proto/si/record.h"
#include "worker/splice/cue.h"
#include "worker/stream/cue_memory.h"
#include "worker/tables/table_stage.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/psi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEARTBEAT_MS = 5000,
	REPEAT_MS = 1000,
	/* a command without a time is repeated for this time: sent three
	 * times */
	UNTIMED_MS = 2500,
	/* a command is repeated for at least this time, so that it finds a
	 * packet even with a short pre-roll */
	ONCE_MS = 500,
	/* a command with a time needs a PCR of at most this age */
	CLOCK_MAX_MS = 1000,
	/* longest lead of a picture (ISO/IEC 13818-1 2.4.2.6: still
	 * pictures) */
	LEAD_MAX_MS = 10000,
	/* for this time a shorter lead does not replace a longer one */
	LEAD_KEPT_MS = 1000,
	SEGMENTATION = 2, /* type_id of a segmentation descriptor */
};

struct own_cue {
	uint16_t pid;
	const struct psi *psi;
	struct table_stage *stage;
	bool listed;  /* the PMT lists the PID */
	bool refused; /* logged: a program uses the PID */
	uint16_t pcr_pid, picture_pid;
	uint64_t pcr, pcr_ns; /* the last PCR and its arrival; 0: none */
	/* longest time by which a picture was sent before its presentation, in
	 * about the last second */
	uint64_t lead_ns;
	uint64_t lead_at_ns; /* time at which lead_ns was measured */
	struct pes_reader reader; /* reads PES headers on picture_pid */
	struct cue_memory *memory;
	/* commands in `memory' as JSON; NULL: none */
	json_t *records[CUES_PENDING_MAX];
};

struct own_cue *own_cue_new(uint16_t pid, const struct psi *psi,
			    struct table_stage *stage,
			    struct cue_memory *memory)
{
	struct own_cue *c = xcalloc(1, sizeof *c);

	c->pid = pid;
	c->psi = psi;
	c->stage = stage;
	c->memory = memory;
	cue_memory_check(memory, mono_ns());
	c->pcr_pid = c->picture_pid = TS_PID_NULL;
	return c;
}

void own_cue_free(struct own_cue **c)
{
	for (size_t i = 0; *c != NULL && i < CUES_PENDING_MAX; i++)
		json_decref((*c)->records[i]);
	free(*c);
	*c = NULL;
}

static void schedule(struct own_cue *c, size_t place, unsigned interval_ms,
		     const uint8_t *section, size_t len)
{
	const struct schedule_key key = { c->pid, CUE_TABLE_ID,
					  (uint16_t)place, 0 };
	const struct schedule_section s = { section, len };

	(void)schedule_set(table_stage_schedule(c->stage), &key, interval_ms,
			   &s, len > 0);
}

static void end(struct own_cue *c, size_t place)
{
	c->memory->pending[place].until_ns = 0;
	json_decref(c->records[place]);
	c->records[place] = NULL;
	schedule(c, 1 + place, 0, NULL, 0);
}

/* The event_id of the command; -1: the command has none. */
static json_int_t event_of(const json_t *record)
{
	const json_t *id = json_object_get(record, "event_id");

	return id != NULL ? json_integer_value(id) : -1;
}

/* Encodes the splice command (SCTE 35) in this place, sends it every REPEAT_MS
 * until until_ns (mono_ns()), and stores it for the next worker.  -EINVAL with
 * an error if the command cannot be encoded; else 0. */
static int announce(struct own_cue *c, size_t place, uint64_t until_ns,
		    struct errmsg *error)
{
	struct cue_pending *p = &c->memory->pending[place];
	const json_t *record = c->records[place];
	uint8_t section[SI_RECORD_BYTES];
	size_t len;

	if (si_record_encode(record, section, &len, error) < 0)
		return -EINVAL;
	schedule(c, 1 + place, REPEAT_MS, section, len);
	p->until_ns = 0;
	cue_memory_put(p, until_ns, event_of(record), section, len);
	return 0;
}

static void begin_heartbeat(struct own_cue *c)
{
	json_t *null = json_pack("{s:s}", "command", "splice_null");
	uint8_t section[SI_RECORD_BYTES];
	struct cue_command command;
	size_t len;

	if (cue_command_read(null, &command, NULL) == 0) {
		if (si_record_encode(command.record, section, &len, NULL) == 0)
			schedule(c, 0, HEARTBEAT_MS, section, len);
		json_decref(command.record);
	}
	json_decref(null);
}

/* Sends the stored commands again, those of the previous worker as well. */
static void resume(struct own_cue *c)
{
	for (size_t i = 0; i < CUES_PENDING_MAX; i++) {
		const struct cue_pending *p = &c->memory->pending[i];

		if (p->until_ns == 0)
			continue;
		if (p->len > 0)
			schedule(c, 1 + i, REPEAT_MS, p->section, p->len);
		else if (announce(c, i, p->until_ns, NULL) < 0)
			end(c, i);
		if (c->records[i] == NULL)
			c->records[i] = si_record(p->section, p->len, c->pid);
	}
}

void own_cue_use(struct own_cue *c)
{
	const struct psi_program *p;
	bool listed = psi_stream_type(c->psi, c->pid) == CUE_STREAM_TYPE;

	c->pcr_pid = c->picture_pid = TS_PID_NULL;
	if (psi_programs(c->psi, &p) > 0) {
		c->pcr_pid = p->pcr_pid;
		c->picture_pid = p->video_pid != TS_PID_NULL ? p->video_pid
							     : p->audio_pid;
	}
	if (!listed && !c->refused &&
	    psi_class(c->psi, c->pid) != PID_UNKNOWN) {
		log_error("stream", "cue_pid: PID %u is not sent: a program "
			  "uses it: choose another PID", c->pid);
		c->refused = true;
	}
	if (listed == c->listed)
		return;
	c->listed = listed;
	table_stage_drop_pid(c->stage, c->pid, listed);
	if (listed) {
		c->refused = false;
		begin_heartbeat(c);
		resume(c);
	} else {
		/* a new PAT may precede its PMT: the commands stay stored, and
		 * resume() sends them again */
		for (size_t i = 0; i <= CUES_PENDING_MAX; i++)
			schedule(c, i, 0, NULL, 0);
	}
}

/* Measures how long before its presentation a picture is sent: splicers act on
 * the packets of a picture as they pass.  Stores the longest lead of about a
 * second. */
static void watch_lead(struct own_cue *c, const uint8_t *packet,
		       uint64_t now_ns)
{
	struct pes_stamps at;
	uint64_t lead;

	if (pes_reader_take(&c->reader, packet, &at) != PES_READ ||
	    c->pcr_ns == 0)
		return;
	lead = (at.pts + PES_TIME_WRAP - c->pcr / PCR_PER_TICK) %
	       PES_TIME_WRAP;
	if (lead > 90 * LEAD_MAX_MS)
		return;
	lead = lead * 100000 / 9;
	if (lead < c->lead_ns &&
	    now_ns - c->lead_at_ns < LEAD_KEPT_MS * MS)
		return;
	c->lead_ns = lead;
	c->lead_at_ns = now_ns;
}

void own_cue_feed(struct own_cue *c, const struct ts_run *runs, size_t n_runs,
		  uint64_t now_ns)
{
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_pid(p) == c->pcr_pid && ts_pcr(p, &c->pcr))
				c->pcr_ns = now_ns;
			if (ts_pid(p) == c->picture_pid)
				watch_lead(c, p, now_ns);
		}
	for (size_t i = 0; i < CUES_PENDING_MAX; i++)
		if (c->memory->pending[i].until_ns != 0 &&
		    c->memory->pending[i].until_ns <= now_ns)
			end(c, i);
}

static bool is_segmentation(const json_t *descriptor)
{
	return json_integer_value(json_object_get(descriptor, "type_id")) ==
	       SEGMENTATION;
}

static bool has_same(const json_t *a, const json_t *b, const char *key)
{
	return json_equal(json_object_get(a, key), json_object_get(b, key));
}

static bool is_cancel(const json_t *o)
{
	return json_is_true(json_object_get(o, "cancel"));
}

static bool is_same_segment(const json_t *a, const json_t *b)
{
	static const char sub[] = "sub_segment_num";

	return has_same(a, b, "segmentation_type") &&
	       has_same(a, b, "segment_num") &&
	       (has_same(a, b, sub) || (json_object_get(a, sub) == NULL &&
					json_object_get(b, sub) == NULL));
}

/* Does the command end the event of this descriptor, or (replaces) announce the
 * same event again? */
static bool withdraws(const json_t *record, const json_t *descriptor,
		      bool replaces)
{
	const json_t *d;
	size_t i;

	if (!is_segmentation(descriptor) || is_cancel(descriptor))
		return false;
	json_array_foreach(json_object_get(record, "descriptors"), i, d)
		if (is_segmentation(d) && has_same(d, descriptor, "event_id") &&
		    (is_cancel(d) ||
		     (replaces && is_same_segment(d, descriptor))))
			return true;
	return false;
}

/* Removes the segmentation events that the record withdraws from the command in
 * a place.  A time_signal without any event left ends. */
static void withdraw_segments(struct own_cue *c, size_t place,
			      const json_t *record, bool replaces)
{
	json_t *waiting = c->records[place], *kept = json_array(), *d;
	const json_t *all = json_object_get(waiting, "descriptors");
	const char *command = json_string_value(
		json_object_get(waiting, "command"));
	bool empty = command != NULL && strcmp(command, "time_signal") == 0;
	size_t i;

	json_array_foreach(all, i, d) {
		if (withdraws(record, d, replaces))
			continue;
		empty &= !is_segmentation(d);
		(void)json_array_append(kept, d);
	}
	if (json_array_size(kept) == json_array_size(all)) {
		json_decref(kept);
		return;
	}
	(void)json_object_set_new(waiting, "descriptors", kept);
	if (empty || announce(c, place, c->memory->pending[place].until_ns,
			      NULL) < 0)
		end(c, place);
}

/* Stops announcing an event that the command cancels, or (replaces) gives
 * another time.  The start and the end of a break have the same event id, so a
 * command replaces only one with the same out_of_network. */
static void withdraw(struct own_cue *c, const json_t *record, bool replaces)
{
	json_int_t event = event_of(record);

	for (size_t i = 0; i < CUES_PENDING_MAX; i++) {
		const struct cue_pending *p = &c->memory->pending[i];

		if (p->until_ns == 0)
			continue;
		if (event >= 0 && p->event == event &&
		    (is_cancel(record) ||
		     (replaces &&
		      has_same(c->records[i], record, "out_of_network"))))
			end(c, i);
		else
			withdraw_segments(c, i, record, replaces);
	}
}

bool own_cue_send(struct own_cue *c, const struct msg_stream_cue *m,
		  uint64_t now_ns, struct errmsg *error)
{
	unsigned ms = m->timed ? m->pre_roll_ms : UNTIMED_MS;
	uint64_t repeated_ns = ms * (uint64_t)MS;
	const char *fault = NULL;
	json_t *record;
	size_t place;

	if (!c->listed)
		fault = "the PMT does not list cue_pid";
	else if (m->timed && (c->pcr_ns == 0 ||
			      now_ns - c->pcr_ns > CLOCK_MAX_MS * MS))
		fault = "the stream has no clock (PCR)";
	withdraw(c, m->record, fault == NULL);
	place = cue_memory_place(c->memory);
	if (fault == NULL && place == CUES_PENDING_MAX)
		fault = "8 commands are waiting already";
	if (fault != NULL) {
		errmsg_set(error, "%s", fault);
		return false;
	}
	record = json_copy((json_t *)(uintptr_t)m->record);
	if (m->timed) {
		/* the PTS (90 kHz) of the stream's clock in ms milliseconds */
		uint64_t pts = (c->pcr / PCR_PER_TICK +
				(now_ns - c->pcr_ns) * 9 / 100000 +
				90 * (uint64_t)ms) % PES_TIME_WRAP;

		(void)json_object_set_new(record, "pts_time",
					  json_integer((json_int_t)pts));
		/* repeated until the picture of this time is sent */
		repeated_ns -= MIN(repeated_ns, c->lead_ns);
	}
	repeated_ns = MAX(repeated_ns, (uint64_t)ONCE_MS * MS);
	c->records[place] = record;
	if (announce(c, place, now_ns + repeated_ns, error) == 0)
		return true;
	end(c, place);
	return false;
}
