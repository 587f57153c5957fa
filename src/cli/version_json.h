/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file version_json.h
 * `rill --version --json`: what this program was built from and with, the libraries and the devices that it
 * finds.
 */
#ifndef RILL_CLI_VERSION_JSON_H
#define RILL_CLI_VERSION_JSON_H

#include "rill.h"

/** Print the document to standard output. @return RILL_SYSTEM without memory */
rill_status cli_version_json(void);

#endif
