#pragma once
#define bool _Bool
