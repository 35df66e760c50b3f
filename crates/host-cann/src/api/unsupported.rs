//! Functions that are declared and not implemented: each fails with a code and a message that say
//! so.

use core::ffi::{c_char, c_int, c_void};

use aclnn_sys::{
    ACL_ERROR_API_NOT_SUPPORT, AclError, aclDataBuffer, aclDataType, aclFormat, aclGraphDumpOption,
    aclTensorDesc, aclmdlBatch, aclmdlDataset, aclmdlDesc, aclmdlExecConfigAttr, aclmdlExecConfigHandle,
    aclmdlHW, aclmdlIODims, aclmdlRI, aclmdlRICaptureMode, aclopAttr, aclopEngineType, aclprofAicoreEvents,
    aclprofAicoreMetrics, aclprofConfig, aclprofConfigType, aclprofStepInfo, aclprofStepTag, aclrtAllocator,
    aclrtAllocatorAllocAdviseFunc, aclrtAllocatorAllocFunc, aclrtAllocatorDesc, aclrtAllocatorFreeFunc,
    aclrtAllocatorGetAddrFromBlockFunc, aclrtDevResLimitType, aclrtDrvMemHandle, aclrtErrorInfo, aclrtEvent,
    aclrtIpcEventHandle, aclrtMemHandleType, aclrtMemUceInfo, aclrtMemUsageInfo, aclrtStream, aclrtTaskGrp,
    aclrtUtilizationInfo, acltdtChannelHandle, acltdtDataItem, acltdtDataset, acltdtTensorType,
};

use crate::entry::call;
use crate::failure::failure;

macro_rules! unsupported {
    ($(fn $name:ident($(_: $kind:ty),* $(,)?) $(-> $answer:ty)?;)*) => {$(
        #[doc = concat!("[`", stringify!($name), "`](aclnn_sys::Cann::", stringify!($name), "): not implemented, always fails.")]
        ///
        /// # Safety
        /// The arguments are not used.
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $name($(_: $kind),*) $(-> $answer)? {
            call(stringify!($name), || Err(failure!(
                ACL_ERROR_API_NOT_SUPPORT,
                "host-cann does not implement {}",
                stringify!($name)
            )))
        }
        const _: aclnn_sys::prototypes::$name = $name;
    )*};
}

