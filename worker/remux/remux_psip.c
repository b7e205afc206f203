/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of ATSC, for a source of which a single program is sent. */
#include "worker/remux/psip_build.h"
#include "worker/remux/remux_state.h"

enum { CURRENT_NEXT = 5, SECTION_NUMBER = 6 };

bool remux_reduces_psip(const struct remux *r)
{
	return r->single && !r->transparent && r->place == NULL &&
	       psi_class(r->psi, SI_PID_PSIP) == PID_UNKNOWN &&
	       !place_has(r->plan.taken, SI_PID_PSIP) &&
	       !pid_set_has(&r->options.drop, SI_PID_PSIP);
}

static void send(struct remux *r, const uint8_t *section, size_t len)
{
	remux_queue(r, &r->si_waiting, SI_PID_PSIP, section, len);
}

/* Takes the section of a VCT that has the channels of the program.  If several
 * sections have channels of the program, the one with the lowest number is
 * used. */
static void take_vct(struct remux *r, const uint8_t *section, size_t len)
{
	struct psip_vct *vct =
		&r->vcts[section_table_id(section) - PSIP_TVCT];
	const struct program *p = &r->programs[0];
	struct psip_program program = {
		.ids = p->ids, .plan = &r->plan, .marks = remux_sdt_marks(r) };
	uint8_t version = section_version(section);
	uint8_t number = section[SECTION_NUMBER];
	uint8_t built[PSIP_VCT_SIZE];
	int n;

	n = psip_vct_build(&program, section, len, built);
	if (n < 0)
		r->counted.broken++;
	if (vct->len > 0 && vct->version == version && number > vct->section)
		return;
	if (n <= 0) {
		if (number == vct->section)
			vct->len = 0;
		return;
	}
	*vct = (struct psip_vct){ (size_t)n, version, number };
	send(r, built, (size_t)n);
}

static void take_mgt(struct remux *r, const uint8_t *section, size_t len)
{
	uint8_t built[SECTION_MAX];
	int n = psip_mgt_build(r->vcts, section, len, built, sizeof built);

	if (n < 0)
		r->counted.broken++;
	else if (n > 0)
		send(r, built, (size_t)n);
}

void remux_take_psip(struct remux *r, const uint8_t *section, size_t len)
{
	/* the PIDs of the output are known when it has a PMT */
	if (!(section[CURRENT_NEXT] & 1) || r->n_programs == 0 ||
	    r->programs[0].pmt.len == 0)
		return;
	switch (section_table_id(section)) {
	case PSIP_MGT:
		take_mgt(r, section, len);
		break;
	case PSIP_TVCT:
	case PSIP_CVCT:
		take_vct(r, section, len);
		break;
	case PSIP_RRT:
	case PSIP_STT:
		send(r, section, len);
		break;
	default:
		break;
	}
}
