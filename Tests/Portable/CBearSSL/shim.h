#pragma once
#include <bearssl.h>
