/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file version_json.h
 * `rill --version`: what this program was built from and with, the libraries and the devices that it
 * finds.
 */
#ifndef RILL_CLI_VERSION_JSON_H
#define RILL_CLI_VERSION_JSON_H

#include "rill.h"

/** Print it to standard output: a line for the version, the build, each backend, device and library, or a
 * JSON document. @return RILL_SYSTEM without memory */
rill_status cli_version_print(bool as_json);

#endif
