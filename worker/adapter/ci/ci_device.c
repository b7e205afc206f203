/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ci_device.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/loop/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dvb/ca.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum {
	/* a driver that does not return for so long is reported */
	HANG_S = 5,
	TURN_MS = 50,
	SLOT_MS = 200,       /* pause between two readings of the slot states */
	OPEN_MS = 2000,      /* pause between two attempts to open */
	READS_MAX = 32,      /* messages that one turn reads */
	WRITES_MAX = 8,
	HEAD = 2,            /* bytes for slot and connection, in front of each
			      * message */
	MESSAGE_MAX = CI_SPDU_MAX + 64,
	PATH_MAX_LEN = 128,
};

struct action {
	bool set;
	unsigned slot, choice;
	enum ci_action kind;
	char text[CI_TEXT_MAX];
};

/* Why the last action was refused; "": it was done. */
struct refusal {
	struct errmsg error;
	enum ci_state state;    /* state of the module at the refusal */
	enum ci_mmi_kind asked; /* dialogue of the module at the refusal */
};

struct ci_device {
	struct ci_device_config cfg;
	char root[PATH_MAX_LEN];
	pthread_mutex_t lock;
	pthread_t thread;
	/* guarded by lock */
	bool stop, changed, moved;
	struct ci_place place;
	struct ca_programs *wanted;
	struct action action;
	struct errmsg error;
	const char *call;    /* system call that the thread is in; NULL: none */
	uint64_t call_ns;
	unsigned n_views;
	struct ci_view views[CI_SLOTS_MAX];
	/* used by the thread only */
	int fd;
	unsigned n_slots;
	struct ca_programs *programs;
	struct ci_module modules[CI_SLOTS_MAX];
	struct refusal refusals[CI_SLOTS_MAX];
	uint32_t shown[CI_SLOTS_MAX];
	/* earliest time to open, and to read the slot states */
	uint64_t open_ns, slot_ns;
	bool idle;           /* nothing was read in this turn */
	uint8_t message[MESSAGE_MAX];
};

/* --- calls --- */

static void begin(struct ci_device *d, const char *call)
{
	(void)pthread_mutex_lock(&d->lock);
	d->call = call;
	d->call_ns = mono_ns();
	(void)pthread_mutex_unlock(&d->lock);
}

static int control(struct ci_device *d, const char *call, unsigned long request,
		   uintptr_t arg)
{
	int r;

	begin(d, call);
	r = d->cfg.ops->ioctl(d->cfg.ctx, d->fd, request, arg);
	begin(d, NULL);
	return r;
}

/* --- views --- */

static void fill_programs(const struct ci_module *m,
			  const struct ca_programs *programs,
			  struct ci_view *v)
{
	v->n_programs = programs->n;
	for (size_t i = 0; i < programs->n; i++) {
		const struct ca_program *p = &programs->list[i];
		struct ci_view_program *to = &v->programs[i];

		*to = (struct ci_view_program){
			.number = p->number,
			.state = m->state == CI_READY
					 ? ca_list_state(&m->list, p)
					 : CA_STATE_WAITING,
		};
		for (size_t k = 0; k < m->n_answers; k++)
			if (m->answers[k].program == p->number)
				to->answer = m->answers[k].answer;
	}
}

/* Publishes the view of a slot if the module has changed; with `always', also
 * if it has not. */
static void show(struct ci_device *d, unsigned slot, bool always)
{
	const struct ci_module *m = &d->modules[slot];
	struct refusal *refusal = &d->refusals[slot];
	struct ci_view *v = &d->views[slot];

	if (!always && d->shown[slot] == m->revision)
		return;
	d->shown[slot] = m->revision;
	if (refusal->state != m->state || refusal->asked != m->mmi.kind)
		refusal->error.text[0] = '\0';
	(void)pthread_mutex_lock(&d->lock);
	/* revision 0 means that there is no slot */
	v->revision += v->revision == UINT32_MAX ? 2 : 1;
	v->state = m->state;
	v->resets = m->resets;
	v->error = m->error;
	v->named = m->named;
	v->manufacturer = m->manufacturer;
	v->code = m->code;
	memcpy(v->name, m->name, sizeof v->name);
	v->plus = m->plus;
	v->low_level = m->low_level;
	v->ids = m->list.ids;
	v->mmi = m->mmi;
	if (!m->mmi.complete)
		v->mmi.kind = MMI_NONE;
	v->refused = refusal->error;
	fill_programs(m, d->programs, v);
	d->n_views = d->n_slots;
	(void)pthread_mutex_unlock(&d->lock);
}

