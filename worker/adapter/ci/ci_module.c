/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ci_module.h"

#include "common/base/units.h"

#include <errno.h>
#include <string.h>

const char *const ci_state_names[CI_STATES + 1] = {
	[CI_EMPTY] = "empty",   [CI_PRESENT] = "present",
	[CI_INITIALISING] = "initialising", [CI_READY] = "ready",
	[CI_SILENT] = "silent", [CI_ERROR] = "error",
};

/* --- states --- */

enum ci_input {
	IN_EMPTY,
	IN_SEEN,
	IN_READY,
	IN_USABLE,
	IN_UNUSABLE,
	IN_SILENT,
	IN_BROKEN,
	IN_EXPIRED, /* the deadline of the state has passed */
	IN_COUNT,
};

#define STAY CI_STATES
static const unsigned char next[CI_STATES][IN_COUNT] = {
	/*                   empty     seen        ready            usable
	 *                   unusable  silent      broken           expired */
	[CI_EMPTY] =       { STAY,     CI_PRESENT, CI_INITIALISING, STAY,
			     STAY,     STAY,       STAY,            CI_EMPTY },
	[CI_PRESENT] =     { CI_EMPTY, STAY,       CI_INITIALISING, STAY,
			     STAY,     STAY,       CI_ERROR,        CI_ERROR },
	[CI_INITIALISING] = { CI_EMPTY, CI_PRESENT, STAY,           CI_READY,
			     STAY,     CI_SILENT,  CI_ERROR,        CI_ERROR },
	[CI_READY] =       { CI_EMPTY, CI_PRESENT, STAY,            CI_READY,
			     CI_INITIALISING, CI_SILENT, CI_ERROR,  STAY },
	[CI_SILENT] =      { CI_EMPTY, STAY,       STAY,            STAY,
			     STAY,     STAY,       STAY,          CI_PRESENT },
	[CI_ERROR] =       { CI_EMPTY, STAY,       STAY,            STAY,
			     STAY,     STAY,       STAY,          CI_PRESENT },
};

/* Forgets all about the module: it was removed, failed, or starts again. */
static void forget(struct ci_module *m)
{
	ci_link_init(&m->link);
	memset(&m->sessions, 0, sizeof m->sessions);
	m->created = m->refuses = false;
	m->n_queued = 0;
	m->errors = m->taken = m->opened = 0;
	m->profile_known = m->named = m->plus = m->low_level = false;
	m->name[0] = '\0';
	m->n_answers = 0;
	m->list.ids.n = 0;
	m->list.sent.n = m->list.batch = 0;
	m->time_s = 0;
	m->mmi.kind = MMI_NONE;
}

static unsigned pause_ms(unsigned failures)
{
	unsigned pause = CI_PAUSE_MIN_MS;

	while (--failures > 0 && pause < CI_PAUSE_MAX_MS)
		pause *= 2;
	return MIN(pause, (unsigned)CI_PAUSE_MAX_MS);
}

static unsigned deadline_ms(const struct ci_module *m)
{
	switch (m->state) {
	case CI_EMPTY:
		return m->failures > 0 ? CI_EMPTY_MS : 0;
	case CI_PRESENT:
		return CI_PRESENT_MS;
	case CI_INITIALISING:
		return CI_INIT_MS;
	case CI_SILENT:
	case CI_ERROR:
		return pause_ms(m->failures);
	default:
		return 0;
	}
}

static void step(struct ci_module *m, enum ci_input input, const char *error,
		 uint64_t now_ns)
{
	enum ci_state to = (enum ci_state)next[m->state][input];
	enum ci_state from = m->state;

	if (to == STAY)
		return;
	m->state = to;
	m->revision++;
	m->since_ns = now_ns;
	if (to == CI_SILENT || to == CI_ERROR) {
		m->failures++;
		errmsg_set(&m->error, "%s", error);
	}
	if (to == CI_EMPTY && input == IN_EXPIRED)
		m->failures = 0; /* the module was taken out */
	if (input == IN_EXPIRED && (from == CI_SILENT || from == CI_ERROR)) {
		m->reset = true;
	}
	if ((to == CI_READY || to == CI_EMPTY) && m->failures == 0)
		m->error.text[0] = '\0';
	if (to == CI_READY)
		m->error.text[0] = '\0';
	/* the connection continues if the module has only lost its CAIDs */
	if (to != CI_READY && input != IN_UNUSABLE)
		forget(m);
	m->deadline_ns = deadline_ms(m) > 0 ? now_ns + deadline_ms(m) * MS : 0;
}

