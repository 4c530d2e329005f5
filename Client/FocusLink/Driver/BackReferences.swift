/// The references from a connection's parts and alarms back to its driver and its observer, which keep the
/// parts and alarms alive.
///
/// Embedded Swift has no weak references. There only the connection's end releases the two objects.
final class BackReferences {
    #if hasFeature(Embedded)
        var driver: SyncDriver?
        private(set) var observer: (any SyncObserver)?
    #else
        weak var driver: SyncDriver?
        private(set) weak var observer: (any SyncObserver)?
    #endif

    init(_ observer: any SyncObserver) { self.observer = observer }

    /// Releases both, because the connection has ended. Returns the observer, for its last call.
    func release() -> (any SyncObserver)? {
        let last = observer
        driver = nil
        observer = nil
        return last
    }
}