/* --- the device --- */

static void shut(struct ci_device *d, const char *error)
{
	if (d->fd >= 0)
		(void)d->cfg.ops->close(d->cfg.ctx, d->fd);
	d->fd = -1;
	d->n_slots = 0;
	d->open_ns = mono_ns() + OPEN_MS * MS;
	(void)pthread_mutex_lock(&d->lock);
	d->n_views = 0;
	errmsg_set(&d->error, "%s", error);
	(void)pthread_mutex_unlock(&d->lock);
}

static int open_node(struct ci_device *d, struct errmsg *error)
{
	const int devices[] = { d->cfg.place.device, 0 };
	char path[PATH_MAX_LEN + 32] = "";
	int r = -ENOENT;

	for (size_t i = 0; r == -ENOENT && i < ARRAY_LEN(devices); i++) {
		(void)snprintf(path, sizeof path, "%s/adapter%d/ca%d", d->root,
			       d->cfg.place.adapter, devices[i]);
		begin(d, "open");
		r = d->cfg.ops->open(d->cfg.ctx, path, O_RDWR | O_NONBLOCK);
		begin(d, NULL);
	}
	if (r == -ENOENT)
		errmsg_set(error, "the adapter has no slot for a CAM: there is "
			   "no %s", path);
	else if (r == -EBUSY)
		errmsg_set(error, "%s is busy: another program uses it", path);
	else if (r < 0)
		errmsg_set(error, "cannot open %s: %s", path, strerror(-r));
	return r;
}

static void open_device(struct ci_device *d)
{
	struct ca_caps caps = { 0 };
	struct errmsg error;
	int r = open_node(d, &error);

	if (r < 0) {
		shut(d, error.text);
		return;
	}
	d->fd = r;
	r = control(d, "CA_GET_CAP", CA_GET_CAP, (uintptr_t)&caps);
	if (r < 0)
		errmsg_set(&error, "cannot read the CI slots of the card "
			   "(CA_GET_CAP): %s", strerror(-r));
	else if (!(caps.slot_type & CA_CI_LINK))
		errmsg_set(&error, "the driver of the card offers no "
			   "link-layer access to the CAM (CA_CI_LINK), which "
			   "is required");
	else if (caps.slot_num == 0)
		errmsg_set(&error, "the card has no slot for a CAM");
	else
		error.text[0] = '\0';
	if (error.text[0] != '\0') {
		shut(d, error.text);
		return;
	}
	d->n_slots = MIN(caps.slot_num, (unsigned)CI_SLOTS_MAX);
	d->slot_ns = 0;
	for (unsigned i = 0; i < d->n_slots; i++) {
		ci_module_init(&d->modules[i], &d->cfg.place.module);
		d->refusals[i].error.text[0] = '\0';
		show(d, i, true);
	}
	(void)pthread_mutex_lock(&d->lock);
	d->error.text[0] = '\0';
	(void)pthread_mutex_unlock(&d->lock);
}

/* Reads the states of all slots; false: the device is gone. */
static bool look_at_slots(struct ci_device *d, uint64_t now_ns)
{
	for (unsigned i = 0; i < d->n_slots; i++) {
		struct ca_slot_info info = { .num = (int)i };
		int r = control(d, "CA_GET_SLOT_INFO", CA_GET_SLOT_INFO,
				(uintptr_t)&info);

		if (r < 0)
			return false;
		ci_module_set_slot(
			&d->modules[i],
			info.flags & CA_CI_MODULE_READY ? CI_SLOT_READY
			: info.flags & CA_CI_MODULE_PRESENT ? CI_SLOT_SEEN
							    : CI_SLOT_EMPTY,
			now_ns);
	}
	d->slot_ns = now_ns + SLOT_MS * MS;
	return true;
}

