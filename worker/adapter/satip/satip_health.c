/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a session receives from the server: whether the session is alive,
 * whether the tuner has lock, and the error of the adapter. */
#include "worker/adapter/satip/satip_session.h"

#include "common/base/units.h"

void satip_session_media(struct satip_session *s, uint64_t now_ns)
{
	s->heard_ns = s->media_ns = now_ns;
	if (s->state == SATIP_ON && !s->delivered) {
		s->delivered = true;
		s->silent = 0;
		retry_worked(&s->retry);
	}
}

void satip_session_take_report(struct satip_session *s,
			       const struct ses1 *report, uint64_t now_ns)
{
	if (!report->has_tuner)
		return;
	s->report = *report;
	s->report_ns = now_ns;
	if (!report->lock)
		s->lock_ns = 0;
	else if (s->lock_ns == 0)
		s->lock_ns = now_ns;
}

/* Why the session counts as dead; NULL: it is not dead.  A server may report a
 * lock although its packets never arrive, or no longer arrive. */
const char *satip_session_death(const struct satip_session *s, uint64_t now_ns)
{
	uint64_t since_ns = MAX(s->lock_ns, s->media_ns);

	if (now_ns - s->heard_ns >= SATIP_SILENCE_MS * MS)
		return "the server sends neither packets nor reports";
	if (s->lock_ns != 0 && now_ns - since_ns >= SATIP_LOCKED_MS * MS)
		return "no packets, although the server reports a lock";
	return NULL;
}

bool satip_session_has_report(const struct satip_session *s, uint64_t now_ns)
{
	return satip_session_is_on(s) &&
	       satip_session_is_fresh(s->report_ns, SATIP_REPORT_MS, now_ns);
}

/* Does the tuner of the server have lock?  The first reports after PLAY may be
 * invented by the server, so a reported lock counts only after RTP has
 * arrived. */
bool satip_session_has_lock(const struct satip_session *s, uint64_t now_ns)
{
	if (!satip_session_is_on(s))
		return false;
	if (satip_session_has_report(s, now_ns))
		return s->report.lock && s->delivered;
	return satip_session_is_fresh(s->media_ns, SATIP_LIVE_MS, now_ns);
}

const char *satip_session_error(const struct satip_session *s, uint64_t now_ns)
{
	if (s->error.text[0] != '\0')
		return s->error.text;
	if (!satip_session_is_on(s) ||
	    satip_session_is_fresh(s->media_ns, SATIP_LIVE_MS, now_ns))
		return NULL;
	if (satip_session_has_report(s, now_ns))
		return s->report.lock ? "no packets, although the server "
					"reports a lock"
				      : "the server reports no lock";
	return "no packets from the server";
}
