/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/adapter/dvb/fake_dvb.h"

#include "common/base/units.h"
#include "common/base/util.h"

#include <errno.h>
#include <linux/dvb/dmx.h>
#include <linux/dvb/frontend.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum { BASE = 1000, DRIVER_LACKS_IT = 524 };

static void note(struct fake_dvb *f, const char *format, ...)
	PRINTF_LIKE(2, 3);
static void note(struct fake_dvb *f, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(f->log + f->len, FAKE_LOG - f->len, format, args);
	va_end(args);
	f->len = MIN(f->len + (size_t)n, (size_t)FAKE_LOG - 1);
}

static int take_fd(struct fake_dvb *f, enum fake_kind kind)
{
	for (int i = 0; i < FAKE_FDS; i++)
		if (f->fds[i] == FAKE_CLOSED) {
			f->fds[i] = kind;
			f->pids[i] = -1;
			return BASE + i;
		}
	return -EMFILE;
}

static int open_locked(struct fake_dvb *f, const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	if (strncmp(name, "demux", 5) == 0)
		return take_fd(f, FAKE_DEMUX);
	note(f, "open %s; ", name);
	if (strncmp(name, "dvr", 3) == 0)
		return strcmp(name, "dvr0") != 0 && !f->has_dvr1
			       ? -ENOENT : take_fd(f, FAKE_DVR);
	return f->open_error != 0 ? f->open_error : take_fd(f, FAKE_FRONTEND);
}

static int open_fake(void *ctx, const char *path, int flags)
{
	struct fake_dvb *f = ctx;
	int r;

	(void)flags;
	(void)pthread_mutex_lock(&f->lock);
	(void)snprintf(f->path, sizeof f->path, "%s", path);
	r = open_locked(f, path);
	(void)pthread_mutex_unlock(&f->lock);
	return r;
}

static void end_filter(struct fake_dvb *f, int i)
{
	bool whole = false;

	if (f->pids[i] < 0)
		return;
	f->pids[i] = -1;
	f->filters--;
	for (int k = 0; k < FAKE_FDS; k++)
		whole = whole || (f->fds[k] == FAKE_DEMUX &&
				  f->pids[k] == 0x2000);
	f->gaps += !whole;
}

static int close_fake(void *ctx, int fd)
{
	struct fake_dvb *f = ctx;

	(void)pthread_mutex_lock(&f->lock);
	if (f->fds[fd - BASE] == FAKE_FRONTEND)
		note(f, "close; ");
	if (f->fds[fd - BASE] == FAKE_DEMUX)
		end_filter(f, fd - BASE);
	f->fds[fd - BASE] = FAKE_CLOSED;
	(void)pthread_mutex_unlock(&f->lock);
	return 0;
}

static void put(struct dtv_fe_stats *s, unsigned scale, int64_t value)
{
	s->len = 1;
	s->stat[0].scale = (uint8_t)scale;
	s->stat[0].svalue = value;
}

static int get_property(struct fake_dvb *f, struct dtv_property *p)
{
	switch (p->cmd) {
	case DTV_ENUM_DELSYS:
		p->u.buffer.len = 0;
		for (uint8_t i = 1; i <= SYS_DVBC_ANNEX_C; i++)
			if (f->systems == 0 || f->systems & 1u << i)
				p->u.buffer.data[p->u.buffer.len++] = i;
		break;
	case DTV_STAT_SIGNAL_STRENGTH:
		if (!f->no_stats)
			put(&p->u.st, FE_SCALE_DECIBEL, -45000);
		break;
	case DTV_STAT_CNR:
		if (!f->no_stats)
			put(&p->u.st, FE_SCALE_DECIBEL, 13500);
		break;
	case DTV_STAT_POST_ERROR_BIT_COUNT:
		if (!f->no_stats)
			put(&p->u.st, FE_SCALE_COUNTER, 11);
		break;
	case DTV_STAT_ERROR_BLOCK_COUNT:
		if (!f->no_stats)
			put(&p->u.st, FE_SCALE_COUNTER, 22);
		break;
	default:
		break;
	}
	return 0;
}

static void hang(struct fake_dvb *f, const bool *while_set)
{
	while (*while_set) {
		f->hung = true;
		(void)pthread_cond_broadcast(&f->wake);
		(void)pthread_cond_wait(&f->wake, &f->lock);
	}
	f->hung = false;
}

