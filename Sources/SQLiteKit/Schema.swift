/// What a program keeps in a database file: whose file it is, and how it came to its present form.
package struct Schema: Sendable {
    /// Says whose file it is (<https://sqlite.org/pragma.html#pragma_application_id>).
    package let applicationID: Int32
    /// The SQL that leads from version `n` to `n + 1`, for `n` from 0. What has been published never changes;
    /// a new form is a new entry.
    package let migrations: [String]

    /// The schema that these migrations lead to, the first of them from an empty file.
    package init(applicationID: Int32, migrations: [String]) {
        self.applicationID = applicationID
        self.migrations = migrations
    }

    /// The version that the last migration leads to.
    package var version: Int64 { Int64(migrations.count) }
}

/// Why a program can't use a database file that is whole.
package struct SchemaError: Error, Hashable, Sendable {
    /// What keeps the program from using it.
    package enum Code: Hashable, Sendable {
        /// A newer version of the program has migrated the file.
        case newer
        /// The file must be migrated first, and this connection only reads.
        case older
        /// The file is another program's.
        case foreign
    }

    /// What is the matter with the file.
    package let code: Code
    /// The version the file has.
    package let found: Int64
    /// The version the program knows.
    package let known: Int64

    /// An error about a file of the version `found`; `known` is the newest version that the program knows.
    package init(code: Code, found: Int64, known: Int64) {
        self.code = code
        self.found = found
        self.known = known
    }
}

extension SchemaError: CustomStringConvertible {
    package var description: String {
        switch code {
        case .newer: "the database has version \(found), and this program knows versions up to \(known)"
        case .older: "the database has version \(found), and must be brought to version \(known) first"
        case .foreign: "the database is another program's"
        }
    }
}
