/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/master.h"

#include "common/errmsg.h"
#include "common/log.h"
#include "common/sockaddr.h"
#include "master/api/api.h"
#include "master/auth/auth.h"
#include "master/auth/first_start.h"
#include "master/auth/sessions_path.h"
#include "master/config/check.h"
#include "master/config/config.h"
#include "master/file_budget.h"
#include "master/http/server.h"
#include "master/options.h"
#include "master/status.h"
#include "master/supervise/fleet.h"
#include "master/system_status.h"
#include "master/watchdog.h"
#include "master/worker_path.h"
#include "master/ws/hub.h"

#include <ev.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct master {
	const struct options *options;
	struct ev_loop *loop;
	struct config *config;
	struct sockaddr_any control;
	struct hub *hub;
	struct http_server *http;
	char *worker_path;
	struct fleet *fleet;
	struct status *status;
	struct system_status *system;
	struct auth *auth;
	struct api *api;
	struct watchdog *watchdog;
	ev_signal on_term, on_int, on_hup;
	bool stopping;
};

/* --- what the parts tell each other --- */

static void on_request(struct http_conn *conn,
		       const struct http_request *request, void *arg)
{
	struct master *m = arg;

	api_handle(m->api, conn, request);
}

static void on_conn_gone(struct http_conn *conn, void *arg)
{
	struct master *m = arg;

	api_gone(m->api, conn);
}

static void on_stream_status(const char *id,
			     const struct msg_stream_status *status, void *arg)
{
	struct master *m = arg;

	status_push(m->status, id, status);
}

static void on_fleet_stopped(void *arg)
{
	struct master *m = arg;

	ev_break(m->loop, EVBREAK_ALL);
}

static void on_restart(void *arg)
{
	(void)arg;
	log_warning("master", "a restart is wanted: settings take effect when "
			      "the service is restarted");
}

