/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file follow.h
 * One run along one axis, followed until its permeability is known: by the series of its values, or with the
 * help of a pore network.
 */
#ifndef RILL_PERMEABILITY_FOLLOW_H
#define RILL_PERMEABILITY_FOLLOW_H

#include "network/permit.h"
#include "permeability/limit.h"
#include "permeability/pause.h"
#include "permeability/reservoir.h"
#include "sim/sim.h"

/** Called at the end of a run that converged, with its simulation. */
typedef rill_status rill_follow_ended(void *context, rill_sim *sim);

/** What follows runs from outside; all may be NULL. */
typedef struct rill_follow_hooks {
    rill_follow_ended *ended;
    void *context;      /**< of that */
    rill_permit *finer; /**< given when the pore network of a run is found */
} rill_follow_hooks;

/* One run in the making. */
typedef struct rill_follower {
    const rill_permeability_options *options;
    const rill_permeability_plan *plan;
    const rill_geom *geom;
    rill_reservoirs between; /* with pressures; cleared with a force */
    unsigned components;     /* bit b: k_ba is found */
    rill_sim *sim;
    rill_permeability_flow *run;
    rill_pause *pause;    /* NULL: no checkpoint */
    rill_limit limits[3]; /* of k_xa, k_ya, k_za; sampled together */
    uint64_t fitted;      /* the step of the sample that their fits end with */
    struct {
        double k[3];
        double tortuosity; /* of the reservoirs, too */
        double turning; /* what momentum that changes its sign from step to step adds to that of one step */
        double speed_max;
        double spread;  /* see rill_sight */
        double elastic; /* sum of c_s^2 (rho - 1)^2 / 2 */
    } last;             /* sample */
    uint64_t capacity;
    rill_permeability_plan tuned; /* the plan, where a start from a coarser grid or none changes it */
    double started, watched;
    double shown, showing, shown_k; /* when a watcher was last shown k, how long finding it took, and k */
    bool correcting;                /* pressures are corrected, and */
    double pace;                    /* a cycle leaves this part of the uncertainty; 0 while unknown */
    bool other;                     /* what leads nowhere may be left for another plan */
    int32_t attempt;                /* of which rill_attempt it is */
    bool imprecise; /* the rounding errors of fp32 exceed the tolerance, and fp64 may be used instead */
    bool misled;    /* rounding would show: the flow of the coarser grid is another one, or little flows */
    uint64_t slice; /* steps made in one go */
    rill_follow_hooks hooks;
    bool stopped; /* cancelled by the callback */
    bool spent;   /* another way would not help: stopped, no steps left, or not finite */
} rill_follower;

/** As rill_permeability_compute(). */
rill_status rill_follow_all(const rill_geom *geom, const rill_permeability_options *options,
                            const rill_permeability_plan *plan, rill_follow_hooks hooks,
                            rill_permeability *out);

/** Step, watched, in slices of about the time between two watches. */
rill_status rill_follow_step(rill_follower *f, uint64_t steps);

/** As rill_follow_step(), but a device goes on with the steps when this returns. */
rill_status rill_follow_begin(rill_follower *f, uint64_t steps);

/** As rill_sim_label_sums(), rill_sim_label_add() and rill_sim_rounding(), noted in the journal. */
rill_status rill_follow_label_sums(rill_follower *f, uint32_t count, double *sums);
rill_status rill_follow_label_add(rill_follower *f, const double *density);
rill_status rill_follow_rounding(rill_follower *f, rill_rounding_sums *out);

/** Return whether the run follows its journal: what it starts from is read there. */
bool rill_follow_start_replays(const rill_follower *f);

/** Note in the journal what came of coarser grids, or read it there. */
rill_status rill_follow_start(rill_follower *f, void *start, size_t size);

/** What is seen of two successive steps, averaged. */
typedef struct rill_sight {
    double k[3];
    double turned[3];  /**< k of the second less that of the first */
    double energy;     /**< kinetic - elastic over density */
    double density;    /**< relaxation of the density in the steps that are seen; 1: time steps */
    double tortuosity; /**< sum of |u| over that of u along the axis, of the mean u */
    double spread;     /**< root of nodes times sum of u^2, over the sum of u along the axis: 1 or more */
    uint64_t step;     /**< the second of the two */
} rill_sight;

