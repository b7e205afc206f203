/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the network interface of an adapter, as dvbnet(1) does.
 *
 *	dvbif /dev/dvb/adapterN/net0
 */
#include <fcntl.h>
#include <linux/dvb/net.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	struct dvb_net_if interface = { .pid = 0 };
	int fd = argc == 2 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;

	if (fd >= 0 && ioctl(fd, NET_ADD_IF, &interface) == 0)
		return 0;
	perror("dvbif");
	return 1;
}
