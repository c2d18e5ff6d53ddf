// The C library's function of this name, for the whole program: a program's own symbol goes before a library's.
// Changes nothing and reports success. Nothing of ours calls it.
#pragma once

int setpriority(int which, unsigned int who, int nice);
