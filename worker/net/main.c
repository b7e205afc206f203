/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sluice-worker-net: the program for worker roles that read inputs of all types
 * or resolve names.  It has the libraries that few streams need. */
#include "worker/core/worker.h"
#include "worker/net/cxx_memory.h"

#include <librist/librist.h>
#include <string.h>

/* The version of librist that needs the workarounds in worker/net/librist, as a
 * text; "": another version. */
static const char *find_flawed(void)
{
	return strcmp(librist_version(), "0.2.7") == 0 ? "librist 0.2.7" : "";
}

int main(int argc, char **argv)
{
	static const struct worker_role *const roles[] = {
		&adapter_role,
		&backend_role,
		&cas_role,
		&epg_net_role,
		&mux_role,
		&scan_role,
		&softcam_role,
		&stream_role,
		NULL,
	};

	cxx_memory_init();
	return worker_start(roles, find_flawed(), argc, argv);
}
