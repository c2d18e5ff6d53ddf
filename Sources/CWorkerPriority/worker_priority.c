// Threads of our programs keep the priority that their process was given.
//
// libdispatch, on which Swift's tasks and UnixSignals run, calls setpriority(2) in each worker thread: nice -4 for
// the one that stands for the main thread, 0 for the others. A caller that may not raise priorities (all users but
// root) or may not make the call at all (our unit: SystemCallFilter=~@resources) is refused, and for each refusal
// libdispatch writes "Failed to set thread priority for worker thread" to the system's log. A caller that may loses
// the Nice= of its unit. libdispatch has a setting for neither, so the call ends here (decision 0125).
//
// In C because Swift's public symbols are protected in ELF: the dynamic linker would not give this one to
// libdispatch.so in debug builds.

#include "worker_priority.h"

int setpriority(int which, unsigned int who, int nice) {
    (void)which;
    (void)who;
    (void)nice;
    return 0;
}
