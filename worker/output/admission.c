/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/admission.h"

void admission_ask(struct admission *a, struct asker *asker,
		   const struct msg_deliver_ask *ask, uint64_t now_ms)
{
	struct msg m = { .type = MSG_STREAM_ASK, .stream_ask = *ask };

	if (!asker->authorize) {
		*a = (struct admission){ .allowed = true, .asked = a->asked };
		return;
	}
	a->again = a->seq != 0;
	if (a->again)
		return;
	a->recheck_ms = 0;
	a->ask_ms = now_ms;
	if (++asker->seq == 0)
		asker->seq = 1;
	m.seq = a->seq = asker->seq;
	/* a question that is not sent gets no answer, and times out */
	a->asked |= asker->send(&m, asker->arg) == 0;
}

bool admission_answer(struct admission *a, const struct msg_deliver_answer *m,
		      uint64_t now_ms)
{
	a->seq = 0;
	if (m->verdict == ASK_ALLOWED) {
		a->allowed = true;
		if (m->recheck_s > 0)
			a->recheck_ms = now_ms + UINT64_C(1000) * m->recheck_s;
	} else if (m->verdict == ASK_BUSY && a->allowed) {
		a->recheck_ms = now_ms + ADMISSION_RETRY_MS;
	} else {
		return false;
	}
	if (a->again)
		a->recheck_ms = now_ms;
	return true;
}

enum admission_turn admission_second(struct admission *a, uint64_t now_ms)
{
	if (a->seq != 0 && now_ms - a->ask_ms >= ADMISSION_ASK_MS) {
		if (!a->allowed)
			return ADMISSION_LATE;
		a->seq = 0;
		a->recheck_ms = now_ms + ADMISSION_RETRY_MS;
	}
	return a->seq == 0 && a->recheck_ms != 0 && now_ms >= a->recheck_ms
		       ? ADMISSION_ASKS : ADMISSION_STAYS;
}

void admission_end(const struct admission *a, struct asker *asker,
		   uint64_t client)
{
	const struct msg m = { .type = MSG_STREAM_LEFT,
			       .stream_left = { client } };

	if (a->asked && !a->allowed)
		(void)asker->send(&m, asker->arg);
}
