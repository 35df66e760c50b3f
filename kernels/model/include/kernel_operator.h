// The subset of Ascend C that the host model executes: the one header that a kernel includes.
//
// Names, namespaces, signatures and semantics are those of the vector core of dav-2201 (A2, A3),
// and each of them exists both in CANN 8.1.RC1 and in the 2026 headers, except ArithProgression, so
// that a kernel which compiles here compiles there. What is not in the subset is absent, or is
// refused with a report where only the run time shows it.
#pragma once

#include "model/arithmetic.h"
#include "model/atomic.h"
#include "model/blocks.h"
#include "model/cast.h"
#include "model/copy.h"
#include "model/gather.h"
#include "model/gather_mask.h"
#include "model/multiply_add.h"
#include "model/pipe.h"
#include "model/progression.h"
#include "model/qualifiers.h"
#include "model/reduce.h"
#include "model/scalar.h"
#include "model/select.h"
#include "model/sort.h"
#include "model/sync.h"
#include "model/system.h"
#include "model/tensor.h"
#include "model/transpose.h"
#include "model/types.h"
