import FocusServerStore
import PostgreSQLKit

/// A server's commit that was never answered (`PostgreSQLUnknownCommit`).
final class SharedUnknownCommit {
    /// The outcome of the commit.
    enum Fate {
        /// The database may still keep or undo it.
        case open
        case kept, undone
    }

    /// Its news, or nil if it has none.
    let row: SharedRows.News?
    var fate: Fate

    init(_ row: SharedRows.News?, _ fate: SharedDatabase.Fate) {
        self.row = row
        self.fate =
            switch fate {
            case .kept, .answerLost: .kept
            case .lost: .undone
            case .late: .open
            }
    }
}

extension SharedTransaction {
    func lostCommits() throws -> UnknownCommits? {
        guard let server, !unknownCommits.isEmpty else { return nil }
        var found = UnknownCommits()
        for commit in unknownCommits {
            guard commit.fate != .open else {
                found.areOpen = true
                continue
            }
            resolvedCommits.append(commit)
            // Other servers may have stopped waiting for its number, so its changes are announced again.
            if commit.fate == .kept, let row = commit.row {
                found.news.formUnion(row.news)
                news.formUnion(row.news)
            }
            // Empty news take the number of an undone commit, so that no server waits for that number any more.
            guard let row = commit.row, commit.fate == .undone else { continue }
            reach("a number that was filled")
            rows.add(SharedRows.News(number: row.number, written: now, news: StoreNews()), of: server)
        }
        return found
    }
}

/// The errors of a shared store, the same as the real one's.
enum SharedStoreTrouble {
    static let unreachable = PostgreSQLError(.unreachable, "the database can't be reached")
    static let lost = PostgreSQLError(.lost, "the connection to the database is gone")
    static let unknownCommit = PostgreSQLError(.unknownCommit, "nobody knows whether it was kept")
}
