import IntegrationSupport
import TestTraits
import Testing

/// What goes wrong around the programs: networks, disks, limits, strangers. Real processes and real TLS; one test
/// after the other, so that none starves another; each subject is an extension of its own.
@Suite("Faults", .serialized, .onThreadOfItsOwn)
struct FaultTests {}
