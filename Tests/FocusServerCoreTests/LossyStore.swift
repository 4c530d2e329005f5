import FocusServerStore
import PostgreSQLKit
import TestSupport

/// A store that loses the answers of some commits, and rolls others back.
final class LossyStore: ServerStore {
    private let store: any ServerStore
    /// Returns the fate of the next commit: 0 rolls the commit back, 1 loses its answer, any other number
    /// keeps it.
    private let throwDie: () -> Int

    init(_ store: any ServerStore, _ throwDie: @escaping () -> Int) {
        self.store = store
        self.throwDie = throwDie
    }

    convenience init(_ store: any ServerStore, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.init(store) { Int.random(in: 0..<6, using: &random) }
    }

    func check() throws -> StoreCheck { try store.check() }

    func read<Result>(_ body: (any ServerSnapshot) throws -> Result) throws -> Result {
        try store.read(body)
    }

    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
        let die = throwDie()
        let result = try store.write { transaction in
            let result = try body(transaction)
            if die == 0 { throw PostgreSQLError(.lost, "as the dice say") }
            return result
        }
        if die == 1 { throw PostgreSQLError(.unknownCommit, "as the dice say") }
        return result
    }
}
