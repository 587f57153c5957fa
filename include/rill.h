/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill.h
 * The public interface of librill, a sparse, indirect-addressing lattice Boltzmann solver.
 *
 * The way data takes: a rill_geom (voxels) becomes a rill_domain (fluid nodes and their neighbours),
 * a rill_sim steps populations on it, and rill_permeability_compute() does all of that for its users.
 *
 * Conventions. Axes are x, y, z = 0, 1, 2; arrays are x fastest. "lu" is lattice units (voxel, time
 * step, reference density 1). Functions that can fail return a rill_status; the message of the last
 * failure in this thread is rill_error_message(). Pointers are borrowed unless a comment names a
 * transfer; a create or read function hands its result to the caller, who destroys it.
 */
#ifndef RILL_H
#define RILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status ---------------------------------------------------------------------------------- */

/** What a function came to; the command's exit codes are the same numbers. */
typedef enum rill_status {
    RILL_OK = 0,       /**< done */
    RILL_USAGE = 1,    /**< a wrong argument, option, unit or input file */
    RILL_NUMERICS = 2, /**< diverged, not converged, or no valid answer exists */
    RILL_SYSTEM = 3    /**< memory, disk or device */
} rill_status;

/** Return the message of the last failure in this thread; "" when there was none. */
const char *rill_error_message(void);

/* The version of this header: the only place that states it. */
#define RILL_VERSION_MAJOR 0
#define RILL_VERSION_MINOR 1
#define RILL_VERSION_PATCH 0

/** Return the version of the library, "MAJOR.MINOR.PATCH" with the git revision behind it where it was known. */
const char *rill_version(void);

/* ---- basic types ----------------------------------------------------------------------------- */

typedef uint32_t rill_node;  /**< number of a fluid node, in node order */
typedef uint64_t rill_voxel; /**< number of a voxel, x + nx (y + ny z) */

/** What lies beyond the two faces of the box that are normal to an axis. */
typedef enum rill_side {
    RILL_PERIODIC, /**< the opposite face */
    RILL_MIRROR,   /**< the box itself, mirrored at the face (half a voxel outside the last centre) */
    RILL_WALL      /**< solid, the wall half a voxel outside the last centre */
} rill_side;

/* ---- geometry -------------------------------------------------------------------------------- */

/** Values of a voxel. */
enum {
    RILL_SOLID = 0, /**< not part of the flow */
    RILL_FLUID = 1, /**< a fluid node */
    RILL_PATCH = 2  /**< this and above: a fluid node that carries a patch label */
};

/** Pore fractions of the whole box, counted before anything was dropped; negative when unknown. */
typedef struct rill_porosity {
    double total;          /**< every pore voxel */
    double connected;      /**< pores whose face-connected component reaches an outer face */
    double percolating[3]; /**< pores whose component conducts along x, y, z */
} rill_porosity;

/** A link from a fluid node that crosses a surface. */
typedef struct rill_cut {
    rill_node node;
    uint32_t triangle; /**< of the surface, the first one on the way; RILL_NO_TRIANGLE where there is none:
                            closed holes, extensions, openings */
    float q;           /**< how far from the node the surface is, as a part of the link: 0 to 1 */
    uint8_t direction; /**< number i of the D3Q27 velocity c_i that leads from the surface to the node, as in
                            rill_wall_link: the surface is at x - q c_i. D3Q19 has the first 19 of D3Q27 */
} rill_cut;

#define RILL_NO_TRIANGLE UINT32_MAX

enum {
    RILL_OPENING_NAME = 64, /**< bytes of a name, NUL included */
    RILL_OPENINGS = 253     /**< at most: nodes carry their labels */
};

/** A flat piece of the surface through which fluid enters or leaves. */
typedef struct rill_opening {
    char name[RILL_OPENING_NAME];
    uint8_t label;             /**< value of the voxels that have a link through it */
    double centre[3];          /**< m, from the corner that geom->origin counts from */
    double normal[3];          /**< of length 1, into the fluid */
    double area, perimeter;    /**< of the true outline, m2 and m */
    double hydraulic_diameter; /**< 4 area / perimeter, m */
    rill_cut *cuts;            /**< [cut_count], owned, by node and direction */
    uint64_t cut_count;
    double (*outline)[3]; /**< [outline_count], m, on its plane, one after the other around it; owned; NULL in
                               older files */
    uint64_t outline_count;
} rill_opening;

/** The triangle surface that a geometry was cut from, and where links cross it. */
typedef struct rill_surface {
    double (*vertices)[3];    /**< [vertex_count], m, owned */
    uint32_t (*triangles)[3]; /**< [triangle_count], vertices; in the order of the file, normals outward */
    uint64_t vertex_count, triangle_count;
    rill_cut *walls; /**< [wall_count], links to walls, by node and direction, owned */
    uint64_t wall_count;
    rill_opening *openings; /**< [opening_count], owned */
    int opening_count;
    uint8_t *removed; /**< [triangle_count], 1: taken away for an opening, so that it is no wall, owned; NULL:
                           none was */
} rill_surface;

/** A voxel geometry. */
typedef struct rill_geom {
    uint32_t n[3];          /**< voxels along x, y, z */
    uint8_t *voxels;        /**< [nz][ny][nx], owned */
    double spacing;         /**< edge of a voxel in metres; 0 when unknown */
    double origin[3];       /**< corner of voxel 0 in metres */
    rill_side sides[3];     /**< what lies beyond the faces normal to x, y, z */
    rill_porosity porosity; /**< see rill_porosity */
    char *source;           /**< file or generator that it came from, owned, may be NULL */
    char *source_hash;      /**< XXH3-64 of the source file in hexadecimal, owned, may be NULL */
    char *options;          /**< the command that made it, owned, may be NULL */
    rill_surface *surface;  /**< what it was cut from, owned; NULL for images and generated geometry */
} rill_geom;

