/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/master.h"

#include "config.h"
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/base/fd.h"
#include "common/base/sockaddr.h"
#include "master/api/api.h"
#include "master/api/redact.h"
#include "master/auth/auth.h"
#include "master/auth/first_start.h"
#include "master/config/check.h"
#include "master/config/check_log.h"
#include "master/config/config.h"
#include "master/config/write_paths.h"
#include "common/document/lock.h"
#include "common/supervise/fd_store.h"
#include "master/file_budget.h"
#include "common/supervise/handover.h"
#include "master/status/history.h"
#include "common/base/peers.h"
#include "common/http/server.h"
#include "master/setup/control_peers.h"
#include "master/setup/control_socket.h"
#include "master/setup/log_output.h"
#include "master/setup/log_settings.h"
#include "master/setup/options.h"
#include "master/setup/sandbox_check.h"
#include "master/setup/seed_file.h"
#include "master/setup/write_roots.h"
#include "master/renewal.h"
#include "master/renewal_file.h"
#include "master/reread.h"
#include "common/supervise/restart.h"
#include "master/setup/state_path.h"
#include "master/status/status.h"
#include "master/streams/deliver_proc.h"
#include "master/streams/reconciler.h"
#include "master/viewers/viewers.h"
#include "common/supervise/tls_proc.h"
#include "master/status/system_status.h"
#include "master/watchdog.h"
#include "common/supervise/worker_path.h"
#include "common/ws/hub.h"

#include <errno.h>
#include <ev.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct master {
	const struct options *options;
	struct ev_loop *loop;
	int lock; /* descriptor that locks the configuration file; -1: none */
	struct log_output *log;
	struct config *config;
	struct write_paths *write_paths, *own_paths;
	struct sockaddr_any control;
	struct hub *hub;
	struct peers *peers; /* connections per client of the control server */
	struct http_server *http;
	char *worker_path;
	struct reconciler *reconciler;
	struct status *status;
	struct system_status *system;
	struct history history; /* borrows config, status, system, api */
	struct auth *auth;
	struct viewers *viewers;
	struct api *api;
	struct watchdog *watchdog;
	ev_signal signals[4];
	bool stopping;

	char *program; /* path of the file of this program; NULL: unknown */
	/* handover of the previous master until the start is complete; NULL:
	 * none */
	struct handover *handover;
	/* why this restart did not use the configuration file; "": it did */
	struct errmsg file_error;
	struct fd_store *store;
	struct control_socket socket;
	uint64_t lock_number; /* number of the lock in a handover */
	uint64_t last_number; /* highest number given in a handover so far */
	struct renewal *renewal;
	struct reread *reread;
};

/* --- calls between the parts --- */

static void on_request(struct http_conn *conn,
		       const struct http_request *request, void *arg)
{
	api_handle(((struct master *)arg)->api, conn, request);
}

static void on_head(struct http_conn *conn, const struct http_request *request,
		    void *arg)
{
	api_judge_head(((struct master *)arg)->api, conn, request);
}

static void on_conn_gone(struct http_conn *conn, void *arg)
{
	api_gone(((struct master *)arg)->api, conn);
}

static void on_stream_status(const char *id,
			     const struct msg_stream_status *status, void *arg)
{
	struct master *m = arg;

	status_push(m->status, id, status);
}

static void on_stream_switched(const char *id,
			       const struct msg_stream_switched *s, void *arg)
{
	struct master *m = arg;

	status_switched(m->status, id, s);
}

static void on_stream_down(const char *id, const char *failure, void *arg)
{
	struct master *m = arg;

	status_down(m->status, id, failure);
}

static void on_reconciler_stopped(void *arg)
{
	struct master *m = arg;

	ev_break(m->loop, EVBREAK_ALL);
}

static void apply_log(void *arg)
{
	const struct master *m = arg;
	struct log_settings start, now;

	log_settings_start(m->options, &start);
	log_settings_read(config_section(m->config, "log"), &start, &now);
	log_output_apply(m->log, &now);
}

static int ask_log_error(struct errmsg *ret, void *arg)
{
	return log_output_error(((const struct master *)arg)->log, ret);
}

static void on_change(void *arg)
{
	struct master *m = arg;

	fd_store_touch(m->store);
}

static const struct reconciler_events reconciler_events = {
	.on_stream_status = on_stream_status,
	.on_stream_switched = on_stream_switched,
	.on_stream_down = on_stream_down,
	.on_stopped = on_reconciler_stopped,
	.on_change = on_change,
};

