/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A module (CAM) in a slot of the common interface, from its insertion on.
 *
 * The owner reports what the slot has, passes the messages of the module, and
 * sends those that ci_module_next() writes.  A table of states decides what
 * follows; a module that does not answer, or breaks the rules, is reset, each
 * time after a longer pause.  Has no clock and does no I/O.
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
	CI_QUEUED_MAX = 320, /* bytes: an answer of an enquiry */
	CI_POLL_MS = 100,
	CI_ANSWER_MS = 5000,   /* a module that is slower is silent */
	CI_PRESENT_MS = 30000, /* from its insertion to the kernel's ready */
	CI_INIT_MS = 60000,    /* from then on to its CAIDs */
	CI_EMPTY_MS = 20000,   /* after a failure the slot may be empty for so
				* long, until the kernel finds the module
				* again */
	/* A module that is ready for so long is healthy: its failures are
	 * forgotten. */
	CI_HEALTHY_MS = 60000,
	CI_PAUSE_MIN_MS = 1000,
	CI_PAUSE_MAX_MS = 60000,
	CI_ERRORS_MAX = 20,    /* objects with errors in a minute */
	CI_FLOOD_MAX = 200,    /* objects and unasked messages in a second */
	CI_OPENED_MAX = 40,    /* sessions in a minute */
};

enum ci_state {
	CI_EMPTY,
	CI_PRESENT,      /* the kernel prepares it */
	CI_INITIALISING,
	CI_READY,
	CI_SILENT,       /* no answer: it waits for its reset */
	CI_ERROR,        /* the same after another fault */
	CI_STATES,
};
extern const char *const ci_state_names[CI_STATES + 1];

/* What the kernel says of a slot. */
enum ci_slot { CI_SLOT_EMPTY, CI_SLOT_SEEN, CI_SLOT_READY };

enum ci_action {
	CI_ACT_MENU,   /* opens the menu of the module */
	CI_ACT_CHOICE, /* item of a menu, from 1; 0: back */
	CI_ACT_TEXT,   /* answer of an enquiry */
	CI_ACT_CANCEL, /* goes back without an answer */
	CI_ACT_CLOSE,
};

struct ci_config {
	unsigned limit;    /* programs */
	bool whole;        /* each change sends all programs */
	unsigned delay_ms; /* from ready to the first CA PMT */
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
	uint64_t since_ns;     /* in this state */
	uint64_t deadline_ns;  /* of this state; 0: none */
	unsigned failures;     /* since it was healthy */
	bool reset;            /* is to be reset */
	unsigned resets;       /* since the start */
	struct errmsg error;   /* why it is silent or in error; "": no error */
	/* the connection */
	struct ci_link link;
	uint64_t asked_ns;     /* time of the last message to it */
	uint64_t taken_ns;
	unsigned taken;        /* objects, unasked messages since taken_ns */
	uint64_t opened_ns;
	unsigned opened;       /* sessions since opened_ns */
	bool created, refuses;
	struct ci_sessions sessions;
	struct ci_queued queue[CI_QUEUE_MAX];
	size_t first, n_queued;
	uint64_t errors_ns;    /* the first of them */
	unsigned errors;       /* objects since errors_ns */
	/* the application */
	bool profile_known, named;
	uint16_t manufacturer, code;
	char name[CI_NAME_MAX];
	bool plus;             /* it asked for a resource of CI+ */
	bool low_level;        /* it asked for the low level of MMI */
	struct ca_list list;
	struct ci_answer answers[CA_PROGRAMS_MAX];
	size_t n_answers;
	unsigned time_s;       /* interval of the date; 0: none */
	unsigned time_session;
	uint64_t time_ns;      /* the next date */
	struct ci_mmi mmi;
	uint32_t revision;     /* another one after each change to be shown */
};

void ci_module_init(struct ci_module *, const struct ci_config *);

void ci_module_set_slot(struct ci_module *, enum ci_slot, uint64_t now_ns);

/* Takes a message of the module: the bytes of read() without slot and
 * connection. */
void ci_module_take(struct ci_module *, const uint8_t *data, size_t n,
		    uint64_t now_ns);

/* Notes that a call of the device has failed. */
void ci_module_fail(struct ci_module *, const char *error, uint64_t now_ns);

/* Writes the message that is to be sent now into to (CI_SEND_MAX bytes) and
 * returns its size; 0: none.  unix_s: for the date. */
size_t ci_module_next(struct ci_module *, const struct ca_programs *,
		      uint64_t now_ns, int64_t unix_s, uint8_t *to);

/* Does the module work, or may it soon?  A module that has not failed yet gets
 * time to start. */
bool ci_module_may_work(const struct ci_module *);

/* True once when the module must be reset.  may: the slot can be reset;
 * otherwise the module gets a new connection instead. */
bool ci_module_take_reset(struct ci_module *, bool may);

/* Does an action of an operator.  text: that of CI_ACT_TEXT; error: why the
 * action is impossible now. */
int ci_module_act(struct ci_module *, enum ci_action, unsigned choice,
		  const char *text, struct errmsg *error) MUST_CHECK;

/* --- for its own files --- */

/* Takes the application objects of a session. */
void ci_objects_take(struct ci_module *, const struct ci_session_object *,
		     uint64_t now_ns);
/* Requests what the host needs to know from the resource of a session that was
 * opened. */
void ci_objects_open(struct ci_module *, const struct ci_session_object *);
void ci_objects_close(struct ci_module *, const struct ci_session_object *,
		      uint64_t now_ns);
/* Queues the date. */
void ci_objects_send_date(struct ci_module *, uint64_t now_ns, int64_t unix_s);
/* Queues an object of the session layer; false: the queue is full. */
bool ci_module_queue(struct ci_module *, const uint8_t *data, size_t n);
/* Notes that the CAIDs are known, so that CA PMTs can be sent. */
void ci_module_set_usable(struct ci_module *, uint64_t now_ns);
void ci_module_set_unusable(struct ci_module *, uint64_t now_ns);
