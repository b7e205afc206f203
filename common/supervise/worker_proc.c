/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/worker_proc.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "common/supervise/handover.h"
#include "common/supervise/heartbeat.h"
#include "common/supervise/worker_log.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct worker_proc {
	struct worker_proc_config cfg;
	char *object, *name; /* name: component in the log, "stream a001" */
	enum spawn_program program; /* program of the next start */
	const char *role, *running; /* role of next start; of last start */
	struct proc proc;
	struct spawn_ticket ticket;
	ev_timer deadline;
	uint64_t armed_ms; /* when the timer expires; 0: not armed */

	struct child *child;
	struct channel *channel;
	int channel_fd;          /* descriptor of channel */
	uint64_t channel_number; /* number in the handover; 0: none */
	bool greeted; /* worker.hello was received and correct */
	enum log_level level; /* log level that the worker received last */
	bool shortage; /* no start: the master lacked resources */
	bool crashed;  /* last process had a fault, or was ended for an error */
	struct pace pace;
	struct cpu_watch cpu; /* begun at the start or at a late status */
	struct errmsg error; /* why the master ends the worker; "": no error */
	/* processes left behind in the kernel; NULL: free */
	struct child *left[PROC_LEFT_MAX];
	struct ratelimit log_limit;
	char last_end[368]; /* end of the last process, or why none started */
	char alarm[512];
};

static void step(struct worker_proc *w, enum proc_event event);

/* --- what the operator reads --- */

static void update_alarm(struct worker_proc *w)
{
	bool before = w->alarm[0] != '\0';
	const char *by = w->cfg.remedy;

	w->alarm[0] = '\0';
	if (w->proc.state == PROC_LOST)
		(void)snprintf(w->alarm, sizeof w->alarm,
			       "%u processes are stuck in the kernel: "
			       "no start until one of them ends", w->proc.left);
	else if (backoff_is_quarantine(&w->proc.backoff))
		(void)snprintf(w->alarm, sizeof w->alarm,
			       "%u failures in a row, the last: %s; one start "
			       "a minute%s%s", w->proc.backoff.ends,
			       w->last_end, by != NULL ? "; " : "",
			       by != NULL ? by : "");
	else if (w->shortage)
		(void)snprintf(w->alarm, sizeof w->alarm, "%s; starts "
			       "limited to one a second", w->last_end);
	if (w->alarm[0] != '\0' && !before)
		log_error(w->name, "alarm: %s", w->alarm);
	else if (w->alarm[0] == '\0' && before)
		log_info(w->name, "alarm cleared");
}

static void log_end(struct worker_proc *w)
{
	uint64_t now = mono_ms();
	uint64_t due = w->proc.deadline_ms;

	if (w->proc.state == PROC_GONE)
		log_warning(w->name, "%s", w->last_end);
	else if (w->proc.state == PROC_STARTING)
		log_warning(w->name, "%s; restarting at once", w->last_end);
	else
		log_warning(w->name, "%s; %s, restart in %.1f s", w->last_end,
			    proc_state_format(w->proc.state),
			    due > now ? (double)(due - now) / 1000. : 0.);
}

/* --- the channel --- */

static void close_channel(struct worker_proc *w)
{
	channel_free(&w->channel);
	w->greeted = false;
}

/* Ends the worker because of the error in w->error. */
static void end_bad(struct worker_proc *w)
{
	close_channel(w);
	step(w, PROC_BAD);
}

static void on_hello(struct worker_proc *w,
		     const struct msg_worker_hello *hello)
{
	if (hello->proto != MSG_PROTO_VERSION) {
		errmsg_set(&w->error, "protocol version %u instead of %u: "
			   "sluice and its workers are of different builds",
			   hello->proto, (unsigned)MSG_PROTO_VERSION);
		end_bad(w);
	} else if (strcmp(hello->role, w->running) != 0) {
		errmsg_set(&w->error, "it reported another role");
		end_bad(w);
	} else {
		w->greeted = true;
		if (hello->flawed != NULL)
			spawner_note_flawed(w->cfg.spawner, hello->flawed);
		/* a worker that is being stopped gets no work */
		if (w->proc.state == PROC_STARTING)
			w->cfg.events->on_hello(w, w->channel, w->cfg.arg);
	}
}

