/*
 * Dumps of CANN's runtime, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACL_MDL_H
#define ACLNN_SYS_ACL_MDL_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Sets dumping up. */
ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);
/** Begins dumping as a configuration file says. */
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char *dumpCfgPath);
/** Ends dumping. */
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

#ifdef __cplusplus
}
#endif

#endif
