// The files of the console's page, as they stand in Pages.

#ifndef CONSOLE_PAGES_H
#define CONSOLE_PAGES_H

#include <stddef.h>

/// One file: its name, and its bytes for as long as the program runs.
typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} console_page;

/// The page of a number from 0 on; behind the last one its name is null.
console_page console_page_at(size_t number);

#endif
