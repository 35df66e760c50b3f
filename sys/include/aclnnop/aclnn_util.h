/*
 * How operators are exported, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_UTIL_H
#define ACLNN_SYS_ACLNNOP_ACLNN_UTIL_H

#if defined(__GNUC__)
#define ACLNN_API __attribute__((visibility("default")))
#else
#define ACLNN_API
#endif

#endif
