/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/output_fault.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void keep_reason(struct output_fault *f, const char *error)
{
	if (f->reason != NULL && strcmp(f->reason, error) == 0)
		return;
	free(f->reason);
	f->reason = xstrdup(error);
}

void output_fault_clear(struct output_fault *f)
{
	f->raised = false;
	f->in_s = 0;
	free(f->reason);
	f->reason = NULL;
}

void output_fault_every_second(struct output_fault *f, const char *error)
{
	if ((error != NULL) == f->raised)
		f->in_s = 0;
	else
		f->in_s++;
	if (!f->raised && f->in_s >= OUTPUT_FAULT_RAISE_S) {
		f->raised = true;
		f->in_s = 0;
	} else if (f->raised && f->in_s >= OUTPUT_FAULT_CLEAR_S) {
		output_fault_clear(f);
	}
	if (f->raised && error != NULL)
		keep_reason(f, error);
}
