import IntegrationSupport
import TestTraits
import Testing

/// Real processes that talk over real TLS on loopback.
///
/// The tests run one after the other, so that none starves another. Each subject is an extension of its own.
@Suite("Integration", .serialized, .onThreadOfItsOwn)
struct IntegrationTests {}

/// Tests of one laptop: its agent, its screen and its page.
///
/// They mostly wait, so they run beside the other integration tests.
@Suite("Integration on one laptop", .serialized, .onThreadOfItsOwn)
struct LaptopTests {}