static void fail(struct ci_module *m, const char *error, uint64_t now_ns)
{
	step(m, IN_BROKEN, error, now_ns);
}

void ci_module_set_slot(struct ci_module *m, enum ci_slot slot, uint64_t now_ns)
{
	static const enum ci_input inputs[] = {
		[CI_SLOT_EMPTY] = IN_EMPTY, [CI_SLOT_SEEN] = IN_SEEN,
		[CI_SLOT_READY] = IN_READY,
	};

	step(m, inputs[slot], "", now_ns);
	if (m->deadline_ns > 0 && now_ns >= m->deadline_ns)
		step(m, IN_EXPIRED, m->state == CI_PRESENT
		     ? "the CAM is inserted, but does not become ready"
		     : "the CAM answers, but does not report its CAIDs",
		     now_ns);
	if (m->state == CI_READY && m->failures > 0 &&
	    now_ns - m->since_ns >= CI_HEALTHY_MS * MS)
		m->failures = 0;
}

void ci_module_fail(struct ci_module *m, const char *error, uint64_t now_ns)
{
	fail(m, error, now_ns);
}

void ci_module_set_usable(struct ci_module *m, uint64_t now_ns)
{
	struct ca_ids ids = m->list.ids;

	step(m, IN_USABLE, "", now_ns);
	m->n_answers = 0;
	ca_list_init(&m->list, m->cfg.limit, m->cfg.whole, &ids);
}

void ci_module_set_unusable(struct ci_module *m, uint64_t now_ns)
{
	m->list.ids.n = 0;
	m->list.sent.n = m->list.batch = 0;
	step(m, IN_UNUSABLE, "", now_ns);
}

bool ci_module_may_work(const struct ci_module *m)
{
	if (m->state == CI_PRESENT)
		return m->failures == 0;
	return m->state == CI_READY || (m->state == CI_INITIALISING &&
					(m->created || m->failures == 0));
}

bool ci_module_take_reset(struct ci_module *m, bool may)
{
	bool reset = m->reset && may;

	m->reset = false;
	m->resets += reset;
	return reset;
}

void ci_module_init(struct ci_module *m, const struct ci_config *cfg)
{
	*m = (struct ci_module){ .cfg = *cfg };
	forget(m);
}

/* --- to the module --- */

bool ci_module_queue(struct ci_module *m, const uint8_t *data, size_t n)
{
	struct ci_queued *q;

	if (m->n_queued == CI_QUEUE_MAX || n > CI_QUEUED_MAX)
		return false;
	q = &m->queue[(m->first + m->n_queued++) % CI_QUEUE_MAX];
	memcpy(q->data, data, n);
	q->n = n;
	return true;
}

static size_t send_program(struct ci_module *m,
			   const struct ca_programs *programs, uint64_t now_ns,
			   uint8_t *to)
{
	uint8_t value[CA_PMT_MAX];
	uint8_t object[CA_PMT_MAX + CI_SESSION_HEAD + CI_APDU_TAG +
		       CI_LENGTH_MAX];
	unsigned session = ci_session_find(&m->sessions, CI_CA_SUPPORT);
	size_t head = CI_SESSION_HEAD, n;

	_Static_assert(sizeof object + 8 <= CI_SEND_MAX, "it fits");
	if (m->state != CI_READY || session == 0 ||
	    now_ns - m->since_ns < m->cfg.delay_ms * MS)
		return 0;
	n = ca_list_next(&m->list, programs, value);
	if (n == 0)
		return 0;
	m->revision++;
	ci_session_put_head(session, object);
	head += ci_put_apdu(object + head, 0x9f8032, n);
	memcpy(object + head, value, n);
	return ci_link_send(&m->link, object, head + n, to);
}

