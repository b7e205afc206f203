// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The adapters, and the module.
 *
 * /sys/module/fakedvb/parameters: the faults, each a list with a value per
 * adapter:
 *
 *   status    bits of enum fe_status reported from lock_ms after a tune on
 *             (0x1f: locked)
 *   strength, cnr   0.001 dBm and 0.001 dB with scale 0; 0..65535 with scale 1
 *   scale     0 decibel, 1 relative, 2 not available
 *   biterr, blkerr  counters as they are reported
 *   freq      locks at this frequency alone (in the unit of the API); 0: at any
 *   lock_ms   from the tune to the lock
 *   cam       1: a CAM is inserted
 *   hang      1: FE_READ_STATUS of a process blocks uninterruptibly (state D,
 *             not even SIGKILL ends it) until it is 0 again; 2: so does the
 *             first open of the frontend; 3: both
 *   open_err  errno with which the first open of the frontend fails (110:
 *             ETIMEDOUT)
 *   nofw      1: a driver without its firmware: open succeeds, init fails,
 *             there is never a signal
 *   whole     0: PID 0x2000 (the whole stream) is refused, as by some USB
 *             sticks
 *   maxpids   so many PIDs at a time, no more; 0: any number
 *   spoil     the packets have 1: wrong sync bytes; 2: wrong checksums of PATs;
 *             3: wrong counters of PATs; 4: no start of a PES packet
 *
 * Adapter 0 loses its lock: echo 3,31,31,31,31,31,31,31 >.../status
 *
 * and of one number:
 *
 *   unplug    takes this adapter away, as a stick that is pulled, whoever has
 *             it open
 *   plug      brings it back; a new number of the system when the old one is
 *             still held
 */
#include <linux/module.h>
#include <linux/slab.h>
#include "fakedvb.h"

enum { EVENTS_SIZE = 65536 };

static unsigned int adapters = 1;
module_param(adapters, uint, 0444);
static int annexc;
module_param(annexc, int, 0444);
static int ci;
module_param(ci, int, 0444);
static int caslots = 1;
module_param(caslots, int, 0444);
DVB_DEFINE_MOD_OPT_ADAPTER_NR(adapter_nr);

#define PARAM(name, value)                                                     \
	int fake_##name[FAKE_MAX] = { [0 ... FAKE_MAX - 1] = (value) };        \
	module_param_array_named(name, fake_##name, int, NULL, 0644)

PARAM(status, 0x1f);
PARAM(strength, -45000);
PARAM(cnr, 13500);
PARAM(scale, 0);
PARAM(biterr, 0);
PARAM(blkerr, 0);
PARAM(freq, 0);
PARAM(lock_ms, 100);
PARAM(cam, 0);
PARAM(hang, 0);
PARAM(open_err, 0);
PARAM(nofw, 0);
PARAM(whole, 1);
PARAM(maxpids, 0);
PARAM(spoil, 0);

static struct fake *fakes[FAKE_MAX];
static struct platform_device *places[FAKE_MAX]; /* of the hardware */
static struct workqueue_struct *queue;

/* Waits for those who have the demultiplexer open. */
static void take_away(struct fake *f)
{
	mutex_lock(&f->write_lock);
	f->away = true;
	mutex_unlock(&f->write_lock);
	fake_control_done(f);
	fake_frontend_done(f);
	fake_module_done(f);
	fake_slot_done(f);
	fake_demux_done(f);
	dvb_unregister_adapter(&f->adapter);
}

/* Descriptors of it may still be open: it is left in memory. */
static void unplugged(struct work_struct *work)
{
	take_away(container_of(work, struct fake, gone));
}

static struct fake *make_empty(int i)
{
	struct fake *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return NULL;
	f->i = i;
	INIT_WORK(&f->gone, unplugged);
	spin_lock_init(&f->events_lock);
	init_waitqueue_head(&f->events_wait);
	mutex_init(&f->write_lock);
	if (kfifo_alloc(&f->events, EVENTS_SIZE, GFP_KERNEL) == 0)
		return f;
	kfree(f);
	return NULL;
}

static int make(int i)
{
	struct fake *f = make_empty(i);
	int r;

	if (!f)
		return -ENOMEM;
	r = dvb_register_adapter(&f->adapter, "fakedvb", THIS_MODULE,
				 &places[i]->dev, adapter_nr);
	if (r >= 0)
		r = fake_frontend_init(f, annexc);
	if (r >= 0)
		r = fake_demux_init(f);
	if (r >= 0 && caslots > 0)
		r = fake_module_init(f, caslots);
	if (r >= 0 && ci)
		r = fake_slot_init(f);
	if (r >= 0)
		r = fake_control_init(f);
	if (r >= 0)
		fakes[i] = f;
	return r < 0 ? r : 0;
}

/* --- unplug, plug --- */

static int read_place(const char *text, unsigned int *ret)
{
	int r = kstrtouint(text, 0, ret);

	return r ? r : *ret >= FAKE_MAX || !queue ? -EINVAL : 0;
}

static int unplug_set(const char *text, const struct kernel_param *param)
{
	struct fake *f;
	unsigned int i;
	int r = read_place(text, &i);

	if (r)
		return r;
	f = xchg(&fakes[i], NULL);
	if (!f)
		return -ENODEV;
	queue_work(queue, &f->gone);
	return 0;
}

static int plug_set(const char *text, const struct kernel_param *param)
{
	unsigned int i;
	int r = read_place(text, &i);

	if (r)
		return r;
	return fakes[i] ? -EEXIST : make(i);
}

static const struct kernel_param_ops unplug_ops = { .set = unplug_set };
static const struct kernel_param_ops plug_ops = { .set = plug_set };
module_param_cb(unplug, &unplug_ops, NULL, 0200);
module_param_cb(plug, &plug_ops, NULL, 0200);

/* --- the module --- */

static int __init fakedvb_init(void)
{
	int i, r;

	for (i = 0; i < FAKE_MAX; i++) {
		places[i] = platform_device_register_simple("fakedvb", i, NULL,
							    0);
		if (IS_ERR(places[i]))
			return PTR_ERR(places[i]);
	}
	queue = alloc_workqueue("fakedvb", 0, 0);
	if (!queue)
		return -ENOMEM;
	for (i = 0; i < min_t(int, adapters, FAKE_MAX); i++) {
		r = make(i);
		if (r < 0) {
			pr_err("fakedvb: adapter %d: error %d\n", i, r);
			return r;
		}
	}
	return 0;
}

static void __exit fakedvb_exit(void)
{
	int i;

	destroy_workqueue(queue);
	for (i = 0; i < FAKE_MAX; i++)
		if (fakes[i]) {
			take_away(fakes[i]);
			if (fakes[i]->slot.device)
				kfifo_free(&fakes[i]->slot.loop);
			kfifo_free(&fakes[i]->events);
			kfree(fakes[i]);
		}
	for (i = 0; i < FAKE_MAX; i++)
		platform_device_unregister(places[i]);
}

module_init(fakedvb_init);
module_exit(fakedvb_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("DVB adapters without hardware, for tests");
