import IntegrationSupport
import TestTraits
import Testing

/// Real processes that talk over real TLS on loopback. One test after the other, so that none starves another;
/// each subject is an extension of its own.
@Suite("Integration", .serialized, .onThreadOfItsOwn)
struct IntegrationTests {}

/// The same of what goes on on one laptop: its agent, its screen and its page. They mostly wait for these, beside the
/// others.
@Suite("Integration on one laptop", .serialized, .onThreadOfItsOwn)
struct LaptopTests {}
