import FocusColumns
import FocusCore
import SQLiteKit

/// The reason why the device's database couldn't be used.
package struct StoreError: Error, Hashable, Sendable {
    /// The kind of error, for callers to decide by.
    package enum Code: Hashable, Sendable {
        /// There is no database at this path yet, and this connection only reads.
        case missing
        /// The process has no permission to open or write the file or its folder.
        case notAllowed
        /// The file is damaged, or isn't a database.
        case damaged
        /// A newer version of the program has written it.
        case newer
        /// An older version has written it, and this connection only reads.
        case older
        /// An older version has written it, and the copy to keep before the upgrade can't be written.
        case notUpgraded
        /// The file is another program's database.
        case foreign
        /// Another process was writing for longer than the busy timeout.
        case busy
        /// The file can't be locked, because its file system has no locks.
        case noLocks
        /// The disk is full.
        case full
        /// The disk failed to read or write.
        case disk
        /// The log already holds an event with a stamp of the year 6429, the last one possible.
        case noStampLeft
        /// An event of this device would be longer than `SealedEvent.plainLimit`.
        case tooLong
        /// The log's state doesn't allow the request. Except for `hasLeft`, this is a bug in the program.
        case refused
        /// Any other error of SQLite.
        case failed
    }

    /// The kind of error; callers decide by it, not by the message.
    package let code: Code
    /// The message for people. It never contains anything from the log.
    package let message: String

    /// Creates an error. The message is shown to people, so it must not contain anything from the log.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String { message }
}

extension StoreError {
    static func missing(_ path: String) -> StoreError {
        StoreError(.missing, "there is no database at \(path) yet")
    }

    init(_ error: SQLiteError) {
        let code: Code =
            switch error.code {
            case _ where error.isOutOfSpace: .full
            case _ where error.isLockingUnsupported: .noLocks
            // A locking error means that another process was stopped while it was setting up the shared
            // memory. That process keeps others out, however long they wait.
            case .busy, .locked, .lockingProtocol: .busy
            case .corrupt, .notADatabase: .damaged
            // The file ends before the length in its header.
            case .inputOutput where error.extendedCode == .shortRead: .damaged
            case .inputOutput: .disk
            case .permission, .readOnly, .cannotOpen: .notAllowed
            default: .failed
            }
        self.init(code, error.description)
    }

    init(_ error: SchemaError) {
        let code: Code =
            switch error.code {
            case .newer: .newer
            case .older: .older
            case .foreign: .foreign
            case .altered: .damaged
            }
        self.init(code, error.description)
    }

    /// A value beside the log that can't be read.
    init(_ failure: ByteReader.Failure) { self.init(.failed, "a value beside the log can't be read") }

    init(_ damage: RowCorruption) { self.init(.damaged, damage.description) }

    init(_ error: UpgradeError) { self.init(.notUpgraded, error.description) }

    init(_ failure: DatabaseFailure) {
        switch failure {
        case .sqlite(let error): self.init(error)
        case .schema(let error): self.init(error)
        case .upgrade(let error): self.init(error)
        }
    }

    /// The device is no longer in the group that the write was for, because another process has left it.
    package static let hasLeft = StoreError(.refused, "this laptop has left the group")
}

/// An error of a program that uses a store: it can be an error of the store.
package protocol ExpressibleByStoreError: Error {
    /// The error that stands for an error of the store.
    init(_ error: StoreError)
}

extension ExpressibleByStoreError {
    /// Runs `body`, and converts the store's errors.
    package static func converting<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(Self) -> Result {
        do throws(StoreError) { return try body() } catch { throw Self(error) }
    }
}

extension StoreError: ExpressibleByStoreError {
    /// The same error.
    package init(_ error: StoreError) { self = error }
}
