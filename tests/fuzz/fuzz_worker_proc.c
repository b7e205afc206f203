/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a hostile worker can send: each role's messages go through the channel
 * and its judges into the state of the master, which the API then reports.
 *
 * The first byte selects the role, with 128 also a proper worker.hello.  Each
 * further line is a message.  No process is started.
 */
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/http/server.h"
#include "common/supervise/auth_proc.h"
#include "common/supervise/spawn.h"
#include "common/supervise/tls_proc.h"
#include "common/ws/hub.h"
#include "master/api/api.h"
#include "master/api/call.h"
#include "master/config/config.h"
#include "master/config/stream_conf.h"
#include "master/setup/options.h"
#include "master/status/status.h"
#include "master/status/system_status.h"
#include "master/streams/epg_proc.h"
#include "master/streams/picture_proc.h"
#include "master/streams/querier_proc.h"
#include "master/streams/reconciler.h"
#include "master/viewers/viewers.h"
#include "proto/ipc/contract.h"
#include "tests/fuzz/fuzz.h"

#include <ev.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINES_MAX = 32, TURNS = 4, CALLS_MAX = 8, WITH_HELLO = 128 };

/* A stream that a multiplex alone reads. */
#define FEED "feed"

static const char *const roles[] = { "stream", "deliver", "auth", "querier",
				     "tls", "scan", "softcam",
				     "picture", "adapter", "cas", "epg",
				     "mux", FEED };

static struct world {
	struct ev_loop *loop;
	struct config *config;
	struct hub *hub;
	struct reconciler *reconciler;
	struct status *status;
	struct system_status *system;
	struct api *api;
	struct viewers *viewers;
	struct auth_job *job; /* NULL: it has ended */
	struct picture_job *picture; /* as auth_job */
	struct input_scan *input; /* the tables of an input, as auth_job */
	struct options options;
	char scan[64]; /* its id */
	int workers[ARRAY_LEN(roles)]; /* their ends; -1: not started */
	uint64_t now_ms;
	TAILQ_HEAD(, spawn_ticket) queue;
} w;

/* --- processes, the clock and clients, which are not under test --- */

void __wrap_spawner_queue(struct spawner *, struct spawn_ticket *);
void __wrap_spawner_cancel(struct spawner *, struct spawn_ticket *);
struct child *__wrap_child_start(struct spawner *, const struct child_start *,
				 child_end_fn *, void *, int *);
void __wrap_child_free(struct child **);
void __wrap_child_set_end(struct child *, child_end_fn *, void *);
pid_t __wrap_child_pid(const struct child *);
void __wrap_child_signal(struct child *, int);
uint64_t __wrap_mono_ms(void);
void __wrap_http_respond(struct http_conn *, const struct http_answer *);
void __wrap_http_drop(struct http_conn *);

void __wrap_spawner_queue(struct spawner *s, struct spawn_ticket *ticket)
{
	(void)s;
	if (!ticket->queued)
		TAILQ_INSERT_TAIL(&w.queue, ticket, link);
	ticket->queued = true;
}

void __wrap_spawner_cancel(struct spawner *s, struct spawn_ticket *ticket)
{
	(void)s;
	if (ticket->queued)
		TAILQ_REMOVE(&w.queue, ticket, link);
	ticket->queued = false;
}

static void start_queued(void)
{
	struct spawn_ticket *ticket;

	while ((ticket = TAILQ_FIRST(&w.queue)) != NULL) {
		__wrap_spawner_cancel(NULL, ticket);
		ticket->go(ticket);
	}
}

struct child *__wrap_child_start(struct spawner *s,
				 const struct child_start *how,
				 child_end_fn *on_end, void *arg, int *ret_err)
{
	static char process;

	(void)s, (void)on_end, (void)arg, (void)ret_err;
	for (size_t i = 0; i < ARRAY_LEN(roles); i++) {
		if (strcmp(strchr(how->object, '/') != NULL ? FEED : how->role,
			   roles[i]) != 0)
			continue;
		if (w.workers[i] >= 0)
			(void)close(w.workers[i]);
		w.workers[i] = dup(how->channel_fd);
	}
	return (struct child *)&process;
}

void __wrap_child_free(struct child **c)
{
	*c = NULL;
}

