/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "master/config/stream_conf.h"
#include "master/config/config.h"
#include "common/supervise/handover.h"
#include "master/status/history.h"
#include "master/status/status.h"
#include "master/status/system_alarms.h"
#include "master/status/system_status.h"
#include "tests/unit/master/fakes.h"
#include "tests/unit/master/status/overview_row.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The memory of one master. */
struct master {
	struct ev_loop *loop;
	struct history of;
};

static void open_master(struct master *m, const char *path)
{
	struct errmsg why;
	json_t *stream = fakes_json("{'enable':true,'type':'spts',"
				    "'input':['udp://:1','udp://:2'],"
				    "'output':['udp://127.0.0.1:3',"
				    "'file:///x.ts']}");
	struct stream_conf *conf;

	m->loop = ev_loop_new(EVFLAG_AUTO);
	m->of.config = config_open(path, m->loop, &why);
	cr_assert_not_null(m->of.config, "%s", why.text);
	m->of.status = status_new(&(struct status_config){ .loop = m->loop });
	m->of.system = system_status_new(m->loop);
	m->of.alarms = system_alarms_new();
	conf = stream_conf_new(stream);
	status_set_stream(m->of.status, "a", conf, NULL);
	stream_conf_free(&conf);
	json_decref(stream);
}

static void close_master(struct master *m)
{
	system_alarms_free(&m->of.alarms);
	system_status_free(&m->of.system);
	status_free(&m->of.status);
	config_close(&m->of.config);
	ev_loop_destroy(m->loop);
}

static void hear(struct master *m, uint32_t packets)
{
	struct msg_stream_status status = {
		.n_inputs = 1,
		.inputs = { { .position = 2, .active = true, .onair = true,
			      .packets = packets } },
	};

	status_push(m->of.status, "a", &status);
}

static json_int_t number(struct master *m, const char *key)
{
	json_t *o = status_stream(m->of.status, "a", STATUS_MINUTE, NULL);
	json_int_t n = json_integer_value(json_object_get(o, key));

	json_decref(o);
	return n;
}

/* The document of one, for the other to adopt; document: changed meanwhile. */
static void hand_on(struct master *from, struct master *to,
		    const char *streams)
{
	uint64_t last = 0;
	struct handover *h = handover_new(&last);

	history_write(&from->of, h);
	if (streams != NULL)
		(void)json_object_set_new(
			json_object_get(handover_document(h), "history"),
			"streams", fakes_json(streams));
	history_take(&to->of, h);
	handover_free(&h);
}

static char folder[] = "/tmp/history-XXXXXX";

static char *make_path(void)
{
	cr_assert_not_null(mkdtemp(folder));
	return xasprintf("%s/x.json", folder);
}

static void remove_path(char *path)
{
	char *more[] = { path, xasprintf("%s.backup", path) };

	for (size_t i = 0; i < ARRAY_LEN(more); i++) {
		(void)unlink(more[i]);
		free(more[i]);
	}
	(void)rmdir(folder);
}

Test(history, passes_from_one_master_to_the_next)
{
	char *path = make_path();
	struct master old, new;
	unsigned due;

	open_master(&old, path);
	hear(&old, 100);
	hear(&old, 23);
	config_touch(old.of.config);
	due = config_backup_ms(old.of.config);
	cr_assert_gt(due, CONFIG_BACKUP_DELAY_MS - 5000);

	open_master(&new, path);
	cr_assert_eq(config_backup_ms(new.of.config), 0);
	config_backup_in(old.of.config, 1000 * 1000);
	hand_on(&old, &new, NULL);
	cr_assert_eq(number(&new, "packets"), 123);
	cr_assert_eq(number(&new, "input_id"), 2);
	due = config_backup_ms(new.of.config);
	cr_assert(due > 900 * 1000 && due <= 1000 * 1000, "%u", due);
	/* and a change puts it off again */
	config_touch(new.of.config);
	cr_assert_gt(config_backup_ms(new.of.config), 1000 * 1000);
	close_master(&old);
	close_master(&new);
	remove_path(path);
}

/* The first output fault in the overview; NULL: none. */
static json_t *output_fault(struct master *m)
{
	json_t *alarms = json_array();
	struct buf text = { 0 };
	json_t *list, *row, *fault;

	status_overview(m->of.status, NULL, &text, alarms);
	list = overview_parse(&text);
	row = json_array_get(list, 0);
	fault = json_incref(json_array_get(
		json_object_get(row, "output_faults"), 0));

	json_decref(list);
	json_decref(alarms);
	return fault;
}

