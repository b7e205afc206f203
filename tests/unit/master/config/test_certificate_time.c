/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/tls_proc.h"
#include "master/config/certificate_time.h"

#include <criterion/criterion.h>
#include <string.h>

Test(certificate_time, a_certificate_outside_of_its_time_is_an_alarm)
{
	enum { NOW_S = 1795701600, DAY_S = 24 * 3600 };
	struct tls_facts f = { .subject = "CN = a", .begin_s = NOW_S,
			       .end_s = NOW_S + 20 * DAY_S };
	struct errmsg error;

	cr_expect_not(certificate_time_alarm(NULL, NOW_S, &error));
	cr_expect_not(certificate_time_alarm(&f, NOW_S, &error));
	cr_expect(certificate_time_alarm(&f, NOW_S - 1, &error));
	cr_expect_str_eq(error.text, "the certificate of CN = a is not "
			 "valid before 2026-11-26 14:00 UTC: clients that "
			 "check it cannot connect; check the clock");
	cr_expect(certificate_time_alarm(&f, NOW_S + 18 * DAY_S, &error));
	cr_expect(certificate_time_alarm(&f, NOW_S + 21 * DAY_S, &error));
	cr_expect_not_null(strstr(error.text, "has expired"));
}