static struct handover *write_handover(void *arg)
{
	struct master *m = arg;
	struct handover *h = handover_new(&m->last_number);

	reconciler_write(m->reconciler, h);
	control_socket_write(&m->socket, m->http, h);
	if (m->lock >= 0)
		json_decref(handover_put(h, 'f', &m->lock_number, m->lock));
	history_write_kept(&m->history, h);
	return h;
}

/* Writes the handover of a restart: that of write_handover(), with the whole
 * history. */
static struct handover *write_renewal(void *arg)
{
	const struct master *m = arg;
	struct handover *h = write_handover(arg);

	history_write(&m->history, h);
	return h;
}

static void on_restart(void *arg)
{
	renewal_ask(((struct master *)arg)->renewal);
}

static void on_try(bool interrupt, trial_done_fn *done, void *done_arg,
		   void *arg)
{
	renewal_try(((struct master *)arg)->renewal, interrupt, done, done_arg);
}

static const char *ask_restart_error(void *arg)
{
	return renewal_error(((struct master *)arg)->renewal);
}

/* --- signals --- */

static void on_signal(struct ev_loop *loop, ev_signal *s, int revents)
{
	struct master *m = s->data;

	(void)loop, (void)revents;
	if (s->signum == SIGHUP)
		reread_ask(m->reread);
	if (s->signum == SIGUSR2)
		renewal_ask(m->renewal);
	if (s->signum == SIGHUP || s->signum == SIGUSR2 || m->stopping)
		return;
	m->stopping = true;
	reread_stop(m->reread);
	renewal_stop(m->renewal);
	log_info("master", "%s: stopping",
		 s->signum == SIGINT ? "SIGINT" : "SIGTERM");
	watchdog_report_stopping(m->watchdog);
	reconciler_stop(m->reconciler);
}

/* Takes the lock of the configuration file from the previous master, or locks
 * the file.  Returns 0 or an exit code. */
static int lock_config(struct master *m)
{
	struct errmsg error;

	if (m->handover != NULL)
		m->lock = handover_take_any(m->handover, 'f', &m->lock_number);
	if (m->lock >= 0 || m->options->config_path == NULL)
		return 0;
	m->lock = config_lock(m->options->config_path, &error);
	if (m->lock == -EWOULDBLOCK) {
		log_error("config", "%s", error.text);
		return MASTER_EXIT_FAILURE;
	}
	if (m->lock < 0)
		log_warning("config", "%s", error.text);
	return 0;
}

static int open_config(struct master *m)
{
	char *starts = state_file(m->options->config_path, "starts");
	struct errmsg error = { 0 };
	struct file_budget files;
	size_t n_streams;
	bool fatal;

	m->config = renewal_file_open(m->options, m->handover, m->loop,
				      &m->file_error, &error);
	if (m->config != NULL && !m->options->trial)
		config_guard(m->config, starts);
	free(starts);
	if (m->config == NULL) {
		log_error("config", "%s", error.text);
		return MASTER_EXIT_CONFIG;
	}
	if (!m->options->trial)
		apply_log(m);
	if (options_control_address(m->options,
				    config_setting(m->config, "control_port"),
				    &m->control, &error) < 0) {
		log_error("config", "%s", error.text);
		return MASTER_EXIT_CONFIG;
	}
	m->own_paths = write_roots_own(m->options);
	fatal = check_log(config_document(m->config), &m->control,
			  m->own_paths).fatal;
	n_streams = json_array_size(config_section(m->config, "make_stream"));
	file_budget_now(&files);
	if (n_streams > files.streams)
		log_warning("master",
			    "limit of open files: it is enough for about %u "
			    "streams, and the configuration has %zu: raise "
			    "LimitNOFILE of the systemd unit (ulimit -n)",
			    files.streams, n_streams);
	return fatal ? MASTER_EXIT_CONFIG : 0;
}

/* Opens the control port, before any worker starts: this fails if another
 * sluice uses the port.  Returns 0 or an exit code. */