/**
 * Create a geometry of solid voxels with periodic sides, unknown spacing and unknown porosities.
 * @param[in]  n    voxels along x, y, z, each at least 1
 * @param[out] out  the geometry
 * @return RILL_USAGE for an empty or overflowing box, RILL_SYSTEM without memory
 */
rill_status rill_geom_create(const uint32_t n[3], rill_geom **out);

/** Destroy a geometry; NULL is allowed. */
void rill_geom_destroy(rill_geom *geom);

/** Destroy a surface; NULL is allowed. */
void rill_surface_destroy(rill_surface *surface);

/** Return the number of voxels of the box. */
uint64_t rill_geom_voxels(const rill_geom *geom);

/** Return the number of fluid voxels (value at least RILL_FLUID). */
uint64_t rill_geom_fluid(const rill_geom *geom);

/** Read a `*.geom.h5` file. @return RILL_USAGE when it is not one, RILL_SYSTEM without memory */
rill_status rill_geom_read(const char *path, rill_geom **out);

/** What rill_geom_write() stores beside the voxels. */
typedef struct rill_geom_write_options {
    bool index_pull; /**< the pull index list of `lattice` */
    int lattice;     /**< a rill_lattice */
} rill_geom_write_options;

/**
 * Write a `*.geom.h5` file: whole or not at all.
 * @param[in] options  NULL for the voxels and node cells alone
 */
rill_status rill_geom_write(const rill_geom *geom, const char *path, const rill_geom_write_options *options);

/* ---- variants -------------------------------------------------------------------------------- */

/** Velocity sets. */
typedef enum rill_lattice { RILL_D3Q19, RILL_D3Q27, RILL_D3Q15, RILL_D2Q9, RILL_LATTICE_COUNT } rill_lattice;

/** Collision operators; see docs/method.md for the equations and their sources. */
typedef enum rill_collision {
    RILL_SRT,            /**< one relaxation time */
    RILL_TRT,            /**< two: even and odd parts of a pair */
    RILL_MRT,            /**< orthogonal raw moments */
    RILL_CENTRAL_MOMENT, /**< moments relative to the flow, "cascaded" */
    RILL_CUMULANT,       /**< cumulants of the distribution; D3Q27 */
    RILL_COLLISION_COUNT
} rill_collision;

typedef enum rill_equilibrium { RILL_SECOND_ORDER, RILL_STOKES, RILL_EQUILIBRIUM_COUNT } rill_equilibrium;

/** Viscosity laws; others than the first belong to TRT. */
typedef enum rill_rheology {
    RILL_NEWTONIAN,
    RILL_CARREAU_YASUDA,
    RILL_CASSON,
    RILL_RHEOLOGY_COUNT
} rill_rheology;

/** Streaming schemes; see kernel/stream.h. */
typedef enum rill_stream {
    RILL_PULL,     /**< two arrays, read upstream, write at home */
    RILL_PUSH,     /**< two arrays, read at home, write downstream */
    RILL_AA,       /**< one array, home and neighbours by turns */
    RILL_ESOTWIST, /**< Esoteric Twist: one array, pairs meet at the corner of their cell */
    RILL_ESOPULL,  /**< Esoteric Pull: one array, half of a pair at home, half downstream */
    RILL_ESOPUSH,  /**< Esoteric Push: one array, half of a pair at home, half upstream */
    RILL_RING,     /**< pull within one array used as a ring */
    RILL_STREAM_COUNT
} rill_stream;

/** How a node finds its neighbours; see kernel/address.h. */
typedef enum rill_addressing {
    RILL_LIST,   /**< an index per link */
    RILL_DENSE,  /**< every voxel is a node, with a flag byte */
    RILL_CHASE,  /**< links along the axes only, diagonals by following two or three of them */
    RILL_BITMAP, /**< rank in an occupancy bitmap */
    RILL_ADDRESSING_COUNT
} rill_addressing;

/** What a population does at a wall. */
typedef enum rill_bounce {
    RILL_HALF_WAY, /**< returns after one step, wall half-way between the nodes */
    RILL_FULL_WAY, /**< Esoteric schemes: rests in a ghost node, returns after two steps */
    RILL_BOUNCE_COUNT
} rill_bounce;

/** Number formats of stored populations; see kernel/storage.h. */
typedef enum rill_storage {
    RILL_FP32,   /**< IEEE 754 binary32 */
    RILL_FP64,   /**< IEEE 754 binary64 */
    RILL_FP16,   /**< IEEE 754 binary16, not scaled */
    RILL_FP16S,  /**< binary16 of 2^15 f */
    RILL_FP16C,  /**< 1-4-11: one exponent bit traded for a mantissa bit, bias 15 */
    RILL_P16_0S, /**< posit of 16 bits, es 0, scaled */
    RILL_P16_1S, /**< posit of 16 bits, es 1, scaled */
    RILL_P16_2C, /**< posit of 16 bits, es 2, customised */
    RILL_INT16S, /**< scaled integers, the bad example */
    RILL_STORAGE_COUNT
} rill_storage;

typedef enum rill_arithmetic { RILL_SINGLE, RILL_DOUBLE, RILL_ARITHMETIC_COUNT } rill_arithmetic;

/** What is stored of a population. */
typedef enum rill_shift {
    RILL_SHIFTED, /**< f_i - w_i, "DDF shifting" */
    RILL_PLAIN,   /**< f_i, for comparison */
    RILL_SHIFT_COUNT
} rill_shift;

