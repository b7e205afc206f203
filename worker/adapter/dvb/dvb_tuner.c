/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_tuner.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/loop/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	TURN_MS = 100,
	STATISTICS_MS = 1000,
	/* pause between attempts to open a device that is absent or busy; an
	 * attempt costs one call */
	ABSENT_MS = 1000,
	FAILED_MIN_MS = 2000,
	FAILED_MAX_MS = 30000,
	BEST_DB_SATELLITE = 20,
	BEST_DB_OTHER = 30,
	DISCARD_BYTES = 64 * 1024,
	COLLISION_MS = 500,
	/* turns in a row in which the status cannot be read: a bus may fail for
	 * up to 2 s */
	STATUS_ERRORS_MAX = 20,
};

struct dvb_tuner {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	/* guarded by lock */
	bool stop, changed, pids_changed;
	unsigned requests; /* bits: 1 << enum dvb_request */
	struct tuner_spec wanted;
	uint16_t pids[DVB_PIDS_MAX];
	size_t n_pids;
	size_t n_more; /* wanted PIDs that do not fit into `pids' */
	int dvr; /* descriptor that the owner may read; -1: none */
	struct dvb_state state;
	/* used by the thread only */
	struct tuner_spec spec;
	struct dvb_device device;
	uint64_t open_ns;  /* time of the next attempt to open */
	uint64_t tune_ns;  /* time of the next attempt to tune */
	uint64_t stats_ns; /* time of the next statistics */
	unsigned failed_ms;
	unsigned status_errors; /* consecutive failures */
	bool open, tuned;
	bool repeats; /* a request of the owner repeats the last tuning */
	int whole_error; /* -errno with which DVB_PID_ALL was refused since the
			  * opening; 0: none */
};

/* --- states --- */

static void on_call(const char *name, void *arg)
{
	struct dvb_tuner *t = arg;

	(void)pthread_mutex_lock(&t->lock);
	t->state.call = name;
	t->state.call_ns = mono_ns();
	(void)pthread_mutex_unlock(&t->lock);
}

static void publish(struct dvb_tuner *t, bool readable)
{
	(void)pthread_mutex_lock(&t->lock);
	/* until the thread applies a changed spec, packets are from the old
	 * multiplex */
	t->dvr = readable && !t->changed ? t->device.dvr : -1;
	t->state.taken = t->open;
	t->state.adapter = t->device.adapter;
	memcpy(t->state.forbidden, t->device.forbidden,
	       sizeof t->state.forbidden);
	t->state.tuned = t->tuned;
	t->state.whole = t->device.whole;
	t->state.refused = t->device.refused;
	t->state.whole_error = -t->whole_error;
	if (!t->tuned)
		t->state.signal = (struct dvb_signal){ 0 };
	(void)pthread_mutex_unlock(&t->lock);
}

static void publish_error(struct dvb_tuner *t, const char *error, bool absent)
{
	(void)pthread_mutex_lock(&t->lock);
	errmsg_set(&t->state.error, "%s", error);
	t->state.absent = absent;
	(void)pthread_mutex_unlock(&t->lock);
}

/* --- steps of the thread --- */

static void shut(struct dvb_tuner *t)
{
	t->open = t->tuned = false;
	publish(t, false);
	dvb_device_close(&t->device);
}

static bool is_gone(int err)
{
	return err == -ENODEV || err == -ENOENT || err == -ENXIO;
}

/* The time of the next attempt to open.  A device that is absent, busy or
 * forbidden is tried every second; after other errors the pause doubles, to
 * spare the device. */
static uint64_t next_try_ns(struct dvb_tuner *t, int err)
{
	if (is_gone(err) || err == -EBUSY || err == -EACCES)
		return mono_ns() + ABSENT_MS * MS;
	t->failed_ms = t->failed_ms == 0 ? FAILED_MIN_MS
					 : MIN(2 * t->failed_ms,
					       (unsigned)FAILED_MAX_MS);
	return mono_ns() + t->failed_ms * MS;
}

