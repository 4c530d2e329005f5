// What every program that `scripts/sanitize address` builds has in it, since tests give programs an environment of
// their own: where reports go, and the leaks that are none of ours.

#include <stdint.h>

// Set by the script: the beginning of each report's path.
#ifndef REPORTS
#error "REPORTS says where reports go"
#endif

const char *__asan_default_options(void) { return "log_path=" REPORTS; }

// That a suppression was of use is no report.
const char *__lsan_default_options(void) { return "print_suppressions=0"; }

const char *__lsan_default_suppressions(void) {
    return
        // Foundation's `Data(contentsOf:)` loses the buffer that it reads an empty file into, as of Swift 6.3.
        "leak:20FoundationEssentials17readBytesFromFile\n"
        // Foundation's `Process.run()` loses a weak reference to each process.
        "leak:10Foundation7ProcessC3run\n";
}

// OpenSSL cleans up as a process ends, and forgets what threads that haven't ended yet have of it: where one of them ends just
// then, what it had looks like a leak. So it doesn't clean up here; what leaks while a program runs is found all the same.
// Where OpenSSL isn't linked, there is nothing to be asked.
extern int OPENSSL_init_crypto(uint64_t options, const void *settings) __attribute__((weak));

__attribute__((constructor)) static void keepOpenSSL(void) {
    const uint64_t noCleaning = 0x00080000; // OPENSSL_INIT_NO_ATEXIT
    if (OPENSSL_init_crypto) OPENSSL_init_crypto(noCleaning, 0);
}