Test(history, of_an_output_that_does_not_send_keeps_its_time)
{
	struct msg_stream_status status = {
		.n_inputs = 1,
		.inputs = { { .position = 1, .active = true, .onair = true } },
		.n_outputs = 2,
		.outputs = { { .position = 1, .open = true },
			     { .position = 2, .error = "disk full" } },
	};
	struct master old, new;
	json_t *before, *after;

	open_master(&old, NULL);
	for (int i = 0; i < 5; i++)
		status_push(old.of.status, "a", &status);
	before = output_fault(&old);
	cr_assert_not_null(before);

	open_master(&new, NULL);
	/* so that a new fault would have another time */
	(void)sleep(1);
	hand_on(&old, &new, NULL);
	after = output_fault(&new);
	cr_expect(json_equal(before, after), "before the first report");
	json_decref(after);
	status_push(new.of.status, "a", &status);
	after = output_fault(&new);
	cr_expect(json_equal(before, after), "after it");
	json_decref(after);
	json_decref(before);
	close_master(&old);
	close_master(&new);
}

Test(history, of_another_output_in_that_place_is_skipped)
{
	struct master old, new;

	open_master(&old, NULL);
	open_master(&new, NULL);
	hand_on(&old, &new, "{'a':{'minute':'1 1 8 5 0 0 0 1 1\\n',"
		"'faults':[5,[],[0,'file:///x.ts',1,true,'x'],"
		"[1,'file:///x.ts',1,true,'x'],[33,'file:///x.ts',1,true,'x'],"
		"[2,'file:///x.ts',1,true,null],[2,'file:///x.ts',1,1,'x']]}}");
	cr_assert_null(output_fault(&new));
	close_master(&old);
	close_master(&new);
}

Test(history, of_streams_is_taken_as_far_as_it_is_sound)
{
	struct master old, new;

	open_master(&old, NULL);
	open_master(&new, NULL);
	hand_on(&old, &new, "{'b':{'minute':'1 1 8 5 0 0 0 1 1\\n'},"
		"'a':{'minute':'1 1 8 5 0','at':5,'input':9}}");
	cr_assert_eq(number(&new, "packets"), 0);
	hand_on(&old, &new, "{'a':[]}");
	hand_on(&old, &new, "[5]");
	hand_on(&old, &new, "{'a':{'minute':'1 1 8 5 0 0 0 1 1\\n',"
		"'at':5,'input':9}}");
	cr_assert_eq(number(&new, "packets"), 5);
	cr_assert_eq(number(&new, "input_id"), 1);
	/* the status received by then is newer */
	hear(&new, 7);
	hand_on(&old, &new, "{'a':{'minute':'1 1 8 50 0 0 0 1 1\\n'}}");
	cr_assert_eq(number(&new, "packets"), 12);
	close_master(&old);
	close_master(&new);
}

static json_int_t machine_use(struct master *m)
{
	json_t *o = system_status_get(m->of.system, STATUS_MINUTE, NULL);
	json_int_t n = json_integer_value(json_object_get(o,
							  "sys_cpu_usage"));

	json_decref(o);
	return n;
}

Test(history, of_alarms_that_clients_know_sends_no_event)
{
	struct master from, to;
	json_t *list;

	open_master(&from, NULL);
	open_master(&to, NULL);
	list = json_array();
	system_alarms_add(list, "log", NULL, "full");
	json_decref(system_alarms_take(from.of.alarms, list));
	hand_on(&from, &to, NULL);
	list = system_alarms_list(to.of.alarms);
	cr_assert_eq(json_array_size(list), 1);
	json_decref(list);
	list = json_array();
	system_alarms_add(list, "log", NULL, "full");
	list = system_alarms_take(to.of.alarms, list);
	cr_assert_eq(json_array_size(list), 0);
	json_decref(list);
	close_master(&from);
	close_master(&to);
}

Test(history, of_the_machine_is_that_of_the_last_minute)
{
	struct master new;
	json_int_t now_ms = (json_int_t)mono_ms();
	json_t *marks;

	open_master(&new, NULL);
	/* idle for 40 s, by the reading of the previous master: the numbers of
	 * processor time only grow */
	marks = json_pack("{s:[[I, I, I]]}", "marks", now_ms - 40000,
			  (json_int_t)0, (json_int_t)0);
	system_status_take(new.of.system, marks);
	cr_assert_gt(machine_use(&new), 0);
	/* the machine has run for longer than these 40 s */
	cr_assert_leq(machine_use(&new),
		      100 * sysconf(_SC_NPROCESSORS_ONLN));
	json_decref(marks);
	close_master(&new);
}