/* Closes a device after an error.  A device that was removed must be closed at
 * once, so that it may get the same number again. */
static void lose(struct dvb_tuner *t, int err, const struct errmsg *error)
{
	shut(t);
	publish_error(t, error->text, is_gone(err));
	t->open_ns = next_try_ns(t, err);
}

static void open_device(struct dvb_tuner *t)
{
	struct errmsg error;
	int r = dvb_device_open(&t->device, &t->spec, &error);

	if (r < 0) {
		lose(t, r, &error);
		return;
	}
	t->open = true;
	t->whole_error = 0;
	t->tune_ns = 0;
	publish(t, false);
}

/* Receives all packets; false: the driver refuses. */
static bool receive_whole(struct dvb_tuner *t)
{
	if (t->whole_error == 0)
		t->whole_error = dvb_device_receive_all(&t->device);
	return t->whole_error == 0;
}

static void receive(struct dvb_tuner *t)
{
	uint16_t pids[DVB_PIDS_MAX];
	size_t n, more;

	(void)pthread_mutex_lock(&t->lock);
	n = t->n_pids;
	more = t->n_more;
	memcpy(pids, t->pids, n * sizeof *pids);
	(void)pthread_mutex_unlock(&t->lock);
	if (n == 0)
		pids[n++] = 0; /* the PAT, which leads to the other PIDs */
	if (t->device.whole || (t->spec.budget && receive_whole(t)))
		return;
	dvb_device_receive(&t->device, pids, n);
	if (t->device.refused + more > 0 && !t->spec.budget &&
	    t->whole_error == 0) {
		if (receive_whole(t))
			return;
		dvb_device_receive(&t->device, pids, n);
	}
	t->device.refused += (unsigned)more;
}

/* Drops packets of the previous tuning, which are still in the buffer. */
static void discard(struct dvb_tuner *t)
{
	uint8_t *junk = xmalloc(DISCARD_BYTES);
	size_t left = DVB_BUFFER;

	while (left > 0) {
		ssize_t n = t->device.ops->read(t->device.ctx, t->device.dvr,
						junk, DISCARD_BYTES);

		if (n <= 0)
			break;
		left -= MIN(left, (size_t)n);
	}
	free(junk);
}

static void tune(struct dvb_tuner *t)
{
	struct errmsg error;
	int r;

	t->tuned = false;
	publish(t, false);
	dvb_device_stop(&t->device);
	/* A random time before commands of unicable are repeated: otherwise the
	 * commands of two receivers on the cable could collide each time. */
	if (t->repeats && t->spec.uni_scr != 0)
		t->device.ops->sleep(t->device.ctx,
				     1 + (unsigned)(mono_ns() % COLLISION_MS));
	t->repeats = false;
	r = dvb_device_tune(&t->device, &t->spec, &error);
	if (r == -EINVAL) {
		/* the driver would refuse the same spec again, so the thread
		 * waits */
		publish_error(t, error.text, false);
		t->tune_ns = next_try_ns(t, r);
		return;
	}
	if (r < 0) {
		lose(t, r, &error);
		return;
	}
	discard(t);
	t->tuned = true;
	t->stats_ns = 0;
	t->status_errors = 0;
	receive(t);
	(void)pthread_mutex_lock(&t->lock);
	t->state.tunes++;
	t->state.tuned_ns = mono_ns();
	(void)pthread_mutex_unlock(&t->lock);
	publish_error(t, "", false);
	publish(t, true);
}

