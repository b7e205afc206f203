/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/adapter/ci/fake_card.h"

#include "common/base/util.h"

#include <errno.h>
#include <linux/dvb/ca.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum { FD = 7 };

struct fake_card card = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
	.slot_type = CA_CI_LINK,
	.present = true,
	.cam = { .caids = { 0x0b00 }, .n_caids = 1 },
};

void fake_card_lock(void)
{
	(void)pthread_mutex_lock(&card.lock);
}

void fake_card_unlock(void)
{
	(void)pthread_cond_broadcast(&card.wake);
	(void)pthread_mutex_unlock(&card.lock);
}

static int card_open(void *ctx, const char *path, int flags)
{
	int r;

	(void)ctx, (void)flags;
	fake_card_lock();
	card.opens++;
	(void)snprintf(card.path, sizeof card.path, "%s", path);
	r = card.open_error != 0 ? card.open_error : FD;
	fake_card_unlock();
	return r;
}

static int card_close(void *ctx, int fd)
{
	(void)ctx, (void)fd;
	fake_card_lock();
	card.closes++;
	fake_card_unlock();
	return 0;
}

static int card_ioctl(void *ctx, int fd, unsigned long request, uintptr_t arg)
{
	int r = 0;

	(void)ctx, (void)fd;
	fake_card_lock();
	while (card.hangs)
		(void)pthread_cond_wait(&card.wake, &card.lock);
	if (card.gone)
		r = -ENODEV;
	else if (request == CA_GET_CAP)
		*(struct ca_caps *)arg = (struct ca_caps){
			.slot_num = card.second ? 2 : 1,
			.slot_type = card.slot_type };
	else if (request == CA_GET_SLOT_INFO)
		((struct ca_slot_info *)arg)->flags =
			card.present ? CA_CI_MODULE_PRESENT |
					       CA_CI_MODULE_READY
				     : 0;
	else if (request == CA_RESET)
		card.resets++;
	if (request == CA_RESET)
		fake_cam_start(&card.cam);
	fake_card_unlock();
	return r;
}

static ssize_t card_read(void *ctx, int fd, void *ret, size_t size)
{
	ssize_t n = -EAGAIN;

	(void)ctx, (void)fd;
	fake_card_lock();
	if (card.gone)
		n = -ENODEV;
	else if (card.read_error != 0)
		n = card.read_error;
	else if (card.n_answer > 0) {
		uint8_t *to = ret;

		to[0] = 0;
		to[1] = 1;
		n = (ssize_t)MIN(card.n_answer, size - 2);
		memcpy(to + 2, card.answer, (size_t)n);
		n += 2;
		card.n_answer = 0;
	}
	fake_card_unlock();
	return n;
}

static ssize_t card_write(void *ctx, int fd, const void *data, size_t size)
{
	ssize_t n = (ssize_t)size;

	(void)ctx, (void)fd;
	fake_card_lock();
	if (!card.present)
		n = -EINVAL;
	else if (card.write_error != 0)
		n = card.write_error;
	else if (*(const uint8_t *)data == 0)
		card.n_answer = fake_cam_take(&card.cam,
					      (const uint8_t *)data + 2,
					      size - 2, card.answer);
	fake_card_unlock();
	return n;
}

static int card_poll(void *ctx, int fd, unsigned timeout_ms)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	int r;

	(void)ctx, (void)fd, (void)timeout_ms;
	fake_card_lock();
	r = card.n_answer > 0 || card.read_error != 0;
	fake_card_unlock();
	/* a shorter time than that of the device, for the sake of the test */
	if (r == 0)
		(void)nanosleep(&pause, NULL);
	return r;
}

static void card_sleep(void *ctx, unsigned ms)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	(void)ctx, (void)ms;
	fake_card_lock();
	card.sleeps++;
	fake_card_unlock();
	(void)nanosleep(&pause, NULL);
}

const struct dvb_ops fake_card_ops = {
	.open = card_open, .close = card_close, .ioctl = card_ioctl,
	.read = card_read, .write = card_write, .poll = card_poll,
	.sleep = card_sleep,
};

bool fake_card_has_log(const char *text)
{
	bool has;

	fake_card_lock();
	has = strcmp(card.cam.log, text) == 0;
	fake_card_unlock();
	return has;
}
