/* SPDX-License-Identifier: Apache-2.0 */
/* The version that rill.h states; the only file rebuilt when the git revision moves. */
#include "rill.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define RILL_VERSION TEXT(RILL_VERSION_MAJOR) "." TEXT(RILL_VERSION_MINOR) "." TEXT(RILL_VERSION_PATCH)

const char *rill_version(void)
{
    return RILL_REVISION[0] != '\0' ? RILL_VERSION " (" RILL_REVISION ")" : RILL_VERSION;
}
