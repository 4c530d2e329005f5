/// A small text file that is only written as a whole.
package enum WholeFile {
    /// Replaces the whole file, or leaves it unchanged if that fails. Makes missing folders.
    ///
    /// - Parameter mode: The mode of the file. By default only its owner may read it.
    /// - Throws: `SystemError`, which names the file.
    package static func replace(_ path: String, with text: String, mode: mode_t = 0o600) throws(SystemError) {
        if let parent = PathParts.parent(of: path) { try NewFile.makeFolders(parent) }
        let draft = "\(path).new"
        let number = NewFile.open(draft, O_WRONLY | O_TRUNC, mode)
        guard number >= 0 else { throw SystemError("\(draft) can't be written") }
        do throws(SystemError) {
            defer { close(number) }
            let file = FileDescriptor(number, named: draft)
            try file.write(text)
            try file.makeDurable()
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else {
            let error = SystemError("\(path) can't be written")
            unlink(draft)
            throw error
        }
    }

    /// Removes the file, if there is one.
    ///
    /// - Throws: `SystemError`, which names the file.
    package static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("\(path) can't be removed") }
    }
}

/// A word in the syntax of systemd's units.
package enum UnitWord {
    /// Returns the word, quoted if it isn't plain, and with percent signs escaped.
    package static func quoted(_ word: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in word.unicodeScalars {
            switch scalar {
            case "%": text.append(contentsOf: "%%".unicodeScalars)
            case "\\", "\"": text.append(contentsOf: "\\\(scalar)".unicodeScalars)
            default: text.append(scalar)
            }
        }
        let isPlain = text.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": true
            default: "/._-+:,@=%".unicodeScalars.contains(scalar)
            }
        }
        return isPlain ? String(text) : "\"\(String(text))\""
    }

    /// Whether a unit can name the path: it is absolute, and has only text without control characters and without
    /// dollar signs.
    package static func canName(_ path: String) -> Bool {
        path.hasPrefix("/") && SystemText.repaired(path) == path
            && !path.unicodeScalars.contains { $0 == "$" || $0.value < 0x20 }
    }
}
