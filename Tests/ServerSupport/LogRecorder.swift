package import FocusServerCore
import Synchronization

/// The entries of a server's log in a test.
package final class LogRecorder: Sendable {
    private let written = Mutex<[(event: String, values: [LogValue])]>([])

    package init() {}

    /// A log that writes all its entries here.
    package var log: Log {
        Log(least: .debug, sentence: { "\($0)" }, command: { "focusd \($0)" }) { [self] _, event, fields in
            written.withLock { $0.append((event, fields.map(\.value))) }
        }
    }

    /// The names of all events so far, in order.
    package var events: [String] { written.withLock { $0.map(\.event) } }

    /// The field values of all events of this name, in order.
    package func values(of event: String) -> [LogValue] {
        written.withLock { $0.filter { $0.event == event }.flatMap(\.values) }
    }
}
