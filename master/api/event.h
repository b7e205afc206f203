/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET control/event/: admits clients of the event channel. */
#pragma once

#include "master/api/call.h"

/*
 * Ends the call: the event channel takes the connection, or it is answered
 * with 400 or 403.  Only the token decides; a client without one gets answers
 * to its "ping" and no events.
 */
void event_handshake(struct call *);
