package import FocusText

extension TestContext {
    /// The values of a field in the history of `focus log --json`, for each entry that has the field.
    package func fields(_ name: String) throws -> [JSON] {
        let json = try JSON(parsing: run("log --json").output.utf8)
        guard case .array(let records)? = json["history"] else { return [] }
        return records.compactMap { $0[name] }
    }

    /// The values of a text field in the history of `focus log --json`.
    package func textFields(_ name: String) throws -> [String] {
        try fields(name).compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    /// The full handles of the history's entries.
    package func entries() throws -> [String] { try textFields("entry") }
}
