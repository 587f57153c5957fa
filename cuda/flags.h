/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file flags.h
 * Flags in memory that several processes share, written and waited for by queues, not by the host.
 */
#ifndef RILL_CUDA_FLAGS_H
#define RILL_CUDA_FLAGS_H

#include "core/status.h"

/** Set a flag behind all that is in a queue of the current device, once others can see what that has stored.
 * @return RILL_SYSTEM where the driver does not offer it */
rill_status rill_cuda_flag_set(void *queue, uint32_t *flag, uint32_t number);

/** Let a queue wait until a flag has reached a number, in the sense of their signed difference. */
rill_status rill_cuda_flag_wait(void *queue, uint32_t *flag, uint32_t number);

#endif
