/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages about the modules (CAM) in the slots of an adapter. */
#include "proto/ipc/msg.h"
#include "proto/ipc/msg_tables.h"

static const struct field program_item = { .type = FIELD_UINT,
					   .size = sizeof(uint16_t) };
static const struct field cam_rows[] = {
	{ "programs", FIELD_ITEMS(struct msg_adapter_cam, programs, n),
	  .item = &program_item },
};
const struct field_table adapter_cam_fields =
	MSG_TABLE(struct msg_adapter_cam, cam_rows);

const char *const msg_cam_actions[] = {
	[CAM_MENU] = "open",     [CAM_CHOICE] = "choice", [CAM_TEXT] = "text",
	[CAM_CANCEL] = "cancel", [CAM_CLOSE] = "close",   NULL,
};
static const struct field menu_rows[] = {
	{ "slot", FIELD_AT(struct msg_adapter_menu, slot),
	  .max = MSG_CAM_SLOTS - 1 },
	{ "action", FIELD_AT(struct msg_adapter_menu, action),
	  .choices = msg_cam_actions },
	{ "choice", FIELD_AT(struct msg_adapter_menu, choice),
	  .max = UINT8_MAX },
	{ "text", FIELD_AT(struct msg_adapter_menu, text),
	  .max = MSG_CAM_TEXT, .flags = FIELD_SECRET },
};
const struct field_table adapter_menu_fields =
	MSG_TABLE(struct msg_adapter_menu, menu_rows);

static const struct field slot_program_rows[] = {
	{ "pnr", FIELD_AT(struct msg_cam_program, pnr) },
	{ "state", MSG_WORD(struct msg_cam_program, state) },
};
static const struct field_table slot_program_fields =
	MSG_TABLE(struct msg_cam_program, slot_program_rows);

#define AT(member) MSG_TEXT(struct msg_cam_menu, member)
static const struct field text_item = { .type = FIELD_STRING,
					.size = sizeof(const char *),
					.max = MSG_TEXT_MAX };
static const struct field slot_menu_rows[] = {
	{ "kind", MSG_WORD(struct msg_cam_menu, kind) },
	{ "title", AT(title) },
	{ "subtitle", AT(subtitle) },
	{ "bottom", AT(bottom) },
	{ "blind", FIELD_AT(struct msg_cam_menu, blind) },
	{ "length", FIELD_AT(struct msg_cam_menu, length) },
	{ "more", FIELD_AT(struct msg_cam_menu, more) },
	{ "items", FIELD_ITEMS(struct msg_cam_menu, items, n),
	  .item = &text_item },
};
#undef AT
static const struct field_table slot_menu_fields =
	MSG_TABLE(struct msg_cam_menu, slot_menu_rows);

#define AT(member) FIELD_AT(struct msg_adapter_slot, member)
static const struct field slot_rows[] = {
	{ "slot", AT(slot), .max = MSG_CAM_SLOTS - 1 },
	{ "state", MSG_WORD(struct msg_adapter_slot, state) },
	{ "error", MSG_TEXT(struct msg_adapter_slot, error) },
	{ "name", MSG_TEXT(struct msg_adapter_slot, name) },
	{ "manufacturer", AT(manufacturer), .max = UINT16_MAX },
	{ "code", AT(code), .max = UINT16_MAX },
	{ "resets", AT(resets) },
	{ "ciplus", AT(ciplus) },
	{ "caids", FIELD_ITEMS(struct msg_adapter_slot, caids, n_caids),
	  .item = &program_item },
	{ "programs", FIELD_ITEMS(struct msg_adapter_slot, programs,
				  n_programs), .of = &slot_program_fields },
	{ "menu", FIELD_IN(struct msg_adapter_slot, menu,
			   &slot_menu_fields) },
};
#undef AT
const struct field_table adapter_slot_fields =
	MSG_TABLE(struct msg_adapter_slot, slot_rows);
