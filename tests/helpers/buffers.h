/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The buffers of the system target decoder (ISO/IEC 13818-1 2.4.2) and the
 * third priority of TR 101 290, for a stream of constant bit rate.  It shares
 * nothing with the programs it judges.
 *
 * Video: the transport buffer, and the sum of multiplex and elementary buffer,
 * which profile and level of its parameter sets determine; a unit leaves whole
 * at its DTS.  Without parameter sets video is not judged.  Audio: transport
 * and main buffer; the frames of a unit leave one by one, up to the PTS of the
 * next unit.  Tables: the transport buffer of each PID and the system buffer of
 * each program, which the PAT shares.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { BUFFERS_EVENTS = 20 };

struct buffers_found {
	/* packets that overflow the transport buffer of video, audio, tables */
	uint64_t tb_video, tb_audio, tb_tables;
	uint64_t eb, main, sys; /* overflows of the buffers behind them */
	uint64_t late;   /* units of video that are not whole at their DTS */
	uint64_t late_audio; /* units of audio that begin after their PTS */
	uint64_t judged; /* PIDs of video whose level is known */
	uint64_t near;   /* 3.2: sections of a table less than 25 ms apart */
	/* 3.1, 3.5, 3.6, 3.8 and 3.2: sections that come too late */
	uint64_t nit, sdt, eit, tdt, schedule, other;
	uint64_t unreferenced; /* 3.4: PIDs */
	uint64_t alien;  /* tables on a PID that is not theirs (3.1 to 3.8) */
	/* between two PMTs of a program, in ms; 0: there were no two */
	double pmt_least, pmt_most;
	size_t n_events;
	char events[BUFFERS_EVENTS][96];
};

struct buffers;

/* ticks: the duration of a packet in 27 MHz. */
struct buffers *buffers_new(double ticks);
/* Takes the next packet, of any PID. */
void buffers_take(struct buffers *, const uint8_t *packet);
/* Ends the stream; frees all. */
void buffers_end(struct buffers *, struct buffers_found *ret);