/* Logs a start or stop; those of jobs at a lower level, because they are
 * frequent. */
static void log_state(const struct worker_proc *w, const char *state)
{
	if (w->proc.once)
		log_debug(w->name, "%s", state);
	else if (w->child != NULL)
		log_info(w->name, "%s, pid %d", state,
			 (int)child_pid(w->child));
	else
		log_info(w->name, "%s", state);
}

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct worker_proc *w = arg;
	const char *name = msg_type_name(m->type);
	size_t role = strlen(w->cfg.role);

	(void)channel, (void)fds, (void)n_fds;
	if (w->greeted == (m->type == MSG_WORKER_HELLO)) {
		errmsg_set(&w->error, "it sent %s out of order", name);
		end_bad(w);
	} else if (m->type == MSG_WORKER_HELLO) {
		on_hello(w, &m->worker_hello);
	} else if (m->type == MSG_WORKER_LOG) {
		worker_log(&w->log_limit, w->name, w->cfg.role, &m->worker_log);
	} else if (m->type == MSG_WORKER_READY) {
		if (w->proc.state == PROC_STARTING)
			log_state(w, "running");
		step(w, PROC_READY);
	} else if (strncmp(name, w->cfg.role, role) != 0 ||
		   name[role] != '.') {
		errmsg_set(&w->error, "it sent %s of another role", name);
		end_bad(w);
	} else if (m->type == w->cfg.beat && !pace_beat(&w->pace, mono_ms())) {
		errmsg_set(&w->error, "it sent %s more often than once a "
			   "second", name);
		end_bad(w);
	} else {
		if (m->type == w->cfg.beat) {
			worker_log_follow(&w->level, w->channel);
			step(w, PROC_BEAT);
		}
		w->cfg.events->on_message(w, m, w->cfg.arg);
	}
}

static void on_close(struct channel *channel, int err, const char *error,
		     void *arg)
{
	struct worker_proc *w = arg;

	(void)channel;
	if (err == 0) {
		close_channel(w);
		step(w, PROC_CLOSED);
	} else {
		errmsg_set(&w->error, "its messages to sluice: %s", error);
		end_bad(w);
	}
}

static void on_drained(struct channel *channel, void *arg)
{
	struct worker_proc *w = arg;

	(void)channel;
	if (w->greeted && w->cfg.events->on_drained != NULL)
		w->cfg.events->on_drained(w, w->cfg.arg);
}

static const struct channel_events channel_events = {
	.on_message = on_message,
	.on_close = on_close,
	.on_drained = on_drained,
};

/* --- the process --- */

/* Stores the last end of the process: why the master ended it, if it did, and
 * text. */
static void set_last_end(struct worker_proc *w, const char *text)
{
	(void)snprintf(w->last_end, sizeof w->last_end, "%s%s%s",
		       w->error.text, w->error.text[0] != '\0' ? ": " : "",
		       text);
}

static void on_end(struct child *child, const struct child_end *end, void *arg)
{
	struct worker_proc *w = arg;
	char text[96];

	(void)child;
	if (w->greeted) /* the lines may say why it ended */
		channel_take_logs(w->channel);
	if (end->renews)
		step(w, PROC_RENEW);
	w->crashed = child_end_is_crash(end) || w->error.text[0] != '\0';
	child_end_format(end, text, sizeof text);
	if (end->renews && w->proc.ordered)
		log_state(w, "replaced: its sandbox does not allow a file that "
			     "is new since its start");
	else
		set_last_end(w, text);
	child_free(&w->child);
	close_channel(w);
	w->cfg.events->on_down(w, w->cfg.arg);
	step(w, PROC_EXIT);
}

