package import FocusCore
import SQLiteKit

extension DeviceStore {
    /// Opens the database at `path` on the machine's disk, as `init(path:on:access:makeReplica:)` does.
    package convenience init(
        path: String, access: Access = .writing, makeReplica: @escaping () -> ReplicaID
    ) throws(StoreError) {
        try self.init(path: path, on: .machine, access: access, makeReplica: makeReplica)
    }
}

/// Any error of a closure, on its way through a method of the store.
private struct AnyFailure: ExpressibleByStoreError {
    let cause: any Error

    init(_ error: StoreError) { cause = error }

    init(cause: any Error) { self.cause = cause }

    /// Runs `body`, and throws its errors as `AnyFailure`.
    static func wrapping<Result>(_ body: () throws -> Result) throws(AnyFailure) -> Result {
        do { return try body() } catch { throw AnyFailure(cause: error) }
    }

    /// Runs `body`, and throws the causes of its errors.
    static func unwrapping<Result>(_ body: () throws(AnyFailure) -> Result) throws -> Result {
        do throws(AnyFailure) { return try body() } catch { throw error.cause }
    }
}

// The methods with a closure that throws any error.
extension DeviceStore {
    /// Does the same as `atomically` for a `body` that throws any error.
    package func atomically<Result>(_ body: () throws -> Result) throws -> Result {
        try AnyFailure.unwrapping { () throws(AnyFailure) in
            try atomically { () throws(AnyFailure) in try AnyFailure.wrapping(body) }
        }
    }

    /// Does the same as `author` for a `body` that throws any error.
    package func author<Result>(
        now: SharedInstant, counting counted: CountedEvents = .due,
        _ body: (inout AuthoringTransaction) throws -> Result
    ) throws -> (result: Result, events: [Event]) {
        try AnyFailure.unwrapping { () throws(AnyFailure) in
            try author(now: now, counting: counted) { (authoring) throws(AnyFailure) in
                do { return try body(&authoring) } catch { throw AnyFailure(cause: error) }
            }
        }
    }

    /// Calls `body` with each stored event of the whole log, in replay order, within one snapshot.
    ///
    /// - Throws: The errors of `body`, or `StoreError`.
    package func forEachStoredEvent(_ body: (StoredEvent) throws -> Void) throws {
        try AnyFailure.unwrapping { () throws(AnyFailure) in
            try reading { () throws(AnyFailure) in
                try AnyFailure.wrapping {
                    var events = StoredEventCursor(self, after: nil)
                    while let event = try events.next() { try body(event) }
                }
            }
        }
    }
}
