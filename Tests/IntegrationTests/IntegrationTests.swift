import IntegrationSupport
import TestTraits
import Testing

/// Real processes that talk over real TLS on loopback. One test after the other, so that none starves another;
/// each subject is an extension of its own.
@Suite("Integration", .serialized, .onThreadOfItsOwn)
struct IntegrationTests {}