static int open_control(struct master *m)
{
	const char *path = m->options->config_path;
	char address[SOCKADDR_TEXT_MAX];
	struct file_budget files;
	struct errmsg error;
	int err;

	file_budget_now(&files);
	m->hub = hub_new(m->loop);
	hub_limit(m->hub, files.events);
	hub_set_reduce(m->hub, observer_reduce_event);
	m->peers = control_peers_new(config_section(m->config, "settings"));
	m->http = http_server_new(&(struct http_server_config){
		.loop = m->loop,
		.on_request = on_request,
		.on_head = on_head,
		.on_gone = on_conn_gone,
		.arg = m,
		.peers = m->peers,
		.connections_max = files.control,
	});
	err = control_socket_open(&m->socket, m->http, m->handover, &m->control,
				  &error);
	if (error.text[0] != '\0')
		config_raise_alarm(m->config, "control_port", error.text);
	sockaddr_format(&m->control, address);
	if (err < 0) {
		log_error("master", "control port %s: %s", address,
			  strerror(-err));
		return MASTER_EXIT_FAILURE;
	}
	log_info("master", "sluice " PACKAGE_VERSION ", %s%s, control at %s",
		 path != NULL ? "configuration " : "without a configuration",
		 path != NULL ? path : "", address);
	return 0;
}

static int open_reconciler(struct master *m)
{
	struct errmsg error = { 0 };
	const char *path = m->options->trial ? NULL : m->options->config_path;
	char *epg_path, *bases_path;

	m->worker_path = worker_path_find(&error);
	if (m->worker_path == NULL) {
		log_error("master", "%s", error.text);
		return MASTER_EXIT_FAILURE;
	}
	epg_path = state_file(path, "epg");
	bases_path = state_file(path, "hls");
	m->reconciler = reconciler_new(&(struct reconciler_config){
		.loop = m->loop,
		.worker_path = m->worker_path,
		.settings = config_section(m->config, "settings"),
		.control = &m->control,
		.epg_path = epg_path,
		.bases_path = bases_path,
		.seed = seed_file(path, config_settings(m->config)),
		.events = &reconciler_events,
		.arg = m,
	});
	free(epg_path);
	free(bases_path);
	reconciler_close_viewers(m->reconciler, check_closes_viewers(
		config_document(m->config)));
	m->store = fd_store_new(&(struct fd_store_config){
		.loop = m->loop,
		.write = write_handover,
		.arg = m,
	}, m->handover);
	if (m->handover != NULL)
		reconciler_adopt(m->reconciler, m->handover);
	seed_file_keep(path, config_settings(m->config), deliver_proc_seed(
		reconciler_deliver(m->reconciler)));
	reconciler_open_play(m->reconciler);
	http_server_set_tls(m->http, tls_proc_serve,
			    reconciler_tls(m->reconciler));
	return 0;
}

static void open_auth(struct master *m)
{
	char *path = state_file(m->options->config_path, "sessions");

	if (!m->options->no_web_auth && !m->options->trial)
		(void)first_start(m->config);
	m->auth = auth_new(&(struct auth_config){
		.loop = m->loop,
		.config = m->config,
		.proc = reconciler_auth(m->reconciler),
		.sessions_path = path,
		.no_login = m->options->no_web_auth,
	});
	free(path);
}

static void on_viewers(const struct msg_deliver_changes *changes, void *arg)
{
	api_report_viewers(((const struct master *)arg)->api, changes);
}

static size_t list_workers(pid_t *list, size_t room, void *arg)
{
	const struct master *m = arg;

	return reconciler_pids(m->reconciler, list, room);
}

static void open_api(struct master *m)
{
	m->status = status_new(&(struct status_config){
		.loop = m->loop,
		.reconciler = m->reconciler,
		.hub = m->hub,
		.querier = reconciler_querier(m->reconciler),
		.on_change = on_change, .arg = m,
	});
	m->system = system_status_new(m->loop);
	system_status_set_workers(m->system, list_workers, m);
	m->api = api_new(&(struct api_config){
		.loop = m->loop,
		.auth = m->auth,
		.viewers = m->viewers,
		.config = m->config,
		.reconciler = m->reconciler,
		.hub = m->hub,
		.status = m->status,
		.system = m->system,
		.options = m->options,
		.log_lines = log_output_lines(m->log),
		.write_paths = m->write_paths,
		.own_paths = m->own_paths,
		.control = m->control,
		.restart = on_restart,
		.try_restart = on_try,
		.restart_error = ask_restart_error,
		.set_log = apply_log,
		.on_alarm = on_change,
		.log_error = m->log != NULL ? ask_log_error : NULL,
		.arg = m,
	});
	m->history = (struct history){ m->config, m->status, m->system,
				       api_alarms(m->api) };
}

