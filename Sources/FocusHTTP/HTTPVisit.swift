import FocusNet
import SystemKit

/// A client's connection, for as long as it stands: whether the client takes its time.
final class HTTPVisit {
    private let descriptor: Int32
    /// Since when a request is awaited; nil while one is answered.
    private var awaitingSince: ContinuousClock.Instant?

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        awaitsRequest()
    }

    /// Nothing is asked for; the next request may come.
    func awaitsRequest() { awaitingSince = .now }

    /// A request is there, whole.
    func hasRequest() { awaitingSince = nil }

    /// Hangs up on a client that has had so long for a request and didn't bring it: libmicrohttpd itself
    /// waits for as long as a byte comes now and then.
    func hangUp(after patience: Duration) {
        guard let since = awaitingSince, since.duration(to: .now) > patience else {
            return
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