static bool read_messages(struct ci_device *d)
{
	d->idle = true;
	for (unsigned i = 0; i < READS_MAX; i++) {
		ssize_t n = d->cfg.ops->read(d->cfg.ctx, d->fd, d->message,
					     sizeof d->message);

		if (n == -EAGAIN || n == -EINTR || n == 0)
			return true;
		if (n == -ENODEV)
			return false;
		/* EIO: the module was taken out while it sent */
		d->idle = d->idle && n < 0;
		if (n < HEAD || d->message[0] >= d->n_slots)
			continue;
		ci_module_take(&d->modules[d->message[0]], d->message + HEAD,
			       (size_t)n - HEAD, mono_ns());
	}
	return true;
}

static void write_messages(struct ci_device *d, unsigned slot, uint64_t now_ns)
{
	struct ci_module *m = &d->modules[slot];
	uint8_t message[HEAD + CI_SEND_MAX] = { (uint8_t)slot, CI_CONNECTION };
	struct errmsg error;

	for (unsigned i = 0; i < WRITES_MAX; i++) {
		size_t n = ci_module_next(m, d->programs, now_ns, time(NULL),
					  message + HEAD);
		ssize_t r;

		if (n == 0)
			return;
		begin(d, "write");
		r = d->cfg.ops->write(d->cfg.ctx, d->fd, message, HEAD + n);
		begin(d, NULL);
		if (r >= 0)
			continue;
		errmsg_set(&error, "the CAM accepts no message: %s",
			   strerror((int)-r));
		ci_module_fail(m, error.text, now_ns);
	}
}

/* May the slot be reset?  The kernel resets all slots of a card at once, so no
 * slot is reset while a module in another slot works or starts. */
static bool may_reset(const struct ci_device *d, unsigned slot)
{
	for (unsigned i = 0; i < d->n_slots; i++)
		if (i != slot && ci_module_may_work(&d->modules[i]))
			return false;
	return true;
}

/* --- the thread --- */

/* Takes the requests of the owner; false: the thread shall end. */
static bool take_requests(struct ci_device *d)
{
	struct action action;
	bool stop, changed, moved;
	unsigned slot;

	(void)pthread_mutex_lock(&d->lock);
	stop = d->stop;
	moved = d->moved;
	d->moved = false;
	d->cfg.place = d->place;
	action = d->action;
	d->action.set = false;
	changed = d->changed;
	if (changed) {
		struct ca_programs *old = d->programs;

		d->programs = d->wanted;
		d->wanted = old;
		d->changed = false;
	}
	(void)pthread_mutex_unlock(&d->lock);
	if (moved) {
		shut(d, "");
		d->open_ns = 0;
	}
	slot = action.slot;
	if (action.set && slot < d->n_slots) {
		struct ci_module *m = &d->modules[slot];
		struct refusal *refusal = &d->refusals[slot];

		refusal->error.text[0] = '\0';
		(void)!ci_module_act(m, action.kind, action.choice, action.text,
				     &refusal->error);
		refusal->state = m->state;
		refusal->asked = m->mmi.kind;
	}
	for (unsigned i = 0; i < d->n_slots; i++)
		show(d, i, changed || (action.set && i == slot));
	return !stop;
}

static void take_turn(struct ci_device *d)
{
	uint64_t now_ns = mono_ns();

	if (d->fd < 0 && d->cfg.place.adapter >= 0 && now_ns >= d->open_ns)
		open_device(d);
	if (d->fd < 0)
		return;
	if (!read_messages(d) ||
	    (now_ns >= d->slot_ns && !look_at_slots(d, now_ns))) {
		shut(d, "the CI device of the card is gone");
		return;
	}
	for (unsigned i = 0; i < d->n_slots; i++) {
		write_messages(d, i, mono_ns());
		if (ci_module_take_reset(&d->modules[i], may_reset(d, i)))
			/* if the reset fails, the module fails again, and
			 * another reset follows */
			(void)control(d, "CA_RESET", CA_RESET,
				      (uintptr_t)1 << i);
		show(d, i, false);
	}
}

