// SPDX-License-Identifier: GPL-2.0-or-later
/* fakedvb: DVB adapters without hardware, for tests in a virtual machine.
 *
 * Build:  make modules KDIR=/usr/src/linux-headers-VERSION      (prep.sh does it)
 * Load:   modprobe fakedvb [adapters=N] [caslots=0|1] [ci=1] [annexc=1] [adapter_nr=...]
 *
 *         annexc=1: DVB-C annex C in the place of annex A (an adapter has 8 systems at most)
 *
 * /dev/dvb/adapterN/{frontend0,demux0,dvr0,ca0,net0} are the kernel's own (dvb-core);
 *                the place of the hardware is platform/fakedvb.N, its address 02:1a:2b:3c:4d:0N.
 * /dev/fakedvbN: write = transport stream put into the demultiplexer (whole packets of
 *                188 bytes, at most 4096 in one write; dropped while there is no lock),
 *                read  = one text line per event (tune, diseqc, tone, voltage, burst, feed, cam ...);
 *                isdbt follows a tune: per layer code rate, modulation, segments, interleaving.
 * /dev/fakecamN: read = one link layer fragment the host sent to the CAM, write = one fragment from the CAM.
 * /sys/module/fakedvb/parameters/...: run-time control, a list with one value per adapter:
 *   status    bits of enum fe_status reported from lock_ms after a tune on (0x1f: locked)
 *   strength, cnr   0.001 dBm and 0.001 dB with scale 0; 0..65535 with scale 1
 *   scale     0 decibel, 1 relative, 2 not available
 *   biterr, blkerr  counters as they are reported
 *   freq      locks at this frequency alone (in the unit of the API); 0: at any
 *   lock_ms   from the tune to the lock
 *   cam       1: a CAM is inserted
 *   hang      1: FE_READ_STATUS of a process blocks uninterruptibly (state D, not even SIGKILL ends
 *             it) until it is 0 again; 2: so does the first open of the frontend; 3: both
 *   open_err  errno with which the first open of the frontend fails (110: ETIMEDOUT)
 *   nofw      1: a driver without its firmware: open succeeds, init fails, there is never a signal
 *   whole     0: PID 0x2000 (the whole stream) is refused, as by some USB sticks
 *   maxpids   so many PIDs at a time, no more; 0: any number
 * and two of one number:
 *   unplug    takes this adapter away, as a stick that is pulled, whoever has it open
 *   plug      brings it back; a new number of the system when the old one is still held
 * Example: echo 0x03,31,31,31,31,31,31,31 > /sys/module/fakedvb/parameters/status    (adapter 0 loses its lock)
 */
#include <linux/module.h>
#include <linux/delay.h>
#include <linux/workqueue.h>
#include <linux/sched.h>
#include <linux/miscdevice.h>
#include <linux/kfifo.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/platform_device.h>
#include <media/dvb_frontend.h>
#include <media/dvb_demux.h>
#include <media/dmxdev.h>
#include <media/dvb_ca_en50221.h>
#include <media/dvb_net.h>

#define MAXA 8
static unsigned int adapters = 1;
module_param(adapters, uint, 0444);
#define ARR(n, ...)                                                            \
	static int n[MAXA] = { __VA_ARGS__ };                                  \
	module_param_array(n, int, NULL, 0644)
#define R8(x) x, x, x, x, x, x, x, x
ARR(status, R8(0x1f)); /* FE status reported after lock_delay */
ARR(strength, R8(-45000)); /* 0.001 dBm, or 0..65535 with scale=1 */
ARR(cnr, R8(13500)); /* 0.001 dB, or 0..65535 */
ARR(scale,
    R8(0)); /* 0: FE_SCALE_DECIBEL, 1: FE_SCALE_RELATIVE, 2: not available */
ARR(biterr, R8(0));
ARR(blkerr, R8(0));
ARR(freq,
    R8(0)); /* locks only at this frequency (in the unit of the API); 0: at any */