/** One choice of everything that a kernel is compiled for. */
typedef struct rill_variant {
    rill_lattice lattice;
    rill_collision collision;
    rill_equilibrium equilibrium;
    rill_stream stream;
    rill_addressing addressing;
    rill_storage storage;
    rill_arithmetic arithmetic; /**< fp64 storage always goes with RILL_DOUBLE, whatever is given */
    rill_rheology rheology;
    rill_bounce bounce;
    rill_shift shift;
} rill_variant;

/** Refuse combinations that do not exist. @return RILL_USAGE with the reason and the remedy */
rill_status rill_variant_check(rill_variant variant);

/** Return the default: D3Q19, TRT, Stokes equilibrium, AA, list, fp32. */
rill_variant rill_variant_default(void);

/** Write "d3q19-trt-stokes-aa-list-fp32" and the like; what is not usual ("double", "full-way", "plain",
 * "carreau-yasuda", "casson") follows behind. `size` of 96 always suffices. */
void rill_variant_name(rill_variant variant, char *text, size_t size);

/** Return the number of populations per node. */
int rill_lattice_q(rill_lattice lattice);

/** Bytes of a variant per fluid node, ghosts and a ring's room to turn in not counted. */
typedef struct rill_bytes {
    double populations; /**< stored */
    double index;       /**< stored: lists, wall words, flags, bitmaps */
    double moved;  /**< per update: populations read and written, index words as often as they are read */
    double cached; /**< the same, with words that neighbours read, too, counted once */
} rill_bytes;

/** Return the bytes of a variant. @param fluid  fraction of the box that is fluid, above 0 */
rill_bytes rill_variant_bytes(rill_variant variant, double fluid);

/* ---- domain ---------------------------------------------------------------------------------- */

/** Fluid nodes in lexicographic order, their neighbours, and the links that cross mirrored sides. */
typedef struct rill_domain rill_domain;

/** How a domain is built. */
typedef struct rill_domain_options {
    rill_lattice lattice;
    int flow_axis; /**< axis of the driving force; a mirrored side normal to it reflects the flow with
                        its sign changed (see docs/method.md); -1: no such axis */
} rill_domain_options;

/**
 * Number the fluid nodes of a geometry and find their neighbours.
 * @param[in] geom  borrowed by the domain: it must outlive it
 * @return RILL_USAGE without fluid nodes or with more than 2^32 - 2 of them, RILL_SYSTEM without memory
 */
rill_status rill_domain_create(const rill_geom *geom, const rill_domain_options *options, rill_domain **out);

/** Destroy a domain; NULL is allowed. */
void rill_domain_destroy(rill_domain *domain);

/** Return the number of fluid nodes. */
rill_node rill_domain_nodes(const rill_domain *domain);

/* ---- boundaries ------------------------------------------------------------------------------ */

/** What comes back along the wall links of a boundary. Equations: kernel/boundary.h, docs/method.md. */
typedef enum rill_boundary_kind {
    RILL_BOUNDARY_WALL,     /**< what was sent, as at any wall: such links are listed to be measured */
    RILL_BOUNDARY_VELOCITY, /**< bounce-back at a wall that moves, or at an inlet */
    RILL_BOUNDARY_PRESSURE /**< anti-bounce-back: a density, that is a pressure rho/3, half-way to the wall */
} rill_boundary_kind;

/** A wall link: the way into a fluid node from a solid voxel, or from beyond a side that is RILL_WALL. */
typedef struct rill_wall_link {
    rill_node node;
    uint32_t x[3];     /**< voxel of the node */
    uint8_t label;     /**< its value: RILL_FLUID or a patch label */
    uint8_t direction; /**< number of the velocity i in the velocity set */
    int8_t c[3];       /**< c_i, from the wall to the node */
    int8_t beyond[3]; /**< -1, 1: crosses the walled side at the low, the high end of the axis; 0: does not */
    double wall[3];   /**< where the wall is: half-way, in voxels from the corner of the box */
} rill_wall_link;

/** A list of wall links, and what comes back along them. */
typedef struct rill_boundary rill_boundary;

/**
 * List wall links; what comes back along them is at first what a wall at rest sends.
 * @param[in] domain  borrowed: it must outlive the boundary
 * @param[in] wanted  says which; NULL for all. It sees nodes in node order, links in the order of i.
 * @return RILL_USAGE when there is none, RILL_SYSTEM without memory
 */
rill_status rill_boundary_create(const rill_domain *domain,
                                 bool (*wanted)(void *context, const rill_wall_link *link), void *context,
                                 rill_boundary **out);

/** List the links that cross a walled side. @param end -1 for the low, 1 for the high end of the axis */
rill_status rill_boundary_create_face(const rill_domain *domain, int axis, int end, rill_boundary **out);

/** List the wall links of the nodes that carry a label and whose c_i · normal is positive. @param normal
 * into the fluid, of any length */
rill_status rill_boundary_create_label(const rill_domain *domain, int label, const double normal[3],
                                       rill_boundary **out);

/**
 * List the links of cuts, which say how far away the wall is. At first the wall is at rest and what comes
 * back is interpolated (Bouzidi, Firdaouss, Lallemand 2001, doi:10.1063/1.1399290, linear): see
 * kernel/walls.h. A velocity is taken where the surface is. With modes or a pressure the links are half-way
 * links, as others are.
 * @param[in] cuts  [count], in ascending order of node, then direction; each on a wall link of the domain.
 * Those along directions that the lattice does not have are passed over.
 * @return RILL_USAGE for cuts that are not, or when none is left
 */
rill_status rill_boundary_create_cuts(const rill_domain *domain, const rill_cut *cuts, uint64_t count,
                                      rill_boundary **out);