void __wrap_child_set_end(struct child *c, child_end_fn *on_end, void *arg)
{
	(void)c, (void)on_end, (void)arg;
}

pid_t __wrap_child_pid(const struct child *c)
{
	(void)c;
	return getpid();
}

void __wrap_child_signal(struct child *c, int number)
{
	(void)c, (void)number;
}

uint64_t __wrap_mono_ms(void)
{
	return w.now_ms;
}

void __wrap_http_respond(struct http_conn *c, const struct http_answer *answer)
{
	(void)c;
	if (answer->status < 200 || answer->status > 599)
		abort();
}

void __wrap_http_drop(struct http_conn *c)
{
	(void)c;
}

static void read_line(enum log_level level, const char *component,
		      const char *text, void *arg)
{
	(void)level, (void)arg;
	if (component[0] == '\0' || strchr(text, '\n') != NULL)
		abort();
}

/* --- the master --- */

static void on_stream_status(const char *id, const struct msg_stream_status *s,
			     void *arg)
{
	(void)arg;
	status_push(w.status, id, s);
}

static void on_stream_switched(const char *id,
			       const struct msg_stream_switched *s, void *arg)
{
	(void)arg;
	status_switched(w.status, id, s);
}

static void on_stopped(void *arg)
{
	(void)arg;
}

static const struct reconciler_events events = {
	.on_stream_status = on_stream_status,
	.on_stream_switched = on_stream_switched,
	.on_stopped = on_stopped,
};

static void turn(void)
{
	for (unsigned i = 0; i < TURNS; i++)
		(void)ev_run(w.loop, EVRUN_NOWAIT);
}

static void request(const char *text)
{
	json_t *body = json_loads(text, 0, NULL);
	const char *name = json_string_value(json_object_get(body, "cmd"));
	struct call *call = call_new(w.api, NULL, NULL);
	const char *id;

	call->caller.type = USER_CONTROL;
	call->body = body;
	api_command_find(name)->run(w.api, body, &call->reply);
	if (call->later)
		return;
	id = json_string_value(json_object_get(call->reply.body, "id"));
	if (id != NULL)
		(void)snprintf(w.scan, sizeof w.scan, "%s", id);
	call_answer(call);
}

static void set_stream(void)
{
	/* no other process has this address */
	unsigned pid = (unsigned)getpid();
	json_t *stream = json_pack(
		"{s:s, s:s, s:b, s:[s, s], s:[o, s, s], s:s, s:[{s:s}]}",
		"id", "a",
		"name", "A", "enable", 1, "input", "udp://239.1.1.1:1",
		"srt://127.0.0.1:2", "output",
		json_sprintf("http://127.%u.%u.%u:18555/a",
			     64 + (pid >> 16 & 63), pid >> 8 & 255, pid & 255),
		"udp://127.0.0.1:3", "rist://@127.0.0.1:4", "backup_type",
		"active", "cas_list", "cas_id", "c");
	struct stream_conf *conf = stream_conf_new(stream);

	reconciler_set_stream(w.reconciler, "a", conf);
	status_set_stream(w.status, "a", conf, NULL);
	stream_conf_free(&conf);
	json_decref(stream);
}

/* Of the stream a, and of an input with a feed. */
static void set_mux(void)
{
	json_t *stream = json_pack("{s:s, s:s, s:b, s:i, s:[s, s], s:[]}",
				   "id", "m", "type", "mpts", "enable", 1,
				   "bitrate", 9000, "input", "stream://a",
				   "udp://239.1.1.2:2", "output");
	struct stream_conf *conf = stream_conf_new(stream);

	reconciler_set_stream(w.reconciler, "m", conf);
	status_set_stream(w.status, "m", conf, NULL);
	stream_conf_free(&conf);
	json_decref(stream);
}

static void on_hashed(enum auth_outcome outcome, const char *hash, void *arg)
{
	(void)outcome, (void)hash, (void)arg;
	w.job = NULL;
}

static void on_picture(const struct msg_picture_result *m, int fd, void *arg)
{
	(void)arg;
	if (fd < 0 || m->len > PICTURE_SIZE_MAX)
		abort();
	w.picture = NULL;
}