static void apply_log(void *arg)
{
	const struct master *m = arg;
	const json_t *log = config_section(m->config, "log");
	bool debug = json_is_true(json_object_get(log, "debug"));

	log_open(NULL, NULL, debug ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
}

static const struct fleet_events fleet_events = {
	.on_stream_status = on_stream_status,
	.on_stopped = on_fleet_stopped,
};

/* --- signals --- */

static void stop(struct master *m, const char *why)
{
	if (m->stopping)
		return;
	m->stopping = true;
	log_info("master", "%s: stopping", why);
	watchdog_say_stopping(m->watchdog);
	fleet_stop(m->fleet);
}

static void on_signal(struct ev_loop *loop, ev_signal *s, int revents)
{
	(void)loop, (void)revents;
	if (s->signum == SIGHUP)
		log_info("master", "SIGHUP: the configuration is not read "
				   "again; change it through the API");
	else
		stop(s->data, s->signum == SIGINT ? "SIGINT" : "SIGTERM");
}

static void watch_signal(struct master *m, ev_signal *s, int number)
{
	ev_signal_init(s, on_signal, number);
	s->data = m;
	ev_signal_start(m->loop, s);
}

/* --- start, in the order in which the parts need each other --- */

static void log_found(enum check_severity severity, const char *path,
		      const char *text, void *arg)
{
	bool *fatal = arg;

	if (severity == CHECK_WARNING)
		log_warning("config", "%s: %s", path, text);
	else
		log_error("config", "%s: %s", path, text);
	*fatal |= severity == CHECK_FATAL;
}

static void warn_of_files(const json_t *document)
{
	size_t n = json_array_size(json_object_get(document, "make_stream"));
	struct file_budget files;

	file_budget_now(&files);
	if (n > files.streams)
		log_warning("master", "the limit of open files is enough for "
			    "about %u streams, the configuration has %zu: "
			    "raise LimitNOFILE", files.streams, n);
}

static int open_config(struct master *m)
{
	struct errmsg why = { 0 };
	bool fatal = false;

	m->config = config_open(m->options->config_path, m->loop, &why);
	if (m->config == NULL) {
		log_error("config", "%s", why.text);
		return MASTER_EXIT_CONFIG;
	}
	apply_log(m);
	if (options_control_address(m->options,
				    config_setting(m->config, "control_port"),
				    &m->control, &why) < 0) {
		log_error("config", "%s", why.text);
		return MASTER_EXIT_CONFIG;
	}
	(void)check_document(config_document(m->config), &m->control,
			     log_found, &fatal);
	warn_of_files(config_document(m->config));
	return fatal ? MASTER_EXIT_CONFIG : 0;
}

/* The control port first: it tells whether we run already. */
static int open_control(struct master *m)
{
	char address[SOCKADDR_TEXT_MAX];
	struct file_budget files;
	int err;

	file_budget_now(&files);
	m->hub = hub_new(m->loop);
	hub_limit(m->hub, files.events);
	m->http = http_server_new(&(struct http_server_config){
		.loop = m->loop,
		.on_request = on_request,
		.on_gone = on_conn_gone,
		.arg = m,
		.connections_max = files.control,
	});
	err = http_server_listen(m->http, &m->control);
	if (err < 0) {
		sockaddr_format(&m->control, address);
		log_error("master", "control port %s: %s", address,
			  strerror(-err));
		return MASTER_EXIT_FAILURE;
	}
	return 0;
}

static int open_fleet(struct master *m)
{
	struct errmsg why = { 0 };

	m->worker_path = worker_path_find(&why);
	if (m->worker_path == NULL) {
		log_error("master", "%s", why.text);
		return MASTER_EXIT_FAILURE;
	}
	m->fleet = fleet_new(&(struct fleet_config){
		.loop = m->loop,
		.worker_path = m->worker_path,
		.events = &fleet_events,
		.arg = m,
	});
	return 0;
}

static void open_auth(struct master *m)
{
	char *path = sessions_path(m->options->config_path,
				   getenv("STATE_DIRECTORY"));

	if (!m->options->no_web_auth)
		(void)first_start(m->config);
	m->auth = auth_new(&(struct auth_config){
		.loop = m->loop,
		.config = m->config,
		.proc = fleet_auth(m->fleet),
		.sessions_path = path,
	});
	free(path);
}

static void open_api(struct master *m)
{
	m->status = status_new(&(struct status_config){
		.loop = m->loop,
		.fleet = m->fleet,
		.hub = m->hub,
	});
	m->system = system_status_new(m->loop);
	m->api = api_new(&(struct api_config){
		.loop = m->loop,
		.auth = m->auth,
		.config = m->config,
		.fleet = m->fleet,
		.hub = m->hub,
		.status = m->status,
		.system = m->system,
		.options = m->options,
		.control = m->control,
		.restart = on_restart,
		.set_log = apply_log,
		.arg = m,
	});
}

static void open_signals(struct master *m)
{
	watch_signal(m, &m->on_term, SIGTERM);
	watch_signal(m, &m->on_int, SIGINT);
	watch_signal(m, &m->on_hup, SIGHUP);
}

static int start(struct master *m)
{
	int code = open_config(m);

	if (code == 0)
		code = open_control(m);
	if (code == 0)
		code = open_fleet(m);
	if (code != 0)
		return code;
	open_auth(m);
	open_api(m);
	open_signals(m);
	api_start_streams(m->api);
	m->watchdog = watchdog_new(m->loop, m->fleet);
	return 0;
}

static void close_all(struct master *m)
{
	ev_signal_stop(m->loop, &m->on_term);
	ev_signal_stop(m->loop, &m->on_int);
	ev_signal_stop(m->loop, &m->on_hup);
	watchdog_free(&m->watchdog);
	http_server_free(&m->http);
	api_free(&m->api);
	auth_free(&m->auth);
	system_status_free(&m->system);
	status_free(&m->status);
	fleet_free(&m->fleet);
	hub_free(&m->hub);
	config_close(&m->config);
	free(m->worker_path);
	ev_loop_destroy(m->loop);
}

int master_run(const struct options *options)
{
	struct master m = { .options = options };
	int code;

	/* not the default loop: it would reap our workers blindly */
	m.loop = ev_loop_new(EVFLAG_NOENV);
	if (m.loop == NULL) {
		log_error("master", "no event loop");
		return MASTER_EXIT_FAILURE;
	}
	code = start(&m);
	if (code == 0)
		ev_run(m.loop, 0);
	close_all(&m);
	return code;
}