/**
 * Return k_ba at the mean time of two sights that an even number of steps lies between, without what changes
 * its sign from step to step.
 *
 * Momentum of a wave length of two nodes adds (-1)^n A(n) to k of step n (Zanetti 1989,
 * doi:10.1103/PhysRevA.40.1539). The mean of the steps n and n + 1 keeps (-1)^n (A(n) - A(n + 1)) / 2, which
 * is no less slow than A, where no other change shows it. Their difference is -(-1)^n (A(n) + A(n + 1)), and
 * its change a step is four times what the mean keeps.
 */
double rill_sight_k(const rill_sight *before, const rill_sight *after, int b);

/** What else is seen there. */
typedef struct rill_seeing {
    double density;  /**< relaxation of the density in these steps */
    bool speeds;     /**< the tortuosity, where the plan has memory for it; else it is NAN */
    uint32_t labels; /**< of nodes */
    double *sums;    /**< [labels], as rill_sim_label_sums() of the second step; NULL: not seen */
} rill_seeing;

/** Step, and see the last two steps. @param steps  2 or more; nothing is seen where the watcher stops the run
 */
rill_status rill_follow_sight(rill_follower *f, uint64_t steps, const rill_seeing *what, rill_sight *out);

/**
 * Return the least that k is uncertain by, relative, however little it moves.
 * @param memory  steps that the flow remembers: rounding of the populations adds up over them
 * @param k       about that, lu
 */
double rill_follow_floor(const rill_follower *f, double memory, double k);

/** Return the part of it that rounding of the populations has. @param memory, k  as above */
double rill_follow_rounding_of(const rill_follower *f, double memory, double k);

/** Say that rounding leaves k more uncertain than the tolerance, and mark the run if fp64 may be used
 * instead.
 */
void rill_follow_imprecise(rill_follower *f, double memory, double k);

/** Note that rounding to 16 bits leaves a k, which it is part of the uncertainty of, above the tolerance. */
rill_status rill_follow_narrow_note(const rill_permeability_flow *run, double tolerance, char **notes);

/** Return the steps before which no series is accepted. Pressures that a network sees need no waiting.
 */
double rill_follow_patience(const rill_follower *f, double k);

/** Return whether k_ba of the run is exactly 0. @see rill_tensor_is_zero() */
bool rill_follow_is_zero(const rill_follower *f, int b);

/**
 * Take k_ba over into the run: its estimate in f->limits with its uncertainty, and that of the state. Where
 * k_ba is exactly 0, all of these are; how far the flow of the box is from its steady state, f->limits
 * states nevertheless.
 * @param now  k_ba of the state
 */
void rill_follow_take(rill_follower *f, int b, double now, double uncertainty);

/** Add the state to the series of the run: f->k, and the estimates in f->limits. */
rill_status rill_follow_record(rill_follower *f);

/**
 * Say why the run ends here, if it must: the callback cancelled it, its steps are spent when it is to make
 * `next` more, or it is not finite. @return whether it must
 */
bool rill_follow_ends(rill_follower *f, uint64_t next);

struct rill_pressures;

/**
 * Step until the end of the series of k is known, or why it is not. Where the plan counts chambers, a pore
 * network must see the pressures settled before the end is accepted.
 * @param pressures  created, begun or zero: it is begun where a device steps meanwhile, created when it is
 * first asked, and the caller destroys it
 */
rill_status rill_follow_series(rill_follower *f, const rill_domain *domain, struct rill_pressures *pressures);

/**
 * The same with corrections of the pressures, see docs/method.md: a Stokes flow driven by a body force. Goes
 * on by the series where corrections do not converge.
 */
rill_status rill_follow_network(rill_follower *f, const rill_domain *domain,
                                struct rill_pressures *pressures);

#endif
