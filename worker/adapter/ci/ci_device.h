/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The slots of a card for CAMs (adapterN/caM), in a thread of its own, because
 * any call may block in the driver.
 *
 * The thread opens the device, reads the states of its slots, exchanges
 * messages with the modules and resets them.  The owner sets the programs to
 * descramble, and reads the state of each slot.  Of the functions that it
 * calls, only ci_device_free() waits for the thread.
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

/* The state of a slot and of its module. */
struct ci_view {
	uint32_t revision; /* changes with each change of the view; 0: no
			    * slot */
	enum ci_state state;
	unsigned resets;
	struct errmsg error;
	bool named;        /* manufacturer, code and name are known */
	uint16_t manufacturer, code;
	char name[CI_NAME_MAX];
	bool plus, low_level;
	struct ca_ids ids;
	size_t n_programs;
	struct ci_view_program programs[CA_PROGRAMS_MAX];
	struct ci_mmi mmi; /* the menu or question that the module shows;
			    * MMI_NONE: none */
	/* why the last action was refused, until the state of the module or its
	 * dialogue changes; "": it was done */
	struct errmsg refused;
};

struct ci_device;

struct ci_place {
	int adapter; /* -1: no device is to be opened */
	int device;
	struct ci_config module;
};

struct ci_device_config {
	const char *root;  /* "/dev/dvb" */
	struct ci_place place;
	const struct dvb_ops *ops;
	void *ctx;         /* argument of ops; must outlive the thread */
};

/* Starts the thread.  NULL with *ret_err if no thread can be started. */
struct ci_device *ci_device_new(const struct ci_device_config *, int *ret_err);

/* Waits some seconds for the thread to end.  A thread that hangs in a driver is
 * left behind. */
void ci_device_free(struct ci_device **);

/* Changes the device or the configuration; the modules are initialised
 * again. */
void ci_device_move(struct ci_device *, const struct ci_place *);

/* Sets the programs to descramble, which are copied. */
void ci_device_want(struct ci_device *, const struct ca_programs *);

/* Requests an action of an operator; text may be NULL.  0; -EBUSY: the thread
 * has not done the previous action yet; -EINVAL: the device has no such slot,
 * or is not open. */
int ci_device_act(struct ci_device *, unsigned slot, enum ci_action,
		  unsigned choice, const char *text) MUST_CHECK;

/* Writes why the device cannot be used; "": no error, or it is being opened. */
void ci_device_error(struct ci_device *, struct errmsg *ret);

/* Copies the view of a slot; false: the device has no such slot, or is not
 * open. */
bool ci_device_get(struct ci_device *, unsigned slot, struct ci_view *ret);

/* The revision of a slot's view, without a copy of the view; 0: the device has
 * no such slot, or is not open. */
uint32_t ci_device_revision(struct ci_device *, unsigned slot);