static void on_left_end(struct child *child, const struct child_end *end,
			void *arg)
{
	struct worker_proc *w = arg;

	(void)end;
	log_info(w->name, "pid %d ended, which was left behind in the kernel",
		 (int)child_pid(child));
	for (size_t i = 0; i < PROC_LEFT_MAX; i++)
		if (w->left[i] == child)
			child_free(&w->left[i]);
	step(w, PROC_LEFT_EXIT);
}

static void leave_behind(struct worker_proc *w)
{
	char text[96];
	size_t i = 0;

	while (w->left[i] != NULL)
		i++;
	(void)snprintf(text, sizeof text, "pid %d ignores KILL, is stuck in "
		       "the kernel and left behind",
		       (int)child_pid(w->child));
	set_last_end(w, text);
	log_error(w->name, "%s", w->last_end);
	w->left[i] = w->child;
	w->child = NULL;
	child_set_end(w->left[i], on_left_end, w);
	close_channel(w);
	w->cfg.events->on_down(w, w->cfg.arg);
}

static void open_channel(struct worker_proc *w, int fd)
{
	w->channel_fd = fd;
	w->channel_number = 0;
	w->channel = channel_new(&(struct channel_config){
		.loop = w->cfg.loop, .fd = fd, .receives = MSG_TO_MASTER,
		.events = &channel_events, .arg = w });
}

static int open_worker(struct worker_proc *w)
{
	int fds[2];
	int err = fd_seqpacket_pair(fds);

	if (err < 0)
		return err;
	w->running = w->role;
	w->child = child_start(w->cfg.spawner, &(struct child_start){
		.program = w->program, .role = w->running,
		.object = w->object, .channel_fd = fds[1],
		.renew_ms = proc_renew_ms(&w->proc),
	}, on_end, w, &err);
	fd_close(&fds[1]);
	if (w->child == NULL) {
		fd_close(&fds[0]);
		return err;
	}
	cpu_watch_begin(&w->cpu, child_pid(w->child), "not ready");
	open_channel(w, fds[0]);
	w->level = log_level(); /* the worker has it from its environment */
	pace_start(&w->pace, mono_ms());
	return 0;
}

static void on_turn(struct spawn_ticket *ticket)
{
	struct worker_proc *w = container_of(ticket, struct worker_proc,
					     ticket);
	int err;

	w->error.text[0] = '\0';
	w->crashed = false;
	err = open_worker(w);
	w->shortage = err == -EMFILE || err == -ENFILE || err == -ENOMEM ||
		      err == -ENOBUFS || err == -EAGAIN;
	if (err < 0) {
		(void)snprintf(w->last_end, sizeof w->last_end,
			       "cannot start: %s", strerror(-err));
		step(w, w->shortage ? PROC_SHORT : PROC_EXIT);
	}
}

/* --- the state table --- */

static void arm(struct worker_proc *w)
{
	uint64_t due = w->proc.deadline_ms;
	uint64_t now = mono_ms();

	if (due == 0) {
		ev_timer_stop(w->cfg.loop, &w->deadline);
		w->armed_ms = 0;
	} else if (w->armed_ms == 0 || w->armed_ms > due) {
		/* a later deadline leaves the timer alone: it will expire
		 * early and be set again */
		timer_start(w->cfg.loop, &w->deadline,
			    due > now ? (double)(due - now) / 1000. : 0.001);
		w->armed_ms = due;
	}
}

static void carry_out(struct worker_proc *w, const struct proc_effects *do_,
		      enum proc_state before)
{
	if (do_->leave)
		leave_behind(w);
	if (do_->signal == SIGABRT && before == PROC_STARTING)
		errmsg_set(&w->error, "not ready within %" PRIu64 " s",
			   (mono_ms() - w->proc.backoff.started_ms) / 1000);
	else if (do_->signal == SIGABRT)
		errmsg_set(&w->error, "no status for %" PRIu64 " s",
			   (mono_ms() - w->proc.beat_ms) / 1000);
	else if (do_->signal == SIGKILL && before == PROC_STOPPING)
		log_warning(w->name, "did not stop within %d s: sending KILL",
			    PROC_TERM_MS / 1000);
	if (do_->signal != 0)
		child_signal(w->child, do_->signal);
	if (do_->look)
		cpu_watch_begin(&w->cpu, child_pid(w->child), "no status");
	if (do_->start)
		spawner_queue(w->cfg.spawner, &w->ticket);
}