static int set_property(struct fake_dvb *f, const struct dtv_properties *list)
{
	for (uint32_t i = 0; i < list->num; i++) {
		const struct dtv_property *p = &list->props[i];

		if (p->cmd == DTV_TUNE && f->set_error != 0)
			return f->set_error;
		if ((p->cmd == DTV_TONE && f->no_tone) ||
		    (p->cmd == DTV_VOLTAGE && f->no_voltage))
			return -DRIVER_LACKS_IT;
		if (p->cmd == DTV_CLEAR)
			note(f, "clear; ");
		else if (p->cmd == DTV_VOLTAGE)
			note(f, "property voltage; ");
		else if (p->cmd == DTV_TONE)
			note(f, "property tone; ");
		else if (p->cmd == DTV_FREQUENCY)
			note(f, "frequency %u; ", p->u.data);
		else if (p->cmd == DTV_TUNE) {
			note(f, "tune; ");
			hang(f, &f->tune_hangs);
		}
	}
	return 0;
}

static int set_filter(struct fake_dvb *f, int fd,
		      const struct dmx_pes_filter_params *filter)
{
	if (filter->pid == 0x2000 && f->no_whole)
		return -EINVAL;
	if (filter->pid == 0x2000 && f->whole_alone && f->filters > 0)
		return -EOPNOTSUPP;
	if ((filter->pid == 0x2000 && f->full_whole) ||
	    (f->max_pids != 0 && f->filters >= f->max_pids))
		return -ENOSPC;
	note(f, "pid %u; ", filter->pid);
	f->filters++;
	f->pids[fd - BASE] = filter->pid;
	return 0;
}

static int read_status(struct fake_dvb *f, enum fe_status *ret)
{
	int r;

	hang(f, &f->hangs);
	*ret = (enum fe_status)f->status;
	r = f->ioctl_error;
	if (f->n_errors > 0 && --f->n_errors == 0)
		f->ioctl_error = 0;
	return r;
}

static int old_call(struct fake_dvb *f, unsigned long request, void *to)
{
	if (f->no_old) {
		note(f, "old; ");
		return -DRIVER_LACKS_IT;
	}
	if (request == FE_READ_SIGNAL_STRENGTH || request == FE_READ_SNR)
		*(uint16_t *)to = 0x8000;
	else
		*(uint32_t *)to = 33;
	return 0;
}

static void note_command(struct fake_dvb *f,
			 const struct dvb_diseqc_master_cmd *c)
{
	note(f, "diseqc ");
	for (unsigned i = 0; i < c->msg_len; i++)
		note(f, "%02x", c->msg[i]);
	note(f, "; ");
}

static int read_mac(struct fake_dvb *f, struct ifreq *request)
{
	static const uint8_t none[6];
	unsigned adapter;

	if (sscanf(request->ifr_name, "dvb%u_0", &adapter) != 1 ||
	    adapter >= ARRAY_LEN(f->macs) ||
	    memcmp(f->macs[adapter], none, sizeof none) == 0)
		return -ENODEV;
	memcpy(request->ifr_hwaddr.sa_data, f->macs[adapter], sizeof none);
	return 0;
}

static int control_locked(struct fake_dvb *f, int fd, unsigned long request,
			  uintptr_t arg)
{
	void *to = (void *)arg;

	switch (request) {
	case SIOCGIFHWADDR:
		return read_mac(f, to);
	case FE_GET_INFO:
		strcpy(((struct dvb_frontend_info *)to)->name, "fake");
		return 0;
	case FE_GET_PROPERTY: {
		struct dtv_properties *list = to;

		for (uint32_t i = 0; i < list->num; i++)
			(void)get_property(f, &list->props[i]);
		return 0;
	}
	case FE_SET_PROPERTY:
		return set_property(f, to);
	case FE_SET_TONE:
		if (f->no_tone)
			return -DRIVER_LACKS_IT;
		note(f, "tone %d; ", arg == SEC_TONE_ON);
		return 0;
	case FE_SET_VOLTAGE:
		if (f->no_voltage)
			return -DRIVER_LACKS_IT;
		note(f, "voltage %d; ", arg == SEC_VOLTAGE_13   ? 13
					: arg == SEC_VOLTAGE_18 ? 18
								: 0);
		return 0;
	case FE_DISEQC_SEND_MASTER_CMD:
		note_command(f, to);
		f->now_ns += f->send_ms * MS;
		return 0;
	case FE_DISEQC_SEND_BURST:
		note(f, "burst %c; ", arg == SEC_MINI_A ? 'A' : 'B');
		return 0;
	case FE_READ_STATUS:
		return read_status(f, to);
	case FE_GET_EVENT:
		return -EAGAIN;
	case DMX_SET_PES_FILTER:
		return set_filter(f, fd, to);
	case DMX_SET_BUFFER_SIZE:
		return 0;
	default:
		return old_call(f, request, to);
	}
}

