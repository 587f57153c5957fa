/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bubbles.h
 * Gas whose pressure depends on its volume. A bubble is a region of gas and interface nodes that links of the
 * lattice connect. Where liquid and walls close it, p V stays what it is; where it touches a face that is
 * open to the atmosphere, it has the pressure of the atmosphere (docs/free-surface.md).
 */
#ifndef RILL_FREE_SURFACE_BUBBLES_H
#define RILL_FREE_SURFACE_BUBBLES_H

#include "free_surface/free_surface.h"

/** A region of gas. */
typedef struct rill_bubble {
    double content;  /**< p V; 0 where the region is open */
    double volume;   /**< of gas nodes, and of what is not liquid in interface nodes, with the mass that they
                        have just got from others */
    double rate;     /**< change of the volume in the last step */
    double pressure; /**< lu, not less that of the atmosphere, in the middle of the step to come */
    uint64_t gas;    /**< gas nodes */
    uint64_t open;   /**< nodes at faces that are open to the atmosphere */
} rill_bubble;

/** All of them. */
typedef struct rill_bubbles {
    double atmosphere;           /**< its pressure, and that of closed gas at the start */
    rill_free_surface_face face; /**< that is open to it, beside the outflow */
    rill_node *of;               /**< [nodes], number of the region from 1 on; 0: liquid */
    rill_bubble *all;            /**< [count] */
    uint64_t count, room;
    rill_free_surface_gas gas; /**< what closed regions have got and lost; its other members are not set */
    rill_node_list stack;      /**< of nodes whose neighbours are looked at next */
} rill_bubbles;

/** Find the regions, and give closed ones the pressure of the atmosphere; nothing where the gas has a
 * constant pressure. @return RILL_USAGE for values out of range, RILL_SYSTEM */
rill_status rill_bubbles_create(rill_free_surface *surface, const rill_free_surface_options *options);

/** Free what is kept of them. */
void rill_bubbles_destroy(rill_free_surface *surface);

/** Return the pressure of the gas at an interface node less that of the atmosphere. */
double rill_bubbles_pressure(const rill_free_surface *surface, rill_node node);

/** Follow the changes of states of a step, and find the regions anew where one may have been parted, joined
 * or opened. */
rill_status rill_bubbles_follow(rill_free_surface *surface);

/** Take the volumes, and pressures from them: once after each step. */
void rill_bubbles_measure(rill_free_surface *surface);

/** Sum over closed regions. */
rill_free_surface_gas rill_bubbles_sum(const rill_free_surface *surface);

/** Find the centres of all regions; along periodic axes, of those that are less than half a box wide. @param
 * centre  [count], cells */
rill_status rill_bubbles_centres(const rill_free_surface *surface, double (*centre)[3]);

enum { RILL_BUBBLES_PARTS = 3 };

/** List what is kept of them for a checkpoint. @return how many parts there are */
int rill_bubbles_parts(rill_free_surface *surface, rill_checkpoint_part parts[RILL_BUBBLES_PARTS]);

/** Check what was put in. @return RILL_USAGE where it does not belong to the states */
rill_status rill_bubbles_resume(const rill_free_surface *surface);

#endif