static void on_guide(const struct epg_answer *a, void *arg)
{
	(void)arg;
	if (a->fd < 0 || a->len > EPG_REPLY_MAX ||
	    (a->len == 0 && a->error == NULL))
		abort();
}

static void on_analysis(json_t *answer, const char *error, void *arg)
{
	(void)arg;
	if ((answer == NULL) == (error == NULL))
		abort();
}

static void on_chosen(unsigned position, const char *error, void *arg)
{
	(void)arg;
	if (position == 0 && error[0] == '\0')
		abort();
}

static void on_record(const json_t *record, void *arg)
{
	(void)arg;
	if (record == NULL)
		abort();
}

static void on_scan_end(const char *error, void *arg)
{
	(void)error, (void)arg;
	input_scan_free(&w.input);
}

static const struct input_scan_events scan_events = {
	.on_record = on_record,
	.on_end = on_scan_end,
};

static void open_world(void)
{
	struct errmsg error;
	json_t *settings;

	TAILQ_INIT(&w.queue);
	w.now_ms = 1000000;
	w.scan[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		w.workers[i] = -1;
	w.loop = ev_loop_new(EVFLAG_AUTO);
	w.config = config_open(NULL, w.loop, &error);
	w.hub = hub_new(w.loop);
	settings = json_pack("{s:i}", "epg_days", 1);
	w.reconciler = reconciler_new(&(struct reconciler_config){
		.loop = w.loop, .worker_path = "worker",
		.settings = settings, .events = &events });
	json_decref(settings);
	w.viewers = viewers_new(&(struct viewers_config){
		.loop = w.loop, .config = w.config,
		.backend = reconciler_backend(w.reconciler) });
	reconciler_set_viewers(w.reconciler, w.viewers);
	w.status = status_new(&(struct status_config){
		.loop = w.loop, .reconciler = w.reconciler, .hub = w.hub,
		.querier = reconciler_querier(w.reconciler) });
	w.system = system_status_new(w.loop);
	w.api = api_new(&(struct api_config){
		.loop = w.loop, .config = w.config, .hub = w.hub,
		.reconciler = w.reconciler, .status = w.status,
		.system = w.system, .options = &w.options });
	request("{\"cmd\":\"set-cas\",\"cas\":{\"id\":\"c\","
		"\"ecmg_channel_id\":1,\"ecmg_host\":\"h\","
		"\"ecmg_port\":1}}");
	request("{\"cmd\":\"set-adapter\",\"adapter\":{\"id\":\"d\","
		"\"type\":\"S2\",\"enable\":true,"
		"\"address\":\"udp://239.1.1.8:8\"}}");
	set_stream();
	set_mux();
	querier_proc_use(reconciler_querier(w.reconciler),
			 (struct querier_net){ .ifindex = 1 }, w.now_ms);
	service_proc_want(tls_proc_service(reconciler_tls(w.reconciler)));
	w.job = auth_job_new(reconciler_auth(w.reconciler),
			     &(struct auth_job_config){
				     .password = "p", .on_done = on_hashed });
	/* any descriptor: no process opens it */
	w.picture = picture_job_new(reconciler_picture(w.reconciler), "a",
				    STDERR_FILENO, on_picture, NULL);
	request("{\"cmd\":\"test-softcam\",\"config\":{\"type\":\"newcamd\","
		"\"host\":\"h\",\"port\":1,\"user\":\"u\",\"pass\":\"p\","
		"\"key\":\"0102030405060708091011121314\"}}");
	request("{\"cmd\":\"scan-init\",\"scan\":\"udp://239.1.1.9:9\"}");
	start_queued();
}

static void close_world(void)
{
	for (unsigned i = 0; i < CALLS_MAX; i++)
		api_gone(w.api, NULL);
	auth_job_cancel(&w.job);
	picture_job_cancel(&w.picture);
	input_scan_free(&w.input);
	api_free(&w.api);
	reconciler_set_viewers(w.reconciler, NULL);
	viewers_free(&w.viewers);
	system_status_free(&w.system);
	status_free(&w.status);
	reconciler_free(&w.reconciler);
	hub_free(&w.hub);
	config_close(&w.config);
	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		if (w.workers[i] >= 0)
			(void)close(w.workers[i]);
	ev_loop_destroy(w.loop);
}

/* --- the worker --- */

/* Takes what the master has sent, so that its queue stays empty. */
static void drain(int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(8 * sizeof(int))];
	} control;
	static char text[MSG_SIZE_MAX];
	struct iovec iov = { text, sizeof text };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof control };

	while (recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) > 0) {
		const struct cmsghdr *c = CMSG_FIRSTHDR(&m);

		for (size_t at = CMSG_LEN(0); c != NULL && at < c->cmsg_len;
		     at += sizeof(int))
			(void)close(*(const int *)(const void *)((const char *)
								 c + at));
		m.msg_controllen = sizeof control;
	}
}

