import FocusText

extension TestContext {
    /// What `focus log --json` says of a field of each of the history's entries, where it is a text.
    package func history(_ field: String) throws -> [String] {
        let json = try JSON(parsing: run("log --json").output.utf8)
        guard case .array(let records)? = json["history"] else { return [] }
        return records.compactMap { record in
            if case .string(let text)? = record[field] { text } else { nil }
        }
    }

    /// The handles of the history's entries, whole.
    package func entries() throws -> [String] { try history("entry") }
}
