/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The application objects of a module (EN 50221 8). */
#include "common/base/units.h"
#include "proto/si/text.h"
#include "worker/adapter/ci/ci_module.h"
#include "worker/tables/time_build.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

enum apdu_tag {
	A_PROFILE_ENQUIRY = 0x9f8010,
	A_PROFILE = 0x9f8011,
	A_PROFILE_CHANGED = 0x9f8012,
	A_INFO_ENQUIRY = 0x9f8020,
	A_INFO = 0x9f8021,
	A_ENTER_MENU = 0x9f8022,
	A_CA_ENQUIRY = 0x9f8030,
	A_CA_INFO = 0x9f8031,
	A_CA_REPLY = 0x9f8033,
	A_TIME_ENQUIRY = 0x9f8440,
	A_TIME = 0x9f8441,
};

enum {
	SET_MODE = 1, /* command of display_control */
	HIGH_LEVEL = 1,
	MODE_CONFIRMED = 0x01, /* status of display_reply */
	UNKNOWN_CONTROL = 0xf0,
	UNKNOWN_MODE = 0xf1,
	ANSWER_CANCEL = 0,
	ANSWER_TEXT = 1,
	TEXT_LONGEST = 4, /* bytes of the longest character */
};

/* Queues an application object for a session. */
static void say(struct ci_module *m, unsigned session, uint32_t tag,
		const uint8_t *data, size_t n)
{
	uint8_t object[CI_QUEUED_MAX];
	size_t head = CI_SESSION_HEAD;

	assert(n <= CI_QUEUED_MAX - CI_SESSION_HEAD - CI_APDU_TAG -
			    CI_LENGTH_MAX);
	ci_session_put_head(session, object);
	head += ci_put_apdu(object + head, tag, n);
	if (n > 0)
		memcpy(object + head, data, n);
	if (!ci_module_queue(m, object, head + n))
		m->errors++;
}

/* --- resource manager --- */

static void take_manager(struct ci_module *m, unsigned session, uint32_t tag)
{
	uint8_t list[4 * CI_RESOURCES];
	size_t n = 0;

	if (tag == A_PROFILE) {
		/* some modules send the profile twice */
		if (!m->profile_known)
			say(m, session, A_PROFILE_CHANGED, NULL, 0);
		m->profile_known = true;
	} else if (tag == A_PROFILE_ENQUIRY) {
		for (int r = CI_MANAGER; r < CI_RESOURCES; r++) {
			list[n++] = (uint8_t)(ci_resource_ids[r] >> 24);
			list[n++] = (uint8_t)(ci_resource_ids[r] >> 16);
			list[n++] = (uint8_t)(ci_resource_ids[r] >> 8);
			list[n++] = (uint8_t)ci_resource_ids[r];
		}
		say(m, session, A_PROFILE, list, n);
	} else if (tag == A_PROFILE_CHANGED) {
		say(m, session, A_PROFILE_ENQUIRY, NULL, 0);
	}
}

/* --- application information --- */

static bool take_application(struct ci_module *m, struct ci_bytes value)
{
	const uint8_t *p = value.data;

	if (value.n < 6 || value.n - 6 < p[5])
		return false;
	m->manufacturer = (uint16_t)(p[1] << 8 | p[2]);
	m->code = (uint16_t)(p[3] << 8 | p[4]);
	(void)text_decode(p + 6, p[5], m->name, sizeof m->name);
	m->named = true;
	m->revision++;
	return true;
}

/* --- CA support --- */

static bool take_ca_info(struct ci_module *m, struct ci_bytes value,
			 uint64_t now_ns)
{
	struct ca_ids *ids = &m->list.ids;

	if (value.n % 2 != 0)
		return false;
	ids->n = 0;
	for (size_t i = 0; i < value.n && ids->n < CA_IDS_MAX; i += 2)
		ids->list[ids->n++] = (uint16_t)(value.data[i] << 8 |
						 value.data[i + 1]);
	m->revision++;
	ci_module_set_usable(m, now_ns);
	return true;
}

/* Takes a ca_pmt_reply, which is only displayed.  An invalid one is ignored,
 * because the module may descramble nevertheless. */
