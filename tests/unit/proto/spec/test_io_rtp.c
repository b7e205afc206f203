/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of rtp addresses. */
#include "proto/spec/io_spec.h"

#include <criterion/criterion.h>
#include <errno.h>

static struct input_spec read_input(const char *text)
{
	struct input_spec spec;
	struct errmsg error = { 0 };

	cr_assert_eq(input_spec_parse(text, &spec, NULL, NULL, &error), 0,
		     "%s: %s", text, error.text);
	return spec;
}

Test(io_rtp, has_defaults_that_wait_for_little)
{
	struct input_spec s = read_input("rtp://239.1.1.1");

	cr_assert_eq(s.rtp.reorder_ms, 20);
	cr_assert_eq(s.rtp.skew_ms, 500);
	cr_assert_eq(s.rtp.delay_ms, 0);
	cr_assert_not(s.rtp.fec);
	cr_assert_str_eq(s.merge, "");
}

Test(io_rtp, reads_its_options)
{
	struct input_spec s = read_input(
		"rtp://239.1.1.1:5000#reorder=0&skew=120&delay=300&fec&"
		"merge=rtp://eth1@239.1.1.2:5000");

	cr_assert_eq(s.rtp.reorder_ms, 0);
	cr_assert_eq(s.rtp.skew_ms, 120);
	cr_assert_eq(s.rtp.delay_ms, 300);
	cr_assert(s.rtp.fec);
	cr_assert_str_eq(s.merge, "rtp://eth1@239.1.1.2:5000");
}

Test(io_rtp, reads_options_of_the_second_address_escaped)
{
	struct input_spec s = read_input(
		"rtp://232.1.1.1#src=10.0.0.1&"
		"merge=rtp://232.1.1.1%23src=10.0.0.2%26socket_size=9");

	cr_assert_str_eq(s.merge,
			 "rtp://232.1.1.1#src=10.0.0.2&socket_size=9");
	s = read_input(s.merge);
	cr_assert_eq(s.socket_size, 9);
}

static const struct {
	const char *text, *error;
} bad[] = {
	{ "rtp://239.1.1.1#reorder=1001",
	  "reorder: 1001 is not between 0 and 1000 ms" },
	{ "rtp://239.1.1.1#skew=0", "skew: 0 is not between 1 and 1000 ms" },
	{ "rtp://239.1.1.1:65532#fec", "fec: there is no port 65536 behind "
	  "65532" },
	{ "rtp://239.1.1.1:5000#fec&merge=rtp://239.1.1.2:65532",
	  "merge: fec: there is no port 65536 behind 65532" },
	{ "rtp://239.1.1.1#merge", "merge: is empty" },
	{ "rtp://239.1.1.1#merge=239.1.1.2",
	  "merge: \"239.1.1.2\" is not type://target; write "
	  "udp://GROUP:PORT or udp://INTERFACE@GROUP:PORT" },
	{ "rtp://239.1.1.1#merge=udp://239.1.1.2",
	  "merge: is not of the same type as the input that it is merged "
	  "with" },
	{ "rtp://239.1.1.1#merge=rtp://239.1.1.1",
	  "merge: is the input's own address" },
	{ "rtp://239.1.1.1#merge=rtp://239.1.1.2%23merge=rtp://239.1.1.3",
	  "merge: cannot have a merge of its own" },
	{ "rtp://239.1.1.1#merge=rtp://239.1.1.2%2",
	  "merge: has a broken % escape" },
};

Test(io_rtp, refuses_with_the_field)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct input_spec spec;
		struct errmsg error = { 0 };

		cr_assert_eq(input_spec_parse(bad[i].text, &spec, NULL, NULL,
					      &error), -EINVAL, "%s",
			     bad[i].text);
		cr_assert_str_eq(error.text, bad[i].error);
	}
}

Test(io_rtp, merges_streams_without_numbers_by_their_content)
{
	struct input_spec s = read_input("udp://239.1.1.1#delay=200&"
					 "merge=udp://239.1.1.2");

	cr_assert_str_eq(s.merge, "udp://239.1.1.2");
	cr_assert_eq(s.merge_delay_ms, 200);
	s = read_input("srt://198.51.100.1:7000#"
		       "merge=srt://198.51.100.2:7000%23latency=300");
	cr_assert_str_eq(s.merge, "srt://198.51.100.2:7000#latency=300");
	cr_assert_eq(s.merge_delay_ms, 500);
}

/* The same group from two senders, or on two interfaces, is two paths. */
Test(io_rtp, distinguishes_paths_by_every_difference)
{
	(void)read_input("rtp://eth0@239.1.1.1#merge=rtp://eth1@239.1.1.1");
	(void)read_input("rtp://239.1.1.1:1#merge=rtp://239.1.1.1:2");
	(void)read_input("rtp://232.1.1.1#src=10.0.0.1&"
			 "merge=rtp://232.1.1.1%23src=10.0.0.2");
}

/* --- outputs --- */

Test(io_rtp, reads_the_options_of_an_output)
{
	struct output_spec s;
	struct errmsg error = { 0 };

	cr_assert_eq(output_spec_parse("rtp://239.1.1.1:5000#fec=10x5&"
				       "path2=eth1@239.1.1.2:5000", &s, NULL,
				       NULL, &error), 0, "%s", error.text);
	cr_assert_eq(s.rtp.fec_columns, 10);
	cr_assert_eq(s.rtp.fec_rows, 5);
	cr_assert(s.rtp.has_path2);
	cr_assert_str_eq(s.rtp.path2_iface, "eth1");
	cr_assert_eq(sockaddr_port(&s.rtp.path2), 5000);
	cr_assert_eq(output_spec_parse("rtp://239.1.1.1", &s, NULL, NULL,
				       &error), 0);
	cr_assert_eq(s.rtp.fec_columns, 0);
	cr_assert_not(s.rtp.has_path2);
}

static const struct {
	const char *text, *error;
} bad_outputs[] = {
	{ "rtp://239.1.1.1#fec", "fec: \"\" is not <columns>x<rows>" },
	{ "rtp://239.1.1.1#fec=5x", "fec: \"\" is not a number between 4 and "
	  "20" },
	{ "rtp://239.1.1.1#fec=21x4", "fec: 21 is not between 1 and 20" },
	{ "rtp://239.1.1.1#fec=5x3", "fec: 3 is not between 4 and 20" },
	{ "rtp://239.1.1.1#fec=20x6", "fec: the matrix 20x6 has more than "
	  "100 datagrams" },
	{ "rtp://239.1.1.1:65533#fec=5x5",
	  "fec: there is no port 65537 behind 65533" },
	{ "rtp://239.1.1.1#path2=here",
	  "path2: host: \"here\" is not an IP address" },
	{ "rtp://239.1.1.1#path2=239.1.1.1",
	  "path2: is the output's own address" },
};

Test(io_rtp, refuses_outputs_with_the_field)
{
	for (size_t i = 0; i < ARRAY_LEN(bad_outputs); i++) {
		struct output_spec spec;
		struct errmsg error = { 0 };

		cr_assert_eq(output_spec_parse(bad_outputs[i].text, &spec,
					       NULL, NULL, &error), -EINVAL,
			     "%s", bad_outputs[i].text);
		cr_assert_str_eq(error.text, bad_outputs[i].error);
	}
}
