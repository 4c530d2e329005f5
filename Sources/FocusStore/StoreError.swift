import FocusColumns
import FocusCore
import SQLiteKit

/// Why the device's database could not be used.
package struct StoreError: Error, Hashable, Sendable {
    /// The kind of trouble, to decide by.
    package enum Code: Hashable, Sendable {
        /// There is no database at this path yet, and this connection only reads.
        case missing
        /// The file or its folder may not be opened or written.
        case notAllowed
        /// The file is damaged, or no database at all.
        case damaged
        /// A newer version of the program has written it.
        case newer
        /// An older version has written it, and this connection only reads.
        case older
        /// An older version has written it, and the copy that is kept before it is upgraded can't be written.
        case notUpgraded
        /// The file is another program's database.
        case foreign
        /// Another process was writing for too long.
        case busy
        /// The file can't be locked: its file system has no locks.
        case noLocks
        /// The disk is full.
        case full
        /// The disk failed to read or write.
        case disk
        /// The log already holds an event of the year 6429, after which no stamp is left.
        case noStampLeft
        /// An event of this device would be longer than one may be.
        case tooLong
        /// What was asked for can't be done with the log as it is: a mistake of the program.
        case refused
        /// Anything else that SQLite said.
        case failed
    }

    /// What a caller decides by, rather than by the words.
    package let code: Code
    /// What was wrong, for people; never what the log says.
    package let message: String

    /// An error of this kind; the message is shown to people, so nothing that the log says may be in it.
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
            case _ where error.isForLackOfRoom: .full
            case _ where error.isForLackOfLocks: .noLocks
            // One that was stopped as it set up what all share keeps others out of that, whatever their patience.
            case .busy, .locked, .lockingProtocol: .busy
            case .corrupt, .notADatabase: .damaged
            // It ends before what its header says.
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

    init(_ damage: RowDamage) { self.init(.damaged, damage.description) }

    init(_ error: UpgradeError) { self.init(.notUpgraded, error.description) }

    /// The device isn't in the group any more that something was to be done for.
    package static let hasLeft = StoreError(.refused, "this laptop has left the group")

    /// Runs `body`, and says SQLite's errors and those of columns in this type; others pass.
    static func passing<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StoreError(error)
        } catch let error as SchemaError {
            throw StoreError(error)
        } catch let error as UpgradeError {
            throw StoreError(error)
        } catch let damage as RowDamage {
            throw StoreError(damage)
        }
    }

    /// Runs `body`, which throws nothing but those errors and this type's, and says all in this type.
    static func translating<Result: ~Copyable>(_ body: () throws -> Result) throws(StoreError) -> Result {
        do {
            return try passing(body)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.failed, "\(error)")
        }
    }
}