/** Forget how far away walls are: half-way. Before velocities are set. */
void rill_boundary_set_halfway(rill_boundary *boundary);

/** Keep what interpolated links send, 8 bytes each, so that rill_sim_patch_force() and rill_sim_patch_flow()
 * serve there, too; other links need no such thing. */
void rill_boundary_set_measured(rill_boundary *boundary);

/** Destroy a boundary; NULL is allowed. Simulations keep what they need of it. */
void rill_boundary_destroy(rill_boundary *boundary);

/** Return the number of links. */
uint64_t rill_boundary_links(const rill_boundary *boundary);

/** Let the wall move, or the fluid come in, with velocity u in lu. @return RILL_USAGE above Mach 0.3 */
rill_status rill_boundary_set_velocity(rill_boundary *boundary, const double u[3]);

/** The same with a velocity for each link. @param profile gives u at a place x in voxels from the box's
 * corner
 */
rill_status rill_boundary_set_velocity_profile(rill_boundary *boundary,
                                               void (*profile)(void *context, const double x[3], double u[3]),
                                               void *context);

enum {
    RILL_BOUNDARY_MODES = 128 /**< of one boundary, at most; all openings of a simulation share 256 weights */
};

/**
 * Let the fluid come in with a sum of velocities whose weights change from step to step (Womersley: cosine
 * and sine of each harmonic); at first 1 for the first mode and 0 for others, see rill_sim_patch_schedule().
 * @param profile  gives u of mode 0 ... modes - 1 at a place x half-way along a link, in voxels from the
 * box's corner
 */
rill_status rill_boundary_set_velocity_modes(rill_boundary *boundary, int modes,
                                             void (*profile)(void *context, const double x[3], int mode,
                                                             double u[3]),
                                             void *context);

/** Return the mass that half-way links bring in per step with weight 1 of a mode: sum of 6 w_i c_i · u. 0
 * without a velocity. */
double rill_boundary_mode_flow(const rill_boundary *boundary, int mode);

/** Hold the pressure (1 + density)/3. @param density rho - 1 @return RILL_USAGE when rho is not above 0 */
rill_status rill_boundary_set_density(rill_boundary *boundary, double density);

/* ---- simulation ------------------------------------------------------------------------------ */

/** Where a simulation runs. */
typedef enum rill_backend_kind { RILL_BACKEND_AUTO, RILL_BACKEND_CPU, RILL_BACKEND_CUDA } rill_backend_kind;

/**
 * A device that simulations run on: its memory, its queue of kernels, and the kernels that were found for it.
 * Nothing of it is shared with other devices, not even with another object for the same GPU: threads may each
 * have one of their own, but one is for one thread at a time. Simulations on the same device follow each other
 * in its queue.
 */
typedef struct rill_device rill_device;

/**
 * Open a device.
 * @param[in] kind     AUTO: a CUDA device where one answers, or else the CPU
 * @param[in] ordinal  of the CUDA devices that CUDA_VISIBLE_DEVICES leaves, from 0; 0 for the CPU
 * @return RILL_SYSTEM with the reason when there is none, RILL_USAGE for an ordinal beyond the last
 */
rill_status rill_device_create(rill_backend_kind kind, int ordinal, rill_device **out);

/** Close a device on which no simulation is left; NULL is allowed. */
void rill_device_destroy(rill_device *device);

/** Return its name, "NVIDIA H200" or the processor and its threads. */
const char *rill_device_name(const rill_device *device);

/**
 * The Carreau-Yasuda viscosity law, nu = nu_inf + (nu_0 - nu_inf) (1 + (lambda g)^a)^((n - 1)/a) at the shear
 * rate g = sqrt(2 S:S), in lattice units.
 */
typedef struct rill_carreau_yasuda {
    double nu_0, nu_inf; /**< kinematic viscosity at rest and at infinite shear, > 0 and >= 0 */
    double lambda;       /**< time scale of the transition, in time steps, > 0 */
    double n; /**< power index, > 0; below 1 the fluid is shear-thinning; at most 1 if nu_0 < nu_inf */
    double a; /**< sharpness of the transition, > 0; 2 is the Carreau law */
} rill_carreau_yasuda;

/** The Casson viscosity law, sqrt(nu) = sqrt(nu_inf) + sqrt(yield / g) at the shear rate g = sqrt(2 S:S), nu
 * at most nu_max, in lattice units. */
typedef struct rill_casson {
    double nu_inf; /**< kinematic viscosity at infinite shear, > 0 */
    double yield;  /**< yield stress over density, >= 0 */
    double nu_max; /**< where the fluid hardly shears, >= nu_inf: stands for what does not flow */
} rill_casson;

/** Physics and place of a simulation, in lattice units. */
typedef struct rill_sim_options {
    rill_variant variant;
    rill_device *device;       /**< not owned; NULL: the simulation opens one for itself */
    rill_backend_kind backend; /**< of that */
    double tau;   /**< relaxation time of the shear stress, > 0.5; nu = (tau - 0.5) / 3; not used with
                       Carreau-Yasuda and Casson, where nu follows from the law */
    double magic; /**< (tau - 1/2)(tau_minus - 1/2), > 0: TRT and MRT for all odd moments, central moments and
                     cumulants on D3Q27 for the moment xyz; not used by SRT */
    double force[3];                    /**< body force per volume; force[2] is 0 on D2Q9 */
    rill_carreau_yasuda carreau_yasuda; /**< read when variant.rheology says so */
    rill_casson casson;                 /**< likewise */
} rill_sim_options;

/** Return tau 1, magic 3/16, no force, the default variant, backend auto. */
rill_sim_options rill_sim_options_default(void);

