/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A card with a slot and the module in it, for dvb_ops. */
#pragma once

#include "tests/unit/worker/adapter/ci/fake_cam.h"
#include "worker/adapter/dvb/dvb_ops.h"

#include <pthread.h>
#include <stdbool.h>

/* The lock guards all of it. */
struct fake_card {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int open_error;
	unsigned slot_type;
	bool present, hangs, gone;
	bool second; /* a slot whose module does not answer */
	int write_error, read_error;
	unsigned opens, closes, resets, sleeps;
	char path[128];
	struct fake_cam cam;
	size_t n_answer;
	uint8_t answer[CAM_MESSAGE];
};

extern struct fake_card card;
extern const struct dvb_ops fake_card_ops;

void fake_card_lock(void);
void fake_card_unlock(void);

/* Is this the log of the module? */
bool fake_card_has_log(const char *text);
