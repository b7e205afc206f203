/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fakecam DEVICE LOG: the module in a slot of fakedvb.ko, by the script of
 * tests/unit/worker/adapter/ci/fake_cam.h.
 *
 * LOG has the programs that the host sent.  A line on standard input is the
 * fault from now on: its number in enum cam_fault.
 */
#include "tests/unit/worker/adapter/ci/fake_cam.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FRAGMENT = 512,
	LINK_HEAD = 2, /* connection, more follows */
	LINK_MORE = 0x80,
	T_CREATE = 0x82,
	CAID = 0x0b00,
};

static struct fake_cam cam = { .caids = { CAID }, .n_caids = 1 };

static void write_log(const char *path)
{
	FILE *f = fopen(path, "w");

	if (f == NULL)
		return;
	(void)fputs(cam.log, f);
	(void)fclose(f);
}

static void send_fragments(int fd, const uint8_t *data, size_t n)
{
	uint8_t fragment[FRAGMENT] = { 1 };

	for (size_t at = 0; at < n;) {
		size_t part = n - at < FRAGMENT - LINK_HEAD
				      ? n - at : FRAGMENT - LINK_HEAD;

		fragment[1] = at + part < n ? LINK_MORE : 0;
		memcpy(fragment + LINK_HEAD, data + at, part);
		if (write(fd, fragment, LINK_HEAD + part) < 0)
			return;
		at += part;
	}
}

static void take_message(int fd, const uint8_t *data, size_t n)
{
	uint8_t answer[CAM_MESSAGE];

	/* the kernel has reset the module */
	if (data[0] == T_CREATE)
		fake_cam_start(&cam);
	n = fake_cam_take(&cam, data, n, answer);
	if (n > 0)
		send_fragments(fd, answer, n);
}

static void take_fragment(int fd, const char *log)
{
	static uint8_t message[4096];
	static size_t n;
	uint8_t fragment[4096];
	ssize_t len = read(fd, fragment, sizeof fragment);

	if (len <= LINK_HEAD)
		return;
	len -= LINK_HEAD;
	if (n + (size_t)len > sizeof message)
		n = 0;
	memcpy(message + n, fragment + LINK_HEAD, (size_t)len);
	n += (size_t)len;
	if (fragment[1] & LINK_MORE)
		return;
	take_message(fd, message, n);
	write_log(log);
	n = 0;
}

static void take_fault(void)
{
	char line[32];

	if (fgets(line, sizeof line, stdin) == NULL)
		exit(0);
	cam.fault = (enum cam_fault)atoi(line);
	cam.broken = false;
	cam.at = cam.messages;
	cam.len = 0;
	cam.log[0] = '\0';
}

int main(int argc, char **argv)
{
	struct pollfd p[2] = { { .fd = 0, .events = POLLIN },
			       { .events = POLLIN } };

	if (argc != 3)
		return 2;
	p[1].fd = open(argv[1], O_RDWR);
	if (p[1].fd < 0) {
		perror(argv[1]);
		return 1;
	}
	(void)setvbuf(stdin, NULL, _IONBF, 0);
	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return 1;
		if (p[1].revents != 0)
			take_fragment(p[1].fd, argv[2]);
		if (p[0].revents != 0)
			take_fault();
	}
}
