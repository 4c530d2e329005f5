package import FocusCore
package import FocusStore

extension DeviceStore {
    /// What was noted to have been shown before the others' events were taken in; nil where nothing was, or it can't be
    /// read.
    package func shownWork() throws(StoreError) -> ShownWork? {
        try value(.shownWork).flatMap { try? ShownWork(encoded: $0) }
    }

    /// Keeps that note; nil takes it away.
    package func setShownWork(_ shown: ShownWork?) throws(StoreError) {
        if shown == nil, try value(.shownWork) == nil { return }
        try setValue(shown?.encoded(), for: .shownWork)
    }
}