static void *run(void *arg)
{
	struct ci_device *d = arg;

	while (take_requests(d)) {
		bool ready = d->fd >= 0 && d->cfg.ops->poll(
			d->cfg.ctx, d->fd, TURN_MS) > 0;

		take_turn(d);
		/* poll() of a driver may report an error for ever */
		if (d->fd < 0 || (ready && d->idle))
			d->cfg.ops->sleep(d->cfg.ctx, TURN_MS);
	}
	shut(d, "");
	return NULL;
}

/* --- the owner --- */

struct ci_device *ci_device_new(const struct ci_device_config *cfg,
				int *ret_err)
{
	struct ci_device *d = xcalloc(1, sizeof *d);

	d->cfg = *cfg;
	d->place = cfg->place;
	d->fd = -1;
	d->wanted = xcalloc(1, sizeof *d->wanted);
	d->programs = xcalloc(1, sizeof *d->programs);
	(void)snprintf(d->root, sizeof d->root, "%s", cfg->root);
	(void)pthread_mutex_init(&d->lock, NULL);
	*ret_err = thread_start(&d->thread, run, d);
	if (*ret_err == 0)
		return d;
	free(d->wanted);
	free(d->programs);
	free(d);
	return NULL;
}

void ci_device_free(struct ci_device **pd)
{
	struct ci_device *d = *pd;

	*pd = NULL;
	if (d == NULL)
		return;
	(void)pthread_mutex_lock(&d->lock);
	d->stop = true;
	(void)pthread_mutex_unlock(&d->lock);
	/* a thread that hangs in a driver still uses the struct, so its memory
	 * is never freed */
	if (!thread_join(d->thread))
		return;
	(void)pthread_mutex_destroy(&d->lock);
	free(d->wanted);
	free(d->programs);
	free(d);
}

void ci_device_move(struct ci_device *d, const struct ci_place *place)
{
	(void)pthread_mutex_lock(&d->lock);
	d->place = *place;
	d->moved = true;
	(void)pthread_mutex_unlock(&d->lock);
}

void ci_device_want(struct ci_device *d, const struct ca_programs *programs)
{
	(void)pthread_mutex_lock(&d->lock);
	*d->wanted = *programs;
	d->changed = true;
	(void)pthread_mutex_unlock(&d->lock);
}

int ci_device_act(struct ci_device *d, unsigned slot, enum ci_action kind,
		  unsigned choice, const char *text)
{
	int r = 0;

	(void)pthread_mutex_lock(&d->lock);
	if (slot >= d->n_views)
		r = -EINVAL;
	else if (d->action.set)
		r = -EBUSY;
	else
		d->action = (struct action){ .set = true, .slot = slot,
					     .choice = choice, .kind = kind };
	if (r == 0 && text != NULL)
		(void)snprintf(d->action.text, sizeof d->action.text, "%s",
			       text);
	(void)pthread_mutex_unlock(&d->lock);
	return r;
}

void ci_device_error(struct ci_device *d, struct errmsg *ret)
{
	uint64_t now_ns = mono_ns();

	(void)pthread_mutex_lock(&d->lock);
	*ret = d->error;
	if (d->call != NULL && now_ns > d->call_ns &&
	    now_ns - d->call_ns >= HANG_S * SECOND_NS)
		errmsg_set(ret, "the driver has not returned from %s for "
			   "%llu s", d->call,
			   (unsigned long long)((now_ns - d->call_ns) /
						SECOND_NS));
	(void)pthread_mutex_unlock(&d->lock);
}

bool ci_device_get(struct ci_device *d, unsigned slot, struct ci_view *ret)
{
	bool has;

	(void)pthread_mutex_lock(&d->lock);
	has = slot < d->n_views;
	if (has)
		*ret = d->views[slot];
	(void)pthread_mutex_unlock(&d->lock);
	return has;
}

uint32_t ci_device_revision(struct ci_device *d, unsigned slot)
{
	uint32_t revision;

	(void)pthread_mutex_lock(&d->lock);
	revision = slot < d->n_views ? d->views[slot].revision : 0;
	(void)pthread_mutex_unlock(&d->lock);
	return revision;
}
