/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The modules (CAM) in the slots of a tuner or of a card: opens the device of
 * the slots after the first cam_source_want(), gives it the PMTs of the wanted
 * programs, and reports the state of each slot.
 *
 * Owns the device and its thread.  No call waits, except cam_source_free().
 */
#pragma once

#include "proto/ipc/msg_cam.h"
#include "proto/spec/tuner_spec.h"
#include "worker/ts/psi.h"

#include <stdbool.h>

struct cam_source;
struct dvb_ops;

struct cam_source *cam_source_new(const struct tuner_spec *,
				  const struct dvb_ops *, void *ctx);
/* All following functions accept NULL. */
void cam_source_free(struct cam_source **);

/* Sets another configuration of the tuner. */
void cam_source_set(struct cam_source *, const struct tuner_spec *);

/* Sets the PID of the T2-MI that contains the programs; 0: no T2-MI.  The
 * module descrambles the T2-MI as a whole, so it gets the program that lists
 * this PID instead of the wanted programs. */
void cam_source_carry(struct cam_source *, uint16_t pid);

/* Sets the wanted programs; number 0 stands for all.  The device is not opened
 * before the first call. */
void cam_source_want(struct cam_source *, const struct msg_adapter_cam *);

enum {
	CAM_GONE = -1,  /* the hardware was removed: the device of its slots is
			 * closed, so that hardware that is plugged in again may
			 * get the same number */
	CAM_KEEPS = -2, /* the tuner is closed at the moment; the device of its
			 * slots stays open */
};
/* Opens the device if needed, and sets its programs.  The owner calls it once a
 * second.  adapter: the number of the adapter, CAM_GONE or CAM_KEEPS. */
void cam_source_second(struct cam_source *, const struct psi *, int adapter);

void cam_source_act(struct cam_source *, const struct msg_adapter_menu *);

/* True: since the last call the slot or the error of the device has changed, or
 * cam_source_want() was called, and *ret is the report of the slot.  *ret
 * points into the object and is valid until the next call of
 * cam_source_take(). */
bool cam_source_take(struct cam_source *, unsigned slot,
		     struct msg_adapter_slot *ret);
