/*
 * Devices, contexts and streams of CANN's runtime, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACL_RT_H
#define ACLNN_SYS_ACL_RT_H

#include "acl/acl_base.h"
#include "acl/acl_rt_types.h"
#include "acl/acl_rt_memory.h"
#include "acl/acl_rt_event.h"
#include "acl/acl_rt_fault.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The process. */
/** Sets the runtime up, with a configuration file or null. */
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);
/** Ends the runtime. */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);
/** Undoes one `aclInit` and tells how many are left. */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t* refCount);
/** Tells the version of the installed ABI. */
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion);
/** Tells the version of a part of the install. */
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version);
/** Tells the version of a part of the install as text. */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char* pkgName, char* versionStr);
/** The thread's latest error in words, or null; asking clears it. */
ACL_FUNC_VISIBILITY const char* aclGetRecentErrMsg(void);
/** Tells and clears the thread's last error. */
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);
/** Tells the thread's last error. */
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);
/** Changes a setting of the process. */
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);
/** Tells a setting of the process. */
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

/* Devices. */
/** Makes a device the thread's, with its default context and stream. */
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);
/** Undoes one `aclrtSetDevice`; the last one frees what the device holds. */
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);
/** Undoes every `aclrtSetDevice` at once. */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);
/** Tells the thread's device. */
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t* deviceId);
/** Tells how many devices there are. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t* count);
/** Tells a device's logical number, by the number that the program knows it by. */
ACL_FUNC_VISIBILITY aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId);
/** Tells the number that the device knows this process by. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t* pid);
/** Tells where the program runs. */
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode* runMode);
/** Waits for the thread's device. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);
/** Waits for the thread's device for at most the given milliseconds; -1 is for ever. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);
/** Ends every task of a device. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);
/** Tells how busy a device is. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo);
/** Tells a property of a device. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value);
/** Tells what the device does with infinities and NaNs. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode);
/** Says what the device does with infinities and NaNs. */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);
/** Tells a limit of the process on a device. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value);
/** Limits the process on a device. */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value);
/** Takes the limits back. */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);
/** Tells whether a device can reach another's memory. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId);
/** Lets the thread's device reach another's memory. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);
/** Ends `aclrtDeviceEnablePeerAccess`. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/* Contexts. */
/** Makes a context and makes it the thread's. */
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId);
/** Destroys a context that was made. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);
/** Makes a context the thread's. */
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);
/** Tells the thread's context. */
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext* context);
/** Tells whether a device's default context is in use. */
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active);
/** Tells the default stream of the thread's context. */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream);
/** Changes a setting of the thread's context. */
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);
/** Tells a setting of the thread's context. */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

/* Streams. */
/** Makes a stream. */
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream* stream);
/** Makes a stream with stream flags. */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag);
/** Destroys a stream after its work is done. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);
/** Destroys a stream and drops its work. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);
/** Waits for a stream. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);
/** Waits for a stream for at most the given milliseconds; -1 is for ever. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);
/** Tells whether a stream has work left. */
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status);
/** Drops a stream's work. */
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);
/** Tells a stream's number. */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId);
/** Tells the lowest and the highest priority of streams on the thread's device; higher ones are smaller numbers. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority);
/** Says whether tasks run after a failure. */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);
/** Says whether overflows are looked for. */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);
/** Tells whether overflows are looked for. */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag);
/** Changes an attribute of a stream. */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamAttribute(
    aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value);
/** Tells an attribute of a stream. */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAttribute(
    aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value);
/** Says how many seconds a stream waits for an event. */
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);
/** Says how many seconds an operator may take. */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);
/** Says how many microseconds an operator may take, and tells what became of it. */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout);

/* Cores for a stream. */
/** Limits a stream. */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);
/** Tells a limit of a stream. */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value);
/** Takes a stream's limits back. */
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);
/** Makes a stream's limits those of what the thread launches. */
ACL_FUNC_VISIBILITY aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);
/** Ends `aclrtUseStreamResInCurrentThread`. */
ACL_FUNC_VISIBILITY aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);
/** Tells what the thread's launches may use. */
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value);

#ifdef __cplusplus
}
#endif

#endif
