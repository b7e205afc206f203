/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/admission.h"

#include <criterion/criterion.h>
#include <errno.h>

struct sent {
	unsigned asks, left;
	uint32_t seq;
	int result;
};

static int send_message(const struct msg *m, void *arg)
{
	struct sent *s = arg;

	if (m->type == MSG_STREAM_ASK) {
		s->asks++;
		s->seq = m->seq;
	}
	s->left += m->type == MSG_STREAM_LEFT;
	return s->result;
}

static const struct msg_deliver_ask question = { .client = 7 };

static bool answer(struct admission *a, enum ask_verdict verdict,
		   uint32_t recheck_s, uint64_t now_ms)
{
	return admission_answer(a, &(struct msg_deliver_answer){
		.verdict = verdict, .recheck_s = recheck_s, .login = "",
	}, now_ms);
}

Test(admission, a_caller_waits_for_its_permission)
{
	struct sent sent = { 0 };
	struct asker asker = { true, UINT32_MAX, send_message, &sent };
	struct admission a = { 0 };

	admission_ask(&a, &asker, &question, 100);
	cr_expect_not(a.allowed);
	/* 0 is the number of no question */
	cr_expect_eq(sent.seq, 1);
	cr_expect_eq(a.seq, 1);
	cr_expect_eq(admission_second(&a, 100 + ADMISSION_ASK_MS - 1),
		     ADMISSION_STAYS);
	cr_expect(answer(&a, ASK_ALLOWED, 0, 3000));
	cr_expect(a.allowed);
	cr_expect_eq(admission_second(&a, UINT64_MAX), ADMISSION_STAYS);
	/* it was in a report */
	admission_end(&a, &asker, 7);
	cr_expect_eq(sent.left, 0);
}

Test(admission, nobody_is_asked_where_everybody_is_allowed)
{
	struct sent sent = { 0 };
	struct asker asker = { false, 0, send_message, &sent };
	struct admission a = { 0 };

	admission_ask(&a, &asker, &question, 0);
	cr_expect(a.allowed);
	cr_expect_eq(sent.asks, 0);
	/* the rules begin while it is connected */
	asker.authorize = true;
	admission_ask(&a, &asker, &question, 5);
	cr_expect(a.allowed);
	cr_expect_not(answer(&a, ASK_DENIED, 0, 6));
}

Test(admission, without_an_answer_a_caller_is_dropped_and_forgotten)
{
	struct sent sent = { 0 };
	struct asker asker = { true, 0, send_message, &sent };
	struct admission a = { 0 }, unsent = { 0 };

	admission_ask(&a, &asker, &question, 0);
	cr_expect_eq(admission_second(&a, ADMISSION_ASK_MS), ADMISSION_LATE);
	admission_end(&a, &asker, 7);
	cr_expect_eq(sent.left, 1);
	sent.result = -EAGAIN;
	admission_ask(&unsent, &asker, &question, 0);
	cr_expect_eq(admission_second(&unsent, ADMISSION_ASK_MS),
		     ADMISSION_LATE);
	/* the master does not know it */
	admission_end(&unsent, &asker, 7);
	cr_expect_eq(sent.left, 1);
}

Test(admission, a_receiver_stays_until_it_is_denied)
{
	struct sent sent = { 0 };
	struct asker asker = { true, 0, send_message, &sent };
	struct admission a = { 0 };
	uint64_t now = 0;

	admission_ask(&a, &asker, &question, now);
	cr_expect(answer(&a, ASK_ALLOWED, 180, now));
	cr_expect_eq(admission_second(&a, 179999), ADMISSION_STAYS);
	cr_expect_eq(admission_second(&a, 180000), ADMISSION_ASKS);
	/* no answer, then a busy master */
	admission_ask(&a, &asker, &question, 180000);
	now = 180000 + ADMISSION_ASK_MS;
	cr_expect_eq(admission_second(&a, now), ADMISSION_STAYS);
	now += ADMISSION_RETRY_MS;
	cr_expect_eq(admission_second(&a, now), ADMISSION_ASKS);
	admission_ask(&a, &asker, &question, now);
	cr_expect(answer(&a, ASK_BUSY, 0, now));
	cr_expect_eq(admission_second(&a, now + ADMISSION_RETRY_MS),
		     ADMISSION_ASKS);
	admission_ask(&a, &asker, &question, now);
	cr_expect_not(answer(&a, ASK_DENIED, 0, now));
	cr_expect_eq(sent.asks, 4);
}

Test(admission, a_review_during_a_question_asks_again)
{
	struct sent sent = { 0 };
	struct asker asker = { true, 0, send_message, &sent };
	struct admission a = { 0 };

	admission_ask(&a, &asker, &question, 1);
	admission_ask(&a, &asker, &question, 1);
	cr_expect_eq(sent.asks, 1);
	cr_expect(answer(&a, ASK_ALLOWED, 0, 2));
	cr_expect_eq(admission_second(&a, 2), ADMISSION_ASKS);
	admission_ask(&a, &asker, &question, 2);
	cr_expect(answer(&a, ASK_ALLOWED, 0, 3));
	cr_expect_eq(admission_second(&a, 1000), ADMISSION_STAYS);
}

Test(admission, a_busy_master_admits_nobody)
{
	struct sent sent = { 0 };
	struct asker asker = { true, 0, send_message, &sent };
	struct admission a = { 0 };

	admission_ask(&a, &asker, &question, 0);
	cr_expect_not(answer(&a, ASK_BUSY, 0, 0));
	a = (struct admission){ 0 };
	admission_ask(&a, &asker, &question, 0);
	cr_expect_not(answer(&a, ASK_REDIRECTED, 0, 0));
}
