/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_props.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static char text[1024];

static const char *props(json_t *adapter)
{
	struct dvb_props p;
	struct tuner_spec spec;
	struct errmsg error;
	size_t len = 0;

	cr_assert_not_null(adapter);
	cr_assert_eq(tuner_spec_parse(adapter, &spec, &error), 0, "%s",
		     error.text);
	json_decref(adapter);
	dvb_props_make(&spec, &p);
	text[0] = '\0';
	for (unsigned i = 0; i < p.n; i++)
		len += (size_t)snprintf(text + len, sizeof text - len,
					"%s%u=%u", i > 0 ? " " : "",
					p.list[i].cmd, p.list[i].u.data);
	return text;
}

static void expect(json_t *adapter, const char *wanted)
{
	const char *got = props(adapter);

	cr_expect_str_eq(got, wanted, "got %s", got);
}

Test(dvb_props, each_system_has_its_own)
{
	/* 17 system, 3 frequency, 6 inversion, 8 symbol rate, 9 FEC,
	 * 10 voltage, 11 tone, 4 modulation, 12 pilot, 13 roll-off,
	 * 42 stream, 70 scrambling, 1 tune */
	expect(json_pack("{s:s, s:i, s:i, s:s}", "type", "S", "frequency",
			 11362, "symbolrate", 22000, "polarization", "V"),
	       "17=5 3=1612000 6=2 8=22000000 9=9 10=0 11=1 1=0");
	expect(json_pack("{s:s, s:i, s:i, s:s, s:s, s:i, s:s, s:i}", "type",
			 "S2", "frequency", 12188, "symbolrate", 27500,
			 "polarization", "H", "fec", "2/3", "rolloff", 20,
			 "pilot", "ON", "stream_id", 67134465),
	       "17=6 3=1588000 6=2 8=27500000 9=2 10=1 11=0 4=9 12=0 13=1 "
	       "42=1 70=100 1=0");
	/* 5 bandwidth, 38 guard interval, 39 mode, 36 HP, 37 LP,
	 * 40 hierarchy */
	expect(json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:s}", "type", "T",
			 "frequency", 474, "modulation", "QAM64", "fec", "3/4",
			 "guardinterval", "1/8", "transmitmode", "8K",
			 "hierarchy", "NONE"),
	       "17=3 3=474000000 6=2 5=8000000 38=2 39=1 4=3 36=3 37=9 40=0 "
	       "1=0");
	expect(json_pack("{s:s, s:i, s:s, s:i}", "type", "T2", "frequency",
			 474, "bandwidth", "AUTO", "stream_id", 2),
	       "17=16 3=474000000 6=2 38=4 39=2 4=6 36=9 37=9 40=4 42=2 1=0");
	expect(json_pack("{s:s, s:i, s:i, s:s}", "type", "C", "frequency", 346,
			 "symbolrate", 6900, "modulation", "QAM256"),
	       "17=1 3=346000000 6=2 4=5 8=6900000 9=9 1=0");
	expect(json_pack("{s:s, s:i, s:i}", "type", "C/C", "frequency", 346,
			 "symbolrate", 5274),
	       "17=18 3=346000000 6=2 4=6 8=5274000 9=9 1=0");
	expect(json_pack("{s:s, s:i, s:s}", "type", "C/B", "frequency", 555,
			 "modulation", "QAM64"),
	       "17=2 3=555000000 6=2 4=3 1=0");
	expect(json_pack("{s:s, s:i}", "type", "ATSC", "frequency", 533),
	       "17=11 3=533000000 6=2 4=7 1=0");
	/* 41 layers */
	expect(json_pack("{s:s, s:i}", "type", "ISDB-T", "frequency", 474143),
	       "17=8 3=474143000 6=2 5=6000000 38=4 39=2 41=7 1=0");
	/* 18 partial reception; FEC, modulation, segments, interleaving of
	 * A from 23, of B from 27, of C from 31; 4294967295 is AUTO */
	expect(json_pack("{s:s, s:i, s:s, s:s, s:s, s:s}", "type", "ISDB-T",
			 "frequency", 474143, "isdbt_layers", "AC",
			 "isdbt_partial", "ON", "isdbt_layer_a",
			 "DQPSK,2/3,1,3", "isdbt_layer_c", "QAM64"),
	       "17=8 3=474143000 6=2 5=6000000 38=4 39=2 41=5 18=1 23=2 24=12 "
	       "25=1 26=3 31=9 32=3 33=4294967295 34=4294967295 1=0");
}

Test(dvb_props, lnb)
{
	/* C band: the spectrum is inverted */
	expect(json_pack("{s:s, s:i, s:i, s:s}", "type", "S", "frequency",
			 3800, "symbolrate", 22000, "polarization", "L"),
	       "17=5 3=1350000 6=1 8=22000000 9=9 10=1 11=1 1=0");
	/* another tuner feeds the LNB: no voltage and no tone */
	expect(json_pack("{s:s, s:i, s:i, s:b}", "type", "S", "frequency",
			 12188, "symbolrate", 22000, "lnb_sharing", 1),
	       "17=5 3=1588000 6=2 8=22000000 9=9 1=0");
	/* unicable rests at 13 V, and its carrier is in the band */
	expect(json_pack("{s:s, s:i, s:i, s:s, s:i, s:i}", "type", "S",
			 "frequency", 12188, "symbolrate", 22000,
			 "polarization", "H", "uni_scr", 1, "uni_frequency",
			 1210),
	       "17=5 3=1212000 6=2 8=22000000 9=9 10=0 11=1 1=0");
	/* without a stream all of it */
	cr_assert_not_null(strstr(props(json_pack(
		"{s:s, s:i, s:i, s:s}", "type", "S2", "frequency", 12188,
		"symbolrate", 22000, "polarization", "V")),
		" 42=4294967295 "));
}
