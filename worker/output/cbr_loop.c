/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/cbr_loop.h"

#include "common/base/util.h"
#include "worker/ts/pcr.h"

#define TICKS_MS ((int64_t)(PCR_HZ / 1000))

enum {
	PARTS = 1000000,    /* the lead is computed in 1 / PARTS of a tick */
	PPT_PPM = 1000000,
	/* After this time without a measurement the loop starts again. */
	PAUSE_S = 1000,
	/* A frequency from fewer measurements is not used at once. */
	SURE = 60,
	/* A larger lead counts as this one, so that products fit 64 bits. */
	LEAD_MAX_MS = 1000,
};

/* Updates the estimated lead and frequency of the source by one measurement: a
 * straight line by least squares over the last CBR_LOOP_SMOOTH measurements. */
static void estimate(struct cbr_loop *l, int64_t lead, int64_t ticks,
		     int64_t slew_ppt)
{
	int64_t n, wrong;

	l->error += (l->rate_ppt - slew_ppt) * ticks / PPT_PPM;
	wrong = lead - l->error;
	if (wrong > CBR_STEP_MS * TICKS_MS * PARTS ||
	    wrong < -CBR_STEP_MS * TICKS_MS * PARTS) {
		l->error = lead;
		return;
	}
	l->n = MIN(l->n + 1, (unsigned)CBR_LOOP_SMOOTH);
	n = l->n;
	l->error += wrong * 2 * (2 * n - 1) / (n * (n + 1));
	l->rate_ppt += wrong * 6 * PPT_PPM / (n * (n + 1)) / ticks;
	l->rate_ppt = cbr_clamp(l->rate_ppt, CBR_RATE_MAX_PPT);
}

int64_t cbr_loop_measure(struct cbr_loop *l, int64_t lead, int64_t ticks,
			 int64_t slew_ppt, unsigned next_ms)
{
	int64_t change;

	lead = cbr_clamp(lead, LEAD_MAX_MS * TICKS_MS) * PARTS;
	if (ticks <= 0 || ticks > PAUSE_S * (int64_t)PCR_HZ)
		l->n = 0;
	if (l->n == 0)
		*l = (struct cbr_loop){ .n = 1, .error = lead,
					.rate_ppt = slew_ppt };
	else
		estimate(l, lead, ticks, slew_ppt);
	l->error = cbr_clamp(l->error, LEAD_MAX_MS * TICKS_MS * PARTS);

	/* the change of the slew in a second, in 1e-12: the lead divided by the
	 * square of the time constant, plus twice the difference of the
	 * frequencies divided by the time constant */
	change = l->error / (int64_t)PCR_HZ * PPT_PPM /
		 ((int64_t)CBR_LOOP_S * CBR_LOOP_S);
	change += 2 * (l->rate_ppt - slew_ppt) / CBR_LOOP_S;
	change = cbr_clamp(change, CBR_RAMP_PPT) * next_ms / 1000;
	return cbr_clamp(slew_ppt + change, CBR_SLEW_MAX_PPT);
}

int64_t cbr_loop_rebase(struct cbr_loop *l, int64_t slew_ppt)
{
	l->error = 0;
	return l->n < SURE ? slew_ppt
			   : cbr_clamp(l->rate_ppt, CBR_SLEW_MAX_PPT);
}