static int control_fake(void *ctx, int fd, unsigned long request,
			uintptr_t arg)
{
	struct fake_dvb *f = ctx;
	int r;

	(void)pthread_mutex_lock(&f->lock);
	r = control_locked(f, fd, request, arg);
	(void)pthread_mutex_unlock(&f->lock);
	return r;
}

static ssize_t read_fake(void *ctx, int fd, void *ret, size_t size)
{
	struct fake_dvb *f = ctx;
	ssize_t n = -EAGAIN;

	(void)fd;
	(void)pthread_mutex_lock(&f->lock);
	if (f->overflow) {
		f->overflow = false;
		n = -EOVERFLOW;
	} else if (f->filters > 0 && f->n_bytes > 0) {
		n = (ssize_t)MIN(size, f->n_bytes);
		memcpy(ret, f->packets, (size_t)n);
		f->packets += n;
		f->n_bytes -= (size_t)n;
	}
	(void)pthread_mutex_unlock(&f->lock);
	return n;
}

static ssize_t link_fake(void *ctx, const char *path, char *ret, size_t size)
{
	struct fake_dvb *f = ctx;
	unsigned adapter;

	if (sscanf(path, "/sys/class/dvb/dvb%u.frontend0", &adapter) != 1 ||
	    adapter >= ARRAY_LEN(f->links) || f->links[adapter] == NULL)
		return -ENOENT;
	memcpy(ret, f->links[adapter], MIN(size, strlen(f->links[adapter])));
	return (ssize_t)strlen(f->links[adapter]);
}

static void sleep_fake(void *ctx, unsigned ms)
{
	struct fake_dvb *f = ctx;

	(void)pthread_mutex_lock(&f->lock);
	note(f, "wait %u; ", ms);
	(void)pthread_mutex_unlock(&f->lock);
}

static int open_hotplug(void *ctx)
{
	struct fake_dvb *f = ctx;
	int r;

	(void)pthread_mutex_lock(&f->lock);
	r = f->no_hotplug ? -EPERM : take_fd(f, FAKE_HOTPLUG);
	(void)pthread_mutex_unlock(&f->lock);
	return r;
}

static bool take_hotplug(void *ctx, int fd)
{
	struct fake_dvb *f = ctx;
	bool plugged;

	(void)fd;
	(void)pthread_mutex_lock(&f->lock);
	plugged = f->plugged;
	f->plugged = false;
	f->looks++;
	(void)pthread_mutex_unlock(&f->lock);
	return plugged;
}

const struct dvb_ops fake_dvb_ops = {
	.open = open_fake,
	.close = close_fake,
	.ioctl = control_fake,
	.read = read_fake,
	.link = link_fake,
	.sleep = sleep_fake,
	.hotplug_open = open_hotplug,
	.hotplug_take = take_hotplug,
};

void fake_dvb_init(struct fake_dvb *f)
{
	*f = (struct fake_dvb){ .status = 0x1f };
	(void)pthread_mutex_init(&f->lock, NULL);
	(void)pthread_cond_init(&f->wake, NULL);
}

const char *fake_dvb_log(struct fake_dvb *f)
{
	static char copy[FAKE_LOG];

	(void)pthread_mutex_lock(&f->lock);
	memcpy(copy, f->log, sizeof copy);
	(void)pthread_mutex_unlock(&f->lock);
	return copy;
}

unsigned fake_dvb_open_fds(struct fake_dvb *f)
{
	unsigned n = 0;

	(void)pthread_mutex_lock(&f->lock);
	for (int i = 0; i < FAKE_FDS; i++)
		n += f->fds[i] != FAKE_CLOSED && f->fds[i] != FAKE_HOTPLUG;
	(void)pthread_mutex_unlock(&f->lock);
	return n;
}

bool fake_dvb_has_hotplug(struct fake_dvb *f)
{
	bool has = false;

	(void)pthread_mutex_lock(&f->lock);
	for (int i = 0; i < FAKE_FDS; i++)
		has = has || f->fds[i] == FAKE_HOTPLUG;
	(void)pthread_mutex_unlock(&f->lock);
	return has;
}

bool fake_dvb_hangs(struct fake_dvb *f)
{
	bool hung;

	(void)pthread_mutex_lock(&f->lock);
	hung = f->hung;
	(void)pthread_mutex_unlock(&f->lock);
	return hung;
}
