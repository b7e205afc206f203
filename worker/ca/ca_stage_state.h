/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a ca_stage; for its own files. */
#pragma once

#include "worker/ca/ca_card.h"
#include "worker/ca/ca_refs.h"
#include "worker/ca/ca_stage.h"
#include "worker/ca/delay.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

enum {
	CA_GROUPS_MAX = DESCRAMBLER_GROUPS,
	CA_WATCHES_MAX = 64, /* PIDs with ECMs, EMMs and the CAT */
	CA_LATER_MAX = 32,   /* control words that wait for their packets */
	CA_QUESTIONS = 8,    /* whose answers are known by their numbers */
	CA_ERROR_MAX = 64,
	CA_PID_CAT = 1,
};

/* A softcam of the list. */
struct ca_softcam {
	char id[CAM_ID_MAX + 1];
	bool up; /* logged in */
	char error[CA_ERROR_MAX]; /* why it is not */
	bool emm;
	bool ignore_cw;
	unsigned timeout_ms, skip_ecm;
	struct ca_card card;
	/* delay of its answers and its spread, smoothed; 0: not known */
	uint64_t usual_ns, spread_ns;
};

enum ca_request_state {
	CA_NONE,   /* no ECM yet */
	CA_WANTED, /* a new ECM, which this softcam was not asked about */
	CA_ASKED,
	CA_FAILED, /* see error */
	CA_DONE,   /* control words were received */
};

struct ca_question {
	uint32_t number; /* 0: none */
	uint64_t at_ns; /* arrival of its ECM */
};

/* The questions of a group to a softcam. */
struct ca_request {
	enum ca_request_state state;
	struct ca_ref ref; /* pid 0: the service has no ECM for the softcam */
	uint32_t version;  /* of the ECM; 0: none */
	uint64_t arrived_ns; /* of the ECM */
	uint64_t open_ns; /* of the first ECM since the last answer */
	uint64_t since_ns; /* of the state */
	bool wrong; /* CA_FAILED: its control words were wrong */
	/* The last ones, the newest first: several ECMs may alternate on a PID,
	 * faster than their answers arrive. */
	struct ca_question questions[CA_QUESTIONS];
	char error[CA_ERROR_MAX];
};

struct ca_later {
	uint64_t at_ns; /* for packets that arrived then, or later */
	bool has[2];
	uint8_t words[2][CSA_CONTROL_WORD]; /* even, odd */
};

/* Components with the same ECMs.  Its place is the group of the descrambler. */
struct ca_group {
	bool used, kept; /* kept: the new tables have it, too */
	uint16_t pnr;
	struct ca_refs refs;
	struct ca_request requests[CAM_LIST_MAX];
	size_t first; /* softcam that is asked first */
	unsigned lost; /* times in a row that another one was faster */
	uint64_t first_ns; /* since when */
	unsigned wrong_s; /* seconds with wrong control words */
	/* in the last second */
	bool is_wrong; /* most units have no start code */
	bool is_late;  /* the words are those of an earlier ECM */
	uint32_t missed; /* packets without a word in the last second */
	/* the ECM of the newest word: even, odd */
	uint64_t newest_ns[2];
	size_t n_later; /* the oldest ECM first */
	struct ca_later later[CA_LATER_MAX];
};

enum ca_watch_kind { CA_WATCH_CAT, CA_WATCH_ECM, CA_WATCH_EMM };

/* A PID whose sections are read. */
struct ca_watch {
	bool used, kept;
	enum ca_watch_kind kind;
	uint16_t pid;
	uint16_t caid; /* of EMMs */
	struct section_assembler assembler;
	uint8_t buffer[SECTION_PSI_MAX];
	/* the last ECM or CAT */
	uint32_t version; /* of ca_stage.version */
	uint32_t count;   /* sections */
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
	bool busy; /* a question is due or open */
	uint32_t number; /* of the last question */
	uint32_t version; /* counts sections that differ */
	struct ca_refs emms; /* of the CAT */
	unsigned emm_room;
	uint32_t pes_scrambled, pes_scrambled_before; /* units in a second */
	struct ca_group groups[CA_GROUPS_MAX];
	struct ca_watch *watches[CA_WATCHES_MAX]; /* made on demand */
	uint8_t watch_of[TS_PIDS]; /* place + 1; 0: none */
};

/* --- ca_plan.c --- */

/* Finds the groups, their components and the PIDs to read, after the tables or
 * a softcam have changed. */
void ca_plan(struct ca_stage *);

/* --- ca_ask.c --- */

/* Notes an ECM that was received on this PID. */
void ca_ask_note(struct ca_stage *, const struct ca_watch *, uint64_t now_ns);
/* Sends the questions that are due. */
void ca_ask_turn(struct ca_stage *, uint64_t now_ns);
/* Has a softcam that is logged in asked once more about each ECM that it
 * refused or has not answered. */
void ca_ask_again(struct ca_stage *, size_t cam, uint64_t now_ns);
/* Gives the descrambler the words that waited for packets with this arrival,
 * which follow now. */
void ca_stage_apply_later(struct ca_stage *, uint64_t at_ns);
/* Asks the next softcam first from now on, because the words of the first are
 * wrong; the only softcam is asked when the next ECM arrives. */
void ca_ask_leave(struct ca_stage *, struct ca_group *, uint64_t now_ns);
