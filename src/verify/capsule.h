/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file capsule.h
 * Capsules in shear flow with the variant of a setup.
 */
#ifndef RILL_VERIFY_CAPSULE_H
#define RILL_VERIFY_CAPSULE_H

#include "membrane/run.h"
#include "verify/verify.h"

/** Return why capsules cannot be asked of a setup, or NULL: `unfit` of rill_verify_case. */
const char *rill_verify_capsule_unfit(const rill_verify_case *of, const rill_verify_setup *setup);

/** Return a sphere in a cube with edges of `box` radii, kernel 2, with the variant of a setup; the rest is
 * for the caller. */
rill_capsule_case rill_verify_capsule(const rill_verify_setup *setup, double radius, double box);

#endif