ARR(lock_ms, R8(100)); /* time from tune to lock */
ARR(cam, R8(0)); /* CAM inserted */
ARR(hang, R8(0));
ARR(open_err, R8(0));
ARR(nofw, R8(0));
ARR(whole, R8(1));
ARR(maxpids, R8(0));
static int annexc;
module_param(annexc, int, 0444);
static int ci;
module_param(ci, int,
             0444); /* 1: adapterN/sec0, a TS loop like a stand-alone CI slot */
static int caslots = 1;
module_param(caslots, int, 0444);
DVB_DEFINE_MOD_OPT_ADAPTER_NR(adapter_nr);

struct frag {
	struct list_head l;
	int n;
	u8 d[4096];
};
struct fake {
	int i;
	bool away;
	struct work_struct gone;
	int feeds;
	struct dvb_adapter adap;
	struct dvb_demux demux;
	struct dmxdev dmxdev;
	struct dmx_frontend dfe;
	struct dvb_frontend fe;
	struct dvb_ca_en50221 ca;
	struct dvb_net net;
	bool has_ca;
	struct miscdevice ctl, camdev;
	char ctlname[16], camname[16];
	struct kfifo log;
	spinlock_t loglock;
	wait_queue_head_t logwq;
	struct mutex wr;
	unsigned long tuned;
	bool is_tuned;
	u64 bits, blocks;
	/* CAM */
	u8 attr[256];
	int nattr;
	u8 cmd;
	u8 ctl_out[2];
	int ctl_pos, ctl_n;
	bool da;
	u8 cfg;
	struct dvb_device *sec;
	struct kfifo loop;
	wait_queue_head_t loopwq;
	struct mutex loopm;
	struct list_head tocam, fromcam;
	spinlock_t camlock;
	wait_queue_head_t camwq;
	unsigned long reset_at;
	bool inreset;
};
static struct fake *fakes[MAXA];
static struct platform_device *pdevs[MAXA]; /* places of the hardware */

