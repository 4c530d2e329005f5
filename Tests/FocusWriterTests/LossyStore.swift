import FocusServerStore
import PostgreSQLKit
import TestSupport

/// A store of which some commits are kept though the answer is lost, and others are undone.
final class LossyStore: ServerStore {
    private let store: any ServerStore
    /// What becomes of the next commit: 0 undoes it, 1 loses the answer.
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