static void measure(struct dvb_tuner *t)
{
	bool all = mono_ns() >= t->stats_ns;
	struct dvb_stats stats;
	struct dvb_signal signal;
	struct errmsg error;
	int r = dvb_device_measure(&t->device, all, &stats);

	if (r < 0) {
		/* a single failure does not show that the packets are bad */
		t->status_errors++;
		if (!is_gone(r) && t->status_errors < STATUS_ERRORS_MAX)
			return;
		if (is_gone(r))
			errmsg_set(&error, "the device was removed");
		else
			errmsg_set(&error, "cannot read the status of the "
				   "frontend (FE_READ_STATUS): %s",
				   strerror(-r));
		lose(t, r, &error);
		return;
	}
	t->status_errors = 0;
	/* only a status that can be read shows that the device works */
	t->failed_ms = 0;
	dvb_signal_read(&stats, t->spec.satellite ? BEST_DB_SATELLITE
						  : BEST_DB_OTHER, &signal);
	if (all)
		t->stats_ns = mono_ns() + STATISTICS_MS * MS;
	(void)pthread_mutex_lock(&t->lock);
	if (all)
		t->state.signal = signal;
	t->state.signal.status = stats.status;
	(void)pthread_mutex_unlock(&t->lock);
}

/* Takes the requests of the owner.  *ret_pids: the list of PIDs has changed.
 * False: the thread shall end. */
static bool take_requests(struct dvb_tuner *t, bool *ret_pids)
{
	bool stop, changed, other;
	unsigned requests;

	(void)pthread_mutex_lock(&t->lock);
	stop = t->stop;
	requests = t->requests;
	changed = t->changed;
	other = changed && (t->wanted.adapter != t->spec.adapter ||
			    t->wanted.device != t->spec.device ||
			    t->wanted.numbered != t->spec.numbered ||
			    strcmp(t->wanted.mac, t->spec.mac) != 0 ||
			    strcmp(t->wanted.path, t->spec.path) != 0);
	*ret_pids = t->pids_changed;
	if (changed)
		t->spec = t->wanted;
	t->requests = 0;
	/* the next tuning uses the current list of PIDs */
	t->changed = t->pids_changed = false;
	(void)pthread_mutex_unlock(&t->lock);
	if (stop)
		return false;
	if (t->open && (other || requests & 1u << DVB_REOPEN)) {
		shut(t);
		t->open_ns = 0;
	}
	if (changed) {
		/* the old configuration had caused the pause */
		t->open_ns = 0;
		t->failed_ms = 0;
	}
	if (t->open && requests & 1u << DVB_POWER)
		dvb_device_power_cycle(&t->device);
	t->repeats = t->repeats || requests != 0;
	if (changed || requests != 0) {
		t->tuned = false;
		t->tune_ns = 0;
	}
	return true;
}

static void take_turn(struct dvb_tuner *t, bool pids)
{
	uint64_t now_ns = mono_ns();

	/* if a DVB device was plugged in, tries to open at once, also after an
	 * error, because the device may have been replaced */
	if (t->device.hotplug >= 0 &&
	    t->device.ops->hotplug_take(t->device.ctx, t->device.hotplug) &&
	    !t->open)
		t->open_ns = 0;
	if (!t->open && now_ns >= t->open_ns)
		open_device(t);
	if (t->open && !t->tuned && now_ns >= t->tune_ns)
		tune(t);
	if (t->tuned && pids) {
		receive(t);
		publish(t, true);
	}
	if (t->tuned)
		measure(t);
}

static void *run(void *arg)
{
	struct dvb_tuner *t = arg;
	const struct dvb_ops *ops = t->device.ops;
	struct timespec until;
	bool pids;

	/* without hotplug messages, the thread tries to open once a second */
	t->device.hotplug = ops->hotplug_open(t->device.ctx);
	while (take_requests(t, &pids)) {
		take_turn(t, pids);
		(void)clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += TURN_MS * (long)MS;
		if (until.tv_nsec >= (long)SECOND_NS) {
			until.tv_nsec -= (long)SECOND_NS;
			until.tv_sec++;
		}
		(void)pthread_mutex_lock(&t->lock);
		if (!t->stop && t->requests == 0 && !t->changed &&
		    !t->pids_changed)
			(void)pthread_cond_timedwait(&t->wake, &t->lock,
						     &until);
		(void)pthread_mutex_unlock(&t->lock);
	}
	shut(t);
	if (t->device.hotplug >= 0)
		(void)ops->close(t->device.ctx, t->device.hotplug);
	return NULL;
}

/* --- the owner --- */

struct dvb_tuner *dvb_tuner_new(const struct dvb_tuner_config *cfg,
				int *ret_err)
{
	struct dvb_tuner *t = xcalloc(1, sizeof *t);
	pthread_condattr_t attr;

	t->wanted = t->spec = *cfg->spec;
	t->device.ops = cfg->ops;
	t->device.ctx = cfg->ctx;
	t->device.root = cfg->root;
	t->device.on_call = on_call;
	t->device.arg = t;
	dvb_device_init(&t->device);
	t->dvr = -1;
	(void)pthread_mutex_init(&t->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&t->wake, &attr);
	(void)pthread_condattr_destroy(&attr);
	*ret_err = thread_start(&t->thread, run, t);
	if (*ret_err == 0)
		return t;
	free(t);
	return NULL;
}

void dvb_tuner_free(struct dvb_tuner **pt)
{
	struct dvb_tuner *t = *pt;

	*pt = NULL;
	if (t == NULL)
		return;
	(void)pthread_mutex_lock(&t->lock);
	t->stop = true;
	t->dvr = -1;
	(void)pthread_cond_signal(&t->wake);
	(void)pthread_mutex_unlock(&t->lock);
	/* a thread that hangs in a driver still uses the struct, so its memory
	 * is never freed */
	if (!thread_join(t->thread))
		return;
	(void)pthread_cond_destroy(&t->wake);
	(void)pthread_mutex_destroy(&t->lock);
	free(t);
}

void dvb_tuner_get(struct dvb_tuner *t, struct dvb_state *ret)
{
	(void)pthread_mutex_lock(&t->lock);
	*ret = t->state;
	(void)pthread_mutex_unlock(&t->lock);
}

void dvb_tuner_request(struct dvb_tuner *t, enum dvb_request request)
{
	(void)pthread_mutex_lock(&t->lock);
	t->requests |= 1u << request;
	(void)pthread_cond_signal(&t->wake);
	(void)pthread_mutex_unlock(&t->lock);
}

void dvb_tuner_set(struct dvb_tuner *t, const struct tuner_spec *spec)
{
	(void)pthread_mutex_lock(&t->lock);
	t->wanted = *spec;
	t->changed = true;
	t->dvr = -1;
	(void)pthread_cond_signal(&t->wake);
	(void)pthread_mutex_unlock(&t->lock);
}

void dvb_tuner_want(struct dvb_tuner *t, const uint16_t *pids, size_t n)
{
	size_t more = n - MIN(n, (size_t)DVB_PIDS_MAX);

	n -= more;
	(void)pthread_mutex_lock(&t->lock);
	if (n != t->n_pids || more != t->n_more ||
	    memcmp(pids, t->pids, n * sizeof *pids) != 0) {
		memcpy(t->pids, pids, n * sizeof *pids);
		t->n_pids = n;
		t->n_more = more;
		t->pids_changed = true;
		(void)pthread_cond_signal(&t->wake);
	}
	(void)pthread_mutex_unlock(&t->lock);
}

ssize_t dvb_tuner_read(struct dvb_tuner *t, void *ret, size_t size,
		       unsigned *ret_tunes)
{
	ssize_t n = 0;

	/* the thread holds the lock only briefly, and sets dvr to -1 under it
	 * before it closes the descriptor */
	(void)pthread_mutex_lock(&t->lock);
	if (t->dvr >= 0)
		n = t->device.ops->read(t->device.ctx, t->dvr, ret, size);
	*ret_tunes = t->state.tunes;
	(void)pthread_mutex_unlock(&t->lock);
	return n == -EAGAIN || n == -EINTR ? 0 : n;
}
