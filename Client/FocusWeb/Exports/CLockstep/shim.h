#pragma once
#include <stdint.h>

// The functions that the page's worker gives the module. `device.js` implements them. Texts are in UTF-8.
#define LOCKSTEP_IMPORT(name) __attribute__((import_module("lockstep"), import_name(#name)))

/// Opens a new WebSocket. An older one is over.
LOCKSTEP_IMPORT(connect) void lockstep_connect(void);

/// Sends bytes on the WebSocket.
LOCKSTEP_IMPORT(send) void lockstep_send(const uint8_t *bytes, uint32_t count);

/// Ends the WebSocket.
LOCKSTEP_IMPORT(disconnect) void lockstep_disconnect(void);

/// Stores records in one transaction. The export `kept` or `failed` follows.
LOCKSTEP_IMPORT(keep) void lockstep_keep(double number, const uint8_t *records, uint32_t count);

/// Answers a page's request.
LOCKSTEP_IMPORT(answer)
void lockstep_answer(
    int32_t id, int32_t status, const uint8_t *type, uint32_t typeCount, const uint8_t *body, uint32_t bodyCount);

/// Sends a state event's JSON to a page.
LOCKSTEP_IMPORT(state) void lockstep_state(int32_t page, const uint8_t *json, uint32_t count);

/// Reports that the stored records can't be used, after `begin` has returned 0.
LOCKSTEP_IMPORT(unusable) void lockstep_unusable(void);

/// Lets the export `woke` be called after this number of milliseconds; never if it is negative.
LOCKSTEP_IMPORT(wake) void lockstep_wake(double after);

/// Fills memory with random bytes.
LOCKSTEP_IMPORT(random) void lockstep_random(uint8_t *bytes, uint32_t count);

/// Returns the seconds by which a zone's clocks are ahead of UTC; the greatest number if there is no such zone.
LOCKSTEP_IMPORT(offset) int32_t lockstep_offset(const uint8_t *zone, uint32_t count, double wall);

/// Writes a line to the console.
LOCKSTEP_IMPORT(log) void lockstep_log(const uint8_t *line, uint32_t count);
