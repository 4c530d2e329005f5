package import FocusText

extension TestContext {
    /// What `focus log --json` says of a field of each of the history's entries that has it.
    package func fields(_ name: String) throws -> [JSON] {
        let json = try JSON(parsing: run("log --json").output.utf8)
        guard case .array(let records)? = json["history"] else { return [] }
        return records.compactMap { $0[name] }
    }

    /// The same, of a field that is a text.
    package func history(_ name: String) throws -> [String] {
        try fields(name).compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    /// The handles of the history's entries, whole.
    package func entries() throws -> [String] { try history("entry") }
}
