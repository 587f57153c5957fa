/* SPDX-License-Identifier: Apache-2.0 */
/* The version that the Makefile states; the only file rebuilt when the git revision moves. */
#include "rill.h"

const char *rill_version(void)
{
    return RILL_REVISION[0] != '\0' ? RILL_VERSION " (" RILL_REVISION ")" : RILL_VERSION;
}
