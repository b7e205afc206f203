/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A module of the common interface, with the faults of modules. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CAM_QUEUE = 24,
	CAM_OBJECT = 512,
	CAM_MESSAGE = 1024,
	CAM_LOG = 8192,
};

enum cam_fault {
	CAM_GOOD,
	CAM_CUT,         /* message `at' ends after `value' bytes */
	CAM_BYTE,        /* its byte `value' is 0xff */
	CAM_SESSION,     /* objects have session number `value' from there on */
	CAM_CONNECTION,  /* the connection has number `value' */
	CAM_SILENT,      /* no answer from message `at' on */
	CAM_MUTE,        /* no answer to message `at' alone */
	CAM_ENDLESS,     /* an object without an end */
	CAM_ENDLESS_TEXT, /* a menu whose texts do not end */
	CAM_OPENS,       /* opens sessions again and again */
	CAM_DELETES,     /* closes the connection */
	CAM_CLOSES,      /* closes its CA support, and opens it again */
	CAM_NO_CAIDS,    /* never names them */
	CAM_JUNK,        /* `value' bytes that are no message */
	CAM_TWICE,       /* message `at' comes twice */
	CAM_ASKS,        /* for the profile, many times in an object */
};

/* The members up to the empty line are set by the test. */
struct fake_cam {
	enum cam_fault fault;
	unsigned at, value;
	uint16_t caids[8];
	size_t n_caids;
	uint32_t asks[4];   /* other resources that it wants to open */
	size_t n_asks;
	unsigned time_s;    /* asks for the date; 0: never */
	unsigned mode;      /* of display_control; 0: 1, the high level */

	unsigned messages;  /* that it sent since its start */
	bool broken;        /* the fault has happened */
	bool open;          /* the connection */
	bool again;         /* of CAM_CLOSES */
	uint8_t queue[CAM_QUEUE][CAM_OBJECT];
	size_t sizes[CAM_QUEUE];
	size_t n_queue;
	unsigned sessions[6]; /* numbers, as enum ci_resource */
	unsigned dates, infos, enquiries;
	uint8_t date[8];
	unsigned choice;      /* the last answer of a menu */
	char text[64];        /* the last answer of an enquiry */
	bool confirmed;       /* the high level */
	/* "first 1 descramble 0b00; update 2 off; " */
	char log[CAM_LOG];
	size_t len;
};

/* Power on, or a reset: faults that have happened do not come again. */
void fake_cam_start(struct fake_cam *);

/* Takes a message of the host, writes the answer into to (CAM_MESSAGE bytes)
 * and returns its size; 0: none. */
size_t fake_cam_take(struct fake_cam *, const uint8_t *data, size_t n,
		     uint8_t *to);

/* The module shows a menu of three items, or asks for a PIN. */
void fake_cam_show_menu(struct fake_cam *);
void fake_cam_ask(struct fake_cam *);

/* The module has no entitlement for the program. */
void fake_cam_refuse(struct fake_cam *, uint16_t program);

/* The module sends an object of its CA support that is one byte long, which is
 * an error in each. */
void fake_cam_err(struct fake_cam *, uint32_t tag);
