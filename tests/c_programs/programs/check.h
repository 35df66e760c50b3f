/* Checks for all programs, in C and C++: an unexpected code or value ends the program. */
#ifndef C_PROGRAMS_CHECK_H
#define C_PROGRAMS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

/* Prints the place and a message, and ends the program. */
#define FAIL(...)                                       \
    do {                                                \
        fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
        fprintf(stderr, __VA_ARGS__);                   \
        fputc('\n', stderr);                            \
        exit(1);                                        \
    } while (0)

/* A call of CANN that must succeed. */
#define CALL(call)                                                                      \
    do {                                                                                \
        int code_ = (int)(call);                                                        \
        if (code_ != 0) {                                                               \
            const char* words_ = aclGetRecentErrMsg();                                  \
            FAIL("%s returned %d: %s", #call, code_, words_ ? words_ : "(no message)"); \
        }                                                                               \
    } while (0)

/* A call of CANN that must fail with this code and leave a message. */
#define REFUSED(call, expected)                                                               \
    do {                                                                                      \
        int code_ = (int)(call);                                                              \
        const char* words_ = aclGetRecentErrMsg();                                            \
        printf("%s: %d\n", #call, code_);                                                     \
        if (code_ != (int)(expected)) {                                                       \
            FAIL("%s returned %d, not %s (%d): %s", #call, code_, #expected, (int)(expected), \
                words_ ? words_ : "(no message)");                                            \
        }                                                                                     \
        if (words_ == NULL || words_[0] == '\0') {                                            \
            FAIL("%s returned %d without a word", #call, code_);                              \
        }                                                                                     \
    } while (0)

/* A condition that must hold. */
#define HOLDS(condition)                          \
    do {                                          \
        if (!(condition)) {                       \
            FAIL("%s does not hold", #condition); \
        }                                         \
    } while (0)

#endif