static void step(struct worker_proc *w, enum proc_event event)
{
	enum proc_state before = w->proc.state;
	unsigned ends = w->proc.unwanted_ends;
	struct proc_effects do_ = proc_handle(&w->proc, event, mono_ms());

	if (do_.signal != 0 && w->child == NULL) {
		/* the start is still queued */
		spawner_cancel(w->cfg.spawner, &w->ticket);
		do_ = proc_handle(&w->proc, PROC_EXIT, mono_ms());
	}
	carry_out(w, &do_, before);
	w->shortage &= w->proc.wanted; /* not wanted: no start follows */
	arm(w);
	if (w->proc.unwanted_ends != ends && w->proc.state != PROC_LOST)
		log_end(w);
	update_alarm(w);
	if (w->proc.state != before)
		spawner_touch(w->cfg.spawner);

	if (w->proc.state != PROC_GONE || before == PROC_GONE)
		return;
	log_state(w, "stopped");
	/* w may be freed in here: nothing after the call */
	w->cfg.events->on_gone(w, w->cfg.arg);
}

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct worker_proc *w = container_of(t, struct worker_proc, deadline);
	bool starved;

	(void)loop, (void)revents;
	w->armed_ms = 0;
	starved = w->child != NULL && proc_is_measured(&w->proc, mono_ms()) &&
		  (channel_holds_back(w->channel) ||
		   cpu_watch_excuses(&w->cpu, w->name));
	step(w, starved ? PROC_STARVED : PROC_DEADLINE);
}

struct worker_proc *worker_proc_new(const struct worker_proc_config *cfg)
{
	struct worker_proc *w = xcalloc(1, sizeof *w);

	w->cfg = *cfg;
	w->role = w->running = cfg->role;
	w->object = xstrdup(cfg->object);
	w->name = xasprintf("%s %s", cfg->role, cfg->object);
	w->ticket.go = on_turn;
	w->proc.backoff.seed = (uint32_t)mono_ns();
	w->proc.backoff.renewals = cfg->renewals;
	w->proc.once = cfg->once;
	ev_init(&w->deadline, on_deadline);
	/* messages that wait are read before their deadline is judged */
	ev_set_priority(&w->deadline, EV_MINPRI);
	return w;
}

void worker_proc_free(struct worker_proc **wp)
{
	struct worker_proc *w = *wp;

	*wp = NULL;
	if (w == NULL)
		return;
	spawner_cancel(w->cfg.spawner, &w->ticket);
	ev_timer_stop(w->cfg.loop, &w->deadline);
	close_channel(w);
	if (w->child != NULL)
		child_signal(w->child, SIGKILL);
	child_free(&w->child);
	for (size_t i = 0; i < PROC_LEFT_MAX; i++)
		child_free(&w->left[i]);
	free(w->object);
	free(w->name);
	free(w);
}

/* --- from master to master --- */

json_t *worker_proc_write(struct worker_proc *w, struct handover *h)
{
	json_t *record = json_object();

	(void)json_object_set_new(record, "ends",
				  json_integer(w->proc.unwanted_ends));
	if (w->child == NULL)
		return record;
	(void)json_object_set_new(record, "child", child_write(w->child, h));
	/* a worker that is not ready has not received all its work */
	if (w->proc.state == PROC_RUNNING && worker_proc_channel(w) != NULL)
		(void)json_object_set_new(record, "channel", handover_put(
			h, 'c', &w->channel_number, w->channel_fd));
	return record;
}

