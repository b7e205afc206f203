// SPDX-License-Identifier: GPL-2.0-or-later
/* The frontend: what it receives by DVBv5 properties is an event of
 * /dev/fakedvbN. */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include "fakedvb.h"

static struct fake *fake_of(struct dvb_frontend *frontend)
{
	return frontend->demodulator_priv;
}

/* As a driver that waits for hardware: the core's own thread goes on. */
static void hang(struct fake *f, int where)
{
	while ((fake_hang[f->i] & where) && !(current->flags & PF_KTHREAD))
		msleep(20);
}

enum fe_status fake_frontend_status(struct fake *f)
{
	u32 frequency = f->frontend.dtv_property_cache.frequency;

	if (fake_nofw[f->i] || !f->is_tuned ||
	    time_before(jiffies,
			f->tuned + msecs_to_jiffies(fake_lock_ms[f->i])))
		return 0;
	if (fake_freq[f->i] && frequency != fake_freq[f->i])
		return 0;
	return fake_status[f->i];
}

static void put(struct dtv_fe_stats *to, int scale, s64 value)
{
	to->len = 1;
	to->stat[0].scale = scale;
	if (scale == FE_SCALE_DECIBEL)
		to->stat[0].svalue = value;
	else
		to->stat[0].uvalue = value;
}

static int read_status(struct dvb_frontend *frontend, enum fe_status *ret)
{
	static const int scales[] = { FE_SCALE_DECIBEL, FE_SCALE_RELATIVE };
	struct fake *f = fake_of(frontend);
	struct dtv_frontend_properties *c = &frontend->dtv_property_cache;
	int i = f->i, scale = FE_SCALE_NOT_AVAILABLE;

	if (fake_scale[i] >= 0 && fake_scale[i] < ARRAY_SIZE(scales))
		scale = scales[fake_scale[i]];
	hang(f, 1);
	*ret = fake_frontend_status(f);
	put(&c->strength, scale, fake_strength[i]);
	put(&c->cnr, (*ret & FE_HAS_VITERBI) ? scale : FE_SCALE_NOT_AVAILABLE,
	    fake_cnr[i]);
	put(&c->post_bit_error, FE_SCALE_COUNTER, fake_biterr[i]);
	put(&c->post_bit_count, FE_SCALE_COUNTER, f->bits);
	put(&c->block_error, FE_SCALE_COUNTER, fake_blkerr[i]);
	put(&c->block_count, FE_SCALE_COUNTER, f->blocks);
	return 0;
}

static void report_layers(struct fake *f, struct dtv_frontend_properties *c)
{
	char text[3][24];
	int i;

	for (i = 0; i < 3; i++)
		snprintf(text[i], sizeof(text[i]), "%d:%d:%d:%d",
			 c->layer[i].fec, c->layer[i].modulation,
			 c->layer[i].segment_count, c->layer[i].interleaving);
	fake_event(f, "isdbt layers=%d partial=%d A=%s B=%s C=%s",
		   c->isdbt_layer_enabled, c->isdbt_partial_reception, text[0],
		   text[1], text[2]);
}

static void report_tune(struct fake *f, struct dtv_frontend_properties *c)
{
	fake_event(f,
		   "tune delsys=%d freq=%u bw=%u mod=%d sr=%u fec=%d hp=%d "
		   "lp=%d tm=%d gi=%d hier=%d inv=%d pilot=%d rolloff=%d "
		   "stream=%u pls=%u volt=%d tone=%d",
		   c->delivery_system, c->frequency, c->bandwidth_hz,
		   c->modulation, c->symbol_rate, c->fec_inner, c->code_rate_HP,
		   c->code_rate_LP, c->transmission_mode, c->guard_interval,
		   c->hierarchy, c->inversion, c->pilot, c->rolloff,
		   c->stream_id, c->scrambling_sequence_index, c->voltage,
		   c->sectone);
	if (c->delivery_system == SYS_ISDBT)
		report_layers(f, c);
}

static int tune(struct dvb_frontend *frontend, bool again, unsigned int mode,
		unsigned int *delay, enum fe_status *ret)
{
	struct fake *f = fake_of(frontend);

	if (again) {
		f->tuned = jiffies;
		f->is_tuned = true;
		report_tune(f, &frontend->dtv_property_cache);
	}
	*delay = HZ / 20;
	return read_status(frontend, ret);
}

static enum dvbfe_algo get_algo(struct dvb_frontend *frontend)
{
	return DVBFE_ALGO_HW;
}

static int get_frontend(struct dvb_frontend *frontend,
			struct dtv_frontend_properties *ret)
{
	return 0;
}