/** Sums and extrema over all nodes, taken between steps. */
typedef struct rill_totals {
    double mass;         /**< sum of (rho - 1) */
    double resting;      /**< mass that full-way bounce-back keeps in ghosts: it comes back a step later */
    double momentum[3];  /**< sum of rho u, half of the force included */
    double speed;        /**< sum of |u| */
    double kinetic;      /**< sum of u^2 / 2 */
    double elastic;      /**< sum of c_s^2 (rho - 1)^2 / 2, the energy of compression */
    double speed_max;    /**< largest |u| */
    double density_max;  /**< largest |rho - 1| */
    uint64_t not_finite; /**< nodes with a value that is not finite */
} rill_totals;

/** Populations on a domain, on a backend. */
typedef struct rill_sim rill_sim;

/**
 * Create a simulation at rest: rho = 1, u = 0, momentum of the populations -F/2.
 * @param[in] domain  borrowed: it must outlive the simulation
 * @return RILL_USAGE for tau, magic, force or viscosity law out of range, RILL_SYSTEM for memory or device
 */
rill_status rill_sim_create(const rill_domain *domain, const rill_sim_options *options, rill_sim **out);

/** Destroy a simulation; NULL is allowed. */
void rill_sim_destroy(rill_sim *sim);

/** Make `steps` time steps. */
rill_status rill_sim_step(rill_sim *sim, uint64_t steps);

/** Return the time steps made so far. */
uint64_t rill_sim_steps(const rill_sim *sim);

/** Take sums and extrema in FP64, in an order that depends on nothing but the domain. */
rill_status rill_sim_totals(rill_sim *sim, rill_totals *out);

/**
 * Take density and velocity of the nodes first … first + count - 1.
 * @param[out] rho  [count], rho - 1 in lu; may be NULL
 * @param[out] u    [3][count], velocity in lu, half of the force included; may be NULL
 */
rill_status rill_sim_moments(rill_sim *sim, rill_node first, rill_node count, double *rho, double *u);

/** Set density and velocity of every node (equilibrium populations). @param rho [N], rho - 1; @param u [3][N]
 */
rill_status rill_sim_set_moments(rill_sim *sim, const double *rho, const double *u);

/**
 * Put a boundary on a simulation, as it is now: from the next step on, it is a patch of it.
 * @param[out] patch  its number, 0 for the first
 * @return RILL_USAGE for another domain's, or when another patch already rewrites one of its links
 */
rill_status rill_sim_boundary_add(rill_sim *sim, const rill_boundary *boundary, int *patch);

/** Multiply the velocity, or rho - 1, that a patch was made with by a factor, from the next step on. @return
 * RILL_USAGE above Mach 0.3 or for a pressure that is not above 0 */
rill_status rill_sim_patch_scale(rill_sim *sim, int patch, double factor);

/**
 * Take the force of the fluid on the walls of a patch in the last step, by momentum exchange: the sum of
 * -c_i (f_opp(i) sent + f_i back) over its links, in FP64 in their order. The pressure counts from that of
 * density 1, so that a wall that is not closed does not feel it (Ladd 1994, doi:10.1017/S0022112094001771;
 * Mei et al. 2002, doi:10.1103/PhysRevE.65.041203).
 * @return RILL_USAGE when no step was made since the patch was added or moments were set
 */
rill_status rill_sim_patch_force(rill_sim *sim, int patch, double force[3]);

/** Take the mass that came in through a patch in the last step: the sum of f_i back - f_opp(i) sent. */
rill_status rill_sim_patch_flow(rill_sim *sim, int patch, double *flow);

/**
 * Let a function give the weights of the modes of a velocity patch, or the pressure deviation (rho - 1)/3 of
 * a pressure patch (of what lies beyond an outlet), for every step to come. It is asked on the host as steps
 * are launched, so that nothing waits.
 * @param weights  fills in the modes' number of weights (1 for pressures) for what meets the wall on the way
 * from time `step` to `step` + 1, that is at step + 1/2; factors of rill_sim_patch_scale() multiply those of
 *                 velocities. NULL: no schedule
 */
rill_status rill_sim_patch_schedule(rill_sim *sim, int patch,
                                    void (*weights)(void *context, uint64_t step, double *weights),
                                    void *context);

/** What lies behind a pressure patch, lu: p = p_c + proximal Q with compliance dp_c/dt = Q - (p_c -
 * beyond)/distal, where Q is the volume that leaves the domain per step and pressures count from that of
 * density 1. */
typedef struct rill_windkessel {
    double proximal,
        distal;        /**< resistances, >= 0; distal may be infinite if compliance > 0: nothing drains */
    double compliance; /**< >= 0; 0: a plain resistance, proximal + distal */
    double beyond;     /**< pressure at the far end; see rill_sim_patch_schedule() */
    double stored;     /**< p_c at the start */
    double layer; /**< resistance >= 0 of a sponge layer in front of the patch: p counts before the layer, and
                     at the patch it is lower by layer Q */
    double backflow; /**< beta >= 0: where fluid comes in with velocity u_n normal to the patch its pressure
                        is   lowered by beta u_n^2; 0.2 to 1 is usual (Esmaily Moghadam et al. 2011,
                          doi:10.1007/s00466-011-0599-0) */
} rill_windkessel;

/**
 * Put a Windkessel behind a pressure patch. Each step it is solved on the backend together with the flow that
 * its own pressure causes, so that no resistance makes it unstable.
 * @see kernel/outlet.h; Westerhof, Lankhaar, Westerhof 2009, doi:10.1007/s11517-008-0359-2
 */
rill_status rill_sim_patch_windkessel(rill_sim *sim, int patch, const rill_windkessel *windkessel);

