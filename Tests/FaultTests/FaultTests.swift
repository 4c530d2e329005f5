import TestTraits
import Testing

/// Faults around the programs: networks, disks, limits and strangers. They use real processes and real TLS.
///
/// The tests run one after the other, so that none starves another. Each subject is an extension of its own.
@Suite("Faults", .serialized, .onThreadOfItsOwn)
struct FaultTests {}
