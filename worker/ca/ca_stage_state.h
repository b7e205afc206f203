/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a ca_stage; only for ca_stage.c, ca_plan.c and ca_ask.c. */
#pragma once

#include "worker/ca/ca_card.h"
#include "worker/ca/ca_refs.h"
#include "worker/ca/ca_stage.h"
#include "worker/ca/delay.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

enum {
	CA_GROUPS_MAX = DESCRAMBLER_GROUPS,
	CA_WATCHES_MAX = 64, /* largest number of PIDs with ECMs, EMMs and the
			      * CAT */
	CA_LATER_MAX = 32,   /* answers whose words wait for their packets */
	CA_QUESTIONS = 8,    /* last requests whose answers are accepted, by
			      * their numbers */
	CA_ERROR_MAX = 64,
	CA_PID_CAT = 1,
};

/* A softcam of the configured list. */
struct ca_softcam {
	char id[CAM_ID_MAX + 1];
	bool up; /* the softcam is logged in */
	char error[CA_ERROR_MAX]; /* why the softcam is not logged in */
	bool emm;
	bool ignore_cw;
	unsigned timeout_ms, skip_ecm;
	struct ca_card card;
	/* usual_ns: smoothed time until the softcam answers; 0: unknown.
	 * spread_ns: smoothed deviation from usual_ns. */
	uint64_t usual_ns, spread_ns;
};

enum ca_request_state {
	CA_NONE,   /* no ECM was received yet */
	CA_WANTED, /* this softcam was not asked about the new ECM yet */
	CA_ASKED,
	CA_FAILED, /* see error */
	CA_DONE,   /* control words were received */
};

struct ca_question {
	uint32_t number; /* 0: none */
	uint64_t at_ns; /* time when the ECM of the request arrived */
};

/* The requests of a group to one softcam. */
struct ca_request {
	enum ca_request_state state;
	struct ca_ref ref; /* ECM of this softcam; pid 0: the program has none
			    * for it */
	uint32_t version;  /* ca_watch.version of the ECM; 0: none */
	uint64_t arrived_ns; /* time when the ECM arrived */
	uint64_t open_ns; /* time when the first ECM since the last answer
			   * arrived */
	uint64_t since_ns; /* time since `state' */
	bool wrong; /* with CA_FAILED: the softcam's control words were wrong */
	/* the last requests, the newest first: several ECMs may alternate on a
	 * PID faster than their answers arrive */
	struct ca_question questions[CA_QUESTIONS];
	char error[CA_ERROR_MAX];
};

struct ca_later {
	uint64_t at_ns; /* the words are for packets that arrived at this time
			 * or later */
	bool has[2];
	uint8_t words[2][CSA_CONTROL_WORD]; /* even, odd */
};

/* A group of components with the same ECMs.  The index of the group is its
 * number in the descrambler, too. */
struct ca_group {
	bool used, kept; /* kept: the components are in the current tables,
			  * too */
	uint16_t pnr;
	struct ca_refs refs;
	struct ca_request requests[CAM_LIST_MAX];
	size_t first; /* index of the softcam that is asked first */
	unsigned lost; /* consecutive answers in which another softcam was
			* faster */
	uint64_t first_ns; /* time since when `first' is the first */
	unsigned wrong_s; /* consecutive seconds with wrong control words */
	/* in the last second: */
	bool is_wrong; /* most PES packets had no start code */
	bool is_late;  /* the words are those of an earlier ECM */
	uint32_t missed; /* packets without a control word in the last second */
	/* arrival of the newest ECM whose word the descrambler has: even,
	 * odd */
	uint64_t newest_ns[2];
	size_t n_later; /* number of `later', which is in the order of the
			 * ECMs */
	struct ca_later later[CA_LATER_MAX];
};

enum ca_watch_kind { CA_WATCH_CAT, CA_WATCH_ECM, CA_WATCH_EMM };

/* A PID whose sections are read. */
struct ca_watch {
	bool used, kept;
	enum ca_watch_kind kind;
	uint16_t pid;
	uint16_t caid; /* CAID of ECMs or EMMs */
	struct section_assembler assembler;
	uint8_t buffer[SECTION_PSI_MAX];
	/* the last ECM or CAT: */
	uint32_t version; /* value of ca_stage.version when `section' changed */
	uint32_t count;   /* number of sections received */
	size_t len;
	uint8_t section[SECTION_PSI_MAX];
};

struct ca_stage {
	struct ca_stage_config cfg;
	size_t n_cams;
	struct ca_softcam cams[CAM_LIST_MAX];
	struct psi *psi;
	const uint8_t *classes; /* of psi */
	struct delay delay;
	bool busy; /* a request is due or not answered */
	uint32_t number; /* number of the last request */
	uint32_t version; /* incremented for each section that differs from the
			   * last one on its PID */
	struct ca_refs emms; /* EMM PIDs of the CAT */
	unsigned emm_room;
	/* PES packets that are scrambled at PES level: in this second, in the
	 * last second */
	uint32_t pes_scrambled, pes_scrambled_before;
	struct ca_group groups[CA_GROUPS_MAX];
	struct ca_watch *watches[CA_WATCHES_MAX]; /* made on demand */
	uint8_t watch_of[TS_PIDS]; /* index in watches + 1; 0: none */
};

/* --- ca_plan.c --- */

/* Updates the groups, their components and the watched PIDs, after the tables
 * or a softcam have changed. */
void ca_plan(struct ca_stage *);

/* --- ca_ask.c --- */

/* Notes that an ECM was received on this PID. */
void ca_ask_note(struct ca_stage *, const struct ca_watch *, uint64_t now_ns);
/* Sends the requests that are due. */
void ca_ask_turn(struct ca_stage *, uint64_t now_ns);
/* Asks a softcam, which has just logged in, once more about each ECM that it
 * refused or has not answered. */
void ca_ask_again(struct ca_stage *, size_t cam, uint64_t now_ns);
/* Passes the waiting words to the descrambler whose ECM arrived at this time or
 * earlier.  Call it before the packets that arrived at this time. */
void ca_stage_apply_later(struct ca_stage *, uint64_t at_ns);
/* Makes the next softcam the first, because the words of the current one are
 * wrong.  If there is only one softcam, it is asked about the next ECM. */
void ca_ask_leave(struct ca_stage *, struct ca_group *, uint64_t now_ns);
