/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/rist/rist_events.h"

#include <criterion/criterion.h>

static const char *said(struct rist_events *s, const char *line)
{
	static struct rist_counted counted;

	cr_assert_eq(rist_events_on_log(s, RIST_LOG_ERROR, line), 0);
	rist_events_take(s, &counted);
	return counted.errors > 0 ? counted.error : "";
}

Test(rist_events, translates_log_lines_of_librist)
{
	struct rist_events s;

	rist_events_init(&s, NULL, false);
	cr_assert_str_eq(said(&s, "\tSend failed: errno=101, ret=-1, "
				  "socket=9\n"),
			 "cannot send: Network is unreachable");
	cr_assert_str_eq(said(&s, "Packet too small: 1 bytes, ignoring ...\n"),
			 "received packets are not RIST, or of another "
			 "profile");
	cr_assert_str_eq(said(&s, "Lost 7 packets\n"), "");
	cr_assert_str_eq(said(&s, "  an unknown line\n"),
			 "an unknown line");
	rist_events_done(&s);
}
