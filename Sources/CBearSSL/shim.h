#pragma once
// With it, string.h declares explicit_bzero(3).
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bearssl.h>
#include <string.h>
#include <unistd.h>