static int bus_control(struct dvb_frontend *frontend, int acquire)
{
	struct fake *f = fake_of(frontend);

	if (acquire)
		hang(f, 2);
	return acquire ? -fake_open_err[f->i] : 0;
}

static int init(struct dvb_frontend *frontend)
{
	struct fake *f = fake_of(frontend);

	fake_event(f, fake_nofw[f->i] ? "init failed" : "init");
	return fake_nofw[f->i] ? -ENOENT : 0;
}

static int put_to_sleep(struct dvb_frontend *frontend)
{
	struct fake *f = fake_of(frontend);

	f->is_tuned = false;
	fake_event(f, "sleep");
	return 0;
}

static int read_strength(struct dvb_frontend *frontend, u16 *ret)
{
	*ret = 0x8000;
	return 0;
}

static int read_snr(struct dvb_frontend *frontend, u16 *ret)
{
	*ret = 0xc000;
	return 0;
}

static int read_ber(struct dvb_frontend *frontend, u32 *ret)
{
	*ret = fake_biterr[fake_of(frontend)->i];
	return 0;
}

static int read_unc(struct dvb_frontend *frontend, u32 *ret)
{
	*ret = fake_blkerr[fake_of(frontend)->i];
	return 0;
}

static int set_tone(struct dvb_frontend *frontend, enum fe_sec_tone_mode tone)
{
	fake_event(fake_of(frontend), "tone %s",
		   tone == SEC_TONE_ON ? "on" : "off");
	return 0;
}

static int set_voltage(struct dvb_frontend *frontend,
		       enum fe_sec_voltage voltage)
{
	fake_event(fake_of(frontend), "voltage %s",
		   voltage == SEC_VOLTAGE_13 ? "13"
		   : voltage == SEC_VOLTAGE_18 ? "18" : "off");
	return 0;
}

static int send_diseqc(struct dvb_frontend *frontend,
		       struct dvb_diseqc_master_cmd *command)
{
	fake_event(fake_of(frontend), "diseqc t=%llu %*ph",
		   ktime_get_ns() / 1000, (int)command->msg_len, command->msg);
	return 0;
}

static int send_burst(struct dvb_frontend *frontend,
		      enum fe_sec_mini_cmd burst)
{
	fake_event(fake_of(frontend), "burst %c",
		   burst == SEC_MINI_A ? 'A' : 'B');
	return 0;
}

static void release(struct dvb_frontend *frontend)
{
}

static const struct dvb_frontend_ops ops = {
	.delsys = { SYS_DVBS, SYS_DVBS2, SYS_DVBT, SYS_DVBT2, SYS_DVBC_ANNEX_A,
		    SYS_DVBC_ANNEX_B, SYS_ATSC, SYS_ISDBT },
	.info = { .name = "fakedvb",
		  .frequency_min_hz = 42 * MHz,
		  .frequency_max_hz = 2150 * MHz,
		  .symbol_rate_min = 500000,
		  .symbol_rate_max = 67500000,
		  .caps = FE_CAN_INVERSION_AUTO | FE_CAN_FEC_AUTO |
			  FE_CAN_QPSK | FE_CAN_QAM_16 | FE_CAN_QAM_64 |
			  FE_CAN_QAM_256 | FE_CAN_QAM_AUTO | FE_CAN_8VSB |
			  FE_CAN_TRANSMISSION_MODE_AUTO |
			  FE_CAN_GUARD_INTERVAL_AUTO | FE_CAN_HIERARCHY_AUTO |
			  FE_CAN_2G_MODULATION | FE_CAN_MULTISTREAM },
	.release = release,
	.init = init,
	.ts_bus_ctrl = bus_control,
	.sleep = put_to_sleep,
	.tune = tune,
	.get_frontend_algo = get_algo,
	.get_frontend = get_frontend,
	.read_status = read_status,
	.read_signal_strength = read_strength,
	.read_snr = read_snr,
	.read_ber = read_ber,
	.read_ucblocks = read_unc,
	.set_tone = set_tone,
	.set_voltage = set_voltage,
	.diseqc_send_master_cmd = send_diseqc,
	.diseqc_send_burst = send_burst,
};

int fake_frontend_init(struct fake *f, bool annex_c)
{
	memcpy(&f->frontend.ops, &ops, sizeof(ops));
	if (annex_c)
		f->frontend.ops.delsys[4] = SYS_DVBC_ANNEX_C;
	f->frontend.demodulator_priv = f;
	return dvb_register_frontend(&f->adapter, &f->frontend);
}

void fake_frontend_done(struct fake *f)
{
	dvb_unregister_frontend(&f->frontend);
}