static size_t write_next(struct ci_module *m,
			 const struct ca_programs *programs, uint64_t now_ns,
			 uint8_t *to)
{
	const struct ci_queued *q = &m->queue[m->first];
	size_t n;

	if (!m->link.open) {
		if (m->created)
			return 0;
		m->created = true;
		return ci_link_create(&m->link, to);
	}
	if (m->refuses) {
		m->refuses = false;
		return ci_link_refuse(&m->link, to);
	}
	if (m->n_queued > 0) {
		m->first = (m->first + 1) % CI_QUEUE_MAX;
		m->n_queued--;
		return ci_link_send(&m->link, q->data, q->n, to);
	}
	if (m->link.has_data)
		return ci_link_receive(&m->link, to);
	n = send_program(m, programs, now_ns, to);
	if (n == 0 && now_ns - m->asked_ns >= CI_POLL_MS * MS)
		n = ci_link_poll(&m->link, to);
	return n;
}

size_t ci_module_next(struct ci_module *m, const struct ca_programs *programs,
		      uint64_t now_ns, int64_t unix_s, uint8_t *to)
{
	size_t n;

	if (m->state != CI_INITIALISING && m->state != CI_READY)
		return 0;
	if (m->link.waits) {
		if (now_ns - m->asked_ns >= CI_ANSWER_MS * MS)
			step(m, IN_SILENT, "the CAM does not answer", now_ns);
		return 0;
	}
	if (m->time_s > 0 && now_ns >= m->time_ns)
		ci_objects_send_date(m, now_ns, unix_s);
	n = write_next(m, programs, now_ns, to);
	if (n > 0)
		m->asked_ns = now_ns;
	return n;
}

/* --- from the module --- */

static bool opens_too_many(struct ci_module *m, uint64_t now_ns)
{
	if (now_ns - m->opened_ns >= 60 * SECOND_NS) {
		m->opened_ns = now_ns;
		m->opened = 0;
	}
	return ++m->opened > CI_OPENED_MAX;
}

static void take_object(struct ci_module *m, uint64_t now_ns)
{
	struct ci_session_object o;
	int r = ci_session_take(&m->sessions, m->link.object, m->link.n, &o);

	if (r < 0) {
		m->errors++;
		return;
	}
	if (o.n_reply > 0 && !ci_module_queue(m, o.reply, o.n_reply)) {
		fail(m, "the CAM asks faster than the host can answer",
		     now_ns);
		return;
	}
	switch ((enum ci_session_event)r) {
	case CI_SESSION_OPENED:
		if (opens_too_many(m, now_ns))
			fail(m, "the CAM opens too many sessions",
			     now_ns);
		else
			ci_objects_open(m, &o);
		break;
	case CI_SESSION_REFUSED:
		/* 0x008c: content control, a resource of CI Plus */
		m->plus = m->plus || o.id >> 16 == 0x008c;
		m->revision++;
		break;
	case CI_SESSION_CLOSED:
		ci_objects_close(m, &o, now_ns);
		break;
	case CI_SESSION_DATA:
		ci_objects_take(m, &o, now_ns);
		break;
	case CI_SESSION_NOTHING:
		break;
	}
}

static bool is_flood(struct ci_module *m, uint64_t now_ns)
{
	if (now_ns - m->taken_ns >= SECOND_NS) {
		m->taken_ns = now_ns;
		m->taken = 0;
	}
	return ++m->taken > CI_FLOOD_MAX;
}

void ci_module_take(struct ci_module *m, const uint8_t *data, size_t n,
		    uint64_t now_ns)
{
	bool asked = m->link.waits;
	int r;

	if (m->state != CI_INITIALISING && m->state != CI_READY)
		return;
	/* counts errors of a minute, which begins with an error */
	if (now_ns - m->errors_ns >= 60 * SECOND_NS)
		m->errors = 0;
	if (m->errors == 0)
		m->errors_ns = now_ns;
	r = ci_link_take(&m->link, data, n);
	if (r == -EMSGSIZE)
		fail(m, "the CAM sent an object that is too long", now_ns);
	else if (r < 0)
		fail(m, "the CAM sent a message that is invalid in EN 50221",
			now_ns);
	else if (r & CI_LINK_CLOSED)
		fail(m, "the CAM closed its connection", now_ns);
	/* a module answers when it is asked, and seldom with an object */
	else if ((!asked || r & CI_LINK_OBJECT) && is_flood(m, now_ns))
		fail(m, "the CAM sends too many messages", now_ns);
	if (r < 0 || m->state == CI_ERROR)
		return;
	m->refuses = m->refuses || r & CI_LINK_ASKED;
	if (r & CI_LINK_OBJECT)
		take_object(m, now_ns);
	if (m->errors > CI_ERRORS_MAX)
		fail(m, "the CAM sent too many invalid objects", now_ns);
}