static void take_ca_reply(struct ci_module *m, struct ci_bytes value)
{
	struct ca_reply r;
	size_t n = 0, i = 0;

	if (ca_reply_decode(value.data, value.n, &r) < 0 ||
	    !ca_list_has(&m->list, r.program))
		return;
	/* drops the answers about programs that are no longer in the list of
	 * the module */
	for (size_t k = 0; k < m->n_answers; k++)
		if (ca_list_has(&m->list, m->answers[k].program))
			m->answers[n++] = m->answers[k];
	m->n_answers = n;
	while (i < m->n_answers && m->answers[i].program != r.program)
		i++;
	/* each program of the list has at most one answer, so there is room */
	if (i == m->n_answers)
		m->n_answers++;
	m->answers[i].program = r.program;
	m->answers[i].answer = r.has_answer ? r.answer : 0;
	m->revision++;
}

/* --- date and time --- */

void ci_objects_send_date(struct ci_module *m, uint64_t now_ns, int64_t unix_s)
{
	uint8_t tdt[TDT_LEN];

	if (m->sessions.of[m->time_session - 1] != CI_DATE_TIME) {
		m->time_s = 0;
		return;
	}
	tdt_build(unix_s, tdt);
	/* a TDT carries the UTC time in the form of the object */
	say(m, m->time_session, A_TIME, tdt + 3, TDT_LEN - 3);
	m->time_ns = now_ns + m->time_s * SECOND_NS;
	/* an interval of zero requests the date once */
	if (m->time_s == UINT8_MAX + 1)
		m->time_s = 0;
}

static bool take_time(struct ci_module *m, unsigned session, uint32_t tag,
		      struct ci_bytes value, uint64_t now_ns)
{
	if (tag != A_TIME_ENQUIRY)
		return true;
	if (value.n != 1)
		return false;
	m->time_s = value.data[0] != 0 ? value.data[0] : UINT8_MAX + 1;
	m->time_session = session;
	m->time_ns = now_ns;
	return true;
}

/* --- MMI --- */

static void end_dialogue(struct ci_module *m)
{
	uint8_t close[CI_SESSION_HEAD];
	unsigned session = ci_session_find(&m->sessions, CI_MMI);

	m->mmi.kind = MMI_NONE;
	m->revision++;
	if (session == 0)
		return;
	(void)ci_session_close(&m->sessions, session, close);
	if (!ci_module_queue(m, close, sizeof close))
		m->errors++;
}

static void confirm_display(struct ci_module *m, unsigned session,
			    struct ci_bytes value)
{
	uint8_t reply[] = { MODE_CONFIRMED, HIGH_LEVEL };
	size_t n = sizeof reply;

	if (value.n < 1 || value.data[0] != SET_MODE) {
		reply[0] = UNKNOWN_CONTROL;
		n = 1;
	} else if (value.n < 2 || value.data[1] != HIGH_LEVEL) {
		reply[0] = UNKNOWN_MODE;
		n = 1;
		m->low_level = true;
		m->revision++;
	}
	say(m, session, MMI_DISPLAY_REPLY, reply, n);
}

static bool take_mmi(struct ci_module *m, unsigned session, uint32_t tag,
		     struct ci_bytes value)
{
	int r;

	switch (tag) {
	case MMI_CLOSE:
		end_dialogue(m);
		return true;
	case MMI_DISPLAY_CONTROL:
		confirm_display(m, session, value);
		return true;
	default:
		break;
	}
	r = ci_mmi_take(&m->mmi, tag, value);
	m->revision++;
	/* an object of the low level (-ENOTSUP) is ignored: the host has
	 * refused this level */
	return r != -EBADMSG;
}

/* --- actions of an operator --- */

static int answer(struct ci_module *m, unsigned session, bool cancels,
		  const char *text, struct errmsg *error)
{
	/* the buffer is longer than an answer may be, so that a text that is
	 * too long is detected */
	uint8_t data[1 + MMI_ANSWER_MAX + TEXT_LONGEST] = {
		cancels ? ANSWER_CANCEL : ANSWER_TEXT };
	size_t len = cancels ? 0
			     : text_encode(text, text_table_for(text,
								TEXT_ISO_6937),
					   data + 1, sizeof data - 1, NULL);

	if (m->mmi.kind != MMI_QUESTION)
		return errmsg_fail(error, -EINVAL, "the CAM does not ask for a "
				   "text");
	if (len > MMI_ANSWER_MAX)
		return errmsg_fail(error, -EINVAL, "text: has more than %d "
				   "bytes", MMI_ANSWER_MAX);
	say(m, session, MMI_ANSWER, data, 1 + len);
	m->mmi.kind = MMI_NONE;
	m->revision++;
	return 0;
}

