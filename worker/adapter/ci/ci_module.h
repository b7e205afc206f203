/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A module (CAM) in a slot of the common interface, from its insertion to its
 * removal.
 *
 * The owner reports the state of the slot, passes the messages of the module,
 * and sends those that ci_module_next() writes.  A table of states decides what
 * follows.  A module that does not answer, or breaks the rules, is reset; after
 * each further failure the pause before the reset is longer.  Has no clock and
 * does no I/O.
 */
#pragma once

#include "common/base/errmsg.h"
#include "worker/adapter/ci/ca_list.h"
#include "worker/adapter/ci/ci_link.h"
#include "worker/adapter/ci/ci_mmi.h"
#include "worker/adapter/ci/ci_session.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	CI_NAME_MAX = 128,
	CI_QUEUE_MAX = 12,
	CI_QUEUED_MAX = 320, /* bytes of the longest object: an answer to a
			      * question */
	CI_POLL_MS = 100,
	CI_ANSWER_MS = 5000,   /* a module that has not replied for so long is
				* silent */
	CI_PRESENT_MS = 30000, /* from the insertion to the slot state
				* CI_SLOT_READY */
	CI_INIT_MS = 60000,    /* from CI_SLOT_READY to the CAIDs */
	CI_EMPTY_MS = 20000,   /* time after a failure in which an empty slot
				* does not yet mean that the module was removed:
				* the kernel may find it again */
	/* A module that has worked for so long is healthy: `failures' becomes
	 * 0. */
	CI_HEALTHY_MS = 60000,
	CI_PAUSE_MIN_MS = 1000,
	CI_PAUSE_MAX_MS = 60000,
	CI_ERRORS_MAX = 20,    /* objects with errors in a minute, above which
				* the module fails */
	CI_FLOOD_MAX = 200,    /* objects and unasked messages in a second,
				* above which the module fails */
	CI_OPENED_MAX = 40,    /* sessions in a minute, above which the module
				* fails */
};

enum ci_state {
	CI_EMPTY,
	CI_PRESENT,      /* inserted; the kernel initialises it */
	CI_INITIALISING,
	CI_READY,
	CI_SILENT,       /* failed without a reply; its reset follows */
	CI_ERROR,        /* failed for another reason; its reset follows */
	CI_STATES,
};
extern const char *const ci_state_names[CI_STATES + 1];

/* The state of a slot in the kernel. */
enum ci_slot { CI_SLOT_EMPTY, CI_SLOT_SEEN, CI_SLOT_READY };

enum ci_action {
	CI_ACT_MENU,   /* opens the menu of the module */
	CI_ACT_CHOICE, /* selects an item of the menu, from 1; 0: back */
	CI_ACT_TEXT,   /* answers a question */
	CI_ACT_CANCEL, /* leaves a menu or question without an answer */
	CI_ACT_CLOSE,
};

struct ci_config {
	unsigned limit;    /* largest number of programs to descramble */
	bool whole;        /* each change sends the whole list of programs */
	unsigned delay_ms; /* time from CI_READY to the first CA PMT */
};

struct ci_queued {
	size_t n;
	uint8_t data[CI_QUEUED_MAX];
};

struct ci_answer {
	uint16_t program;
	uint8_t answer;    /* CA_REPLY_...; 0: none */
};

struct ci_module {
	struct ci_config cfg;
	enum ci_state state;
	uint64_t since_ns;     /* start time of `state' */
	uint64_t deadline_ns;  /* end time of `state'; 0: no limit */
	unsigned failures;     /* failures since the module was healthy */
	bool reset;            /* a reset is due */
	unsigned resets;       /* resets since ci_module_init() */
	struct errmsg error;   /* why the module failed, until CI_READY; "": no
				* error */
	/* the connection */
	struct ci_link link;
	uint64_t asked_ns;     /* time of the last message to the module */
	uint64_t taken_ns;
	unsigned taken;        /* objects and unasked messages since taken_ns */
	uint64_t opened_ns;
	unsigned opened;       /* sessions opened since opened_ns */
	bool created, refuses;
	struct ci_sessions sessions;
	struct ci_queued queue[CI_QUEUE_MAX];
	size_t first, n_queued;
	uint64_t errors_ns;    /* time of the first of `errors' */
	unsigned errors;       /* objects with errors since errors_ns */
	/* the application */
	bool profile_known, named;
	uint16_t manufacturer, code;
	char name[CI_NAME_MAX];
	bool plus;             /* the module requested a resource of CI+ */
	bool low_level;        /* the module requested the low level of MMI */
	struct ca_list list;
	struct ci_answer answers[CA_PROGRAMS_MAX];
	size_t n_answers;
	unsigned time_s;       /* interval in which the module wants the date;
				* 0: no date; 256: once */
	unsigned time_session;
	uint64_t time_ns;      /* time when the next date is due */
	struct ci_mmi mmi;
	uint32_t revision;     /* changes with each change that a view shows */
};

void ci_module_init(struct ci_module *, const struct ci_config *);

void ci_module_set_slot(struct ci_module *, enum ci_slot, uint64_t now_ns);

/* Takes a message of the module: what read() returned, without the bytes for
 * slot and connection. */
void ci_module_take(struct ci_module *, const uint8_t *data, size_t n,
		    uint64_t now_ns);

/* Notes that a call of the device failed, so that the module is reset. */
void ci_module_fail(struct ci_module *, const char *error, uint64_t now_ns);

/* Writes the next message to the module into to (CI_SEND_MAX bytes) and returns
 * its size; 0: nothing is to be sent now.  unix_s: the time, for the date
 * object. */
size_t ci_module_next(struct ci_module *, const struct ca_programs *,
		      uint64_t now_ns, int64_t unix_s, uint8_t *to);

/* Does the module work, or may it work soon?  A module without a failure counts
 * as starting. */
bool ci_module_may_work(const struct ci_module *);

/* True once, if a reset of the module is due.  may: the slot can be reset;
 * otherwise the module gets a new connection instead of a reset. */
bool ci_module_take_reset(struct ci_module *, bool may);

/* Does an action of an operator.  text: the answer for CI_ACT_TEXT; error: why
 * the action is impossible now. */
int ci_module_act(struct ci_module *, enum ci_action, unsigned choice,
		  const char *text, struct errmsg *error) MUST_CHECK;

/* --- for its own files --- */

/* Takes the application objects that a session received. */
void ci_objects_take(struct ci_module *, const struct ci_session_object *,
		     uint64_t now_ns);
/* Sends the first enquiry of the host in a session that was opened, if its
 * resource has one. */
void ci_objects_open(struct ci_module *, const struct ci_session_object *);
void ci_objects_close(struct ci_module *, const struct ci_session_object *,
		      uint64_t now_ns);
/* Queues the date and time. */
void ci_objects_send_date(struct ci_module *, uint64_t now_ns, int64_t unix_s);
/* Queues an object of the session layer; false: the queue is full. */
bool ci_module_queue(struct ci_module *, const uint8_t *data, size_t n);
/* Notes that the module has reported its CAIDs, so that CA PMTs can be sent. */
void ci_module_set_usable(struct ci_module *, uint64_t now_ns);
void ci_module_set_unusable(struct ci_module *, uint64_t now_ns);
