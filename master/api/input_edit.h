/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edits input addresses that name a softcam or an adapter.  Pure. */
#pragma once

#include <stdbool.h>

/* True: the option cam of the address has this softcam, alone or in a list. */
bool input_edit_has_cam(const char *address, const char *id);

/* Returns the address with the softcam `to' instead of `from'.  to NULL: `from'
 * is removed; if the option cam names no other softcam, the option is removed.
 * Other parts of the address stay as they are.  free() the result. */
char *input_edit_cam(const char *address, const char *from, const char *to);

/* True: the address is dvb://<id>, with any options; address may be NULL. */
bool input_edit_is_adapter(const char *address, const char *id);

/* Returns the dvb:// address with another id; free() it. */
char *input_edit_adapter(const char *address, const char *to);
