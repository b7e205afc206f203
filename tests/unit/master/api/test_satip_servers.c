/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET api/satip-servers. */
#include "master/api/discovery.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct msg server(uint32_t place)
{
	return (struct msg){ .type = MSG_SCAN_SERVER, .scan_server = {
		.place = place,
		.iface = "eth0",
		.host = "192.0.2.9",
		.uuid = "50c958a8",
		.name = "Roof",
		.manufacturer = "Example",
		.model = "S2-4",
		.channels = "",
		.n_systems = 2,
		.systems = { { "S2", 4 }, { "T2", 2 } },
		.note = "",
	} };
}

static void report(const struct msg *m)
{
	struct job *j = &fakes.jobs[fakes.n_jobs - 1];

	j->kind->on_message(m, j->self);
}

/* The answer, without values that depend on the clock. */
static const char *answer(void)
{
	static char text[1024];
	json_t *body, *one;
	size_t i;
	char *dump;

	cr_assert_eq(get("/api/satip-servers", ""), 200, "%s", fakes.body);
	body = fakes_json(fakes.body);
	json_object_del(body, "listening");
	json_array_foreach(json_object_get(body, "servers"), i, one) {
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

Test(satip_servers, are_searched_while_a_client_requests_them)
{
	open_world("{}");
	cr_expect_str_eq(answer(), "{\"servers\":[]}");
	cr_expect_str_eq(fakes.told, "job scan\ndeadline 600000\n");
	fakes_clear();
	(void)answer();
	cr_expect_str_eq(fakes.told, "deadline 600000\n", "the same one");
	fakes.jobs[0].kind->on_deadline(fakes.jobs[0].self);
	cr_expect_null(fakes.jobs[0].kind, "without a request");
	close_world();
}

Test(satip_servers, come_change_and_go)
{
	struct msg m = server(3), end = { .type = MSG_SCAN_SERVER };

	open_world("{}");
	(void)answer();
	report(&m);
	cr_expect_str_eq(answer(),
			 "{\"servers\":[{\"server\":\"192.0.2.9\",\"iface\":"
			 "\"eth0\",\"uuid\":\"50c958a8\",\"name\":\"Roof\","
			 "\"manufacturer\":\"Example\",\"model\":\"S2-4\","
			 "\"frontends\":{\"S2\":4,\"T2\":2}}]}");
	m.scan_server.port = 8554;
	m.scan_server.n_systems = 0;
	m.scan_server.name = m.scan_server.manufacturer = "";
	m.scan_server.model = "";
	m.scan_server.note = "connect: refused";
	m.scan_server.channels = "http://192.0.2.9:80/a.m3u";
	report(&m);
	cr_expect_str_eq(answer(),
			 "{\"servers\":[{\"server\":\"192.0.2.9:8554\","
			 "\"iface\":\"eth0\",\"uuid\":\"50c958a8\","
			 "\"channels\":\"http://192.0.2.9:80/a.m3u\",\"note\":"
			 "\"connect: refused\",\"frontends\":{}}]}");
	end.scan_server = (struct msg_scan_server){
		.place = 3, .iface = "", .host = "", .uuid = "", .name = "",
		.manufacturer = "", .model = "", .channels = "", .note = "" };
	report(&end);
	cr_expect_str_eq(answer(), "{\"servers\":[]}");
	close_world();
}

Test(satip_servers, and_announcements_have_workers_of_their_own)
{
	struct msg m = server(0);

	open_world("{}");
	(void)answer();
	cr_assert_eq(get("/api/announcements", ""), 200);
	cr_expect_eq(fakes.n_jobs, 2);
	cr_expect_geq(fakes.jobs[0].kind->max, 4, "with those that end");
	fakes.jobs[1].kind->on_message(&m, fakes.jobs[1].self);
	cr_expect_str_eq(answer(), "{\"servers\":[]}", "of the other one");
	fakes.jobs[0].kind->on_end("killed by signal 11", fakes.jobs[0].self);
	cr_expect_str_eq(answer(), "{\"servers\":[],\"error\":\"the process "
				   "that searches SAT>IP servers has ended: "
				   "killed by signal 11\"}");
	close_world();
}
