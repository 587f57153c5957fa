/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/device.h
 * Devices that simulations run on.
 */
#ifndef RILL_PUBLIC_DEVICE_H
#define RILL_PUBLIC_DEVICE_H

#include "rill/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where a simulation runs. */
typedef enum rill_backend_kind { RILL_BACKEND_AUTO, RILL_BACKEND_CPU, RILL_BACKEND_CUDA } rill_backend_kind;

/**
 * A device that simulations run on: its memory, its queue of kernels, and the kernels that were found for it.
 * Nothing of it is shared with other devices, not even with another object for the same GPU: threads may each
 * have one of their own, but one is for one thread at a time. Simulations on the same device follow each
 * other in its queue.
 */
typedef struct rill_device rill_device;

/** The devices that something runs on, all of one backend. */
typedef struct rill_devices {
    rill_device *device;       /**< not owned; NULL: one is opened whenever it is needed */
    rill_backend_kind backend; /**< of that */
    rill_device *const *list;  /**< [count], not owned: each steps a part of the nodes, and one that is listed
                                    more than once several; `device` is the first. Results are the same bits
                                    however many there are. The last ones stay idle where a part would have
                                    fewer than 4,096 nodes. Read where count > 1 */
    int count;                 /**< 0 or 1: `device` alone */
} rill_devices;

/** One of the parts of a simulation on several devices, in a plan; part k is on device k of the list. */
typedef struct rill_part_plan {
    uint64_t nodes;        /**< fluid nodes that it steps */
    uint64_t bytes;        /**< that it sends in a step, at most, without openings */
    uint64_t device_bytes; /**< memory needed on its device; on a CPU memory of the host, as the next */
    uint64_t device_free;  /**< memory of its device that may be used, by all parts on it */
    double cost;           /**< of its step, over the mean of all parts: walls and openings count as nodes */
} rill_part_plan;

/** What a planned run takes: memory, and the parts that devices step. */
typedef struct rill_resources {
    uint64_t host_bytes;   /**< host memory needed */
    uint64_t host_free;    /**< host memory that may be used */
    uint64_t device_bytes; /**< memory needed of the device, of several of the one with the least to spare; 0
                                on the CPU */
    uint64_t device_free;  /**< memory of that device that may be used */
    int parts;             /**< that devices step; 1: one device steps all nodes */
    rill_part_plan *part;  /**< [parts], owned */
    bool split;            /**< an opening lies in several parts */
} rill_resources;

/**
 * Open a device.
 * @param[in] kind AUTO: a CUDA device if one answers, else the CPU
 * @param[in] ordinal number among the CUDA devices that CUDA_VISIBLE_DEVICES leaves, from 0; 0 for the CPU
 * @param[out] out the device; the caller destroys it
 * @return RILL_SYSTEM with the reason when there is none, RILL_USAGE for an ordinal beyond the last
 */
rill_status rill_device_create(rill_backend_kind kind, int ordinal, rill_device **out);

/**
 * Close a device. No simulation may be left on it.
 * @param[in] device NULL is allowed
 */
void rill_device_destroy(rill_device *device);

/**
 * Return the name of a device.
 * @param[in] device the device
 * @return "NVIDIA H200", or the processor and its threads; it lives as long as the device
 */
const char *rill_device_name(const rill_device *device);

/**
 * Return whether a backend can run on this machine.
 * @param[in] backend the backend
 * @return false: rill_error_message() gives the reason
 */
bool rill_backend_available(rill_backend_kind backend);

#ifdef __cplusplus
}
#endif

#endif
