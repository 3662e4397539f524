#pragma once

#include "thrust/detail/vectors.h"
