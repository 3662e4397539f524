// An old name.
#pragma once

#include "vector_functions.h"
