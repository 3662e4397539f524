// NVTX annotations mean nothing to a run: they compile and do nothing. Domains, categories and registered strings are
// handles that are never looked at.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_API
#define NVTX_INLINE_STATIC static inline
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_ERR_INIT_LOAD_PROPERTY 2
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2, NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1, NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3, NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4, NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef enum nvtxResourceGenericType_t {
  NVTX_RESOURCE_TYPE_UNKNOWN = 0, NVTX_RESOURCE_TYPE_GENERIC_POINTER = 1, NVTX_RESOURCE_TYPE_GENERIC_HANDLE = 2,
  NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = 3, NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = 4
} nvtxResourceGenericType_t;

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st* nvtxStringHandle_t;
typedef struct nvtxResourceHandle* nvtxResourceHandle_t;
typedef union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;
typedef struct nvtxResourceAttributes_v0 {
  uint16_t version, size;
  int32_t identifierType;
  union identifier_t { const void* pValue; uint64_t ullValue; } identifier;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxResourceAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxResourceAttributes_t))

#define CUCO_NVTX_VOID(NAME, PARAMETERS) NVTX_INLINE_STATIC void NAME PARAMETERS {}
#define CUCO_NVTX(TYPE, NAME, PARAMETERS) \
  NVTX_INLINE_STATIC TYPE NAME PARAMETERS { return (TYPE)0; }
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#endif
CUCO_NVTX_VOID(nvtxInitialize, (const void* reserved))
CUCO_NVTX_VOID(nvtxMarkEx, (const nvtxEventAttributes_t* attributes))
CUCO_NVTX_VOID(nvtxMarkA, (const char* message))
CUCO_NVTX_VOID(nvtxMarkW, (const wchar_t* message))
CUCO_NVTX(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t* attributes))
CUCO_NVTX(nvtxRangeId_t, nvtxRangeStartA, (const char* message))
CUCO_NVTX(nvtxRangeId_t, nvtxRangeStartW, (const wchar_t* message))
CUCO_NVTX_VOID(nvtxRangeEnd, (nvtxRangeId_t id))
CUCO_NVTX(int, nvtxRangePushEx, (const nvtxEventAttributes_t* attributes))
CUCO_NVTX(int, nvtxRangePushA, (const char* message))
CUCO_NVTX(int, nvtxRangePushW, (const wchar_t* message))
CUCO_NVTX(int, nvtxRangePop, (void))
CUCO_NVTX_VOID(nvtxNameCategoryA, (uint32_t category, const char* name))
CUCO_NVTX_VOID(nvtxNameCategoryW, (uint32_t category, const wchar_t* name))
CUCO_NVTX_VOID(nvtxNameOsThreadA, (uint32_t thread, const char* name))
CUCO_NVTX_VOID(nvtxNameOsThreadW, (uint32_t thread, const wchar_t* name))
CUCO_NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, (const char* name))
CUCO_NVTX(nvtxDomainHandle_t, nvtxDomainCreateW, (const wchar_t* name))
CUCO_NVTX_VOID(nvtxDomainDestroy, (nvtxDomainHandle_t domain))
CUCO_NVTX_VOID(nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes))
CUCO_NVTX(nvtxRangeId_t, nvtxDomainRangeStartEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes))
CUCO_NVTX_VOID(nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t id))
CUCO_NVTX(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes))
CUCO_NVTX(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain))
CUCO_NVTX(nvtxResourceHandle_t, nvtxDomainResourceCreate, (nvtxDomainHandle_t domain, nvtxResourceAttributes_t* attributes))
CUCO_NVTX_VOID(nvtxDomainResourceDestroy, (nvtxResourceHandle_t resource))
CUCO_NVTX_VOID(nvtxDomainNameCategoryA, (nvtxDomainHandle_t domain, uint32_t category, const char* name))
CUCO_NVTX_VOID(nvtxDomainNameCategoryW, (nvtxDomainHandle_t domain, uint32_t category, const wchar_t* name))
CUCO_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringA, (nvtxDomainHandle_t domain, const char* string))
CUCO_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringW, (nvtxDomainHandle_t domain, const wchar_t* string))
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#undef CUCO_NVTX
#undef CUCO_NVTX_VOID

#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
