/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file waveform.h
 * A quantity that repeats: read from CSV, made smooth without overshoot, taken apart into harmonics.
 */
#ifndef RILL_VESSEL_WAVEFORM_H
#define RILL_VESSEL_WAVEFORM_H

#include "rill.h"

/** What the second column of a waveform is; its name in the header says so. */
typedef enum rill_wave_kind {
    RILL_WAVE_FLOW,          /**< m3/s */
    RILL_WAVE_MEAN_VELOCITY, /**< m/s */
    RILL_WAVE_PEAK_VELOCITY, /**< m/s */
    RILL_WAVE_PRESSURE,      /**< Pa */
    RILL_WAVE_FACTOR,        /**< of what the case file says */
    RILL_WAVE_KINDS
} rill_wave_kind;

/** The names of the kinds in headers. */
extern const char *const rill_wave_names[RILL_WAVE_KINDS];

/** A periodic function through samples; SI. */
typedef struct rill_waveform {
    rill_wave_kind kind;
    double period; /**< s */
    double *time;  /**< [count + 1], s from the first sample, ascending; the last is the period. Owned */
    double *value; /**< [count + 1]; the last is the first. Owned */
    double *slope; /**< [count + 1], first derivatives there. Owned */
    double *bulge; /**< [count], height of what is added in the middle between two samples. Owned */
    uint32_t count;
    double low, high; /**< of the samples */
    double mean;      /**< of straight lines between the samples, and of the curve */
    bool turned;      /**< rill_waveform_turn() changed its sign */
} rill_waveform;

enum { RILL_HARMONICS = 64 }; /**< at most */

/** A sum of harmonics: mean + sum of cosine[k] cos(k w t) + sine[k] sin(k w t), k from 1. */
typedef struct rill_harmonics {
    double omega; /**< 2 pi / period; 0: steady */
    double mean;
    int count;
    double cosine[RILL_HARMONICS + 1], sine[RILL_HARMONICS + 1]; /**< from index 1 */
} rill_harmonics;

/**
 * Read a waveform: a header "time [s], flow [mL/s]", then rows of two numbers, times ascending. Commas,
 * semicolons, tabs or blanks separate the columns, and the header may be a comment. The last row
 * ends the cycle and repeats the first value, unless `period` says how long the cycle is.
 * @param[in] period  s; 0: the file's own
 * @return RILL_USAGE with "file:line: " and one sentence, RILL_SYSTEM without memory
 */
rill_status rill_waveform_read(const char *path, double period, rill_waveform **out);

/** Change its sign: files that count along outward normals have a negative inflow. */
void rill_waveform_turn(rill_waveform *wave);

/**
 * Make one from samples. @param[in] time  [count], ascending, the first at 0 and all below the period
 * @return RILL_USAGE when they are not, RILL_SYSTEM without memory
 */
rill_status rill_waveform_create(rill_wave_kind kind, double period, const double *time, const double *value,
                                 uint32_t count, rill_waveform **out);

/** Find the second derivatives of the periodic cubic spline through samples. @param[out] bend  [count + 1] */
rill_status rill_waveform_bend(const rill_waveform *wave, double *bend);

/** Destroy a waveform; NULL is allowed. */
void rill_waveform_destroy(rill_waveform *wave);

/**
 * Return the value at a time, any.
 *
 * Between samples runs a cubic of Hermite's with the slopes of the periodic cubic spline, limited so that it
 * is monotone where the samples are: to three times the lesser of the slopes of the lines beside (Fritsch &
 * Carlson 1980, doi:10.1137/0717021); a smooth extremum between evenly spaced samples is left (Huynh 1993,
 * doi:10.1137/0730021). A quartic that vanishes with its slope at the samples makes the mean that of straight
 * lines.
 */
double rill_waveform_at(const rill_waveform *wave, double time);

/** How far a waveform may leave the range of its samples, as a share of it, before `rill check` says so. */
#define RILL_WAVEFORM_BEYOND 0.02

/** Return how far the curve leaves the range of its samples, as a share of it. @param[out] time  s, value
 * there */
double rill_waveform_beyond(const rill_waveform *wave, double *time, double *value);

/**
 * Take a waveform apart, as many harmonics as leave out no more than `rest` of the power of its changes.
 * @param[in] wave  NULL: a steady 1
 */
void rill_waveform_analyse(const rill_waveform *wave, double rest, rill_harmonics *out);

/** Return the sum at a time. */
double rill_harmonics_at(const rill_harmonics *h, double time);

#endif
