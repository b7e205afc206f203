/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET control/event/: who may listen. */
#pragma once

#include "master/api/call.h"

/*
 * Ends the call: the event channel takes the connection, or it is answered
 * with 400 or 403.  The token decides alone; without one the client is there
 * to be answered its "ping" and hears nothing.
 */
void event_handshake(struct call *);