static json_int_t system_number(struct master *m, const char *key)
{
	json_t *o = system_status_get(m->of.system, STATUS_SECOND, NULL);
	json_int_t n = json_integer_value(json_object_get(o, key));

	json_decref(o);
	return n;
}

Test(history, the_service_has_run_since_its_first_master)
{
	struct master old, new;
	json_t *record;

	open_master(&old, NULL);
	record = json_pack("{s:I}", "started_ms",
			   (json_int_t)mono_ms() - 100 * 1000);
	system_status_take(old.of.system, record);
	open_master(&new, NULL);
	cr_assert_lt(system_number(&new, "app_uptime"), 100);
	hand_on(&old, &new, NULL);
	cr_assert_geq(system_number(&new, "app_uptime"), 100);
	json_decref(record);
	close_master(&old);
	close_master(&new);
}

static size_t one_worker(pid_t *list, size_t room, void *arg)
{
	cr_assert_gt(room, 1);
	/* a process that is not a child, and one that is counted anyway */
	list[0] = *(pid_t *)arg;
	list[1] = getpid();
	return 2;
}

Test(history, of_the_machine_counts_workers_that_are_no_children)
{
	struct master m;
	pid_t parent = getppid();
	json_int_t alone;

	open_master(&m, NULL);
	alone = system_number(&m, "app_threads");
	system_status_free(&m.of.system);
	m.of.system = system_status_new(m.loop);
	system_status_set_workers(m.of.system, one_worker, &parent);
	for (int i = 0; i < 100 && system_number(&m, "app_threads") == alone;
	     i++)
		(void)usleep(10 * 1000); /* a reading is used for 200 ms */
	cr_assert_gt(system_number(&m, "app_threads"), alone);
	close_master(&m);
}

Test(history, of_an_invalid_machine_is_skipped)
{
	static const char *const wrong[] = {
		"[]", "{}", "{'marks':[5]}", "{'marks':[[1,2]]}",
		"{'marks':[[1,2,3,4,5]]}", "{'marks':[[-1,0,0]]}",
		"{'marks':[[2,2,2],[1,2,2]]}",
		"{'marks':[[1,0,0],[2,0,-5]]}",
		"{'marks':[[1,9000000000000000000,0]]}",
		"{'marks':[[9000000000000000000,0,0]]}",
		"{'started_ms':-1}", "{'started_ms':'0'}",
		"{'started_ms':9000000000000000000}",
	};
	struct master m;

	open_master(&m, NULL);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		json_t *marks = fakes_json(wrong[i]);
		json_t *before = system_status_write(m.of.system), *after;

		system_status_take(m.of.system, marks);
		after = system_status_write(m.of.system);
		cr_assert(json_equal(before, after), "%s", wrong[i]);
		json_decref(before);
		json_decref(after);
		json_decref(marks);
	}
	close_master(&m);
}

static bool has_hour(struct master *m, unsigned i)
{
	json_t *report;
	char id[16];
	bool has;

	(void)snprintf(id, sizeof id, "s%u", i);
	report = status_history(m->of.status, id, 0, NULL);
	has = json_object_get(report, "columns") != NULL;
	json_decref(report);
	return has;
}

Test(history, of_a_removed_stream_leaves_its_place_to_another)
{
	json_t *object = fakes_json("{'enable':false,'type':'spts'}");
	struct stream_conf *conf = stream_conf_new(object);
	struct master m;
	char id[16];

	open_master(&m, NULL);
	status_remove_stream(m.of.status, "a");
	for (unsigned i = 0; i <= STATUS_HOURS_MAX; i++) {
		(void)snprintf(id, sizeof id, "s%u", i);
		status_set_stream(m.of.status, id, conf, NULL);
	}
	cr_assert(has_hour(&m, STATUS_HOURS_MAX - 1));
	cr_assert_not(has_hour(&m, STATUS_HOURS_MAX));
	status_remove_stream(m.of.status, "s7");
	cr_assert(has_hour(&m, STATUS_HOURS_MAX));
	close_master(&m);
	stream_conf_free(&conf);
	json_decref(object);
}
