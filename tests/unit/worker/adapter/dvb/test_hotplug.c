/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/hotplug.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL "add@/devices/x/dvb/dvb0.frontend0\0ACTION=add\0" \
	       "DEVPATH=/devices/x/dvb/dvb0.frontend0\0SUBSYSTEM="
#define UDEV "libudev\0\xfe\xed\xca\xfe\x28\0\0\0\x28\0\0\0\x40\0\0\0" \
	     "\xaa\xbb\xcc\xdd\0\0\0\0\0\0\0\0\0\0\0\0ACTION=add\0SUBSYSTEM="

Test(hotplug, knows_the_messages_of_dvb_devices)
{
	static const struct {
		const char *message;
		size_t len;
		bool dvb;
	} cases[] = {
#define CASE(text, dvb) { text, sizeof text - 1, dvb }
		CASE(KERNEL "dvb\0SEQNUM=1\0", true),
		CASE(UDEV "dvb\0USEC=1\0", true),
		CASE(KERNEL "usb\0SEQNUM=1\0", false),
		CASE(KERNEL "dvbx\0SEQNUM=1\0", false),
		CASE("add@/SUBSYSTEM=dvb/x\0ACTION=add\0", false),
		/* the last field has no end */
		CASE(KERNEL "dvb", false),
		CASE("", false),
		CASE("\0\0\0", false),
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		cr_expect_eq(hotplug_is_dvb(cases[i].message, cases[i].len),
			     cases[i].dvb, "case %zu", i);
}

/* errno of a message to a group; 0: it was sent. */
static int send_to(int fd, unsigned group)
{
	static const char message[] = KERNEL "dvb\0SEQNUM=1";
	struct sockaddr_nl to = { .nl_family = AF_NETLINK,
				  .nl_groups = group };

	return sendto(fd, message, sizeof message, 0, (struct sockaddr *)&to,
		      sizeof to) < 0 ? errno : 0;
}

Test(hotplug, believes_the_kernel_and_root_alone)
{
	int fd = hotplug_open();
	int other = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC,
			   NETLINK_KOBJECT_UEVENT);
	int err;

	cr_assert_geq(fd, 0, "%s", strerror(-fd));
	cr_assert_geq(other, 0);
	(void)hotplug_take(fd);
	err = send_to(other, 1);
	if (err != 0) {
		(void)close(fd);
		(void)close(other);
		cr_skip_test("messages cannot be sent: %s", strerror(err));
	}
	cr_expect_not(hotplug_take(fd), "a process is not the kernel");
	cr_assert_eq(send_to(other, 2), 0);
	cr_expect(hotplug_take(fd), "udev is root");
	cr_expect_not(hotplug_take(fd));
	(void)close(fd);
	(void)close(other);
}