static void send_line(int fd, const char *text, size_t len)
{
	if (fd < 0)
		return;
	(void)send(fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	w.now_ms += 1000;
	turn();
	drain(fd);
}

static void send_hello(int fd, const char *role)
{
	char text[160];
	int len;

	len = snprintf(text, sizeof text,
		       "{\"type\":\"worker.hello\",\"body\":{\"proto\":%u,"
		       "\"build\":\"x\",\"role\":\"%s\"}}",
		       (unsigned)MSG_PROTO_VERSION, role);
	send_line(fd, text, (size_t)len);
}

static void say_hello(size_t i)
{
	int err;

	/* a cas worker starts for a stream that runs */
	if (strcmp(roles[i], "cas") == 0) {
		send_hello(w.workers[0], roles[0]);
		start_queued();
	}
	send_hello(w.workers[i], strcmp(roles[i], FEED) == 0 ? "stream"
							     : roles[i]);
	/* a request of each kind waits for its answer */
	(void)!reconciler_analyze(w.reconciler, "a", ANALYSIS_PACKETS,
				  on_analysis, NULL);
	(void)!reconciler_choose_input(w.reconciler, "a", 2, on_chosen, NULL);
	(void)!epg_proc_ask(reconciler_epg(w.reconciler),
			    &(struct msg_epg_ask){ .stream = "a", .max = 1 },
			    on_guide, NULL);
	request("{\"cmd\":\"sessions\"}");
	w.input = reconciler_scan(w.reconciler, "a", 1, &scan_events, NULL,
				  &err);
	turn();
}

static void read_state(void)
{
	json_t *alarms = json_array();
	struct buf overview = { 0 };
	char text[128];
	bool ok;

	json_decref(status_stream(w.status, "a", STATUS_SECOND, "i"));
	json_decref(status_stream(w.status, "a", STATUS_MINUTE, NULL));
	json_decref(status_inputs(w.status, "a", NULL));
	json_decref(status_stream(w.status, "m", STATUS_SECOND, NULL));
	json_decref(status_inputs(w.status, "m", NULL));
	json_decref(status_outputs(w.status, "a", NULL));
	json_decref(status_network(w.status, NULL));
	json_decref(status_check(w.status, "a", &ok));
	status_overview(w.status, NULL, &overview, alarms);
	buf_done(&overview);
	json_decref(adapters_overview(w.api));
	reconciler_list_receivers(w.reconciler, alarms);
	json_decref(alarms);
	(void)snprintf(text, sizeof text,
		       "{\"cmd\":\"scan-check\",\"id\":\"%s\"}", w.scan);
	request(text);
}

/* A run makes a master. */
unsigned replay_part = 8;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *line = (const char *)data + 1;
	size_t role, left = size - 1, len;
	const char *end;

	if (size < 2)
		return 0;
	role = data[0] % WITH_HELLO % ARRAY_LEN(roles);
	(void)signal(SIGPIPE, SIG_IGN);
	log_open(read_line, NULL, LOG_LEVEL_DEBUG);
	open_world();
	if ((data[0] & WITH_HELLO) != 0)
		say_hello(role);
	for (unsigned i = 0; i < LINES_MAX && left > 0; i++) {
		end = memchr(line, '\n', left);
		len = end != NULL ? (size_t)(end - line) : left;
		send_line(w.workers[role], line, MIN(len, MSG_SIZE_MAX));
		read_state();
		left -= MIN(left, len + 1);
		line += len + 1;
	}
	read_state();
	close_world();
	return 0;
}
