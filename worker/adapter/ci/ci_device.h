/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The slots of a card for modules (adapterN/caM), in a thread of its own: any
 * call may wait in the driver.
 *
 * The thread opens the device, asks what its slots have, exchanges messages
 * with the modules and resets them.  The owner says which programs are to be
 * descrambled, and reads what the slots have.  No function of the owner waits
 * for the thread.
 *
 * Owns the descriptor and the thread.
 */
#pragma once

#include "worker/adapter/ci/ci_module.h"
#include "worker/adapter/dvb/dvb_ops.h"

enum {
	CI_SLOTS_MAX = 2,
	CI_TEXT_MAX = MMI_ANSWER_MAX + 1,
};

struct ci_view_program {
	uint16_t number;
	enum ca_state state;
	uint8_t answer;    /* CA_REPLY_...; 0: none */
};

/* What a slot has. */
struct ci_view {
	uint32_t revision; /* another one after each change; 0: no slot */
	enum ci_state state;
	unsigned resets;
	struct errmsg error;
	bool named;        /* the three below are known */
	uint16_t manufacturer, code;
	char name[CI_NAME_MAX];
	bool plus, low_level;
	struct ca_ids ids;
	size_t n_programs;
	struct ci_view_program programs[CA_PROGRAMS_MAX];
	struct ci_mmi mmi; /* that the module waits for an answer of */
	struct errmsg refused; /* the last action, until the module changes;
				* "": it was done */
};

struct ci_device;

struct ci_place {
	int adapter; /* -1: no device is open */
	int device;
	struct ci_config module;
};

struct ci_device_config {
	const char *root;  /* "/dev/dvb" */
	struct ci_place place;
	const struct dvb_ops *ops;
	void *ctx;         /* of ops; outlives the thread */
};

/* Starts the thread.  NULL with *ret_err if no thread can be started. */
struct ci_device *ci_device_new(const struct ci_device_config *, int *ret_err);

/* Waits some seconds for the thread, and leaves it behind if a driver does not
 * return. */
void ci_device_free(struct ci_device **);

/* Changes the device or the configuration; the modules begin anew. */
void ci_device_move(struct ci_device *, const struct ci_place *);

/* Sets the programs to descramble, which are copied. */
void ci_device_want(struct ci_device *, const struct ca_programs *);

/* Requests an action of an operator; text may be NULL.  0; -EBUSY: the action
 * before is not done yet; -EINVAL: there is no such slot. */
int ci_device_act(struct ci_device *, unsigned slot, enum ci_action,
		  unsigned choice, const char *text) MUST_CHECK;

/* Writes why the device cannot be used; "": it can, or is being opened. */
void ci_device_error(struct ci_device *, struct errmsg *ret);

/* Copies the view of a slot; false: the device has no such slot, or is not
 * open. */
bool ci_device_get(struct ci_device *, unsigned slot, struct ci_view *ret);

/* The revision of a slot's view, without a copy of the view; 0: there is no
 * such slot. */
uint32_t ci_device_revision(struct ci_device *, unsigned slot);
