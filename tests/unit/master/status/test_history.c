/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/alloc.h"
#include "common/base/log.h"
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
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The memory of one master. */
struct master {
	struct ev_loop *loop;
	struct history of;
};

static void set_stream(struct master *m, const char *text)
{
	json_t *stream = fakes_json(text);
	struct stream_conf *conf = stream_conf_new(stream);

	status_set_stream(m->of.status, "a", conf, NULL);
	stream_conf_free(&conf);
	json_decref(stream);
}

static const char two_inputs[] = "{'enable':true,'type':'spts',"
				 "'input':['udp://:1','udp://:2'],"
				 "'output':['udp://127.0.0.1:3',"
				 "'file:///x.ts']}";

static void open_master(struct master *m, const char *path)
{
	struct errmsg why;

	m->loop = ev_loop_new(EVFLAG_AUTO);
	m->of.config = config_open(path, m->loop, &why);
	cr_assert_not_null(m->of.config, "%s", why.text);
	m->of.status = status_new(&(struct status_config){ .loop = m->loop });
	m->of.system = system_status_new(m->loop);
	m->of.alarms = system_alarms_new();
	set_stream(m, two_inputs);
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

/* After a crash of one, for the other to adopt. */
static void crash(struct master *from, struct master *to)
{
	uint64_t last = 0;
	struct handover *h = handover_new(&last);

	history_write_kept(&from->of, h);
	history_take(&to->of, h);
	handover_free(&h);
}

/* The state in the overview, and since when it is off air. */
static json_int_t state(struct master *m, char ret[64])
{
	json_auto_t *alarms = json_array(), *list;
	struct buf text = { 0 };
	const json_t *row;

	status_overview(m->of.status, NULL, &text, alarms);
	list = overview_parse(&text);
	row = json_array_get(list, 0);
	(void)snprintf(ret, 64, "%s", json_string_value(
		json_object_get(row, "state")));
	return json_integer_value(json_object_get(row, "off_since"));
}

Test(history, of_a_crash_tells_what_is_on_air_if_the_worker_runs_on)
{
	struct master old, new, alone;
	char words[64];

	open_master(&old, NULL);
	hear(&old, 100);
	open_master(&new, NULL);
	open_master(&alone, NULL);
	fakes.stream = (struct stream_proc_info){ .state = "starting" };
	crash(&old, &alone);
	(void)state(&alone, words);
	cr_expect_str_eq(words, "OFF AIR (starting)");
	fakes.stream = (struct stream_proc_info){ .state = "running" };
	crash(&old, &new);
	cr_expect_eq(state(&new, words), 0);
	cr_expect_str_eq(words, "on air");
	cr_expect_eq(number(&new, "input_id"), 2);
	hear(&new, 7);
	cr_expect_eq(number(&new, "packets"), 7);
	close_master(&old);
	close_master(&new);
	close_master(&alone);
}

Test(history, of_a_crash_keeps_since_when_a_stream_is_off_air)
{
	struct msg_stream_status status = {
		.n_inputs = 1,
		.inputs = { { .position = 1, .active = true,
			      .error = "no packets" } },
	};
	struct master old, new;
	char words[64];
	json_int_t since;

	fakes.stream = (struct stream_proc_info){ .state = "running" };
	open_master(&old, NULL);
	status_push(old.of.status, "a", &status);
	since = state(&old, words);
	cr_assert_gt(since, 0);
	(void)sleep(1); /* another begin would be another second */
	open_master(&new, NULL);
	crash(&old, &new);
	cr_expect_eq(state(&new, words), since);
	cr_expect_str_eq(words, "OFF AIR");
	status_push(new.of.status, "a", &status);
	cr_expect_eq(state(&new, words), since);
	close_master(&old);
	close_master(&new);
}

static char lines[256];
static void keep_line(enum log_level level, const char *component,
		      const char *text, void *arg)
{
	(void)level, (void)arg, (void)component;
	(void)strcat(strcat(lines, text), ";");
}

/* For longer than a reader may take to start. */
static void hear_reader(struct master *m, bool onair)
{
	struct msg_stream_status status = {
		.n_inputs = 1,
		.inputs = { { .position = 1, .active = true, .onair = onair,
			      .error = onair ? NULL : "b is off air" } },
	};

	for (int i = 0; i < 7; i++)
		status_push(m->of.status, "a", &status);
}

/* The master logs them for a stream that reads another one. */
Test(history, of_on_air_and_off_air_is_no_line_without_a_change)
{
	struct master m[4];
	size_t n;

	fakes.stream = (struct stream_proc_info){ .state = "running" };
	for (n = 0; n < ARRAY_LEN(m); n++) {
		open_master(&m[n], NULL);
		set_stream(&m[n], "{'enable':true,'input':['stream://b']}");
	}
	hear_reader(&m[0], true);
	log_open(keep_line, NULL, LOG_LEVEL_INFO);
	crash(&m[0], &m[1]);
	hear_reader(&m[1], true);
	hand_on(&m[1], &m[2], NULL);
	hear_reader(&m[2], true);
	cr_expect_str_eq(lines, "");
	hear_reader(&m[2], false);
	cr_expect_str_eq(lines, "off air: b is off air;");
	crash(&m[2], &m[3]);
	hear_reader(&m[3], false);
	cr_expect_str_eq(lines, "off air: b is off air;");
	while (n-- > 0)
		close_master(&m[n]);
}

static unsigned count_told(const char *text)
{
	unsigned n = 0;

	for (const char *c = fakes.told; (c = strstr(c, text)) != NULL; c++)
		n++;
	return n;
}

Test(history, of_a_removed_stream_ends_with_its_alarms)
{
	struct msg_stream_status status = {
		.alarms = ALARM_BIT(ALARM_CC),
		.n_inputs = 1,
		.inputs = { { .position = 1, .active = true,
			      .alarms = ALARM_BIT(ALARM_SYNC_LOSS) } },
		.n_outputs = 1,
		.outputs = { { .position = 1, .error = "disk full" } },
	};
	struct master m;

	open_master(&m, NULL);
	for (int i = 0; i < 5; i++)
		status_push(m.of.status, "a", &status);
	cr_assert_eq(count_told("'raised':true"), 3, "%s", fakes.told);
	status_remove_stream(m.of.status, "a");
	cr_assert_eq(count_told("'raised':false"), 3, "%s", fakes.told);
	close_master(&m);
}

static void count_change(void *arg)
{
	++*(unsigned *)arg;
}

/* Once per change, and not once a second. */
Test(history, of_a_crash_is_written_when_it_changes)
{
	struct master m;
	unsigned changes = 0;

	fakes.stream = (struct stream_proc_info){ .state = "running" };
	open_master(&m, NULL);
	status_free(&m.of.status);
	m.of.status = status_new(&(struct status_config){
		.loop = m.loop, .on_change = count_change, .arg = &changes,
	});
	set_stream(&m, two_inputs);
	hear(&m, 1);
	changes = 0;
	for (int i = 0; i < 5; i++)
		hear(&m, 1);
	cr_expect_eq(changes, 0, "%u", changes);
	status_push(m.of.status, "a", &(struct msg_stream_status){
		.n_inputs = 1,
		.inputs = { { .position = 2, .active = true } },
	});
	cr_expect_eq(changes, 1, "%u", changes);
	hear(&m, 1);
	cr_expect_eq(changes, 2, "%u", changes);
	close_master(&m);
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
