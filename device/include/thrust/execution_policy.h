#pragma once

#include "thrust/detail/policies.h"
