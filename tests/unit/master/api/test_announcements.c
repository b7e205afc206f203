/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET api/announcements. */
#include "master/api/discovery.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(const struct msg *m)
{
	struct job *j = &fakes.jobs[fakes.n_jobs - 1];

	j->kind->on_message(m, j->self);
}

static void tell_place(uint32_t place, const char *name, const char *input,
		       const char *note)
{
	bool over = name == NULL;

	tell(&(struct msg){ .type = MSG_SCAN_ANNOUNCEMENT,
			    .scan_announcement = {
		.place = place,
		.iface = over ? "" : "eth0",
		.sender = over ? "" : "192.0.2.7",
		.name = over ? "" : name,
		.input = over ? "" : input,
		.note = over ? "" : note,
	} });
}

/* The answer, without values that depend on the clock. */
static const char *answer(void)
{
	static char text[1024];
	json_t *body, *one;
	size_t i;
	char *dump;

	cr_assert_eq(get("/api/announcements", ""), 200, "%s", fakes.body);
	body = fakes_json(fakes.body);
	json_object_del(body, "listening");
	json_array_foreach(json_object_get(body, "announcements"), i, one) {
		cr_assert_gt(json_integer_value(json_object_get(one,
								"heard")), 0);
		json_object_del(one, "heard");
	}
	dump = json_dumps(body, JSON_COMPACT);
	(void)snprintf(text, sizeof text, "%s", dump);
	free(dump);
	json_decref(body);
	return text;
}

Test(announcements, are_listened_for_while_somebody_asks)
{
	open_world("{}");
	cr_expect_str_eq(answer(), "{\"announcements\":[]}");
	cr_expect_str_eq(fakes.told, "job scan\ndeadline 3600000\n");
	fakes_clear();
	(void)answer();
	cr_expect_str_eq(fakes.told, "deadline 3600000\n", "the same one");

	fakes.jobs[0].kind->on_deadline(fakes.jobs[0].self);
	cr_expect_null(fakes.jobs[0].kind, "without a request");
	(void)answer();
	cr_expect_eq(fakes.n_jobs, 2, "somebody asks again");
	close_world();
	cr_expect_null(fakes.jobs[1].kind);
}

Test(announcements, come_change_and_go)
{
	open_world("{}");
	(void)answer();
	tell_place(0, "News", "rtp://eth0@239.1.1.1:5004", "");
	tell_place(SCAN_PLACES_MAX - 1, "Sound", "", "is no stream");
	cr_expect_str_eq(answer(),
			 "{\"announcements\":[{\"name\":\"News\","
			 "\"sender\":\"192.0.2.7\",\"iface\":\"eth0\","
			 "\"input\":\"rtp://eth0@239.1.1.1:5004\"},"
			 "{\"name\":\"Sound\",\"sender\":\"192.0.2.7\","
			 "\"iface\":\"eth0\",\"note\":\"is no stream\"}]}");
	tell_place(SCAN_PLACES_MAX - 1, NULL, NULL, NULL);
	tell_place(0, "Sport", "udp://eth0@239.1.1.2:1234", "");
	cr_expect_str_eq(answer(),
			 "{\"announcements\":[{\"name\":\"Sport\","
			 "\"sender\":\"192.0.2.7\",\"iface\":\"eth0\","
			 "\"input\":\"udp://eth0@239.1.1.2:1234\"}]}");
	close_world();
}

Test(announcements, report_errors_of_the_worker)
{
	open_world("{}");
	(void)answer();
	tell_place(0, "News", "rtp://eth0@239.1.1.1:5004", "");
	tell(&(struct msg){ .type = MSG_SCAN_STATUS,
			    .scan_status = { .packets = 9,
				.error = "2 packets were refused" } });
	cr_expect_not_null(strstr(answer(), "\"error\":\"2 packets were "
					    "refused\""));
	tell(&(struct msg){ .type = MSG_SCAN_STATUS,
			    .scan_status = { .packets = 9 } });
	cr_expect_null(strstr(answer(), "error"));

	fakes.jobs[0].kind->on_end("killed by signal 11", fakes.jobs[0].self);
	cr_expect_str_eq(answer(), "{\"announcements\":[],\"error\":\"the "
				   "process that searches announcements has "
				   "ended: killed by signal 11\"}");
	cr_expect_eq(fakes.n_jobs, 2, "another worker starts");
	fakes.jobs[1].kind->on_end("killed", fakes.jobs[1].self);
	fakes.n_jobs = ARRAY_LEN(fakes.jobs);
	cr_expect_eq(get("/api/announcements", ""), 503);
	close_world();
}