static void open_renewal(struct master *m)
{
	m->renewal = renewal_new(&(struct renewal_config){
		.loop = m->loop,
		.program = m->program,
		.argv = m->options->argv,
		.auth = m->auth,
		.config = m->config,
		.hub = m->hub,
		.log = m->log,
		.store = m->store,
		.epg = reconciler_epg(m->reconciler),
		.history = &m->history,
		.write = write_renewal,
		.arg = m,
		.on_fail = api_restart_failed,
		.api = m->api,
	});
	m->reread = reread_new(&(struct reread_config){
		.loop = m->loop,
		.options = m->options,
		.config = m->config,
		.api = m->api,
		.own_paths = m->own_paths,
	});
	if (m->file_error.text[0] != '\0')
		api_reload_failed(m->api, m->file_error.text);
}

static int start(struct master *m)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR2 };
	static int (*const steps[])(struct master *) = {
		lock_config, open_config, open_control, open_reconciler,
	};
	int code = 0;

	if (m->options->trial)
		code = renewal_check(m->handover, m->options);
	if (code == 0 && sandbox_check(m->options->require_sandbox) < 0)
		code = MASTER_EXIT_FAILURE;
	for (size_t i = 0; code == 0 && i < ARRAY_LEN(steps); i++)
		code = steps[i](m);
	if (code != 0)
		return code;
	m->write_paths = write_roots_open(m->options,
					  config_document(m->config));
	open_auth(m);
	m->viewers = viewers_new(&(struct viewers_config){
		.loop = m->loop,
		.config = m->config,
		.gate = auth_gate(m->auth),
		.backend = reconciler_backend(m->reconciler),
		.on_changes = on_viewers, .arg = m,
	});
	reconciler_set_viewers(m->reconciler, m->viewers);
	open_api(m);
	open_renewal(m);
	for (size_t i = 0; i < ARRAY_LEN(m->signals); i++) {
		ev_signal_init(&m->signals[i], on_signal, signals[i]);
		m->signals[i].data = m;
		ev_signal_start(m->loop, &m->signals[i]);
	}
	restart_hold_signals(false);
	api_start_streams(m->api);
	if (m->handover != NULL) {
		reconciler_settle(m->reconciler);
		history_take(&m->history, m->handover);
	}
	handover_free(&m->handover);
	/* after http_server_set_tls(): it accepts connections */
	control_socket_settle(&m->socket, m->http);
	/* stores the control socket and the lock even if no worker runs */
	fd_store_touch(m->store);
	m->watchdog = watchdog_new(m->loop, m->reconciler);
	return 0;
}

static void close_all(struct master *m)
{
	restart_hold_signals(true);
	for (size_t i = 0; i < ARRAY_LEN(m->signals); i++)
		ev_signal_stop(m->loop, &m->signals[i]);
	watchdog_free(&m->watchdog);
	http_server_free(&m->http);
	renewal_free(&m->renewal);
	api_free(&m->api);
	reconciler_set_viewers(m->reconciler, NULL);
	viewers_free(&m->viewers);
	auth_free(&m->auth);
	system_status_free(&m->system);
	status_free(&m->status);
	reconciler_free(&m->reconciler);
	fd_store_free(&m->store);
	hub_free(&m->hub);
	peers_free(&m->peers);
	write_paths_free(&m->write_paths);
	write_paths_free(&m->own_paths);
	config_close(&m->config);
	reread_free(&m->reread);
	fd_close(&m->lock);
	handover_free(&m->handover);
	free(m->worker_path);
	free(m->program);
	ev_loop_destroy(m->loop);
	log_output_free(&m->log);
}

int master_run(const struct options *options)
{
	struct master m = { .options = options, .lock = -1 };

	restart_hold_signals(true);
	/* not the default loop of libev, which would reap the workers */
	m.loop = ev_loop_new(EVFLAG_NOENV);
	if (m.loop == NULL) {
		log_error("master", "cannot create the event loop");
		return MASTER_EXIT_FAILURE;
	}
	if (!options->trial)
		m.log = log_output_new();
	m.program = restart_find_program();
	m.handover = restart_adopt();
	if (m.handover == NULL)
		m.handover = fd_store_adopt();
	if (m.handover != NULL)
		m.last_number = handover_last_number(m.handover);
	int code = start(&m);
	if (options->trial)
		_exit(code); /* frees nothing that the running master uses */
	if (code == 0)
		ev_run(m.loop, 0);
	close_all(&m);
	return code;
}