/** Return p_c of a Windkessel now. */
rill_status rill_sim_patch_stored(rill_sim *sim, int patch, double *stored);

/** Record flow and mean pressure of a velocity or pressure patch from the next step on, the last `capacity`
 * steps. */
rill_status rill_sim_patch_record(rill_sim *sim, int patch, uint32_t capacity);

/**
 * Take what was recorded in the steps first_step ... first_step + count - 1, which begin at these times.
 * @param[out] flow      [count], volume per step into the domain; may be NULL
 * @param[out] pressure  [count], (rho - 1)/3: what a pressure patch held, the mean of a velocity patch's
 * nodes; may be NULL
 * @return RILL_USAGE for steps that were not recorded, or not kept
 */
rill_status rill_sim_patch_series(rill_sim *sim, int patch, uint64_t first_step, uint32_t count, double *flow,
                                  double *pressure);

/** A list of nodes, on the backend. */
typedef struct rill_sample rill_sample;

/** List nodes whose moments will be taken. @param[in] nodes [count], copied; any order, ascending is fastest
 */
rill_status rill_sim_sample_create(rill_sim *sim, const rill_node *nodes, uint64_t count, rill_sample **out);

/**
 * Take density, velocity and viscous stress of the nodes.
 * @param[out] out  [10][count]: rho - 1, u_x, u_y, u_z, sigma_xx, yy, zz, xy, xz, yz in lu, with
 *                  sigma = -(1 - 1/(2 tau)) N of kernel/stress.h, tau of the node's own viscosity
 */
rill_status rill_sim_sample_take(rill_sim *sim, rill_sample *sample, double *out);

/** Destroy a list before its simulation; NULL is allowed. */
void rill_sample_destroy(rill_sample *sample);

/** Return "cpu" or "cuda". */
const char *rill_sim_backend(const rill_sim *sim);

/** Return the name of the device, "NVIDIA H200" or the processor and its threads. */
const char *rill_sim_device(const rill_sim *sim);

/** Return whether a backend can run here; when not, rill_error_message() says why. */
bool rill_backend_available(rill_backend_kind backend);

/* ---- permeability ---------------------------------------------------------------------------- */

/** What drives the flow through a sample. */
typedef enum rill_drive {
    RILL_DRIVE_FORCE,   /**< a body force, with sides that are periodic or mirrored along it */
    RILL_DRIVE_PRESSURE /**< pressures at the far ends of two reservoirs in front of and behind the sample */
} rill_drive;

/** How a permeability run is brought to its end. */
typedef enum rill_acceleration {
    RILL_ACCELERATION_AUTO,   /**< by a pore network where that serves and is sooner there */
    RILL_ACCELERATION_NONE,   /**< by time steps alone, and the series of k */
    RILL_ACCELERATION_NETWORK /**< the pressures are corrected, see docs/method.md */
} rill_acceleration;

/** What is going to be done, known before it starts; lu unless said otherwise. */
typedef struct rill_permeability_plan {
    uint64_t nodes;         /**< fluid nodes that take part */
    uint64_t ghosts;        /**< numbers given to solid voxels, or to copies in a ring */
    double fluid;           /**< their fraction of the box */
    rill_porosity porosity; /**< of the geometry, before anything was dropped */
    uint64_t dropped;       /**< voxels that cannot conduct and were turned solid */
    double length;          /**< of the period that the flow runs through */
    double opening;         /**< width of the widest pores, estimated */
    double surface;         /**< wall area per volume of the box, estimated */
    double k_expected;      /**< permeability, estimated to a factor of a few */
    double tau, nu;         /**< relaxation time and kinematic viscosity */
    double force; /**< body force per volume, or the pressure drop between the reservoirs / sample length */
    uint64_t reservoirs;               /**< nodes of both reservoirs, beside `nodes`; 0 with a body force */
    double mach, reynolds;             /**< expected */
    bool network;                      /**< pressures are corrected by a pore network */
    uint32_t chambers;                 /**< of a network that sees whether they have settled; 0 without one */
    uint64_t cycle;                    /**< steps between two corrections, or in which momentum settles */
    uint64_t every;                    /**< steps between the first samples, without a network */
    double steps_expected;             /**< time steps per axis, estimated to a factor of a few */
    uint64_t host_bytes, device_bytes; /**< memory needed; device 0 on the CPU */
    uint64_t host_free, device_free;   /**< memory that can be given */
    char tau_reason[160], force_reason[160];
} rill_permeability_plan;

/** A moment of a run, for whoever watches. */
typedef struct rill_permeability_moment {
    int axis;
    uint64_t steps;
    double k;           /**< now, along the axis, lu */
    double predicted;   /**< final value; NaN while unknown */
    double uncertainty; /**< of it, relative; infinity while unknown */
    double mlups;
    double seconds_left; /**< estimated; negative while unknown */
} rill_permeability_moment;

/** One row of the series of a run. */
typedef struct rill_permeability_sample {
    uint64_t step;
    double k[3];        /**< k_xa, k_ya, k_za at this step, lu */
    double predicted;   /**< final k_aa */
    double uncertainty; /**< of it, absolute */
} rill_permeability_sample;