static int choose(struct ci_module *m, unsigned session, unsigned choice,
		  struct errmsg *error)
{
	uint8_t data = (uint8_t)choice;

	if (m->mmi.kind != MMI_MENU && m->mmi.kind != MMI_LIST)
		return errmsg_fail(error, -EINVAL, "the CAM shows no menu");
	if (choice > m->mmi.n + m->mmi.more || choice > UINT8_MAX)
		return errmsg_fail(error, -EINVAL, "choice: %u is not an item "
				   "of the menu, 1 to %zu", choice,
				   m->mmi.n + m->mmi.more);
	say(m, session, MMI_MENU_ANSWER, &data, 1);
	m->mmi.kind = MMI_NONE;
	m->revision++;
	return 0;
}

int ci_module_act(struct ci_module *m, enum ci_action action, unsigned choice,
		  const char *text, struct errmsg *error)
{
	const uint8_t at_once = 0;
	unsigned application = ci_session_find(&m->sessions, CI_APPLICATION);
	unsigned session = ci_session_find(&m->sessions, CI_MMI);

	if (action == CI_ACT_MENU) {
		if (application == 0)
			return errmsg_fail(error, -EINVAL, "no CAM with a menu "
					   "is ready");
		say(m, application, A_ENTER_MENU, NULL, 0);
		return 0;
	}
	if (session == 0)
		return errmsg_fail(error, -EINVAL, "the CAM has no menu or "
				   "question open");
	if (action == CI_ACT_CLOSE) {
		say(m, session, MMI_CLOSE, &at_once, 1);
		end_dialogue(m);
		return 0;
	}
	if (action == CI_ACT_TEXT)
		return answer(m, session, false, text, error);
	if (action == CI_ACT_CANCEL && m->mmi.kind == MMI_QUESTION)
		return answer(m, session, true, "", error);
	return choose(m, session, action == CI_ACT_CANCEL ? 0 : choice, error);
}

/* --- sessions --- */

void ci_objects_open(struct ci_module *m, const struct ci_session_object *o)
{
	static const uint32_t first[CI_RESOURCES] = {
		[CI_MANAGER] = A_PROFILE_ENQUIRY,
		[CI_APPLICATION] = A_INFO_ENQUIRY,
		[CI_CA_SUPPORT] = A_CA_ENQUIRY,
	};

	if (o->resource == CI_MMI)
		m->mmi.kind = MMI_NONE;
	if (first[o->resource] != 0)
		say(m, o->number, first[o->resource], NULL, 0);
}

void ci_objects_close(struct ci_module *m, const struct ci_session_object *o,
		      uint64_t now_ns)
{
	if (o->resource == CI_MMI) {
		m->mmi.kind = MMI_NONE;
		m->revision++;
	}
	if (o->resource == CI_CA_SUPPORT)
		ci_module_set_unusable(m, now_ns);
}

static bool take_one(struct ci_module *m, const struct ci_session_object *o,
		     uint32_t tag, struct ci_bytes value, uint64_t now_ns)
{
	switch (o->resource) {
	case CI_MANAGER:
		take_manager(m, o->number, tag);
		return true;
	case CI_APPLICATION:
		return tag != A_INFO || take_application(m, value);
	case CI_CA_SUPPORT:
		if (tag == A_CA_INFO)
			return take_ca_info(m, value, now_ns);
		if (tag == A_CA_REPLY)
			take_ca_reply(m, value);
		return true;
	case CI_DATE_TIME:
		return take_time(m, o->number, tag, value, now_ns);
	case CI_MMI:
		return take_mmi(m, o->number, tag, value);
	default:
		return true;
	}
}

void ci_objects_take(struct ci_module *m, const struct ci_session_object *o,
		     uint64_t now_ns)
{
	struct ci_bytes rest = o->data, value;
	uint32_t tag;

	while (rest.n > 0) {
		if (!ci_take_object(&rest, CI_APDU_TAG, &tag, &value) ||
		    !take_one(m, o, tag, value, now_ns)) {
			m->errors++;
			return;
		}
		/* an object may have closed the session */
		if (m->sessions.of[o->number - 1] != o->resource)
			return;
	}
}
