/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The modules (CAM) of a tuner: opens their device when programs are wanted or
 * the adapter has slots, gives it the PMTs of these programs, and reports what
 * the slots have.
 *
 * Owns the device and its thread.  No call waits.
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
/* The functions accept NULL. */
void cam_source_free(struct cam_source **);

/* Sets another configuration of the tuner. */
void cam_source_set(struct cam_source *, const struct tuner_spec *);

/* Sets the PID of the T2-MI that contains the programs; 0: there is no T2-MI.
 * The T2-MI passes through the module, so the program that lists this PID is
 * descrambled instead of the wanted ones. */
void cam_source_carry(struct cam_source *, uint16_t pid);

/* Sets the wanted programs.  The device is not opened before the first call. */
void cam_source_want(struct cam_source *, const struct msg_adapter_cam *);

enum {
	CAM_GONE = -1,  /* the hardware is gone: the device of its slots is
			 * closed, so that hardware that returns may get the
			 * same number */
	CAM_KEEPS = -2, /* the tuner is not open at the moment */
};
/* To be called once a second.  adapter: its number, or CAM_GONE or
 * CAM_KEEPS. */
void cam_source_second(struct cam_source *, const struct psi *, int adapter);

void cam_source_act(struct cam_source *, const struct msg_adapter_menu *);

/* True when the slot has changed since the last call; *ret borrows from the
 * object, until its next call. */
bool cam_source_take(struct cam_source *, unsigned slot,
		     struct msg_adapter_slot *ret);
