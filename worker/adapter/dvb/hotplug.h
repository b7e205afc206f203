/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives the messages of the kernel and of udev about DVB devices that were
 * plugged in or removed.
 *
 * For each device the kernel sends its message first.  udev sends another when
 * the device has its owner and mode; a system without udev has only the first.
 * A message only makes the tuner look for its device; nothing else is read from
 * it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* largest number of messages that one hotplug_take() reads */
enum { HOTPLUG_BURST = 64 };

/* Returns a socket, which the caller closes, or -errno. */
int hotplug_open(void);

/* Drops up to HOTPLUG_BURST messages that wait.  True: one of them was about a
 * DVB device, or messages were lost.  Never waits. */
bool hotplug_take(int fd);

/* Is this a message of a DVB device, as the kernel or udev sends it?  Pure. */
bool hotplug_is_dvb(const char *message, size_t len);
