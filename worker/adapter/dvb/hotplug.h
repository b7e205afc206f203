/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The messages of the kernel, and of udev, about devices of the DVB API that
 * come and go.
 *
 * The message of the kernel comes first, and that of udev when the device has
 * its owner and its mode.  A system without udev has only the first.  A message
 * only makes the tuner look for its device; the content is not used otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Messages that hotplug_take() reads in a call. */
enum { HOTPLUG_BURST = 64 };

/* A descriptor, or -errno.  The caller closes it. */
int hotplug_open(void);

/* Drops the messages that wait.  Was one of them of a DVB device?  Also true
 * when messages were lost.  Never waits. */
bool hotplug_take(int fd);

/* Is this a message of a DVB device, as the kernel or udev sends it?  Pure. */
bool hotplug_is_dvb(const char *message, size_t len);
