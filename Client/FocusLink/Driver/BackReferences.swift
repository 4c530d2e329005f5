/// The driver and the observer of a connection. They keep its parts and alarms alive, which refer to them by
/// this object.
///
/// Embedded Swift has no weak references. There only the connection's end releases the two.
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
        defer { (driver, observer) = (nil, nil) }
        return observer
    }
}
