/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages about the modules (CAM) in the slots of an adapter. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MSG_CAM_SLOTS = 2,
	MSG_CAM_PROGRAMS = 64,
	MSG_CAM_IDS = 64,
	MSG_CAM_ITEMS = 48,
	MSG_CAM_TEXT = 250, /* bytes of an answer */
};

struct msg_adapter_cam {
	size_t n;
	uint16_t programs[MSG_CAM_PROGRAMS]; /* 0: all of the multiplex */
};

enum msg_cam_action {
	CAM_MENU,   /* opens the menu */
	CAM_CHOICE, /* an item of the menu, from 1; 0: back */
	CAM_TEXT,   /* an answer */
	CAM_CANCEL,
	CAM_CLOSE,
};
extern const char *const msg_cam_actions[]; /* ends with NULL */

struct msg_adapter_menu {
	uint32_t slot;
	enum msg_cam_action action;
	uint32_t choice;
	const char *text;
};

struct msg_cam_program {
	uint16_t pnr;
	const char *state;
};

/* The dialogue that a module has open. */
struct msg_cam_menu {
	const char *kind;        /* menu, list, question; "": none */
	const char *title, *subtitle, *bottom;
	bool blind;              /* the answer is secret */
	uint32_t length;         /* of the answer; 0: any */
	uint32_t more;           /* items beyond those of the list */
	size_t n;
	const char *items[MSG_CAM_ITEMS];
};

struct msg_adapter_slot {
	uint32_t slot;           /* from 0 */
	const char *state;       /* "absent": there is no such slot */
	const char *error;       /* what does not work; "": no error */
	const char *name;        /* of the module; "": not known */
	uint32_t manufacturer, code;
	uint32_t resets;
	bool ciplus;             /* the module asked for CI Plus */
	size_t n_caids;
	uint16_t caids[MSG_CAM_IDS];
	size_t n_programs;
	struct msg_cam_program programs[MSG_CAM_PROGRAMS];
	struct msg_cam_menu menu;
};
