/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last hour of a stream passes from one master to the next. */
#include "common/supervise/handover.h"
#include "master/config/config.h"
#include "master/config/stream_conf.h"
#include "master/status/history.h"
#include "master/status/status.h"
#include "master/status/system_status.h"
#include "tests/unit/master/fakes.h"

#include <criterion/criterion.h>
#include <ev.h>

struct master {
	struct ev_loop *loop;
	struct history of;
};

static void open_master(struct master *m)
{
	json_t *stream = fakes_json("{'enable':true,'type':'spts',"
				    "'input':['udp://:1'],"
				    "'output':['udp://127.0.0.1:3']}");
	struct stream_conf *conf = stream_conf_new(stream);
	struct errmsg error;

	*m = (struct master){ .loop = ev_loop_new(EVFLAG_AUTO) };
	m->of.config = config_open(NULL, m->loop, &error);
	m->of.status = status_new(&(struct status_config){ .loop = m->loop });
	m->of.system = system_status_new(m->loop);
	status_set_stream(m->of.status, "a", conf, NULL);
	stream_conf_free(&conf);
	json_decref(stream);
}

static void close_master(struct master *m)
{
	system_status_free(&m->of.system);
	status_free(&m->of.status);
	config_close(&m->of.config);
	ev_loop_destroy(m->loop);
}

static void hear(struct master *m)
{
	struct msg_stream_status status = {
		.n_inputs = 1,
		.inputs = { { .position = 1, .active = true, .onair = true,
			      .packets = 100 } },
	};

	status_push(m->of.status, "a", &status);
}

static size_t seconds(struct master *m)
{
	json_t *o = status_history(m->of.status, "a", 0, NULL);
	size_t n = json_array_size(json_object_get(
		json_object_get(o, "columns"), "bitrate"));

	json_decref(o);
	return n;
}

/* key, value: a member of the record that is changed meanwhile; NULL: none. */
static void hand_on(struct master *from, struct master *to, const char *key,
		    const char *value)
{
	uint64_t last = 0;
	struct handover *h = handover_new(&last);
	int fd = history_write_hours(&from->of, h);

	cr_assert_geq(fd, 0);
	if (key != NULL)
		(void)json_object_set_new(
			json_object_get(handover_document(h), "hours"), key,
			fakes_json(value));
	/* takes and closes the descriptor */
	history_take(&to->of, h);
	cr_expect_eq(handover_take_any(h, 'y', &last), -1);
	handover_free(&h);
}

Test(history_hours, pass_from_one_master_to_the_next)
{
	struct master old, new;

	open_master(&old);
	open_master(&new);
	hear(&old);
	hear(&old);
	cr_assert_gt(seconds(&old), 0u);
	hand_on(&old, &new, NULL, NULL);
	cr_expect_eq(seconds(&new), seconds(&old));
	close_master(&old);
	close_master(&new);
}

Test(history_hours, without_seconds_need_no_memory)
{
	uint64_t last = 0;
	struct handover *h = handover_new(&last);
	struct master m;

	open_master(&m);
	cr_expect_eq(history_write_hours(&m.of, h), -1);
	cr_expect_null(json_object_get(handover_document(h), "hours"));
	handover_free(&h);
	close_master(&m);
}

Test(history_hours, of_a_damaged_record_are_not_taken)
{
	static const char *const damaged[][2] = {
		{ "layout", "2" },
		/* more than the memory has */
		{ "streams",
		  "[['a',{'last':3600,'seconds':1,'chunks':4095}]]" },
		{ "streams", "[['a'],5]" },
		{ "streams", "{}" },
	};
	struct master old, new;

	open_master(&old);
	open_master(&new);
	hear(&old);
	hear(&old);
	for (size_t i = 0; i < ARRAY_LEN(damaged); i++) {
		hand_on(&old, &new, damaged[i][0], damaged[i][1]);
		cr_expect_eq(seconds(&new), 0u, "%zu", i);
	}
	close_master(&old);
	close_master(&new);
}
