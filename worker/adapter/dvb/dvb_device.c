/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_device.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/adapter/dvb/dvb_place.h"
#include "worker/adapter/dvb/dvb_props.h"
#include "worker/adapter/dvb/dvb_sec.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dvb/dmx.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

enum {
	POWER_OFF_MS = 1000,
};

/* --- calls --- */

static void begin(struct dvb_device *d, const char *name)
{
	if (d->on_call != NULL)
		d->on_call(name, d->arg);
}

static int control(struct dvb_device *d, int fd, const char *name,
		   unsigned long request, uintptr_t arg)
{
	int r;

	begin(d, name);
	r = d->ops->ioctl(d->ctx, fd, request, arg);
	begin(d, NULL);
	return r;
}

#define CONTROL(d, fd, request, arg) \
	control(d, fd, #request, request, (uintptr_t)(arg))

static int open_path(struct dvb_device *d, const char *path, int flags)
{
	int fd;

	begin(d, "open");
	fd = d->ops->open(d->ctx, path, flags | O_NONBLOCK);
	begin(d, NULL);
	return fd;
}

static void close_fd(struct dvb_device *d, int *fd)
{
	if (*fd < 0)
		return;
	begin(d, "close");
	(void)d->ops->close(d->ctx, *fd);
	begin(d, NULL);
	*fd = -1;
}

/* --- opening --- */

void dvb_device_init(struct dvb_device *d)
{
	d->frontend = d->dvr = -1;
	d->n_filters = 0;
	d->whole = false;
}

static int fail_open(struct dvb_device *d, const char *path, int err,
		     struct errmsg *error)
{
	if (err == -EACCES)
		(void)snprintf(d->forbidden, sizeof d->forbidden, "%s", path);
	switch (err) {
	case -ENOENT:
	case -ENODEV:
	case -ENXIO:
		errmsg_set(error, "no device %s", path);
		break;
	case -EBUSY:
		errmsg_set(error, "%s is busy: another program uses it", path);
		break;
	case -EACCES:
	case -EPERM:
		errmsg_set(error, "no permission for %s: the service needs "
			   "the group video", path);
		break;
	default:
		errmsg_set(error, "cannot open %s: %s", path, strerror(-err));
		break;
	}
	return err;
}

/* Writes the list of systems that a frontend has: "S, S2, T". */
static void write_systems(const struct dtv_property *p, char *to, size_t size)
{
	static const char *const names[] = {
		[SYS_DVBC_ANNEX_A] = "C/A", [SYS_DVBC_ANNEX_B] = "C/B",
		[SYS_DVBT] = "T",           [SYS_DVBS] = "S",
		[SYS_DVBS2] = "S2",         [SYS_ISDBT] = "ISDB-T",
		[SYS_ATSC] = "ATSC",        [SYS_DVBT2] = "T2",
		[SYS_DVBC_ANNEX_C] = "C/C",
	};
	size_t len = 0;

	to[0] = '\0';
	for (uint32_t i = 0; i < p->u.buffer.len && len < size; i++) {
		unsigned system = p->u.buffer.data[i];

		if (system < ARRAY_LEN(names) && names[system] != NULL)
			len += (size_t)snprintf(to + len, size - len, "%s%s",
						len > 0 ? ", " : "",
						names[system]);
	}
}

/* Checks that the frontend can receive the system of the spec.  Its list of
 * delivery systems (API 5) decides, not the type of API 3. */
static int judge_system(struct dvb_device *d, const struct tuner_spec *spec,
			struct errmsg *error)
{
	struct dtv_property p = { .cmd = DTV_ENUM_DELSYS };
	struct dtv_properties list = { .num = 1, .props = &p };
	unsigned wanted = dvb_props_system(spec);
	char systems[96];
	int r = CONTROL(d, d->frontend, FE_GET_PROPERTY, &list);

	if (r < 0)
		return errmsg_fail(error, r, "cannot read the delivery systems "
				   "of the frontend (FE_GET_PROPERTY): %s",
				   strerror(-r));
	p.u.buffer.len = (uint32_t)MIN((size_t)p.u.buffer.len,
				       sizeof p.u.buffer.data);
	for (uint32_t i = 0; i < p.u.buffer.len; i++)
		if (p.u.buffer.data[i] == wanted)
			return 0;
	write_systems(&p, systems, sizeof systems);
	return errmsg_fail(error, -EINVAL, "type: the frontend %.40s receives "
			   "%s only", d->name, systems);
}

/* Opens the dvr device with the number of the frontend, or dvr0: several
 * frontends of an adapter may share one demultiplexer. */
static int open_dvr(struct dvb_device *d, const struct tuner_spec *spec,
		    struct errmsg *error)
{
	const int devices[] = { spec->device, 0 };
	char path[DVB_PATH_MAX];
	int r = -ENOENT;

	for (size_t i = 0; r == -ENOENT && i < ARRAY_LEN(devices); i++) {
		(void)snprintf(path, sizeof path, "%s/adapter%d/dvr%d",
			       d->root, d->adapter, devices[i]);
		(void)snprintf(d->demux, sizeof d->demux,
			       "%s/adapter%d/demux%d", d->root, d->adapter,
			       devices[i]);
		r = open_path(d, path, O_RDONLY);
	}
	if (r < 0)
		return fail_open(d, path, r, error);
	d->dvr = r;
	/* if the driver refuses, the buffer keeps the size of the kernel */
	(void)CONTROL(d, d->dvr, DMX_SET_BUFFER_SIZE, DVB_BUFFER);
	return 0;
}

int dvb_device_open(struct dvb_device *d, const struct tuner_spec *spec,
		    struct errmsg *error)
{
	struct dvb_frontend_info info = { .name = "" };
	char path[DVB_PATH_MAX];
	int r = dvb_place_find(d, spec, error);

	d->forbidden[0] = '\0';
	if (r < 0)
		return r;
	d->adapter = r;
	(void)snprintf(path, sizeof path, "%s/adapter%d/frontend%d", d->root,
		       d->adapter, spec->device);
	memset(d->lacks, 0, sizeof d->lacks);
	r = open_path(d, path, O_RDWR);
	if (r < 0)
		return fail_open(d, path, r, error);
	d->frontend = r;
	r = CONTROL(d, d->frontend, FE_GET_INFO, &info);
	if (r < 0) {
		r = errmsg_fail(error, r, "cannot read the name of the "
				"frontend (FE_GET_INFO): %s", strerror(-r));
	} else {
		(void)snprintf(d->name, sizeof d->name, "%.*s",
			       (int)sizeof info.name, info.name);
		r = judge_system(d, spec, error);
	}
	if (r == 0)
		r = open_dvr(d, spec, error);
	if (r < 0)
		dvb_device_close(d);
	return r;
}

void dvb_device_close(struct dvb_device *d)
{
	dvb_device_stop(d);
	close_fd(d, &d->dvr);
	close_fd(d, &d->frontend);
}

/* --- tuning --- */

static int take_step(struct dvb_device *d, const struct sec_step *step)
{
	struct dvb_diseqc_master_cmd command = {
		.msg_len = step->command.n,
	};

	switch (step->kind) {
	case SEC_STEP_TONE:
		return CONTROL(d, d->frontend, FE_SET_TONE, step->value);
	case SEC_STEP_VOLTAGE:
		return CONTROL(d, d->frontend, FE_SET_VOLTAGE, step->value);
	case SEC_STEP_BURST:
		return CONTROL(d, d->frontend, FE_DISEQC_SEND_BURST,
			       step->value);
	case SEC_STEP_DISEQC:
		break;
	}
	memcpy(command.msg, step->command.bytes, step->command.n);
	return CONTROL(d, d->frontend, FE_DISEQC_SEND_MASTER_CMD, &command);
}

/* The milliseconds that a command still takes after its ioctl() has returned.
 * Some drivers return before the command is on the wire, others after it.  A
 * call that took less than half of wire_ms has not sent the command.  Unicable
 * allows no long wait after a command, so the whole time is not always
 * waited. */
static unsigned left_ms(const struct sec_step *step, uint64_t spent_ns)
{
	unsigned spent_ms = (unsigned)(spent_ns / MS);

	if (spent_ms < step->wire_ms / 2)
		return step->wire_ms;
	return step->wire_ms - MIN(spent_ms, step->wire_ms);
}

/* Sends the steps for LNB and switches.  Removes from props the tone or the
 * voltage if the driver lacks its call. */
static int switch_dish(struct dvb_device *d, const struct tuner_spec *spec,
		       struct dvb_props *props, struct errmsg *error)
{
	static const struct {
		const char *name;
		uint32_t property;
	} kinds[] = {
		[SEC_STEP_TONE] = { "22 kHz tone", DTV_TONE },
		[SEC_STEP_VOLTAGE] = { "LNB voltage", DTV_VOLTAGE },
		[SEC_STEP_BURST] = { "DiSEqC burst", DTV_UNDEFINED },
		[SEC_STEP_DISEQC] = { "DiSEqC", DTV_UNDEFINED },
	};
	struct sec_steps steps;

	dvb_sec_make(spec, &steps);
	for (unsigned i = 0; i < steps.n; i++) {
		const struct sec_step *step = &steps.list[i];
		uint64_t begin_ns = mono_ns();
		int r = take_step(d, step);
		unsigned wait_ms = step->wait_ms +
				   left_ms(step, mono_ns() - begin_ns);

		/* A frontend that shares the LNB of another frontend lacks
		 * these calls.  The kernel would refuse the property, too, and
		 * all properties after it. */
		if (r == -EOPNOTSUPP || r == -DVB_ENOTSUPP)
			dvb_props_drop(props, kinds[step->kind].property);
		else if (r < 0)
			return errmsg_fail(error, r, "%s: %s",
					   kinds[step->kind].name,
					   strerror(-r));
		if (wait_ms > 0)
			d->ops->sleep(d->ctx, wait_ms);
	}
	return 0;
}

static int set_properties(struct dvb_device *d, struct dtv_property *list,
			  unsigned n)
{
	struct dtv_properties p = { .num = n, .props = list };

	return CONTROL(d, d->frontend, FE_SET_PROPERTY, &p);
}

int dvb_device_tune(struct dvb_device *d, const struct tuner_spec *spec,
		    struct errmsg *error)
{
	struct dtv_property clear = { .cmd = DTV_CLEAR };
	struct dvb_frontend_event event;
	struct dvb_props props;
	int r = judge_system(d, spec, error);

	if (r < 0)
		return r;
	r = set_properties(d, &clear, 1);
	if (r < 0)
		return errmsg_fail(error, r, "the frontend cannot be tuned "
				   "(FE_SET_PROPERTY): %s",
				   strerror(-r));
	dvb_props_make(spec, &props);
	r = switch_dish(d, spec, &props, error);
	if (r < 0)
		return r;
	/* drops old events; the queue of the kernel has eight */
	for (int i = 0; i < 16; i++) {
		r = CONTROL(d, d->frontend, FE_GET_EVENT, &event);
		if (r < 0 && r != -EOVERFLOW)
			break;
	}
	r = set_properties(d, props.list, props.n);
	if (r == -EINVAL)
		return errmsg_fail(error, r, "the frontend %.40s refuses this "
				   "tuning: frequency %u %s or symbolrate %u "
				   "is out of its range", d->name, spec->tune,
				   spec->satellite ? "kHz behind the LNB"
						   : "Hz",
				   spec->symbolrate);
	if (r < 0)
		return errmsg_fail(error, r, "the frontend cannot be tuned "
				   "(FE_SET_PROPERTY): %s",
				   strerror(-r));
	return 0;
}

void dvb_device_power_cycle(struct dvb_device *d)
{
	(void)CONTROL(d, d->frontend, FE_SET_VOLTAGE, SEC_VOLTAGE_OFF);
	d->ops->sleep(d->ctx, POWER_OFF_MS);
}

/* --- packets --- */

static int add_filter(struct dvb_device *d, uint16_t pid)
{
	struct dmx_pes_filter_params filter = {
		.pid = pid,
		.input = DMX_IN_FRONTEND,
		.output = DMX_OUT_TS_TAP,
		.pes_type = DMX_PES_OTHER,
		.flags = DMX_IMMEDIATE_START,
	};
	struct dvb_filter *f = &d->filters[d->n_filters];
	int r;

	f->fd = open_path(d, d->demux, O_RDWR);
	if (f->fd < 0)
		return f->fd;
	f->pid = pid;
	r = CONTROL(d, f->fd, DMX_SET_PES_FILTER, &filter);
	if (r < 0)
		close_fd(d, &f->fd);
	else
		d->n_filters++;
	return r;
}

static void drop_filter(struct dvb_device *d, size_t i)
{
	close_fd(d, &d->filters[i].fd);
	d->filters[i] = d->filters[--d->n_filters];
}

void dvb_device_stop(struct dvb_device *d)
{
	while (d->n_filters > 0)
		drop_filter(d, d->n_filters - 1);
	d->whole = false;
	d->refused = 0;
}

static bool is_shortage(int r)
{
	return r == -ENOSPC || r == -EBUSY || r == -EMFILE;
}

int dvb_device_receive_all(struct dvb_device *d)
{
	int r = d->n_filters < DVB_PIDS_MAX ? add_filter(d, DVB_PID_ALL)
					    : -ENOSPC;

	/* a filter that gave its place to DVB_PID_ALL is added again on an
	 * error */
	if (d->n_filters > 0 && is_shortage(r)) {
		uint16_t last = d->filters[d->n_filters - 1].pid;

		drop_filter(d, d->n_filters - 1);
		r = add_filter(d, DVB_PID_ALL);
		if (r < 0)
			(void)!add_filter(d, last);
	}
	/* some drivers accept DVB_PID_ALL only without other filters */
	if (d->n_filters > 0 && r < 0 && !is_shortage(r) && r != -ENODEV) {
		uint16_t pids[DVB_PIDS_MAX];
		size_t n = d->n_filters;

		for (size_t i = 0; i < n; i++)
			pids[i] = d->filters[i].pid;
		while (d->n_filters > 0)
			drop_filter(d, d->n_filters - 1);
		r = add_filter(d, DVB_PID_ALL);
		for (size_t i = 0; r < 0 && i < n; i++)
			(void)!add_filter(d, pids[i]);
	}
	if (r < 0)
		return r;
	/* a packet that passes two filters arrives once, so the other filters
	 * can go */
	while (d->n_filters > 1)
		drop_filter(d, d->n_filters - 2);
	d->whole = true;
	d->refused = 0;
	return 0;
}

static bool has_pid(const uint16_t *pids, size_t n, uint16_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static bool has_filter(const struct dvb_device *d, uint16_t pid)
{
	for (size_t i = 0; i < d->n_filters; i++)
		if (d->filters[i].pid == pid)
			return true;
	return false;
}

void dvb_device_receive(struct dvb_device *d, const uint16_t *pids, size_t n)
{
	d->whole = false;
	d->refused = 0;
	for (size_t i = d->n_filters; i > 0; i--)
		if (!has_pid(pids, n, d->filters[i - 1].pid))
			drop_filter(d, i - 1);
	for (size_t i = 0; i < n; i++) {
		if (has_filter(d, pids[i]))
			continue;
		/* after the first refusal, the driver would refuse the other
		 * PIDs, too */
		if (d->refused > 0 || d->n_filters == DVB_PIDS_MAX ||
		    add_filter(d, pids[i]) < 0)
			d->refused++;
	}
}

/* --- signal --- */

enum { OLD_STRENGTH, OLD_SNR, OLD_BER, OLD_UNC };

static int64_t read_old(struct dvb_device *d, int which)
{
	uint16_t narrow = 0;
	uint32_t wide = 0;
	int r = -EOPNOTSUPP;

	if (d->lacks[which])
		return -1;
	if (which == OLD_STRENGTH)
		r = CONTROL(d, d->frontend, FE_READ_SIGNAL_STRENGTH, &narrow);
	else if (which == OLD_SNR)
		r = CONTROL(d, d->frontend, FE_READ_SNR, &narrow);
	else if (which == OLD_BER)
		r = CONTROL(d, d->frontend, FE_READ_BER, &wide);
	else
		r = CONTROL(d, d->frontend, FE_READ_UNCORRECTED_BLOCKS, &wide);
	if (r < 0) {
		/* EAGAIN: the frontend is not tuned yet */
		d->lacks[which] = r != -EAGAIN && r != -EIO;
		return -1;
	}
	return which <= OLD_SNR ? narrow : wide;
}

static int read_statistics(struct dvb_device *d, struct dvb_stats *ret)
{
	struct dtv_property p[] = {
		{ .cmd = DTV_STAT_SIGNAL_STRENGTH },
		{ .cmd = DTV_STAT_CNR },
		{ .cmd = DTV_STAT_POST_ERROR_BIT_COUNT },
		{ .cmd = DTV_STAT_ERROR_BLOCK_COUNT },
	};
	struct dtv_properties list = { .num = ARRAY_LEN(p), .props = p };
	int r = CONTROL(d, d->frontend, FE_GET_PROPERTY, &list);

	if (r == -ENODEV)
		return r;
	if (r >= 0) {
		ret->strength = p[0].u.st;
		ret->cnr = p[1].u.st;
		ret->bit_errors = p[2].u.st;
		ret->block_errors = p[3].u.st;
	}
	ret->old.strength = read_old(d, OLD_STRENGTH);
	ret->old.snr = read_old(d, OLD_SNR);
	ret->old.ber = ret->bit_errors.len == 0 ? read_old(d, OLD_BER) : -1;
	ret->old.unc = ret->block_errors.len == 0 ? read_old(d, OLD_UNC) : -1;
	return 0;
}

int dvb_device_measure(struct dvb_device *d, bool all, struct dvb_stats *ret)
{
	enum fe_status status = 0;
	/* drivers update the statistics in FE_READ_STATUS */
	int r = CONTROL(d, d->frontend, FE_READ_STATUS, &status);

	*ret = (struct dvb_stats){ .old = { -1, -1, -1, -1 } };
	if (r < 0)
		return r;
	ret->status = (unsigned)status;
	return all ? read_statistics(d, ret) : 0;
}