static void ev(struct fake *f, const char *fmt, ...)
{
	char b[256];
	va_list a;
	int n;
	unsigned long fl;
	va_start(a, fmt);
	n = vscnprintf(b, sizeof(b) - 1, fmt, a);
	va_end(a);
	b[n++] = '\n';
	spin_lock_irqsave(&f->loglock, fl);
	if (kfifo_avail(&f->log) >= n)
		kfifo_in(&f->log, b, n);
	spin_unlock_irqrestore(&f->loglock, fl);
	wake_up_interruptible(&f->logwq);
}
/* As a driver that waits for hardware: the core's own thread goes on. */
static void stuck(struct fake *f, int where)
{
	while ((hang[f->i] & where) && !(current->flags & PF_KTHREAD))
		msleep(20);
}
/* ---- frontend ---- */
static enum fe_status cur(struct fake *f)
{
	u32 c = f->fe.dtv_property_cache.frequency;
	if (nofw[f->i])
		return 0;
	if (!f->is_tuned ||
	    time_before(jiffies, f->tuned + msecs_to_jiffies(lock_ms[f->i])))
		return 0;
	if (freq[f->i] && c != freq[f->i])
		return 0;
	return status[f->i];
}
static void put(struct dtv_fe_stats *s, int sc, s64 v)
{
	s->len = 1;
	s->stat[0].scale = sc;
	if (sc == FE_SCALE_DECIBEL)
		s->stat[0].svalue = v;
	else
		s->stat[0].uvalue = v;
}
static int f_read_status(struct dvb_frontend *fe, enum fe_status *st)
{
	struct fake *f = fe->demodulator_priv;
	struct dtv_frontend_properties *c = &fe->dtv_property_cache;
	int i = f->i;
	int sc = scale[i] == 0   ? FE_SCALE_DECIBEL
	         : scale[i] == 1 ? FE_SCALE_RELATIVE
	                         : FE_SCALE_NOT_AVAILABLE;
	stuck(f, 1);
	*st = cur(f);
	put(&c->strength, sc, strength[i]);
	put(&c->cnr, (*st & FE_HAS_VITERBI) ? sc : FE_SCALE_NOT_AVAILABLE,
	    cnr[i]);
	put(&c->post_bit_error, FE_SCALE_COUNTER, biterr[i]);
	put(&c->post_bit_count, FE_SCALE_COUNTER, f->bits);
	put(&c->block_error, FE_SCALE_COUNTER, blkerr[i]);
	put(&c->block_count, FE_SCALE_COUNTER, f->blocks);
	return 0;
}
static int f_tune(struct dvb_frontend *fe, bool re, unsigned int mode,
                  unsigned int *delay, enum fe_status *st)
{
	struct fake *f = fe->demodulator_priv;
	struct dtv_frontend_properties *c = &fe->dtv_property_cache;
	if (re) {
		f->tuned = jiffies;
		f->is_tuned = true;
		ev(f,
		   "tune delsys=%d freq=%u bw=%u mod=%d sr=%u fec=%d hp=%d "
		   "lp=%d tm=%d gi=%d "
		   "hier=%d inv=%d pilot=%d rolloff=%d stream=%u pls=%u "
		   "volt=%d tone=%d",
		   c->delivery_system, c->frequency, c->bandwidth_hz,
		   c->modulation, c->symbol_rate, c->fec_inner, c->code_rate_HP,
		   c->code_rate_LP, c->transmission_mode, c->guard_interval,
		   c->hierarchy, c->inversion, c->pilot, c->rolloff,
		   c->stream_id, c->scrambling_sequence_index, c->voltage,
		   c->sectone);
		if (c->delivery_system == SYS_ISDBT)
			ev(f,
			   "isdbt layers=%d partial=%d A=%d:%d:%d:%d "
			   "B=%d:%d:%d:%d C=%d:%d:%d:%d",
			   c->isdbt_layer_enabled, c->isdbt_partial_reception,
			   c->layer[0].fec, c->layer[0].modulation,
			   c->layer[0].segment_count, c->layer[0].interleaving,
			   c->layer[1].fec, c->layer[1].modulation,
			   c->layer[1].segment_count, c->layer[1].interleaving,
			   c->layer[2].fec, c->layer[2].modulation,
			   c->layer[2].segment_count, c->layer[2].interleaving);
	}
	*delay = HZ / 20;
	return f_read_status(fe, st);
}
static enum dvbfe_algo f_algo(struct dvb_frontend *fe)
{
	return DVBFE_ALGO_HW;
}
static int f_get(struct dvb_frontend *fe, struct dtv_frontend_properties *p)
{
	return 0;
}
static int f_bus(struct dvb_frontend *fe, int acquire)
{
	struct fake *f = fe->demodulator_priv;
	if (acquire)
		stuck(f, 2);
	return acquire ? -open_err[f->i] : 0;
}
static int f_init(struct dvb_frontend *fe)
{
	struct fake *f = fe->demodulator_priv;
	if (nofw[f->i]) {
		ev(f, "init failed");
		return -ENOENT;
	}
	ev(f, "init");
	return 0;
}
static int f_sleep(struct dvb_frontend *fe)
{
	struct fake *f = fe->demodulator_priv;
	f->is_tuned = false;
	ev(f, "sleep");
	return 0;
}
static int f_u16s(struct dvb_frontend *fe, u16 *v)
{
	*v = 0x8000;
	return 0;
}
static int f_u16c(struct dvb_frontend *fe, u16 *v)
{
	*v = 0xc000;
	return 0;
}
static int f_ber(struct dvb_frontend *fe, u32 *v)
{
	*v = biterr[((struct fake *)fe->demodulator_priv)->i];
	return 0;
}
static int f_unc(struct dvb_frontend *fe, u32 *v)
{
	*v = blkerr[((struct fake *)fe->demodulator_priv)->i];
	return 0;
}
static int f_tone(struct dvb_frontend *fe, enum fe_sec_tone_mode t)
{
	ev(fe->demodulator_priv, "tone %s", t == SEC_TONE_ON ? "on" : "off");
	return 0;
}
static int f_volt(struct dvb_frontend *fe, enum fe_sec_voltage v)
{
	ev(fe->demodulator_priv, "voltage %s",
	   v == SEC_VOLTAGE_13   ? "13"
	   : v == SEC_VOLTAGE_18 ? "18"
	                         : "off");
	return 0;
}
static int f_diseqc(struct dvb_frontend *fe, struct dvb_diseqc_master_cmd *m)
{
	ev(fe->demodulator_priv, "diseqc t=%llu %*ph", ktime_get_ns() / 1000,
	   (int)m->msg_len, m->msg);
	return 0;
}
static int f_burst(struct dvb_frontend *fe, enum fe_sec_mini_cmd b)
{
	ev(fe->demodulator_priv, "burst %c", b == SEC_MINI_A ? 'A' : 'B');
	return 0;
}
static void f_release(struct dvb_frontend *fe)
{
}
static const struct dvb_frontend_ops f_ops = {
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
	.release = f_release,
	.init = f_init,
	.ts_bus_ctrl = f_bus,
	.sleep = f_sleep,
	.tune = f_tune,
	.get_frontend_algo = f_algo,
	.get_frontend = f_get,
	.read_status = f_read_status,
	.read_signal_strength = f_u16s,
	.read_snr = f_u16c,
	.read_ber = f_ber,
	.read_ucblocks = f_unc,
	.set_tone = f_tone,
	.set_voltage = f_volt,
	.diseqc_send_master_cmd = f_diseqc,
	.diseqc_send_burst = f_burst,
};
/* ---- demultiplexer ---- */
static int d_start(struct dvb_demux_feed *fd)
{
	struct fake *f = fd->demux->priv;
	if (fd->pid == 0x2000 && !whole[f->i]) {
		ev(f, "feed refused %u", fd->pid);
		return -EINVAL;
	}
	if (maxpids[f->i] && f->feeds >= maxpids[f->i]) {
		ev(f, "feed refused %u", fd->pid);
		return -ENOSPC;
	}
	f->feeds++;
	ev(f, "feed+ %u", fd->pid);
	return 0;
}
static int d_stop(struct dvb_demux_feed *fd)
{
	struct fake *f = fd->demux->priv;
	f->feeds--;
	ev(f, "feed- %u", fd->pid);
	return 0;
}
/* ---- control device ---- */
static struct fake *ctl_f(struct file *fp)
{
	return container_of(fp->private_data, struct fake, ctl);
}
static ssize_t ctl_write(struct file *fp, const char __user *b, size_t n,
                         loff_t *o)
{
	struct fake *f = ctl_f(fp);
	u8 *k;
	ssize_t r;
	n -= n % 188;
	if (!n)
		return -EINVAL;
	if (n > 188 * 4096)
		n = 188 * 4096;
	k = vmemdup_user(b, n);
	if (IS_ERR(k))
		return PTR_ERR(k);
	mutex_lock(&f->wr);
	if (f->away) {
		mutex_unlock(&f->wr);
		kvfree(k);
		return -ENODEV;
	}
	if (cur(f) & FE_HAS_LOCK) {
		dvb_dmx_swfilter_packets(&f->demux, k, n / 188);
		f->bits += n * 8;
		f->blocks += n / 188;
	}
	mutex_unlock(&f->wr);
	r = n;
	kvfree(k);
	return r;
}
static ssize_t ctl_read(struct file *fp, char __user *b, size_t n, loff_t *o)
{
	struct fake *f = ctl_f(fp);
	unsigned int c;
	int r;
	if (kfifo_is_empty(&f->log)) {
		if (fp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		r = wait_event_interruptible(f->logwq,
		                             !kfifo_is_empty(&f->log));
		if (r)
			return r;
	}
	r = kfifo_to_user(&f->log, b, n, &c);
	return r ? r : c;
}
static __poll_t ctl_poll(struct file *fp, poll_table *w)
{
	struct fake *f = ctl_f(fp);
	poll_wait(fp, &f->logwq, w);
	return EPOLLOUT | (kfifo_is_empty(&f->log) ? 0 : EPOLLIN);
}
static const struct file_operations ctl_ops = { .owner = THIS_MODULE,
	                                        .write = ctl_write,
	                                        .read = ctl_read,
	                                        .poll = ctl_poll,
	                                        .llseek = noop_llseek };
/* ---- CAM ---- */
static struct fake *ca_f(struct dvb_ca_en50221 *c)
{
	return container_of(c, struct fake, ca);
}
static int tup(u8 *p, u8 t, const void *d, int n)
{
	p[0] = t;
	p[1] = n;
	memcpy(p + 2, d, n);
	return n + 2;
}
static void cis(struct fake *f)
{
	u8 b[64] = { 0x01, 0x00, 0x00, 0x02 /* config base 0x200 */, 0x01 },
	   e[48] = { 0 };
	int n = 0;
	n += tup(f->attr + n, 0x1d, "\x00\x00", 2);
	n += tup(f->attr + n, 0x1c, "\x00\x00\x00", 3);
	n += tup(f->attr + n, 0x15,
	         "\x05\x00"
	         "fake\0CAM\0",
	         11);
	n += tup(f->attr + n, 0x20, "\x34\x12\x78\x56", 4);
	memcpy(b + 5,
	       "\xc0\x0e\x41\x02"
	       "DVB_CI_V1.00",
	       16);
	n += tup(f->attr + n, 0x1a, b, 21);
	e[0] = 0xc1;
	memcpy(e + 2, "DVB_HOST", 8);
	memcpy(e + 12, "DVB_CI_MODULE", 13);
	n += tup(f->attr + n, 0x1b, e, 40);
	f->attr[n++] = 0x14;
	f->attr[n++] = 0;
	f->attr[n++] = 0xff;
	f->nattr = n;
}
static int c_rattr(struct dvb_ca_en50221 *c, int s, int a)
{
	struct fake *f = ca_f(c);
	if (a == 0x200)
		return f->cfg;
	a /= 2;
	return a < f->nattr ? f->attr[a] : 0xff;
}
static int c_wattr(struct dvb_ca_en50221 *c, int s, int a, u8 v)
{
	struct fake *f = ca_f(c);
	if (a == 0x200)
		f->cfg = v;
	return 0;
}
static int c_rctl(struct dvb_ca_en50221 *c, int s, u8 a)
{
	struct fake *f = ca_f(c);
	switch (a) {
	case 1:
		return 0x40 /* FR */ | (f->da ? 0x80 : 0);
	case 2:
		return 2;
	case 3:
		return 0; /* size low, high */
	case 0: {
		u8 v = f->ctl_out[f->ctl_pos & 1];
		if (++f->ctl_pos >= 2)
			f->da = false;
		return v;
	}
	}
	return -EINVAL;
}
static int c_wctl(struct dvb_ca_en50221 *c, int s, u8 a, u8 v)
{
	struct fake *f = ca_f(c);
	if (a == 1 && (v & 4)) {
		f->ctl_out[0] = 0x02;
		f->ctl_out[1] = 0x00;
		f->ctl_pos = 0;
		f->da = true;
	} /* SR: buffer size 512 */
	return 0;
}
static int c_rdata(struct dvb_ca_en50221 *c, int s, u8 *b, int n)
{
	struct fake *f = ca_f(c);
	struct frag *g;
	int r;
	spin_lock(&f->camlock);
	g = list_first_entry_or_null(&f->fromcam, struct frag, l);
	if (g)
		list_del(&g->l);
	spin_unlock(&f->camlock);
	if (!g)
		return 0;
	r = min(n, g->n);
	memcpy(b, g->d, r);
	kfree(g);
	return r;
}
static int c_wdata(struct dvb_ca_en50221 *c, int s, u8 *b, int n)
{
	struct fake *f = ca_f(c);
	struct frag *g = kmalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return -ENOMEM;
	g->n = n;
	memcpy(g->d, b, n);
	spin_lock(&f->camlock);
	list_add_tail(&g->l, &f->tocam);
	spin_unlock(&f->camlock);
	wake_up_interruptible(&f->camwq);
	return n;
}
static int c_reset(struct dvb_ca_en50221 *c, int s)
{
	struct fake *f = ca_f(c);
	f->reset_at = jiffies;
	f->inreset = true;
	ev(f, "cam reset");
	return 0;
}
static int c_shut(struct dvb_ca_en50221 *c, int s)
{
	ev(ca_f(c), "cam shutdown");
	return 0;
}
static int c_tsen(struct dvb_ca_en50221 *c, int s)
{
	ev(ca_f(c), "cam ts enable");
	return 0;
}
static int c_poll(struct dvb_ca_en50221 *c, int s, int open)
{
	struct fake *f = ca_f(c);
	return cam[f->i] ? DVB_CA_EN50221_POLL_CAM_PRESENT |
	                           DVB_CA_EN50221_POLL_CAM_READY
	                 : 0;
}
static struct fake *cam_f(struct file *fp)
{
	return container_of(fp->private_data, struct fake, camdev);
}
static ssize_t cam_read(struct file *fp, char __user *b, size_t n, loff_t *o)
{
	struct fake *f = cam_f(fp);
	struct frag *g;
	int r;
	for (;;) {
		spin_lock(&f->camlock);
		g = list_first_entry_or_null(&f->tocam, struct frag, l);
		if (g)
			list_del(&g->l);
		spin_unlock(&f->camlock);
		if (g)
			break;
		if (fp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		r = wait_event_interruptible(f->camwq, !list_empty(&f->tocam));
		if (r)
			return r;
	}
	r = min_t(int, n, g->n);
	if (copy_to_user(b, g->d, r))
		r = -EFAULT;
	kfree(g);
	return r;
}
static ssize_t cam_write(struct file *fp, const char __user *b, size_t n,
                         loff_t *o)
{
	struct fake *f = cam_f(fp);
	struct frag *g;
	if (n < 2 || n > 512)
		return -EINVAL;
	g = kmalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return -ENOMEM;
	g->n = n;
	if (copy_from_user(g->d, b, n)) {
		kfree(g);
		return -EFAULT;
	}
	spin_lock(&f->camlock);
	list_add_tail(&g->l, &f->fromcam);
	spin_unlock(&f->camlock);
	dvb_ca_en50221_frda_irq(&f->ca, 0);
	return n;
}
static __poll_t cam_poll(struct file *fp, poll_table *w)
{
	struct fake *f = cam_f(fp);
	poll_wait(fp, &f->camwq, w);
	return EPOLLOUT | (list_empty(&f->tocam) ? 0 : EPOLLIN);
}
static const struct file_operations cam_ops = { .owner = THIS_MODULE,
	                                        .read = cam_read,
	                                        .write = cam_write,
	                                        .poll = cam_poll,
	                                        .llseek = noop_llseek };

/* ---- stand-alone CI: what is written to sec0 is read from sec0 ---- */
static struct fake *sec_f(struct file *fp)
{
	return ((struct dvb_device *)fp->private_data)->priv;
}
static ssize_t sec_write(struct file *fp, const char __user *b, size_t n,
                         loff_t *o)
{
	struct fake *f = sec_f(fp);
	unsigned int c;
	int r;
	n -= n % 188;
	if (!n)
		return -EINVAL;
	if (kfifo_avail(&f->loop) < 188) {
		if (fp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		r = wait_event_interruptible(f->loopwq,
		                             kfifo_avail(&f->loop) >= 188);
		if (r)
			return r;
	}
	n = min_t(size_t, n, kfifo_avail(&f->loop) / 188 * 188);
	mutex_lock(&f->loopm);
	r = kfifo_from_user(&f->loop, b, n, &c);
	mutex_unlock(&f->loopm);
	wake_up_interruptible(&f->loopwq);
	return r ? r : c;
}
static ssize_t sec_read(struct file *fp, char __user *b, size_t n, loff_t *o)
{
	struct fake *f = sec_f(fp);
	unsigned int c;
	int r;
	n -= n % 188;
	if (!n)
		return -EINVAL;
	if (kfifo_len(&f->loop) < 188) {
		if (fp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		r = wait_event_interruptible(f->loopwq,
		                             kfifo_len(&f->loop) >= 188);
		if (r)
			return r;
	}
	n = min_t(size_t, n, kfifo_len(&f->loop) / 188 * 188);
	mutex_lock(&f->loopm);
	r = kfifo_to_user(&f->loop, b, n, &c);
	mutex_unlock(&f->loopm);
	wake_up_interruptible(&f->loopwq);
	return r ? r : c;
}
static __poll_t sec_poll(struct file *fp, poll_table *w)
{
	struct fake *f = sec_f(fp);
	poll_wait(fp, &f->loopwq, w);
	return (kfifo_avail(&f->loop) >= 188 ? EPOLLOUT : 0) |
	       (kfifo_len(&f->loop) >= 188 ? EPOLLIN : 0);
}
static const struct file_operations sec_ops = { .owner = THIS_MODULE,
	                                        .read = sec_read,
	                                        .write = sec_write,
	                                        .poll = sec_poll,
	                                        .open = dvb_generic_open,
	                                        .release = dvb_generic_release,
	                                        .llseek = noop_llseek };
static const struct dvb_device sec_tmpl = {
	.users = -1, .readers = -1, .writers = -1, .fops = &sec_ops
};

/* Waits for those who have the demultiplexer open. */
static void take_away(struct fake *f)
{
	mutex_lock(&f->wr);
	f->away = true;
	mutex_unlock(&f->wr);
	misc_deregister(&f->ctl);
	dvb_unregister_frontend(&f->fe);
	if (f->has_ca) {
		misc_deregister(&f->camdev);
		dvb_ca_en50221_release(&f->ca);
	}
	if (f->sec)
		dvb_unregister_device(f->sec);
	dvb_net_release(&f->net);
	f->demux.dmx.disconnect_frontend(&f->demux.dmx);
	f->demux.dmx.remove_frontend(&f->demux.dmx, &f->dfe);
	dvb_dmxdev_release(&f->dmxdev);
	dvb_dmx_release(&f->demux);
	dvb_unregister_adapter(&f->adap);
}
/* Descriptors of it may still be open: it is left in memory. */
static void unplugged(struct work_struct *w)
{
	take_away(container_of(w, struct fake, gone));
}
static int make(int i)
{
	struct fake *f = kzalloc(sizeof(*f), GFP_KERNEL);
	const u8 mac[] = { 2, 0x1a, 0x2b, 0x3c, 0x4d, i };
	int r;
	if (!f)
		return -ENOMEM;
	f->i = i;
	INIT_WORK(&f->gone, unplugged);
	spin_lock_init(&f->loglock);
	spin_lock_init(&f->camlock);
	init_waitqueue_head(&f->logwq);
	init_waitqueue_head(&f->camwq);
	mutex_init(&f->wr);
	INIT_LIST_HEAD(&f->tocam);
	INIT_LIST_HEAD(&f->fromcam);
	r = kfifo_alloc(&f->log, 65536, GFP_KERNEL);
	if (r)
		return r;
	r = dvb_register_adapter(&f->adap, "fakedvb", THIS_MODULE,
	                         &pdevs[i]->dev, adapter_nr);
	if (r < 0)
		return r;
	memcpy(&f->fe.ops, &f_ops, sizeof(f_ops));
	if (annexc)
		f->fe.ops.delsys[4] = SYS_DVBC_ANNEX_C;
	f->fe.demodulator_priv = f;
	r = dvb_register_frontend(&f->adap, &f->fe);
	if (r < 0)
		return r;
	f->demux.dmx.capabilities = DMX_TS_FILTERING | DMX_SECTION_FILTERING;
	f->demux.priv = f;
	f->demux.filternum = f->demux.feednum = 256;
	f->demux.start_feed = d_start;
	f->demux.stop_feed = d_stop;
	r = dvb_dmx_init(&f->demux);
	if (r < 0)
		return r;
	f->dmxdev.filternum = 256;
	f->dmxdev.demux = &f->demux.dmx;
	r = dvb_dmxdev_init(&f->dmxdev, &f->adap);
	if (r < 0)
		return r;
	f->dfe.source = DMX_FRONTEND_0;
	r = f->demux.dmx.add_frontend(&f->demux.dmx, &f->dfe);
	if (r < 0)
		return r;
	r = f->demux.dmx.connect_frontend(&f->demux.dmx, &f->dfe);
	if (r < 0)
		return r;
	memcpy(f->adap.proposed_mac, mac, sizeof(mac));
	r = dvb_net_init(&f->adap, &f->net, &f->demux.dmx);
	if (r < 0)
		return r;
	if (caslots > 0) {
		cis(f);
		f->ca = (struct dvb_ca_en50221){ .owner = THIS_MODULE,
			                         .read_attribute_mem = c_rattr,
			                         .write_attribute_mem = c_wattr,
			                         .read_cam_control = c_rctl,
			                         .write_cam_control = c_wctl,
			                         .read_data = c_rdata,
			                         .write_data = c_wdata,
			                         .slot_reset = c_reset,
			                         .slot_shutdown = c_shut,
			                         .slot_ts_enable = c_tsen,
			                         .poll_slot_status = c_poll };
		r = dvb_ca_en50221_init(&f->adap, &f->ca, 0, caslots);
		if (r < 0)
			return r;
		f->has_ca = true;
		snprintf(f->camname, sizeof(f->camname), "fakecam%d", i);
		f->camdev = (struct miscdevice){ .minor = MISC_DYNAMIC_MINOR,
			                         .name = f->camname,
			                         .fops = &cam_ops };
		r = misc_register(&f->camdev);
		if (r)
			return r;
	}
	if (ci) {
		init_waitqueue_head(&f->loopwq);
		mutex_init(&f->loopm);
		r = kfifo_alloc(&f->loop, 1 << 20, GFP_KERNEL);
		if (r)
			return r;
		r = dvb_register_device(&f->adap, &f->sec, &sec_tmpl, f,
		                        DVB_DEVICE_SEC, 0);
		if (r < 0)
			return r;
	}
	snprintf(f->ctlname, sizeof(f->ctlname), "fakedvb%d", i);
	f->ctl = (struct miscdevice){ .minor = MISC_DYNAMIC_MINOR,
		                      .name = f->ctlname,
		                      .fops = &ctl_ops };
	r = misc_register(&f->ctl);
	if (r)
		return r;
	fakes[i] = f;
	return 0;
}
static struct workqueue_struct *wq;
static int unplug_set(const char *text, const struct kernel_param *kp)
{
	struct fake *f;
	unsigned int i;
	int r = kstrtouint(text, 0, &i);
	if (r)
		return r;
	if (i >= MAXA || !wq)
		return -EINVAL;
	f = xchg(&fakes[i], NULL);
	if (!f)
		return -ENODEV;
	queue_work(wq, &f->gone);
	return 0;
}
static int plug_set(const char *text, const struct kernel_param *kp)
{
	unsigned int i;
	int r = kstrtouint(text, 0, &i);
	if (r)
		return r;
	if (i >= MAXA || !wq)
		return -EINVAL;
	return fakes[i] ? -EEXIST : make(i);
}
static const struct kernel_param_ops unplug_ops = { .set = unplug_set };
static const struct kernel_param_ops plug_ops = { .set = plug_set };
module_param_cb(unplug, &unplug_ops, NULL, 0200);
module_param_cb(plug, &plug_ops, NULL, 0200);

static int __init fakedvb_init(void)
{
	int i, r;
	for (i = 0; i < MAXA; i++) {
		pdevs[i] = platform_device_register_simple("fakedvb", i, NULL,
		                                           0);
		if (IS_ERR(pdevs[i]))
			return PTR_ERR(pdevs[i]);
	}
	wq = alloc_workqueue("fakedvb", 0, 0);
	if (!wq)
		return -ENOMEM;
	for (i = 0; i < min_t(int, adapters, MAXA); i++)
		if ((r = make(i)) < 0) {
			pr_err("fakedvb: adapter %d: error %d\n", i, r);
			return r;
		}
	return 0;
}
static void __exit fakedvb_exit(void)
{
	int i;
	destroy_workqueue(wq);
	for (i = 0; i < MAXA; i++)
		if (fakes[i]) {
			take_away(fakes[i]);
			if (fakes[i]->sec)
				kfifo_free(&fakes[i]->loop);
			kfifo_free(&fakes[i]->log);
			kfree(fakes[i]);
		}
	for (i = 0; i < MAXA; i++)
		platform_device_unregister(pdevs[i]);
}
module_init(fakedvb_init);
module_exit(fakedvb_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("DVB adapters without hardware, for tests");