/** What came of the run that was driven along one axis. */
typedef struct rill_permeability_run {
    int axis;
    bool converged;
    char reason[256]; /**< why not, one sentence; "" when converged */
    uint64_t steps;
    int cycles;            /**< corrections by a pore network, and looks at whether another is needed */
    uint32_t chambers;     /**< of that network; 0 without one */
    double k[3];           /**< final k_xa, k_ya, k_za, predicted, lu */
    double uncertainty[3]; /**< of them, absolute; held to the tolerance for k_aa and in a full tensor */
    double last[3];        /**< at the last step */
    double
        tortuosity;  /**< mean |u| over mean u_a: Duda, Koza, Matyka (2011), doi:10.1103/PhysRevE.84.036319 */
    double reynolds; /**< mean pore velocity × hydraulic diameter (4 pore volume / wall area) / nu */
    double mach;     /**< largest speed / speed of sound */
    double seconds;  /**< time spent stepping, samples included */
    double mlups;    /**< million node updates per second */
    rill_permeability_sample *samples; /**< [sample_count], owned */
    size_t sample_count;
} rill_permeability_run;

/** What is wanted. */
typedef struct rill_permeability_options {
    rill_variant variant;
    rill_device *device;       /**< not owned; NULL: one is opened whenever it is needed */
    rill_backend_kind backend; /**< of that */
    int axis;     /**< 0, 1, 2, or -1 for the full tensor */
    double tau;   /**< 0: chosen */
    double magic; /**< TRT */
    rill_drive drive;
    uint32_t reservoir; /**< voxels along the flow of each reservoir, with RILL_DRIVE_PRESSURE */
    double force;       /**< 0: chosen; see the plan */
    uint64_t every;     /**< steps between the first samples, at least 2; 0: chosen */
    double tolerance;   /**< relative uncertainty to stop at */
    uint64_t max_steps; /**< along each axis */
    bool keep_all;      /**< leave pores in that cannot conduct */
    rill_acceleration acceleration;
    bool settle_fields; /**< go on until the mean momentum, too, is within the tolerance: k is known sooner */
    const char *checkpoint; /**< file that is written when the watcher stops a run; NULL: none */
    bool resume;            /**< go on from that file to the same bits, made with the same options */

    /** Called between steps, a few times a second at most; returning false stops the run. May be NULL. */
    bool (*watch)(void *context, const rill_permeability_moment *moment);
    /**
     * Called at the end of each run, e.g. to write fields. May be NULL.
     * @param[in] rho  [nodes], rho - 1, and u [3][nodes], lu, in node order: means of the last two steps
     */
    rill_status (*finished)(void *context, const rill_permeability_run *run, rill_node nodes,
                            const float *rho, const float *u);
    void *context;
} rill_permeability_options;

/** Permeability of a geometry. */
typedef struct rill_permeability {
    rill_permeability_plan plan;
    rill_permeability_run runs[3]; /**< [run_count], in the order of the axes */
    int run_count;
    bool converged;     /**< every run did */
    bool kept;          /**< a run was stopped, and a checkpoint was written */
    double k[3][3];     /**< k_ab, lu; NaN where it was not computed or did not converge */
    double uncertainty; /**< of k_aa, or the largest of a full tensor, relative to the largest k_aa; infinity
                             while unknown */
    double reciprocity; /**< largest |k_ab - k_ba| / largest k_aa; NaN unless the tensor is full */
    char backend[16], device[256];
    double seconds_domain; /**< time spent numbering nodes and finding neighbours */
} rill_permeability;

/** Return: default variant, backend auto, along z, tau and force chosen, tolerance 1e-3, 1,000,000 steps,
 * driven by a force; reservoirs of 16 voxels. */
rill_permeability_options rill_permeability_options_default(void);

/**
 * Remove what cannot conduct and lay down what will be done.
 * @param[in,out] geom  pores that conduct along none of the axes wanted are turned solid; porosities
 *                      that are unknown are filled in. With RILL_DRIVE_PRESSURE the sides normal to the
 *                      flow become RILL_WALL: pores conduct that reach both of them.
 * @return RILL_NUMERICS when nothing conducts along an axis wanted; RILL_USAGE for options out of range
 */
rill_status rill_permeability_plan_make(rill_geom *geom, const rill_permeability_options *options,
                                        rill_permeability_plan *plan);

/**
 * Compute the permeability: k_ba = nu <j_b> / F for a force F along a, the mean taken over all voxels of
 * the box, solid ones too, so that k u = -k/mu grad p holds for the superficial velocity. With
 * RILL_DRIVE_PRESSURE k_aa = nu <j_a> / G for the fall G of the pressure per length from the first plane of
 * the sample to the last, each a mean over its pores; other components are NaN.
 * @param[in]  plan  of this geometry and these options
 * @param[out] out   filled in also when RILL_NUMERICS is returned; see rill_permeability_free()
 * @return RILL_NUMERICS when a run did not converge, left the Stokes range, or is not finite
 */
rill_status rill_permeability_compute(const rill_geom *geom, const rill_permeability_options *options,
                                      const rill_permeability_plan *plan, rill_permeability *out);

/** Free what a result owns, not the result itself; a cleared one is allowed. */
void rill_permeability_free(rill_permeability *result);

/* ---- error bar ------------------------------------------------------------------------------- */

/** What a further run of an error bar is for. */
typedef enum rill_error_bar_purpose {
    RILL_ERROR_BAR_SIDES,  /**< the whole box with other sides */
    RILL_ERROR_BAR_GRID,   /**< the box or a crop of it in fp64, its voxels split */
    RILL_ERROR_BAR_FORMAT, /**< the whole box in fp64, or a crop in the format of the plain run */
} rill_error_bar_purpose;

enum {
    RILL_ERROR_BAR_GRIDS = 2,  /**< boxes that are refined, at most */
    RILL_ERROR_BAR_LEVELS = 3, /**< voxels split into 1, 2^3 and 3^3 */
    RILL_ERROR_BAR_PARTS = 10  /**< further runs, at most */
};

