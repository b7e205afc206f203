/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/output_type.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void set_place(struct sockaddr_any *a, uint16_t port)
{
	a->in = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_port = htons(port) };
	a->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a->len = sizeof a->in;
}

/* Allows so many further descriptors. */
static void limit_descriptors(unsigned n)
{
	int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct rlimit limit;

	cr_assert_geq(next, 0);
	close(next);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = (rlim_t)next + n;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* The socket of the first path is open; its error correction and the second
 * path, whose interface does not exist, have no socket. */
Test(udp_output, a_path_without_media_precedes_one_without_error_correction)
{
	struct output_spec spec = {
		.kind = OUTPUT_RTP,
		.pacing = PACING_TICK,
		.rtp = { .has_path2 = true, .path2_iface = "none0",
			 .fec_columns = 5, .fec_rows = 5 },
	};
	struct errmsg error = { 0 };
	struct output *o;
	int err = 0;

	set_place(&spec.remote, 5000);
	set_place(&spec.rtp.path2, 5010);
	limit_descriptors(1);
	o = udp_output_open(&spec, &err, &error);
	cr_assert_not_null(o, "%s", error.text);
	cr_assert_eq(output_every_second(o, &error), 0, "%s", error.text);
	cr_assert_not_null(output_part_error(o));
	cr_expect_eq(strncmp(output_part_error(o), "path 2: ", 8), 0, "%s",
		     output_part_error(o));
	output_free(&o);

	/* a single path has no number */
	spec.rtp.has_path2 = false;
	limit_descriptors(1);
	o = udp_output_open(&spec, &err, &error);
	cr_assert_not_null(o, "%s", error.text);
	cr_assert_eq(output_every_second(o, &error), 0, "%s", error.text);
	cr_assert_not_null(output_part_error(o));
	cr_expect_eq(strncmp(output_part_error(o), "error correction: ", 18),
		     0, "%s", output_part_error(o));
	output_free(&o);
}
