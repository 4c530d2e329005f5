package import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusStore
import FocusWords

extension Device {
    /// The history now.
    package func entries() throws(CommandFailure) -> History {
        try using { device throws(StoreError) in
            let (state, journal) = try device.store.history()
            return History(journal, state, at: try device.now())
        }
    }
}

extension History {
    /// The record whose handle begins so.
    ///
    /// - Parameter status: what it is where there is none, or several.
    /// - Throws: where there is none, or several.
    package func record(named text: String, else status: ExitStatus = .failed) throws(CommandFailure)
        -> PhaseRecord
    {
        let handles = RecordHandles(self)
        let found = handles.records(beginning: text)
        guard let first = found.first else {
            throw CommandFailure(
                "The history has no entry '\(text)'. 'focus log' shows what its entries are called.", status)
        }
        guard found.count == 1 else {
            let lines = found.prefix(5).map { "\n  \(RecordLine($0, handles.shown($0.name)).textWithDay)" }
            throw CommandFailure(
                "\(found.count) entries begin with '\(text)': type more of it.\(lines.joined())", status)
        }
        return first
    }
}