/** One further run (three of them for a tensor). */
typedef struct rill_error_bar_part {
    rill_error_bar_purpose purpose;
    int grid;                /**< number of the box that is refined; -1: the whole box */
    uint32_t first[3], n[3]; /**< voxels taken: the first one, and how many, before they are split */
    uint32_t split;          /**< parts of a voxel along each axis */
    rill_side sides[3];
    rill_variant variant;
    double tolerance;
    uint64_t nodes;                    /**< estimated from those of the box before its voxels are split */
    double steps_expected;             /**< time steps per axis, estimated to a factor of a few */
    double cost;                       /**< time, estimated, in units of the plain run's estimate */
    uint64_t host_bytes, device_bytes; /**< memory needed, estimated; device 0 on the CPU */
} rill_error_bar_part;

/** What an error bar will take, known before it starts. */
typedef struct rill_error_bar_plan {
    rill_error_bar_part parts[RILL_ERROR_BAR_PARTS];
    int part_count;
    int grids;                         /**< boxes that are refined; 0: none fits, grid_note says why */
    bool whole;                        /**< the box that is refined is the whole one */
    double cost;                       /**< of all parts, in units of the plain run's estimate */
    uint64_t host_bytes, device_bytes; /**< the most that a part needs */
    char sides_note[256], grid_note[256], format_note[256]; /**< what is compared, or why it is not */
} rill_error_bar_plan;

/** What is wanted. */
typedef struct rill_error_bar_options {
    double updates; /**< node updates that refinement may take; 0: chosen, see the plan's note */

    /** As rill_permeability_options.watch, of the part with this number. May be NULL. */
    bool (*watch)(void *context, int part, const rill_permeability_moment *moment);
    void *context;
} rill_error_bar_options;

/** One named contribution; arrays are of the axes x, y, z, NaN where the flow was not driven along one. */
typedef struct rill_error_bar_contribution {
    const char *name;   /**< "sides", "discretisation", "number format", "series", "relaxation time" */
    bool assessed;      /**< false: not known, and not in the sum; the note says why */
    double relative[3]; /**< (k otherwise - k) / k, signed; NaN where there is no sign */
    double bound[3];    /**< what is added up, relative to k, at least |relative| */
    char note[256];     /**< one sentence */
} rill_error_bar_contribution;

/** The refinement of one box; k in lu of the voxels before they are split, levels as in the plan. */
typedef struct rill_error_bar_grid {
    uint32_t first[3], n[3];
    double k[RILL_ERROR_BAR_LEVELS][3];             /**< k_aa of each level */
    double uncertainty_k[RILL_ERROR_BAR_LEVELS][3]; /**< of the series they come from, absolute */
    double order[3];       /**< observed; NaN where differences do not shrink with one sign */
    bool sane[3];          /**< the order was used; false: see rill_permeability_error_bar() */
    double limit[3];       /**< of ever finer voxels, lu */
    double uncertainty[3]; /**< of it, absolute */
} rill_error_bar_grid;

/** A permeability with its uncertainty; arrays are of the axes x, y, z, NaN where there is none. */
typedef struct rill_error_bar {
    rill_error_bar_contribution contributions[5];
    int contribution_count;
    rill_error_bar_grid grids[RILL_ERROR_BAR_GRIDS];
    int grid_count;
    double k[3];                     /**< central value: k_aa of the plain run, lu */
    double relative[3];              /**< half width of the interval around it: the sum of all bounds */
    double numerical[3];             /**< the same without the sides, which are a choice, no error */
    double extrapolated[3];          /**< k_aa with the discretisation taken off, lu */
    double extrapolated_relative[3]; /**< half width around that: the sum of what is left */
    bool complete;                   /**< every contribution was assessed */
    double seconds;
} rill_error_bar;

/**
 * Lay down which further runs tell how far the permeability of a plain run may be off.
 * @param[in]  geom   as it was before rill_permeability_plan_make() turned pores solid: other sides may open
 *                    them; what was dropped before stays dropped
 * @param[in]  plain  options and plan of the plain run; a body force and the Stokes equilibrium are wanted
 * @param[out] out    costs and memory are estimates; runs ask for memory again before they take it
 * @return RILL_USAGE for a drive or an equilibrium that has none, RILL_SYSTEM without memory
 */
rill_status rill_error_bar_plan_make(const rill_geom *geom, const rill_permeability_options *options,
                                     const rill_permeability_plan *plain, const rill_error_bar_options *bar,
                                     rill_error_bar_plan *out);

/**
 * Run the parts of an error bar, and add up what they say.
 *
 * The bounds are added, not their squares: they are systematic, few, and not independent. The limit of ever
 * finer voxels is Richardson's with the observed order p (Roache 1994, doi:10.1115/1.2910291; Celik et al.
 * 2008, doi:10.1115/1.2960953), its uncertainty the largest of the distances to the limits with
 * p = 1 and p = 2 and of a quarter of the distance to the finest grid. Where p is not between 0.5 and 2.5 the
 * limit is the finest grid's value, with three times the range of the three as its uncertainty (Eça &
 * Hoekstra 2014, doi:10.1016/j.jcp.2014.01.006). It is the limit for the staircase that the voxels are:
 * segmentation and resolution of the image are not in it (docs/method.md).
 * @param[in] geom    as for rill_error_bar_plan_make()
 * @param[in] plain   result of the plain run, converged
 * @return RILL_NUMERICS when it was stopped, or the plain run did not converge; RILL_SYSTEM
 */
rill_status rill_error_bar_compute(const rill_geom *geom, const rill_permeability_options *options,
                                   const rill_permeability *plain, const rill_error_bar_plan *plan,
                                   const rill_error_bar_options *bar, rill_error_bar *out);

#ifdef __cplusplus
}
#endif
#endif