void worker_proc_adopt(struct worker_proc *w, const json_t *record,
		       struct handover *h, bool usable)
{
	json_int_t ends = json_integer_value(json_object_get(record, "ends"));
	uint64_t number = 0;
	int fd;

	w->child = child_claim(w->cfg.spawner, json_object_get(record, "child"),
			       on_end, w);
	if (ends > 0 && ends <= INT32_MAX)
		w->proc.unwanted_ends = (unsigned)ends;
	if (w->child == NULL)
		return;
	fd = handover_take(h, json_object_get(record, "channel"), 'c',
			   &number);
	if (fd >= 0 && !fd_is_seqpacket(fd))
		fd_close(&fd);
	step(w, PROC_ADOPT);
	if (fd < 0 || !usable || !handover_is_of_our_protocol(h)) {
		fd_close(&fd);
		step(w, PROC_UNWANT);
		return;
	}
	open_channel(w, fd);
	w->channel_number = number;
	w->greeted = true;
	w->level = LOG_LEVEL_ERROR; /* unknown: sent with the next status */
	/* several statuses may wait in the channel */
	pace_start(&w->pace, 0);
	log_info(w->name, "continues after the restart of sluice, pid %d",
		 (int)child_pid(w->child));
}

void worker_proc_want(struct worker_proc *w)
{
	step(w, PROC_WANT);
}

void worker_proc_unwant(struct worker_proc *w)
{
	step(w, PROC_UNWANT);
}

void worker_proc_rename(struct worker_proc *w, const char *object)
{
	free(w->object);
	free(w->name);
	w->object = xstrdup(object);
	w->name = xasprintf("%s %s", w->cfg.role, object);
}

void worker_proc_use(struct worker_proc *w, enum spawn_program program,
		     const char *role)
{
	w->program = program;
	w->role = role;
}

void worker_proc_restart(struct worker_proc *w)
{
	step(w, PROC_RESTART);
}

void worker_proc_kill(struct worker_proc *w, const char *error)
{
	errmsg_set(&w->error, "%s", error);
	end_bad(w);
}

const char *worker_proc_name(const struct worker_proc *w)
{
	return w->name;
}

enum proc_state worker_proc_state(const struct worker_proc *w)
{
	return w->proc.state;
}

pid_t worker_proc_pid(const struct worker_proc *w)
{
	return w->child != NULL ? child_pid(w->child) : 0;
}

unsigned worker_proc_unwanted_ends(const struct worker_proc *w)
{
	return w->proc.unwanted_ends;
}

const char *worker_proc_last_end(const struct worker_proc *w)
{
	return w->last_end;
}

const char *worker_proc_failure(const struct worker_proc *w)
{
	return w->proc.ordered ? NULL : w->last_end;
}

bool worker_proc_has_crashed(const struct worker_proc *w)
{
	return w->crashed && !w->proc.ordered;
}

void worker_proc_works(struct worker_proc *w, bool works)
{
	backoff_works(&w->proc.backoff, works, mono_ms());
}

const char *worker_proc_alarm(const struct worker_proc *w)
{
	return w->alarm[0] != '\0' ? w->alarm : NULL;
}

const char *worker_proc_fault(const struct worker_proc *w)
{
	bool ends = w->proc.state == PROC_DYING ||
		    w->proc.state == PROC_KILLING;
	bool steady = w->proc.state == PROC_RUNNING &&
		      mono_ms() - w->proc.backoff.ready_ms >= WORKER_STEADY_MS;

	if (!w->proc.wanted || w->alarm[0] != '\0')
		return w->proc.wanted ? w->alarm : NULL;
	if (ends && w->error.text[0] != '\0')
		return w->error.text;
	return w->proc.backoff.ends > 0 && !steady ? w->last_end : NULL;
}

uint64_t worker_proc_silent_ms(const struct worker_proc *w)
{
	return w->proc.state == PROC_RUNNING ? mono_ms() - w->proc.beat_ms : 0;
}

struct channel *worker_proc_channel(struct worker_proc *w)
{
	return w->greeted ? w->channel : NULL;
}
