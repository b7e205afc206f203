/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system calls on devices of the DVB API; tests replace them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Each int or ssize_t is 0 or more, or -errno. */
struct dvb_ops {
	int (*open)(void *ctx, const char *path, int flags);
	int (*close)(void *ctx, int fd);
	/* arg: the value, or the address of a struct. */
	int (*ioctl)(void *ctx, int fd, unsigned long request, uintptr_t arg);
	ssize_t (*read)(void *ctx, int fd, void *ret, size_t size);
	ssize_t (*write)(void *ctx, int fd, const void *data, size_t size);
	/* Waits until the descriptor has something to read, or for timeout_ms.
	 * 0: there is nothing to read. */
	int (*poll)(void *ctx, int fd, unsigned timeout_ms);
	/* As readlink(): the length of the target, without NUL. */
	ssize_t (*link)(void *ctx, const char *path, char *ret, size_t size);
	void (*sleep)(void *ctx, unsigned ms);
	/* As hotplug_open() and hotplug_take(). */
	int (*hotplug_open)(void *ctx);
	bool (*hotplug_take)(void *ctx, int fd);
};

extern const struct dvb_ops dvb_system; /* ctx: NULL */
