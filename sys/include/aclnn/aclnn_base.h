/*
 * Set-up and end of CANN's operator ABI, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNN_ACLNN_BASE_H
#define ACLNN_SYS_ACLNN_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Sets the operators up, with a configuration file or null; once in a process. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);
/** Ends the operators; once in a process. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif
