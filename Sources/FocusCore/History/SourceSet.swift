/// Sources of records. Two that only look the same, being written with other scalars, are two.
package struct SourceSet: Sendable {
    private var sources: Set<[UInt8]> = []

    /// No sources.
    package init() {}

    /// Whether the source is among them, scalar for scalar. Cost: linear in its length.
    package func contains(_ source: String) -> Bool { sources.contains(Array(source.utf8)) }

    /// Adds a source; false where it was there.
    @discardableResult
    package mutating func insert(_ source: String) -> Bool { sources.insert(Array(source.utf8)).inserted }
}

extension Journal {
    /// The sources of all records that `record` events have added, those taken out of the history too.
    ///
    /// Cost: linear in them.
    package var sources: SourceSet {
        var sources = SourceSet()
        for fact in facts {
            if let source = fact.source { sources.insert(source) }
        }
        return sources
    }
}
