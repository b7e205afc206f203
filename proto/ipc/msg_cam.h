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
	MSG_CAM_TEXT = 250, /* bytes of the answer to a question of the CAM */
};

struct msg_adapter_cam {
	size_t n;
	/* numbers of the programs to descramble; 0: all programs of the
	 * multiplex */
	uint16_t programs[MSG_CAM_PROGRAMS];
};

enum msg_cam_action {
	CAM_MENU,   /* opens the menu of the CAM */
	CAM_CHOICE, /* selects an item of the menu, from 1; 0: goes back */
	CAM_TEXT,   /* answers a question */
	CAM_CANCEL, /* goes back from a question without an answer */
	CAM_CLOSE,  /* ends the dialogue */
};
/* The words for enum msg_cam_action; NULL ends them. */
extern const char *const msg_cam_actions[];

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

/* What a module shows to the operator at the moment. */
struct msg_cam_menu {
	const char *kind;        /* "menu", "list", "question"; "": nothing */
	const char *title, *subtitle, *bottom;
	bool blind;              /* the answer is secret, as a PIN */
	uint32_t length;         /* characters of the answer; 0: any number */
	uint32_t more;           /* number of items that `items' lacks */
	size_t n;
	const char *items[MSG_CAM_ITEMS];
};

struct msg_adapter_slot {
	uint32_t slot;           /* number of the slot, from 0 */
	const char *state;       /* "absent": there is no such slot */
	const char *error;       /* error of the slot or its module; "": none */
	const char *name;        /* name of the module; "": not known */
	uint32_t manufacturer, code;
	uint32_t resets;
	bool ciplus;             /* the module asked for CI Plus */
	size_t n_caids;
	uint16_t caids[MSG_CAM_IDS];
	size_t n_programs;
	struct msg_cam_program programs[MSG_CAM_PROGRAMS];
	struct msg_cam_menu menu;
};
