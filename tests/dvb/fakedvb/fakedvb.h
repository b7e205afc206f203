/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fakedvb: DVB adapters without hardware, for tests in a virtual machine.
 *
 * Load:   modprobe fakedvb [adapters=N] [caslots=0|1] [ci=1] [annexc=1]
 *                  [adapter_nr=...]
 *         ci=1: adapterN/sec0, a loop like a stand-alone CI slot; annexc=1:
 *         DVB-C annex C in the place of annex A, as an adapter has at most 8
 *         systems.
 *
 * /dev/dvb/adapterN/{frontend0,demux0,dvr0,ca0,net0} are the kernel's own
 * (dvb-core); the place of the hardware is platform/fakedvb.N, its address
 * 02:1a:2b:3c:4d:0N.
 *
 * /dev/fakedvbN: packets.c.  /dev/fakecamN: slots.c.  The faults, at run time,
 * unplug and plug: adapter.c.
 */
#pragma once

#include <linux/kfifo.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <media/dmxdev.h>
#include <media/dvb_ca_en50221.h>
#include <media/dvb_demux.h>
#include <media/dvb_frontend.h>
#include <media/dvb_net.h>

#define FAKE_MAX 10
#define FAKE_PACKET 188

/* --- adapter.c: a value per adapter --- */

extern int fake_status[FAKE_MAX];
extern int fake_strength[FAKE_MAX];
extern int fake_cnr[FAKE_MAX];
extern int fake_scale[FAKE_MAX];
extern int fake_biterr[FAKE_MAX];
extern int fake_blkerr[FAKE_MAX];
extern int fake_freq[FAKE_MAX];
extern int fake_lock_ms[FAKE_MAX];
extern int fake_cam[FAKE_MAX];
extern int fake_hang[FAKE_MAX];
extern int fake_open_err[FAKE_MAX];
extern int fake_nofw[FAKE_MAX];
extern int fake_whole[FAKE_MAX];
extern int fake_maxpids[FAKE_MAX];
extern int fake_spoil[FAKE_MAX];

/* --- the module in a slot --- */

struct fake_fragment {
	struct list_head link;
	int n;
	u8 data[4096];
};

struct fake_module {
	struct dvb_ca_en50221 ca;
	struct miscdevice device;
	char name[16];
	bool there;       /* the adapter has a slot */
	u8 attributes[256];
	int n_attributes;
	u8 config;
	u8 size[2];       /* of the buffer, for the host */
	int size_at;
	bool has_size;
	spinlock_t lock;
	struct list_head to, from; /* fragments of the host and of the CAM */
	wait_queue_head_t wait;
};

/* --- a slot without a tuner --- */

struct fake_slot {
	struct dvb_device *device; /* NULL: the adapter has none */
	struct kfifo loop;
	wait_queue_head_t wait;
	struct mutex lock;
};

struct fake {
	int i;
	bool away;
	struct work_struct gone;
	struct dvb_adapter adapter;
	struct dvb_demux demux;
	struct dmxdev dmxdev;
	struct dmx_frontend front;
	int feeds;
	struct dvb_frontend frontend;
	unsigned long tuned;    /* jiffies */
	bool is_tuned;
	struct dvb_net net;
	struct fake_module module;
	struct fake_slot slot;
	/* /dev/fakedvbN */
	struct miscdevice control;
	char name[16];
	struct kfifo events;
	spinlock_t events_lock;
	wait_queue_head_t events_wait;
	struct mutex write_lock;
	u64 bits, blocks;       /* that were received */
	u8 pat_cc;
};

/* Adds a line of text for readers of /dev/fakedvbN. */
__printf(2, 3) void fake_event(struct fake *f, const char *format, ...);

/* /dev/fakedvbN.  Each file: 0 or -errno; _done() releases it. */
int fake_control_init(struct fake *f);
void fake_control_done(struct fake *f);

int fake_frontend_init(struct fake *f, bool annex_c);
void fake_frontend_done(struct fake *f);
/* What the frontend reports. */
enum fe_status fake_frontend_status(struct fake *f);

int fake_demux_init(struct fake *f);
void fake_demux_done(struct fake *f);

int fake_module_init(struct fake *f, int slots);
void fake_module_done(struct fake *f);

int fake_slot_init(struct fake *f);
void fake_slot_done(struct fake *f);
