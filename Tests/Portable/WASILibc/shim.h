#pragma once
#include <stdlib.h>
#include <unistd.h>
