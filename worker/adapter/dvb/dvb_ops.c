/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_ops.h"

#include "worker/adapter/dvb/hotplug.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static int open_device(void *ctx, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	(void)ctx;
	return fd < 0 ? -errno : fd;
}

static int close_device(void *ctx, int fd)
{
	(void)ctx;
	return close(fd) < 0 ? -errno : 0;
}

static int control(void *ctx, int fd, unsigned long request, uintptr_t arg)
{
	int r = ioctl(fd, request, arg);

	(void)ctx;
	return r < 0 ? -errno : r;
}

static ssize_t read_device(void *ctx, int fd, void *ret, size_t size)
{
	ssize_t n = read(fd, ret, size);

	(void)ctx;
	return n < 0 ? -errno : n;
}

static ssize_t write_device(void *ctx, int fd, const void *data, size_t size)
{
	ssize_t n = write(fd, data, size);

	(void)ctx;
	return n < 0 ? -errno : n;
}

static int poll_device(void *ctx, int fd, unsigned timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int r = poll(&p, 1, (int)timeout_ms);

	(void)ctx;
	return r < 0 ? -errno : r;
}

static ssize_t read_link(void *ctx, const char *path, char *ret, size_t size)
{
	ssize_t n = readlink(path, ret, size);

	(void)ctx;
	return n < 0 ? -errno : n;
}

static void sleep_ms(void *ctx, unsigned ms)
{
	struct timespec left = { .tv_sec = ms / 1000,
				 .tv_nsec = (long)(ms % 1000) * 1000000 };

	(void)ctx;
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		continue;
}

static int open_hotplug(void *ctx)
{
	(void)ctx;
	return hotplug_open();
}

static bool take_hotplug(void *ctx, int fd)
{
	(void)ctx;
	return hotplug_take(fd);
}

const struct dvb_ops dvb_system = {
	.open = open_device,
	.close = close_device,
	.ioctl = control,
	.read = read_device,
	.write = write_device,
	.poll = poll_device,
	.link = read_link,
	.sleep = sleep_ms,
	.hotplug_open = open_hotplug,
	.hotplug_take = take_hotplug,
};