unsupported! {
    fn aclGenGraphAndDumpForOp(
        _: *const c_char, _: c_int, _: *const *const aclTensorDesc, _: *const *const aclDataBuffer,
        _: c_int, _: *const *const aclTensorDesc, _: *const *mut aclDataBuffer, _: *const aclopAttr,
        _: aclopEngineType, _: *const c_char, _: *const aclGraphDumpOption,
    ) -> AclError;
    fn aclmdlAddDatasetBuffer(_: *mut aclmdlDataset, _: *mut aclDataBuffer) -> AclError;
    fn aclmdlBundleGetModelId(_: u32, _: usize, _: *mut u32) -> AclError;
    fn aclmdlBundleLoadFromMem(_: *const c_void, _: usize, _: *mut u32) -> AclError;
    fn aclmdlBundleUnload(_: u32) -> AclError;
    fn aclmdlCreateDataset() -> *mut aclmdlDataset;
    fn aclmdlCreateDesc() -> *mut aclmdlDesc;
    fn aclmdlCreateExecConfigHandle() -> *mut aclmdlExecConfigHandle;
    fn aclmdlDestroyDataset(_: *const aclmdlDataset) -> AclError;
    fn aclmdlDestroyDesc(_: *mut aclmdlDesc) -> AclError;
    fn aclmdlDestroyExecConfigHandle(_: *const aclmdlExecConfigHandle) -> AclError;
    fn aclmdlExecute(_: u32, _: *const aclmdlDataset, _: *mut aclmdlDataset) -> AclError;
    fn aclmdlExecuteV2(
        _: u32, _: *const aclmdlDataset, _: *mut aclmdlDataset, _: aclrtStream,
        _: *const aclmdlExecConfigHandle,
    ) -> AclError;
    fn aclmdlFinalizeDump() -> AclError;
    fn aclmdlGetCurOutputDims(_: *const aclmdlDesc, _: usize, _: *mut aclmdlIODims) -> AclError;
    fn aclmdlGetDatasetBuffer(_: *const aclmdlDataset, _: usize) -> *mut aclDataBuffer;
    fn aclmdlGetDatasetNumBuffers(_: *const aclmdlDataset) -> usize;
    fn aclmdlGetDatasetTensorDesc(_: *const aclmdlDataset, _: usize) -> *mut aclTensorDesc;
    fn aclmdlGetDesc(_: *mut aclmdlDesc, _: u32) -> AclError;
    fn aclmdlGetDynamicBatch(_: *const aclmdlDesc, _: *mut aclmdlBatch) -> AclError;
    fn aclmdlGetDynamicHW(_: *const aclmdlDesc, _: usize, _: *mut aclmdlHW) -> AclError;
    fn aclmdlGetInputDataType(_: *const aclmdlDesc, _: usize) -> aclDataType;
    fn aclmdlGetInputDims(_: *const aclmdlDesc, _: usize, _: *mut aclmdlIODims) -> AclError;
    fn aclmdlGetInputDimsV2(_: *const aclmdlDesc, _: usize, _: *mut aclmdlIODims) -> AclError;
    fn aclmdlGetInputDynamicDims(_: *const aclmdlDesc, _: usize, _: *mut aclmdlIODims, _: usize) -> AclError;
    fn aclmdlGetInputDynamicGearCount(_: *const aclmdlDesc, _: usize, _: *mut usize) -> AclError;
    fn aclmdlGetInputFormat(_: *const aclmdlDesc, _: usize) -> aclFormat;
    fn aclmdlGetInputIndexByName(_: *const aclmdlDesc, _: *const c_char, _: *mut usize) -> AclError;
    fn aclmdlGetInputNameByIndex(_: *const aclmdlDesc, _: usize) -> *const c_char;
    fn aclmdlGetInputSizeByIndex(_: *mut aclmdlDesc, _: usize) -> usize;
    fn aclmdlGetNumInputs(_: *mut aclmdlDesc) -> usize;
    fn aclmdlGetNumOutputs(_: *mut aclmdlDesc) -> usize;
    fn aclmdlGetOutputDataType(_: *const aclmdlDesc, _: usize) -> aclDataType;
    fn aclmdlGetOutputDims(_: *const aclmdlDesc, _: usize, _: *mut aclmdlIODims) -> AclError;
    fn aclmdlGetOutputFormat(_: *const aclmdlDesc, _: usize) -> aclFormat;
    fn aclmdlGetOutputNameByIndex(_: *const aclmdlDesc, _: usize) -> *const c_char;
    fn aclmdlGetOutputSizeByIndex(_: *mut aclmdlDesc, _: usize) -> usize;
    fn aclmdlInitDump() -> AclError;
    fn aclmdlLoadFromMem(_: *const c_void, _: usize, _: *mut u32) -> AclError;
    fn aclmdlLoadFromMemWithMem(
        _: *const c_void, _: usize, _: *mut u32, _: *mut c_void, _: usize, _: *mut c_void, _: usize,
    ) -> AclError;
    fn aclmdlQuerySizeFromMem(_: *const c_void, _: usize, _: *mut usize, _: *mut usize) -> AclError;
    fn aclmdlRICaptureBegin(_: aclrtStream, _: aclmdlRICaptureMode) -> AclError;
    fn aclmdlRICaptureEnd(_: aclrtStream, _: *mut aclmdlRI) -> AclError;
    fn aclmdlRICaptureTaskGrpBegin(_: aclrtStream) -> AclError;
    fn aclmdlRICaptureTaskGrpEnd(_: aclrtStream, _: *mut aclrtTaskGrp) -> AclError;
    fn aclmdlRICaptureTaskUpdateBegin(_: aclrtStream, _: aclrtTaskGrp) -> AclError;
    fn aclmdlRICaptureTaskUpdateEnd(_: aclrtStream) -> AclError;
    fn aclmdlRICaptureThreadExchangeMode(_: *mut aclmdlRICaptureMode) -> AclError;
    fn aclmdlRIDebugJsonPrint(_: aclmdlRI, _: *const c_char, _: u32) -> AclError;
    fn aclmdlRIDebugPrint(_: aclmdlRI) -> AclError;
    fn aclmdlRIDestroy(_: aclmdlRI) -> AclError;
    fn aclmdlRIExecuteAsync(_: aclmdlRI, _: aclrtStream) -> AclError;
    fn aclmdlSetDatasetTensorDesc(_: *mut aclmdlDataset, _: *mut aclTensorDesc, _: usize) -> AclError;
    fn aclmdlSetDump(_: *const c_char) -> AclError;
    fn aclmdlSetDynamicBatchSize(_: u32, _: *mut aclmdlDataset, _: usize, _: u64) -> AclError;
    fn aclmdlSetDynamicHWSize(_: u32, _: *mut aclmdlDataset, _: usize, _: u64, _: u64) -> AclError;
    fn aclmdlSetExecConfigOpt(
        _: *mut aclmdlExecConfigHandle, _: aclmdlExecConfigAttr, _: *const c_void, _: usize,
    ) -> AclError;
    fn aclmdlSetInputDynamicDims(_: u32, _: *mut aclmdlDataset, _: usize, _: *const aclmdlIODims) -> AclError;
    fn aclmdlUnload(_: u32) -> AclError;
    fn aclopSetModelDir(_: *const c_char) -> AclError;
    fn aclprofCreateConfig(
        _: *mut u32, _: u32, _: aclprofAicoreMetrics, _: *const aclprofAicoreEvents, _: u64,
    ) -> *mut aclprofConfig;
    fn aclprofCreateStepInfo() -> *mut aclprofStepInfo;
    fn aclprofDestroyConfig(_: *const aclprofConfig) -> AclError;
    fn aclprofDestroyStepInfo(_: *mut aclprofStepInfo);
    fn aclprofFinalize() -> AclError;
    fn aclprofGetStepTimestamp(_: *mut aclprofStepInfo, _: aclprofStepTag, _: aclrtStream) -> AclError;
    fn aclprofGetSupportedFeatures(_: *mut usize, _: *mut *mut c_void) -> AclError;
    fn aclprofGetSupportedFeaturesV2(_: *mut usize, _: *mut *mut c_void) -> AclError;
    fn aclprofInit(_: *const c_char, _: usize) -> AclError;
    fn aclprofSetConfig(_: aclprofConfigType, _: *const c_char, _: usize) -> AclError;
    fn aclprofStart(_: *const aclprofConfig) -> AclError;
    fn aclprofStop(_: *const aclprofConfig) -> AclError;
    fn aclrtAllocatorCreateDesc() -> aclrtAllocatorDesc;
    fn aclrtAllocatorDestroyDesc(_: aclrtAllocatorDesc) -> AclError;
    fn aclrtAllocatorRegister(_: aclrtStream, _: aclrtAllocatorDesc) -> AclError;
    fn aclrtAllocatorSetAllocAdviseFuncToDesc(
        _: aclrtAllocatorDesc, _: aclrtAllocatorAllocAdviseFunc,
    ) -> AclError;
    fn aclrtAllocatorSetAllocFuncToDesc(_: aclrtAllocatorDesc, _: aclrtAllocatorAllocFunc) -> AclError;
    fn aclrtAllocatorSetFreeFuncToDesc(_: aclrtAllocatorDesc, _: aclrtAllocatorFreeFunc) -> AclError;
    fn aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
        _: aclrtAllocatorDesc, _: aclrtAllocatorGetAddrFromBlockFunc,
    ) -> AclError;
    fn aclrtAllocatorSetObjToDesc(_: aclrtAllocatorDesc, _: aclrtAllocator) -> AclError;
    fn aclrtAllocatorUnregister(_: aclrtStream) -> AclError;
    fn aclrtDeviceGetBareTgid(_: *mut i32) -> AclError;
    fn aclrtGetDeviceResLimit(_: i32, _: aclrtDevResLimitType, _: *mut u32) -> AclError;
    fn aclrtGetDeviceUtilizationRate(_: i32, _: *mut aclrtUtilizationInfo) -> AclError;
    fn aclrtGetErrorVerbose(_: i32, _: *mut aclrtErrorInfo) -> AclError;
    fn aclrtGetLogicDevIdByUserDevId(_: i32, _: *mut i32) -> AclError;
    fn aclrtGetMemUceInfo(_: i32, _: *mut aclrtMemUceInfo, _: usize, _: *mut usize) -> AclError;
    fn aclrtGetMemUsageInfo(_: i32, _: *mut aclrtMemUsageInfo, _: usize, _: *mut usize) -> AclError;
    fn aclrtGetResInCurrentThread(_: aclrtDevResLimitType, _: *mut u32) -> AclError;
    fn aclrtGetStreamResLimit(_: aclrtStream, _: aclrtDevResLimitType, _: *mut u32) -> AclError;
    fn aclrtHostRegisterV2(_: *mut c_void, _: u64, _: u32) -> AclError;
    fn aclrtIpcGetEventHandle(_: aclrtEvent, _: *mut aclrtIpcEventHandle) -> AclError;
    fn aclrtIpcMemClose(_: *const c_char) -> AclError;
    fn aclrtIpcMemGetExportKey(_: *mut c_void, _: usize, _: *mut c_char, _: usize, _: u64) -> AclError;
    fn aclrtIpcMemImportByKey(_: *mut *mut c_void, _: *const c_char, _: u64) -> AclError;
    fn aclrtIpcMemSetImportPid(_: *const c_char, _: *mut i32, _: usize) -> AclError;
    fn aclrtIpcOpenEventHandle(_: aclrtIpcEventHandle, _: *mut aclrtEvent) -> AclError;
    fn aclrtMemExportToShareableHandle(
        _: aclrtDrvMemHandle, _: aclrtMemHandleType, _: u64, _: *mut u64,
    ) -> AclError;
    fn aclrtMemImportFromShareableHandle(_: u64, _: i32, _: *mut aclrtDrvMemHandle) -> AclError;
    fn aclrtMemSetPidToShareableHandle(_: u64, _: *mut i32, _: usize) -> AclError;
    fn aclrtMemUceRepair(_: i32, _: *mut aclrtMemUceInfo, _: usize) -> AclError;
    fn aclrtRepairError(_: i32, _: *const aclrtErrorInfo) -> AclError;
    fn aclrtResetDeviceResLimit(_: i32) -> AclError;
    fn aclrtResetStreamResLimit(_: aclrtStream) -> AclError;
    fn aclrtSetDeviceResLimit(_: i32, _: aclrtDevResLimitType, _: u32) -> AclError;
    fn aclrtSetStreamResLimit(_: aclrtStream, _: aclrtDevResLimitType, _: u32) -> AclError;
    fn aclrtUnuseStreamResInCurrentThread(_: aclrtStream) -> AclError;
    fn aclrtUseStreamResInCurrentThread(_: aclrtStream) -> AclError;
    fn aclrtValueWait(_: *mut c_void, _: u64, _: u32, _: aclrtStream) -> AclError;
    fn aclrtValueWrite(_: *mut c_void, _: u64, _: u32, _: aclrtStream) -> AclError;
    fn acltdtAddDataItem(_: *mut acltdtDataset, _: *mut acltdtDataItem) -> AclError;
    fn acltdtCleanChannel(_: *mut acltdtChannelHandle) -> AclError;
    fn acltdtCreateChannel(_: u32, _: *const c_char) -> *mut acltdtChannelHandle;
    fn acltdtCreateDataItem(
        _: acltdtTensorType, _: *const i64, _: usize, _: aclDataType, _: *mut c_void, _: usize,
    ) -> *mut acltdtDataItem;
    fn acltdtDestroyDataItem(_: *mut acltdtDataItem) -> AclError;
    fn acltdtGetDataAddrFromItem(_: *const acltdtDataItem) -> *mut c_void;
    fn acltdtGetDataItem(_: *const acltdtDataset, _: usize) -> *mut acltdtDataItem;
    fn acltdtGetDataSizeFromItem(_: *const acltdtDataItem) -> usize;
    fn acltdtGetDataTypeFromItem(_: *const acltdtDataItem) -> aclDataType;
    fn acltdtGetDatasetName(_: *const acltdtDataset) -> *const c_char;
    fn acltdtGetDatasetSize(_: *const acltdtDataset) -> usize;
    fn acltdtGetDimNumFromItem(_: *const acltdtDataItem) -> usize;
    fn acltdtGetDimsFromItem(_: *const acltdtDataItem, _: *mut i64, _: usize) -> AclError;
    fn acltdtGetSliceInfoFromItem(_: *const acltdtDataItem, _: *mut usize, _: *mut usize) -> AclError;
    fn acltdtGetTensorTypeFromItem(_: *const acltdtDataItem) -> acltdtTensorType;
    fn acltdtSendTensor(_: *const acltdtChannelHandle, _: *const acltdtDataset, _: i32) -> AclError;
    fn acltdtStopChannel(_: *mut acltdtChannelHandle) -> AclError;
}
