/*
 * All of CANN's runtime ABI that aclnn-sys describes (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACL_H
#define ACLNN_SYS_ACL_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"
#include "acl/acl_op.h"
#include "acl/acl_mdl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_allocator.h"
#include "acl/acl_tdt.h"

#endif
